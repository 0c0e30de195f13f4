"""A job as the service takes it."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, TypedDict, Union

from kgrade._grading import Effort
from kgrade._result import Feedback
from kgrade._transport import BadRequest

if TYPE_CHECKING:
    from typing_extensions import Literal

Text = Union[str, "os.PathLike[str]"]
# A slug, or the path of one of KernelBench's files, or such a file itself: {"name": ..., "source": ...}. Or {"sha256": ...},
# which Client.upload() returns.
Problem = Union[str, "os.PathLike[str]", "Mapping[str, str]"]


class Options(TypedDict, total=False):
    """What can be said of a grade. docs/service.md says what each means.

    They are all members of a job except `problem` and `candidate`. Times are in seconds, without `_s` in the name.
    """

    effort: Effort
    cases: Sequence[str]
    dtype: Optional[str]
    precision: Optional[str]
    hidden: Optional[int]
    baselines: "Optional[Literal['none', 'usual', 'pytorch', 'compiled']]"
    # Seconds that one call of the candidate may take.
    time_limit: Optional[float]
    # Seconds that the candidate may take in all, its build included.
    run_limit: Optional[float]
    # Seconds until the result is of no use, the queue included. grade() and grade_many() take the client's timeout.
    deadline: Optional[float]
    priority: "Literal['normal', 'low']"
    # How much the service shows of the job: docs/service.md.
    feedback: Optional[Feedback]
    group: Optional[str]
    client_ref: Optional[str]
    # Texts of files beside the candidate, by name.
    headers: Optional[Mapping[str, str]]
    seed: Optional[int]
    hidden_seed: Optional[int]


@dataclass(frozen=True)
class Request:
    """One item of grade_many() or submit_many() with options of its own, which go before those of the call.

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


def job(
    problem: Problem,
    candidate: Text,
    name: Optional[str] = None,
    *,
    effort: Effort = "quick",
    cases: Sequence[str] = (),
    dtype: Optional[str] = None,
    precision: Optional[str] = None,
    hidden: Optional[int] = None,
    baselines: Optional[str] = None,
    time_limit: Optional[float] = None,
    run_limit: Optional[float] = None,
    deadline: Optional[float] = None,
    priority: str = "normal",
    feedback: Optional[Feedback] = None,
    group: Optional[str] = None,
    client_ref: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    seed: Optional[int] = None,
    hidden_seed: Optional[int] = None,
) -> "dict[str, Any]":
    """A job as the service takes it. Files are read here: the service sees none of this machine's."""
    sent: "dict[str, Any]" = {}
    if isinstance(problem, Mapping) or os.fspath(problem).endswith(".py"):
        sent["problem"] = problem_file(problem)
    else:
        sent["problem"] = _clean(os.fspath(problem))
    text = os.fspath(candidate)
    if name is None:
        sent["candidate"] = {"name": Path(text).name, "source": _read(text)}
    else:
        sent["candidate"] = {"name": _clean(name), "source": _clean(text)}
    if headers:
        sent["candidate"]["headers"] = {_clean(each): _clean(source) for each, source in headers.items()}
    options = {
        "effort": effort,
        "cases": list(cases) or None,
        "dtype": dtype,
        "precision": precision,
        "hidden": hidden,
        "baselines": baselines,
        "time_limit_s": time_limit,
        "run_limit_s": run_limit,
        "deadline_s": deadline,
        "priority": priority,
        "feedback": feedback,
        "group": group,
        "client_ref": client_ref,
        "seed": seed,
        "hidden_seed": hidden_seed,
    }
    sent.update((key, value) for key, value in options.items() if value is not None)
    return sent


def problem_file(problem: Problem) -> "dict[str, str]":
    """A problem's file, as the service takes it."""
    if isinstance(problem, Mapping):
        return {str(key): _clean(str(value)) for key, value in problem.items()}
    return {"name": Path(problem).name, "source": _read(os.fspath(problem))}


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        shown = path if len(path) <= 200 else path[:60] + "... (a text is graded with the argument `name`)"
        raise BadRequest(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _clean(text: str) -> str:
    """Without halves of surrogate pairs, which are no Unicode and would spoil a whole request."""
    return text.encode("utf-8", "replace").decode("utf-8")


def to_json(body: "dict[str, Any]") -> bytes:
    try:
        return _clean(json.dumps(body, ensure_ascii=False, allow_nan=False)).encode("utf-8")
    except ValueError as error:
        raise BadRequest(f"the request is no JSON: {error}") from error
