"""Stops a training in which too many grades fail, for trainers that cannot leave out a sample."""

import collections
from typing import Optional

from kgrade._result import Grade, GradeFailed


class Failures:
    """Counts the failed grades among the latest ones. A grade with the verdict "unsupported" has no reward either, but
    does not count.

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
