"""A job as the service takes it."""

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Union, get_args, get_origin, get_type_hints

from kgrade import _program
from kgrade._grading import MOST_SOURCE, Text, as_list, known, missing, text_of
from kgrade._options import NUMBERS, Options
from kgrade._transport import BadRequest

if TYPE_CHECKING:
    from typing_extensions import Unpack

# A slug; or the path of one of KernelBench's files, or a path into a public set (docs/sets.md); or one file itself:
# {"name": ..., "source": ...}; or {"sha256": ...}, which Client.upload() returns. A path has a slash, or an extension.
Problem = Union[str, "os.PathLike[str]", "Mapping[str, str]"]


@dataclass(frozen=True)
class Request:
    """One item of grade_many() or submit_many() with its own options, which override those of the call.

    >>> Request("softmax", "int main() {}", "mine.cu", {"client_ref": "17"}).options["client_ref"]
    '17'
    """

    problem: Problem
    candidate: Text
    name: Optional[str] = None
    options: Options = field(default_factory=Options)


# A request; or a problem, a candidate and the candidate's name.
Item = Union[Request, "tuple[Problem, Text]", "tuple[Problem, Text, Optional[str]]"]


def of_item(item: Item, same: Options) -> "dict[str, Any]":
    """The job of an item. `same` are the options of all items."""
    if not isinstance(item, Request):
        item = Request(*item)
    options: Options = {**same, **item.options}
    return job(item.problem, item.candidate, item.name, **options)


def job(problem: Problem, candidate: Text, name: Optional[str] = None, **options: "Unpack[Options]") -> "dict[str, Any]":
    """A job as the service takes it. Files are read here, since the service cannot read files of this machine."""
    sent: "dict[str, Any]" = {}
    sent["problem"] = problem_file(problem) if is_file(problem) else _clean(path_of(problem))
    sent["candidate"] = {"name": _name_of(candidate) if name is None else _clean(name),
                         "source": _shortened(_source_of(candidate, name))}
    for option, value in known(options).items():
        if option == "headers" and value:
            sent["candidate"]["headers"] = {_clean(each): _clean(source) for each, source in value.items()}
        elif option == "cases" and value:
            sent["cases"] = as_list(value)
        elif option not in ("headers", "cases"):
            sent[option + "_s" if option + "_s" in NUMBERS else option] = value
    _check_values(sent)
    return sent


# {option: its type}, for a first check. The service checks the options again, since it knows the problem.
_KINDS = {name: get_args(kind)[0] for name, kind in get_type_hints(Options).items()}
WORDS: "Mapping[str, tuple[str, ...]]" = {name: get_args(kind) for name, kind in _KINDS.items() if get_origin(kind) is Literal}


def check_options(options: Mapping[str, Any]) -> None:
    """Raises BadRequest if a value is wrong for every problem, and TypeError if there is no such option."""
    job("any", "", "answer.md", **options)


def _check_values(sent: "dict[str, Any]") -> None:
    for member, words in WORDS.items():
        if sent.get(member, words[0]) not in words:
            raise BadRequest(f"{member} is {sent[member]!r}, and may be {', '.join(words)}")
    for member, (least, most) in NUMBERS.items():
        value = sent.get(member, least)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise BadRequest(f"{member} is {value!r}, and may be a number from {least:g} to {most:g}")
    if not all(isinstance(each, str) for each in sent.get("cases", ())):
        raise BadRequest(f"cases is {sent['cases']!r}, and may be a name or a list of names")


# Files of public sets, whose problems have several files: docs/sets.md.
_SET_SUFFIXES = (".json", ".jsonl", ".yml", ".yaml")
_SET_FILES = {"reference.py": ("task.yml", "task.yaml"), "func_forward.py": ("config_forward.json",),
              "func_backward.py": ("config_backward.json",)}
_GROUPS, _TESTS, _LINE_ABOVE_TESTS = (b"\ndef get_input_groups(", b"\ndef test_", b"\n" + b"#" * 100)
_MODEL, _INPUTS = (b"\nclass Model(", b"\ndef get_inputs(")
# In a file that the program has made of a set's files, which is complete.
_MADE = b"\nfrom kgrade_python.sets import "


def is_file(problem: Problem) -> bool:
    """Whether a problem is a file, a folder or an upload. Otherwise it is a slug."""
    return isinstance(problem, Mapping) or "/" in path_of(problem) or Path(path_of(problem)).suffix in (".py", *_SET_SUFFIXES)


def problem_file(problem: Problem) -> "dict[str, str]":
    """A problem's file, as the service takes it. Of a path into a public set, this is the file that the program kgrade
    makes of the set's files."""
    if isinstance(problem, Mapping):
        return {str(key): _of_problem(value, str(problem.get("name", "the problem"))) for key, value in problem.items()}
    path = Path(path_of(problem))
    content = None if _is_of_set(path) else _read(os.fspath(path))
    if content is None or _lacks_others(b"\n" + content):
        path, into_set = _made_of_set(path), path
        content = _read(os.fspath(path))
        if len(content) > MOST_SOURCE:
            raise BadRequest(f"{into_set} becomes one file of more than 1 MiB, and a service takes problems of up to 1 MiB; "
                             "`kgrade grade` takes it on a machine that has the set")
    if path.suffix != ".py":
        raise BadRequest(f"{path} does not end in .py: only problem files in Python can be sent, since others have references in "
                         "CUDA, which are trusted")
    if len(content) > MOST_SOURCE:
        raise BadRequest(f"{path} is larger than 1 MiB, and a service takes problems of up to 1 MiB")
    return {"name": path.name, "source": _of_problem(content, os.fspath(path))}


def _is_of_set(path: Path) -> bool:
    """Whether a path seems to lead into a public set. The program then knows it for certain."""
    try:
        if path.suffix in _SET_SUFFIXES or path.is_dir():
            return True
        beside = (*_SET_FILES.get(path.name, ()), "shapes.py", "problem.yaml")
        return any((path.parent / name).exists() for name in beside)
    except OSError:
        return False  # The path is too long.


def _lacks_others(text: bytes) -> bool:
    """Whether a file, with a line feed before it, seems to be one of several of a public set. One with `Model` and
    get_inputs() is complete: it is in KernelBench's form."""
    if _MADE in text or (_MODEL in text and _INPUTS in text):
        return False
    return _GROUPS in text or (_TESTS in text and _LINE_ABOVE_TESTS in text)


def _made_of_set(path: Path) -> Path:
    """The file that the program makes of a problem's files."""
    try:
        ended = _program.run(["show", "--file", "--", os.fspath(path)])
    except _program.NotInstalled as error:
        raise BadRequest(f"{path} is a path into a public set, and a program makes one file of the set's files: {error}") from error
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path} is a path into a public set, and {_program.program()}, which makes one file of the set's files, "
                         f"cannot be started: {getattr(error, 'strerror', None) or error}") from error
    if ended.returncode:
        raise BadRequest(ended.stderr.strip() or f"`kgrade show --file {path}` ended with {ended.returncode}")
    return Path(ended.stdout.rstrip("\n"))


def _of_problem(text: Union[str, bytes], name: str) -> str:
    """The text of a problem, decoded without a change of its bytes."""
    try:
        return text.decode("utf-8") if isinstance(text, bytes) else _clean(str(text))
    except UnicodeDecodeError as error:
        raise BadRequest(f"{name} is not in UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}") from error


def path_of(problem: Problem) -> str:
    """The slug, or the path of the file."""
    if isinstance(problem, (str, os.PathLike)):
        text = os.fspath(problem)
        if "\0" in text:
            raise BadRequest(f"{text[:200]!r} has a zero byte, and no slug or path has one")
        return text
    raise BadRequest(f"a problem is a slug, a file or a mapping, and not {type(problem).__name__}")


def _name_of(candidate: Text) -> str:
    return "" if isinstance(candidate, (bytes, bytearray)) else Path(candidate).name


def _source_of(candidate: Text, name: Optional[str]) -> str:
    if name is not None and not isinstance(candidate, os.PathLike):
        return text_of(candidate)
    wrong = missing(candidate) if name is None else ""
    if wrong:
        raise BadRequest(wrong)
    assert not isinstance(candidate, (bytes, bytearray))
    return text_of(_read(os.fspath(candidate)))


def _shortened(text: str) -> str:
    """Cuts a text that is too long for a candidate. It stays too long, so that the service refuses it."""
    if len(text) <= MOST_SOURCE // 4:
        return text
    content = text.encode("utf-8")
    return text if len(content) <= MOST_SOURCE else content[: MOST_SOURCE + 4].decode("utf-8", "ignore")


def _read(path: str) -> bytes:
    """What is in a regular file. Of one that is too long, this is the beginning, which is too long, too."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # A device may have no end, and a pipe may never begin.
            raise BadRequest(f"{path[:200]!r} is not a regular file")
        with open(path, "rb") as file:
            return file.read(MOST_SOURCE + 1)
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path[:200]!r} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _clean(text: str) -> str:
    """The text without halves of surrogate pairs, which are not valid Unicode and would make a whole request
    invalid."""
    return text.encode("utf-8", "replace").decode("utf-8")


def to_json(body: "dict[str, Any]") -> bytes:
    try:
        return _clean(json.dumps(body, ensure_ascii=False, allow_nan=False)).encode("utf-8")
    except ValueError as error:
        raise BadRequest(f"the request is no JSON: {error}") from error
