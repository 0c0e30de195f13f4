"""Rewards for reinforcement learning, computed from the figures of a grade.

Each function takes a Grade and returns a float, or None if the grade says nothing about the kernel. That is so if the
grade failed, and if the verdict is "unsupported", such as for PTX on the emulated device or for a case that is too
large for this machine. Leave such a sample out. Trainers that know the value None do so themselves. docs/package.md has
the value for each verdict.

A speedup is an estimate. `kgrade` finds no difference between a kernel and itself, but a training loop that rewards
every 0.1 % above 1 rewards noise. So `log_speedup` counts a speedup only if its interval lies above 1 + `eps`.

>>> from kgrade import Grade, Interval
>>> fast = Grade("graded", "accepted", stage="done", speedup=2.0, speedup_interval=Interval(1.98, 2.02))
>>> round(log_speedup(fast), 3)
0.693
>>> log_speedup(Grade("graded", "wrong_answer", stage="answers"))
-0.25
>>> log_speedup(Grade("failed", fault="machine")) is None
True
>>> log_speedup(Grade("graded", "unsupported", stage="compile")) is None
True
"""

import math
from typing import Optional

from kgrade._result import Grade

NAMES = ("log_speedup", "kevin", "kernrl", "dr_kernel")


def log_speedup(grade: Grade, *, cap: float = 1.5, eps: float = 0.02) -> Optional[float]:
    """For a right answer, the natural logarithm of the speedup, from 0 to `cap`. -0.5 if the answer does not compile,
    else -0.25.

    The reward is 0 if the interval reaches down to 1 + `eps`, or if there is no interval. The default `cap`, 1.5, is a
    speedup of 4.5.
    """
    if not grade.correct:
        return _of_a_wrong_answer(grade, not_compiled=-0.5, wrong=-0.25, cheating=-0.5)
    if grade.speedup is None or grade.speedup_interval is None or grade.speedup_interval.low <= 1 + eps:
        return 0.0
    return min(max(math.log(grade.speedup), 0.0), cap)


def kevin(grade: Grade) -> Optional[float]:
    """For a right answer, 0.3 plus the speedup. Otherwise 0.

    Source: Kevin-32B (multi-turn RL for CUDA kernels), the reward of one turn.
    """
    if not grade.correct:
        return _of_a_wrong_answer(grade, not_compiled=0.0, wrong=0.0, cheating=0.0)
    return 0.3 + (grade.speedup or 0.0)


def dr_kernel(grade: Grade, *, cap: float = 3.0) -> Optional[float]:
    """For a right answer, 1 plus the speedup, which counts up to `cap`. Otherwise 0.

    Source: Dr. Kernel (RL for Triton kernels), without the terms that need a profile. Its reward is a weighted sum of
    three terms. This is the sum of the first two, correctness and the capped speedup, each with the weight 1. It leaves
    out:
    - the third term: 0.5 times the coverage, the share of the GPU's time that the candidate's own kernels take;
    - the selection of turns by their coverage: all below 0.3 are dropped, and at random some between 0.3 and 0.4;
    - the penalty for a decoy, which is a kernel for show while PyTorch does the work.

    A grade has no profile, and does not depend on whose kernels do the work: an answer that calls PyTorch is accepted
    if it is right. Only a problem with `libraries: none` refuses libraries (the check `libraries` in docs/verdicts.md).
    The record names the libraries and PyTorch's functions that a candidate used and did not hide (docs/python.md).
    `kgrade profile` measures the coverage of a candidate in Python, as `own_kernel_time_share` (docs/profile.md).
    """
    if not grade.correct:
        return _of_a_wrong_answer(grade, not_compiled=0.0, wrong=0.0, cheating=0.0)
    return 1.0 + min(grade.speedup or 0.0, cap)


def kernrl(grade: Grade) -> Optional[float]:
    """-0.5 if the answer does not compile, and -0.25 if it is wrong. For a right answer with the speedup s:
    (s - 1) / 2 if the kernel is slower, else s - 1, at most 2.

    Source: the environment kernrl of OpenEnv.
    """
    if not grade.correct:
        return _of_a_wrong_answer(grade, not_compiled=-0.5, wrong=-0.25, cheating=-0.5)
    gain = (grade.speedup or 1.0) - 1
    return gain / 2 if gain < 0 else min(gain, 2.0)


def _of_a_wrong_answer(grade: Grade, *, not_compiled: float, wrong: float, cheating: float) -> Optional[float]:
    """The reward of an answer that is not right. None if the grade says nothing about the kernel."""
    if grade.outcome != "graded" or grade.verdict == "unsupported":
        return None
    if grade.verdict == "cheating":
        return cheating
    return wrong if grade.compiled else not_compiled
