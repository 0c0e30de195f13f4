"""A reward function for TRL's GRPOTrainer.

>>> from kgrade.adapters.trl import make_reward, prompts         # doctest: +SKIP
>>> GRPOTrainer(..., reward_funcs=[make_reward(client)],         # doctest: +SKIP
...             train_dataset=Dataset.from_list(prompts(client, ["softmax"])))
"""

import os
from typing import Any, Callable, Optional, Protocol, Sequence, Union

from kgrade import rewards
from kgrade._client import Client
from kgrade._request import Problem, check_options
from kgrade._result import Grade
from kgrade.adapters._shared import prompt, reward_named


class Reward(Protocol):
    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> "list[Optional[float]]": ...


def make_reward(
    client: Client,
    reward: "Union[str, Callable[[Grade], Optional[float]]]" = rewards.log_speedup,
    problem_column: str = "problem",
    **options: Any,
) -> Reward:
    """A function that grades a batch of completions with one call of grade_many().

    reward: a function of a grade, or the name of one in kgrade.rewards.
    problem_column: the column of the data set that has each prompt's problem: a slug, or another form that
        Client.grade() takes.
    options: those of Client.grade_many(), such as effort="default" (kgrade.Options).

    Raises BadRequest for a wrong value of an option, TypeError for an unknown one, and WrongUsage for an unknown
    reward.

    A completion is a text or a list of messages, of which the last counts. A grade without a reward gives None. From
    TRL 1.6 on, GRPOTrainer and RLOOTrainer leave such a sample out of the group's mean and give it no advantage. Do not
    use older versions, or TRL's experimental trainers SDPO and OnlineDPO: there, None counts as a reward of 0.
    """

    function = reward_named(reward)
    check_options(options)

    def kgrade_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> "list[Optional[float]]":
        if problem_column not in columns:
            raise KeyError(f"the data set has no column {problem_column!r}, which names each prompt's problem")
        problems = columns[problem_column]
        items = [(problem, text_of(each), "answer.md") for problem, each in zip(problems, completions)]
        return [function(grade) for grade in client.grade_many(items, **options)]

    return kgrade_reward


def prompts(client: Client, problems: Sequence[Problem], problem_column: str = "problem") -> "list[dict[str, Any]]":
    """The rows of a data set: for each problem a prompt, which is a list with one message, and the problem.

    problems: slugs, paths of files or into public sets, files as {"name": ..., "source": ...}, or what Client.upload()
    returns.
    """
    return [{"prompt": [{"role": "user", "content": prompt(client.problem(problem))}],
             problem_column: os.fspath(problem) if isinstance(problem, os.PathLike) else problem}
            for problem in problems]


def text_of(completion: Any) -> str:
    """The text of a completion, which is a text or a list of messages. Of the last message, only the parts of text
    count."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if completion else ""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content or ""
