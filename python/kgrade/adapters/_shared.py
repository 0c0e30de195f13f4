"""Shared by the adapters: clients that are kept for the whole process, and the columns that trainers store with a
sample.

The clients can be used in threads, and in a process that was forked afterwards.
"""

import functools
from typing import Any, Callable, Optional, Union

from kgrade import rewards
from kgrade._async_client import AsyncClient
from kgrade._client import Client
from kgrade._program import WrongUsage
from kgrade._result import Grade
from kgrade.adapters._failures import Failures


@functools.lru_cache(maxsize=1)
def client() -> Client:
    """The client of the service that $KGRADE_URL and $KGRADE_TOKEN name."""
    return Client()


@functools.lru_cache(maxsize=1)
def async_client() -> AsyncClient:
    """The client of the same service for asyncio."""
    return AsyncClient()


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
