"""A taskset for verifiers 0.4. Write a module with `from kgrade.adapters.verifiers import *`: it is a taskset with the
module's name.

$KGRADE_URL and $KGRADE_TOKEN name the service.
"""

from typing import Any, Iterable, List

import verifiers.v1 as vf

from kgrade._client import Client
from kgrade._request import check_options
from kgrade._result import GradeFailed
from kgrade.adapters._shared import async_client, prompt, reward_named

# verifiers takes a module's taskset from the module's `__all__`. A user's module gets this `__all__` by `import *`,
# which copies `__all__` only if `__all__` lists itself.
__all__ = ["KgradeTaskset", "__all__"]


class KgradeData(vf.TaskData):
    problem: str


class KgradeTaskConfig(vf.TaskConfig):
    reward: str = "log_speedup"
    """The name of a function in kgrade.rewards."""
    effort: str = "quick"


class KgradeTask(vf.Task[KgradeData, vf.State, KgradeTaskConfig]):
    """The answer is the agent's last reply. A grade without a reward raises SandboxError, so that the sample has an
    error instead of a reward."""

    @vf.reward(weight=1.0)
    async def kgrade(self, trace: vf.Trace) -> float:
        options: Any = {"effort": self.config.effort}
        grade = await async_client().grade_item((self.data.problem, trace.last_reply, "answer.md"), **options)
        value = reward_named(self.config.reward)(grade)
        if value is None:
            raise vf.SandboxError(f"kgrade has no reward: {GradeFailed(grade)}")
        trace.record_metrics({"kgrade_correct": float(grade.correct), "kgrade_speedup": grade.speedup or 0.0})
        trace.info["kgrade"] = {"id": grade.id, "verdict": grade.verdict, "reason": grade.reason}
        return float(value)


class KgradeConfig(vf.TasksetConfig):
    problems: List[str] = []
    """Slugs, and paths of files or into public sets. All of the service's problems if empty."""
    task: KgradeTaskConfig = KgradeTaskConfig()


class KgradeTaskset(vf.Taskset[KgradeTask, KgradeConfig]):
    def load(self) -> Iterable[KgradeTask]:
        reward_named(self.config.task.reward)
        check_options({"effort": self.config.task.effort})
        client = Client()
        for slug in self.config.problems or [each["slug"] for each in client.problems()]:
            data = KgradeData(name=slug, problem=slug, prompt=prompt(client.problem(slug)))
            yield KgradeTask(data, self.config.task)
