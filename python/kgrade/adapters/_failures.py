"""For trainers that cannot leave out a sample: stops a training whose samples are no verdicts."""

import collections
from typing import Optional

from kgrade._result import Grade, GradeFailed


class Failures:
    """Counts the grades without a reward among the latest: those that failed, and the verdict "unsupported".

    A trainer that takes only numbers learns from each failure as if it were a kernel. A few do little harm; many teach
    noise, and a loop that goes on for hours with them costs more than one that stops.

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
        # Threads share it without a lock, which a fork could copy while it is held.
        self._latest: "collections.deque[bool]" = collections.deque(maxlen=of)

    def value(self, grade: Grade, reward: Optional[float], instead: float = 0.0) -> float:
        """The reward, or `instead` if there is none. Raises GradeFailed where more than `most` have failed."""
        # An answer without a reward, such as one that is `unsupported`, is no failure of the service.
        has_failed = grade.outcome != "graded"
        self._latest.append(has_failed)
        # A copy, since another thread may append meanwhile.
        if has_failed and sum(self._latest.copy()) > self._most:
            raise GradeFailed(grade)
        return instead if reward is None else float(reward)
