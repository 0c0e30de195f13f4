"""A reward function for verl: set reward.custom_reward_function.path to this file.

$KGRADE_URL and $KGRADE_TOKEN name the service.
"""

from typing import Any, Mapping, Optional

from kgrade._async_client import AsyncClient
from kgrade._result import Grade
from kgrade.adapters._shared import async_client, columns, failures, reward_named


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Optional[Mapping[str, Any]] = None,
    *,
    client: Optional[AsyncClient] = None,
    reward: str = "log_speedup",
    on_failure: float = 0.0,
    **kwargs: Any,
) -> "dict[str, Any]":
    """Grades one answer for the problem `extra_info["kgrade_problem"]`, or else `ground_truth`.

    A problem is a slug, the path of a problem's file or into a public set, or one file as {"name": ..., "source": ...}.
    reward: the name of a function in kgrade.rewards.

    verl has no way to leave a sample out. So a grade without a reward (kgrade.rewards) has the score `on_failure`, and
    only `kgrade_valid`, which is then 0.0, distinguishes this score from a kernel's. If more than 5 % of the latest 200
    grades have failed, GradeFailed stops the training.
    `kgrade_speedup` is 0.0 if there is no speedup. `kgrade_verdict` is a text, and empty for a failed grade. verl
    stores it with the sample, and leaves texts out of its metrics. All keys are always present, since verl makes a
    column of each.
    """
    function = reward_named(reward)
    problem = (extra_info or {}).get("kgrade_problem") or ground_truth
    if not problem:
        raise KeyError('extra_info has no "kgrade_problem", which names the problem')
    # grade_item() gives a refused answer a failed grade, so that it does not end the training.
    graded = await (client or async_client()).grade_item((problem, solution_str, "answer.md"))
    return score(graded, function(graded), on_failure)


def score(grade: Grade, value: Optional[float], on_failure: float = 0.0) -> "dict[str, Any]":
    """The result that verl gets for a grade and its reward."""
    return {"score": failures().value(grade, value, on_failure), **columns(grade, value)}
