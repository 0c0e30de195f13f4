"""Grades a candidate on this machine, by running the program."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Literal, Optional, Sequence, Union

from kgrade import _program
from kgrade._result import Fault, Grade

Effort = Literal["quick", "default", "ranked"]
_FAULTS: "dict[int, Fault]" = {3: "machine"}


def grade(
    problem: "Union[str, os.PathLike[str]]",
    candidate: "Union[str, os.PathLike[str]]",
    *,
    name: Optional[str] = None,
    effort: Effort = "quick",
    device: str = "auto",
    cases: Sequence[str] = (),
    dtype: Optional[str] = None,
    baselines: Optional[str] = None,
    seed: Optional[int] = None,
    hidden: Optional[int] = None,
    hidden_seed: Optional[int] = None,
    time_limit: Optional[float] = None,
) -> Grade:
    """Grades one candidate for one problem, and returns when it is done.

    problem: a slug, or the path of a problem file or of one of KernelBench's files.
    candidate: the path of a .cu or .py file or of a text with code blocks; or such a text itself, with `name`.
    name: the file name that the text `candidate` would have, such as "answer.md" or "mine.cu".
    effort: how long speed is measured, as `kgrade grade --quick` and `--ranked` have it.
    device: "auto", "cuda", "cuda:1" or "emulated". On the emulated device there is no speedup.
    time_limit: seconds that one call of the candidate may take.

    Raises WrongUsage if the problem or an option is wrong, NotInstalled if there is no program. A candidate never raises,
    and neither does the machine: see Grade.outcome.
    """
    with tempfile.TemporaryDirectory(prefix="kgrade-") as folder:
        path = os.fspath(candidate)
        if name is not None:
            if not name or name in (".", "..") or "/" in name or "\0" in name:
                raise _program.WrongUsage(f"{name!r} is not the name of a file")
            written = Path(folder) / "candidate" / name
            written.parent.mkdir()
            written.write_text(path, encoding="utf-8")
            path = str(written)
        record_file = Path(folder) / "record.json"
        options: "list[tuple[str, Any]]" = [
            ("--device", device),
            ("--dtype", dtype),
            ("--baselines", baselines),
            ("--seed", seed),
            ("--hidden", hidden),
            ("--hidden-seed", hidden_seed),
            ("--time-limit", time_limit),
            ("--json", record_file),
            *(("--case", case) for case in cases),
        ]
        arguments = [f"{option}={value}" for option, value in options if value is not None]
        if effort != "default":
            arguments.append(f"--{effort}")
        ended = _program.run(["grade", *arguments, "--", os.fspath(problem), path])
        if ended.returncode in (0, 1) and record_file.is_file():
            # A text's own name, instead of the place where it was written.
            text = record_file.read_text(encoding="utf-8").replace(f"{folder}/candidate/", "")
            return Grade.of_record(json.loads(text))
    message = (ended.stderr.strip() or ended.stdout.strip()).replace(f"{folder}/candidate/", "")
    if ended.returncode == 2:
        raise _program.WrongUsage(message)
    return Grade(outcome="failed", fault=_FAULTS.get(ended.returncode, "service"), reason=message)
