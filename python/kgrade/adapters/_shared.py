"""Shared by the adapters: clients that are kept for the whole process, the prompt of a problem, the columns that
trainers store with a sample, and the end of a training in which too many grades fail.

The clients can be used in threads, and in a process that was forked afterwards.
"""

import collections
import functools
import json
from typing import Any, Callable, Mapping, Optional, Union

from kgrade import rewards
from kgrade._async_client import AsyncClient
from kgrade._client import Client
from kgrade._program import WrongUsage
from kgrade._result import Grade, GradeFailed


@functools.lru_cache(maxsize=1)
def client() -> Client:
    """The client of the service that $KGRADE_URL and $KGRADE_TOKEN name."""
    return Client()


@functools.lru_cache(maxsize=1)
def async_client() -> AsyncClient:
    """The client of the same service for asyncio."""
    return AsyncClient()


class Failures:
    """Stops a training in which too many grades fail, for trainers that cannot leave out a sample. It counts the failed
    grades among the latest ones. A grade with the verdict "unsupported" has no reward either, but does not count.

    A trainer that takes only numbers learns from each failure as if it were a kernel. A few failures do little harm.
    Many failures teach noise, and it costs less to stop such a training than to run it for hours.

    >>> failures = Failures(most=1, of=3)
    >>> failed, graded = Grade("failed", fault="machine", reason="no GPU"), Grade("graded", "accepted")
    >>> failures.value(graded, 2.5), failures.value(failed, None), failures.value(graded, 1.0), failures.value(graded, 1.0)
    (2.5, 0.0, 1.0, 1.0)
    >>> failures.value(failed, None)
    0.0
    >>> failures.value(failed, None)
    Traceback (most recent call last):
    kgrade._result.GradeFailed: machine: no GPU
    """

    def __init__(self, most: int = 10, of: int = 200) -> None:
        """most: how many of the latest `of` grades may have failed."""
        self._most = most
        # Threads share this deque without a lock, since a fork could copy a lock while it is held.
        self._latest: "collections.deque[bool]" = collections.deque(maxlen=of)

    def value(self, grade: Grade, reward: Optional[float], instead: float = 0.0) -> float:
        """The reward, or `instead` if there is none. Raises GradeFailed if more than `most` of the latest grades have
        failed."""
        # A graded answer without a reward, such as an `unsupported` one, is not a failure of the service.
        has_failed = grade.outcome != "graded"
        self._latest.append(has_failed)
        # The sum is made over a copy, since another thread may append meanwhile.
        if has_failed and sum(self._latest.copy()) > self._most:
            raise GradeFailed(grade)
        return instead if reward is None else float(reward)


@functools.lru_cache(maxsize=1)
def failures() -> Failures:
    return Failures()


def reward_named(reward: "Union[str, Callable[[Grade], Optional[float]]]") -> "Callable[[Grade], Optional[float]]":
    """The function of kgrade.rewards with that name; or the function itself. Raises WrongUsage if there is none."""
    if callable(reward):
        return reward
    if reward not in rewards.NAMES:
        raise WrongUsage(f"there is no reward {reward!r}: they are {', '.join(rewards.NAMES)}")
    function: "Callable[[Grade], Optional[float]]" = getattr(rewards, reward)
    return function


def columns(grade: Grade, reward: Optional[float]) -> "dict[str, Any]":
    """The figures of a grade and its reward. All keys are always present, since some trainers make a column of each."""
    return {
        "kgrade_valid": 0.0 if reward is None else 1.0,
        "kgrade_speedup": grade.speedup or 0.0,
        "kgrade_verdict": grade.verdict or "",
    }


# The begin of the last line of a file that was made of a public set's files: docs/sets.md.
_LINE_OF_A_SET = "\nfrom kgrade_python.sets import "
# What to write for a problem of a set that has no class `Model`.
_FUNCTIONS = {
    "backend_bench": "a function that has the name (behind its last dot) and the arguments of this operator, and returns the same",
    "flashinfer_bench": "a function `run` that has the arguments of this one, and returns the same",
    "gpu_mode": "a function `custom_kernel(data)` that gets what `ref_kernel` gets, and returns the same",
    "triton_bench": "a function that has the name and the arguments of this one, and returns the same",
}


def prompt(problem: Mapping[str, Any]) -> str:
    """A model's prompt from a problem, as Client.problem() describes it: the statement and the function that an answer has
    to have; or a file, and the class or the function. Of a file that was made of a public set's files, the line that adds
    the cases is left out."""
    if "source" in problem:
        source, found, last = problem["source"].rpartition(_LINE_OF_A_SET)
        function = _FUNCTIONS.get(last.partition(" ")[0]) if found else None
        if function == _FUNCTIONS["backend_bench"]:
            # The file has no text of its own: the operator is in the argument of the call in the last line.
            source = json.loads(json.loads(last[last.index('"'):last.rindex('"') + 1]))["files"]["sample"]
        shown = f"```python\n{(source if found else last).strip()}\n```\n\n"
        if function is not None:
            return (f"# {problem['name']}\n\nThis function of PyTorch is to become faster.\n\n{shown}Write {function}, in one block "
                    "of Python. Write its kernels in CUDA C++ with `torch.utils.cpp_extension.load_inline`, or in Triton.\n")
        return (
            f"# {problem['name']}\n\nThis module of PyTorch is to become faster.\n\n{shown}"
            "Write a class `ModelNew` in one block of Python. Its constructor takes the arguments of `Model`, it has the same "
            "parameters and buffers by the same names, and its `forward` returns the same outputs for the same inputs. Write its "
            "kernels in CUDA C++ with `torch.utils.cpp_extension.load_inline`, or in Triton.\n"
        )
    signature = problem["signature"].strip().rstrip(";")
    return (
        f"# {problem['title']}\n\n{problem['statement'].strip()}\n\n"
        "Write a fast CUDA kernel for this problem, in one block of code. The file has to define this function. All pointers "
        f"are device pointers.\n\n```cuda\n{signature};\n```\n"
    )
