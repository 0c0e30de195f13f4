"""For trainers that cannot leave out a sample: stops a training whose samples are no verdicts."""

import collections
import threading
from typing import Optional

from kgrade._result import Grade, GradeFailed


class Failures:
    """Counts the failures among the latest grades.

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
        """most: how many of the latest `of` grades may fail."""
        self._most = most
        self._latest: "collections.deque[bool]" = collections.deque(maxlen=of)
        self._lock = threading.Lock()

    def value(self, grade: Grade, reward: Optional[float], instead: float = 0.0) -> float:
        """The reward, or `instead` if there is none. Raises GradeFailed where more than `most` failed."""
        with self._lock:
            self._latest.append(reward is None)
            many = sum(self._latest) > self._most
        if reward is None and many:
            raise GradeFailed(grade)
        return instead if reward is None else float(reward)
