"""A reward function for OpenRLHF: give --reward.remote_url the path of this file.

$KGRADE_URL and $KGRADE_TOKEN name the service.
"""

import re
from typing import Any, Sequence

from kgrade.adapters._shared import client, columns, failures, reward_named


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], *, reward: str = "log_speedup",
                **kwargs: Any) -> "dict[str, Any]":
    """Grades answers for the problems `labels`. OpenRLHF calls it with one answer in each of many threads.

    A label is a slug, the path of a problem's file or into a public set, or one file as {"name": ..., "source": ...}.
    reward: the name of a function in kgrade.rewards.

    OpenRLHF's rewards are numbers. So a grade without a reward (kgrade.rewards) has the reward 0.0, and `kgrade_valid`
    in the logs is 0.0. If more than 5 % of the latest 200 grades have failed, this function raises GradeFailed.
    OpenRLHF logs that error. It then ends the training with another error, because a reward is missing.
    """
    import torch

    function = reward_named(reward)
    answers = [answer_of(query, prompt) for query, prompt in zip(queries, prompts)]
    grades = client().grade_many([(label, answer, "answer.md") for label, answer in zip(labels, answers)])
    found = [function(grade) for grade in grades]
    values = torch.tensor([failures().value(*each) for each in zip(grades, found)], dtype=torch.float32)
    return {
        "rewards": values,
        "scores": values,
        "extra_logs": {key: torch.tensor([columns(*each)[key] for each in zip(grades, found)])
                       for key in ("kgrade_valid", "kgrade_speedup")},
    }


def answer_of(query: str, prompt: str) -> str:
    """The answer in a query, which is a prompt, its answer, and a special token such as <|im_end|>."""
    answer = query[len(prompt):] if query.startswith(prompt) else query
    # Without this, a token behind the fence that ends a code block would make the fence a part of the code.
    return re.sub(r"<[^<>\s]{1,40}>\s*\Z", "", answer)
