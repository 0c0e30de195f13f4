"""Grade GPU kernels from Python: correctness against a reference, and speed with an interval.

>>> import kgrade
>>> grade = kgrade.grade("cumsum", "mine.cu")    # doctest: +SKIP
>>> grade.verdict, grade.speedup                 # doctest: +SKIP
('accepted', 1.83)

A verdict is about the candidate. If the machine lacks something, there is no verdict: `Grade.outcome` is "failed", and
the grade has no figure that a training loop could take for a bad kernel.
"""

from kgrade import rewards
from kgrade._async_client import AsyncClient
from kgrade._client import Client, Handle
from kgrade._events import Event
from kgrade._grading import grade
from kgrade._local import local
from kgrade._options import Feedback, Options
from kgrade._program import KgradeError, NotInstalled, WrongUsage, program
from kgrade._request import Request
from kgrade._result import (
    BaselineSpeedup,
    Fault,
    Grade,
    GradeFailed,
    Interval,
    Outcome,
    Stage,
    Times,
    Valid,
    Verdict,
)
from kgrade._transport import BadRequest, DeadlineExceeded, QueueFull, Unauthorized, Unavailable

__all__ = [
    "AsyncClient",
    "BadRequest",
    "BaselineSpeedup",
    "Client",
    "DeadlineExceeded",
    "Event",
    "Fault",
    "Feedback",
    "Grade",
    "GradeFailed",
    "Handle",
    "Interval",
    "KgradeError",
    "NotInstalled",
    "Options",
    "Outcome",
    "QueueFull",
    "Request",
    "Stage",
    "Times",
    "Unauthorized",
    "Unavailable",
    "Valid",
    "Verdict",
    "WrongUsage",
    "grade",
    "local",
    "program",
    "rewards",
]
