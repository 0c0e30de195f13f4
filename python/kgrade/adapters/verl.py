"""A reward function for verl: set custom_reward_function.path to this file.

The service is that of $KGRADE_URL and $KGRADE_TOKEN.
"""

import functools
from typing import Any, Mapping, Optional

from kgrade import rewards
from kgrade._client import AsyncClient
from kgrade._result import Grade


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Optional[Mapping[str, Any]] = None,
    *,
    client: Optional[AsyncClient] = None,
    reward: str = "log_speedup",
    **kwargs: Any,
) -> "dict[str, float]":
    """Grades one answer. `extra_info["kgrade_problem"]` has the slug of its problem.

    reward: the name of a function in kgrade.rewards.

    verl has no way to leave a sample out. So a failed grade has the score 0.0 like some kernels, and only `kgrade_valid`,
    which is then 0.0, tells them apart: watch its mean, and mask such samples if it is not 1. `kgrade_speedup` is 0.0
    where there is none. All three keys are always there, since verl makes a column of each.
    """
    function = getattr(rewards, reward)
    problem = (extra_info or {}).get("kgrade_problem")
    if not problem:
        raise KeyError('extra_info has no "kgrade_problem", which names the problem')
    # In a batch, where a refused answer does not end the training.
    graded = await (client or _client()).grade_many([(problem, solution_str, "answer.md")])
    return score(graded[0], function(graded[0]))


def score(grade: Grade, value: Optional[float]) -> "dict[str, float]":
    """What verl gets for a grade and its reward."""
    return {
        "score": 0.0 if value is None else float(value),
        "kgrade_valid": 0.0 if value is None else 1.0,
        "kgrade_speedup": grade.speedup or 0.0,
    }


@functools.lru_cache(maxsize=1)
def _client() -> AsyncClient:
    return AsyncClient()
