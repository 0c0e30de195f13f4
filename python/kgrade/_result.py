"""Grade, the result of a grading by a service or by the program on this machine."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, Optional

from kgrade._options import Feedback
from kgrade._program import KgradeError

Outcome = Literal["graded", "failed"]
Verdict = Literal[
    "accepted",
    "wrong_answer",
    "low_precision",
    "compile_error",
    "signature_mismatch",
    "unsupported",
    "runtime_error",
    "time_limit",
    "memory_limit",
    "out_of_bounds",
    "input_modified",
    "cheating",
    "unstable",
]
# The cause of a missing verdict. "problem" and "expired" come only from a service: the problem or an option is wrong,
# or the job was not done before its deadline.
Fault = Literal["machine", "service", "problem", "expired"]
Stage = Literal["compile", "load", "answers", "speed", "done"]

# Half the width of a 95 % interval of a normal distribution, in standard errors.
_NORMAL_95 = 1.959964


class GradeFailed(KgradeError):
    """The grade says nothing about the candidate, but the caller needs a verdict or a reward. `grade` is that grade.

    Raised by Grade.raise_for_fault() if the grade has failed, and by an adapter if the grade has no reward, as for the
    verdict "unsupported".
    """

    def __init__(self, grade: "Grade") -> None:
        super().__init__(grade)
        self.grade = grade

    def __str__(self) -> str:
        return f"{self.grade.fault or self.grade.verdict or 'cancelled'}: {self.grade.reason}"


@dataclass(frozen=True)
class Interval:
    """An interval of 95 % confidence. Both ends are speedups, without a unit."""

    low: float
    high: float


@dataclass(frozen=True)
class Valid:
    """Which figures of a grade are meaningful.

    correctness: whether `correct` and the numbers of cases are meaningful. False for "cheating", "unsupported", and
        without a verdict. For "cheating", a service reports neither the precision nor the numbers of cases.
    speed: whether `speedup` is meaningful. False for "unstable", and for devices without speed.
    """

    correctness: bool = False
    speed: bool = False


@dataclass(frozen=True)
class BaselineSpeedup:
    """The geometric mean over the measured cases of (time of the baseline) / (time of the candidate)."""

    speedup: float
    interval: Optional[Interval] = None


@dataclass(frozen=True)
class Times:
    """Seconds.

    queued: until a lane began with the job, without the time of an earlier build.
    build: the time of the candidate's build. None if the candidate was built for an earlier job.
    run: from the lane's begin to the job's end.
    """

    queued: Optional[float] = None
    build: Optional[float] = None
    run: Optional[float] = None


@dataclass(frozen=True)
class Grade:
    """One candidate's grade.

    `outcome` is "graded" if there is a verdict. Otherwise it is "failed": the machine lacks something or broke, or
    kgrade has a bug (`fault`), or a service's job was cancelled (then `fault` is None). Then no figure is set, and the
    grade says nothing about the candidate.

    Figures have the names of a service's result (docs/service.md). Only the ends of an interval have other names: a
    service's `speedup_low` and `speedup_high` are `speedup_interval.low` and `speedup_interval.high` here. A record
    (docs/leaderboards.md) differs more: its speedup is the `geometric_mean` of one of the candidate's `scores`, and it
    lists the cases instead of counting them.
    """

    outcome: Outcome
    verdict: Optional[Verdict] = None
    fault: Optional[Fault] = None
    # The cause of a refusal, of a missing speedup or of a missing verdict. Parts come from the candidate: do not
    # execute this text, and escape it in HTML.
    reason: str = ""
    # The last stage that the candidate reached.
    stage: Optional[Stage] = None
    # "exact", "fp32", "tf32", "bf16" and so on: the precision class of the answers, by their errors.
    precision: Optional[str] = None
    # The geometric mean over the measured cases of (time of `against`) / (time of the candidate). Also None if nothing
    # of the answers' precision class was measured: `reason` says so.
    speedup: Optional[float] = None
    speedup_interval: Optional[Interval] = None
    # "reference", or "baseline": the fastest library in each case.
    against: Optional[str] = None
    # The numbers of cases are also 0 if a service does not report them, as with the feedback "verdict".
    cases_passed: int = 0
    cases: int = 0
    # The whole record, as `kgrade grade --json` writes it.
    # Empty if a service graded the candidate. Client.record() returns that record.
    record: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    # The id of the service's job that has this grade. `client_ref` and `group` are texts of its request.
    id: str = ""
    client_ref: str = ""
    group: str = ""
    # The grade failed, but not by a fault of the request: the same request may succeed later.
    retryable: bool = False
    valid: Valid = Valid()
    # The speedups over each baseline that was measured in all cases, by the baseline's name: "pytorch-fp32".
    by_baseline: Mapping[str, BaselineSpeedup] = field(default_factory=dict)
    # The GPU: "NVIDIA H200". The uuid is empty if the device has none.
    device: str = ""
    device_uuid: str = ""
    # Whether the candidate ran in a sandbox with namespaces. None without a verdict.
    confined: Optional[bool] = None
    # The SHA-256 of each file, in hexadecimal digits. Empty without a record.
    problem_sha256: str = ""
    candidate_sha256: str = ""
    # The version of the kgrade that graded it.
    version: str = ""
    # These are known only for a service's job. `attempts`: how often a lane has begun with the job. `expires_at`: when
    # the service forgets the job, in UTC, as "2026-01-31T12:00:00Z".
    times: Times = Times()
    attempts: int = 0
    feedback: Feedback = "full"
    expires_at: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a verdict, good or bad."""
        return self.outcome == "graded"

    def raise_for_fault(self) -> "Grade":
        """Raises GradeFailed if there is no verdict, and otherwise returns the grade."""
        if not self.ok:
            raise GradeFailed(self)
        return self

    @property
    def accepted(self) -> bool:
        """Whether the candidate is right in every case, in the requested precision class, and was measured."""
        return self.verdict == "accepted"

    @property
    def compiled(self) -> bool:
        return self.outcome == "graded" and self.stage != "compile"

    @property
    def correct(self) -> bool:
        """Whether all answers are right. Also true for "unstable": then only the speed is unknown."""
        return self.verdict in ("accepted", "unstable")

    @property
    def log_speedup(self) -> Optional[float]:
        """The natural logarithm of `speedup`."""
        return None if self.speedup is None else math.log(self.speedup)

    @property
    def log_standard_error(self) -> Optional[float]:
        """The standard error of `log_speedup`, from the width of the interval. None if there is no interval."""
        if self.speedup_interval is None:
            return None
        return (math.log(self.speedup_interval.high) - math.log(self.speedup_interval.low)) / (2 * _NORMAL_95)

    @classmethod
    def of_record(cls, record: Mapping[str, Any], number: int = 0) -> "Grade":
        """The grade of candidate `number` of a record (schema kgrade-record)."""
        candidate = record["candidates"][number]
        score = _headline(candidate)
        interval = score["interval"] if score else None
        return cls(
            outcome="graded",
            verdict=candidate["verdict"],
            reason=candidate["message"],
            stage=_stage(candidate),
            precision=candidate["precision"],
            speedup=score["geometric_mean"] if score else None,
            speedup_interval=Interval(interval["low"], interval["high"]) if interval else None,
            against=score["against"] if score else None,
            cases_passed=sum(each["verdict"] == "accepted" for each in candidate["cases"]),
            cases=len(candidate["cases"]),
            record=record,
            valid=Valid(candidate["verdict"] not in ("cheating", "unsupported"), score is not None),
            by_baseline={each["against"]: BaselineSpeedup(each["geometric_mean"], _interval(each["interval"]))
                         for each in candidate.get("by_baseline") or []},
            device=_text(record, "device", "name"),
            device_uuid=_text(record, "device", "uuid"),
            confined=record.get("sandbox", {}).get("confined"),
            problem_sha256=_text(record, "problem", "sha256"),
            candidate_sha256=candidate.get("sha256", ""),
            version=_text(record, "tool", "version"),
        )

    @classmethod
    def of_service(cls, view: Mapping[str, Any]) -> "Grade":
        """The grade of a job that has ended, from what a service answers (schema kgrade-grade)."""
        if view["outcome"] is None:
            raise ValueError(f"the job {view['id']} has not ended")
        figures = view["figures"]
        low, high = figures["speedup_low"], figures["speedup_high"]
        # Services of earlier versions lack some members.
        valid, device, times = view.get("valid") or {}, view.get("device") or {}, view.get("times_s") or {}
        return cls(
            outcome=view["outcome"],
            verdict=view["verdict"],
            fault=view["fault"],
            reason=view["reason"] or view.get("untrusted_reason", ""),
            stage=view["stage"],
            precision=figures["precision"],
            speedup=figures["speedup"],
            speedup_interval=None if low is None or high is None else Interval(low, high),
            against=figures["against"],
            cases_passed=figures["cases_passed"] or 0,
            cases=figures["cases"] or 0,
            id=view["id"],
            client_ref=view["client_ref"],
            group=view["group"],
            retryable=view["retryable"],
            valid=Valid(valid.get("correctness", False), valid.get("speed", False)),
            by_baseline={name: BaselineSpeedup(each["speedup"], _interval(each, "speedup_"))
                         for name, each in (figures.get("by_baseline") or {}).items()},
            device=device.get("name") or "",
            device_uuid=device.get("uuid") or "",
            confined=view.get("confined"),
            problem_sha256=view.get("problem_sha256") or "",
            candidate_sha256=view.get("candidate_sha256") or "",
            version=(view.get("tool") or {}).get("version") or "",
            times=Times(times.get("queued"), times.get("build"), times.get("run")),
            attempts=view.get("attempts", 0),
            feedback=view.get("feedback", "full"),
            expires_at=view.get("expires_at") or "",
        )


def _interval(ends: Optional[Mapping[str, Any]], prefix: str = "") -> Optional[Interval]:
    low, high = (ends or {}).get(prefix + "low"), (ends or {}).get(prefix + "high")
    return None if low is None or high is None else Interval(low, high)


def _text(record: Mapping[str, Any], part: str, name: str) -> str:
    """A text of the record. Empty if an older record lacks it."""
    return str((record.get(part) or {}).get(name) or "")


def _headline(candidate: Mapping[str, Any]) -> Optional[Mapping[str, Any]]:
    """The score that `kgrade` prints: the score over the baselines if every measured case has one, else the score over
    the reference."""
    scores = candidate.get("scores") or []
    return next((each for each in scores if each["against"] == "baseline"), scores[0] if scores else None)


def _stage(candidate: Mapping[str, Any]) -> Stage:
    verdict = candidate["verdict"]
    if verdict == "accepted":
        return "done"
    if verdict in ("compile_error", "unsupported", "signature_mismatch"):
        return "compile"
    if verdict == "unstable":
        return "speed"
    return "answers" if any(each["run"] for each in candidate["cases"]) else "load"
