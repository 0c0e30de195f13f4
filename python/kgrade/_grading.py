"""Grades a candidate on this machine, by running the program."""

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from kgrade import _program
from kgrade._options import Options
from kgrade._result import Fault, Grade, Valid

if TYPE_CHECKING:
    from typing_extensions import Unpack

# The path of a file, or a text.
Text = Union[str, bytes, "os.PathLike[str]"]
_FAULTS: "dict[int, Fault]" = {3: "machine"}
# Bytes that the text of a candidate may have, in UTF-8. A service takes problems of the same size.
MOST_SOURCE = 1 << 20


def grade(
    problem: "Union[str, os.PathLike[str]]",
    candidate: Text,
    *,
    name: Optional[str] = None,
    device: str = "auto",
    **options: "Unpack[Options]",
) -> Grade:
    """Grades one candidate for one problem, and returns when it is done.

    problem: a slug, or the path of a problem file or of one of KernelBench's files.
    candidate: the path of a .cu or .py file or of a text with code blocks; or the text itself, with `name`. A text of
        more than 1 MiB is a compile error.
    name: the file name that the text `candidate` would have, such as "answer.md" or "mine.cu".
    device: "auto", "cuda", "cuda:1" or "emulated". On the emulated device there is no speedup.
    options: see `kgrade.Options`. Options that only a service has, such as `priority`, raise WrongUsage.

    Raises WrongUsage if the problem or an option is wrong, and NotInstalled if there is no program. Faults of the
    candidate or of the machine raise nothing: see Grade.outcome.
    """
    with tempfile.TemporaryDirectory(prefix="kgrade-") as folder:
        if name is None:
            wrong = missing(candidate)
            if wrong:
                raise _program.WrongUsage(wrong)
            assert not isinstance(candidate, (bytes, bytearray))
            path = os.fspath(candidate)
        else:
            if not name or name in (".", "..") or "/" in name or "\0" in name:
                raise _program.WrongUsage(f"{name!r} is not the name of a file")
            written = Path(folder) / "candidate" / name
            written.parent.mkdir()
            text = Path(candidate).read_bytes() if isinstance(candidate, os.PathLike) else text_of(candidate).encode("utf-8")
            if len(text) > MOST_SOURCE:
                return too_long(len(text))
            written.write_bytes(text)
            path = str(written)
        record_file = Path(folder) / "record.json"
        # The precision that a candidate declares does not count here.
        given = {"effort": "quick", "precision": "own", **known(options)}
        cases, effort = as_list(given.pop("cases", ())), given.pop("effort", "default")
        if given.get("baselines") in ("usual", "compiled"):  # The command line has other words.
            given["baselines"] = {"usual": None, "compiled": "compile"}[given["baselines"]]
        arguments = [f"--device={device}", f"--json={record_file}", *(f"--case={case}" for case in cases)]
        arguments += [f"--{option.replace('_', '-')}={value}" for option, value in known(given).items()]
        if effort != "default":
            arguments.append(f"--{effort}")
        ended = _program.run(["grade", *arguments, "--", os.fspath(problem), path])
        if ended.returncode in (0, 1) and record_file.is_file():
            # The record names the text, instead of the place where the text was written.
            record = record_file.read_text(encoding="utf-8").replace(f"{folder}/candidate/", "")
            return Grade.of_record(json.loads(record))
    message = (ended.stderr.strip() or ended.stdout.strip()).replace(f"{folder}/candidate/", "")
    if ended.returncode == 2:
        raise _program.WrongUsage(message)
    return Grade(outcome="failed", fault=_FAULTS.get(ended.returncode, "service"), reason=message)


def known(options: "Mapping[str, Any]") -> "dict[str, Any]":
    """The options that are not None. Raises TypeError if there is no such option."""
    for option in options:
        if option not in Options.__annotations__:
            raise TypeError(f"there is no option {option!r} of a grade")
    return {option: value for option, value in options.items() if value is not None}


def as_list(cases: Union[str, Sequence[str]]) -> "list[str]":
    return [cases] if isinstance(cases, str) else list(cases)


def text_of(text: Union[str, bytes]) -> str:
    """A candidate's text, with a replacement character for bytes that are not Unicode. In a comment, this character
    does not disturb a compiler."""
    return text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else bytes(text).decode("utf-8", "replace")


def missing(candidate: Text) -> str:
    """What is wrong with a candidate without `name`, which has to be the path of a file. Empty if nothing is wrong."""
    if not isinstance(candidate, (bytes, bytearray)):
        try:
            if os.fspath(candidate) and Path(candidate).exists():
                return ""
        except (OSError, ValueError):
            pass  # The text is too long for a path, or has a zero byte.
    shown = repr(candidate if isinstance(candidate, (str, bytes, bytearray)) else os.fspath(candidate))
    shown = shown if len(shown) <= 100 else shown[:80] + "..."
    return (f"there is no file {shown}. To grade a text, give it a `name`: name=\"answer.md\" for a model's answer with blocks "
            "of code, or name=\"mine.cu\" for a kernel")


def too_long(size: int) -> Grade:
    """The grade of a text that is too long. It is not given to a compiler."""
    reason = f"the candidate has {size / MOST_SOURCE:.1f} MiB, and a candidate may have 1 MiB"
    return Grade("graded", "compile_error", reason=reason, stage="compile", valid=Valid(True, False))
