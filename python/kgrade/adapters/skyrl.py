"""An environment for SkyRL: register(id="kgrade", entry_point="kgrade.adapters.skyrl:KgradeEnv").

$KGRADE_URL and $KGRADE_TOKEN name the service. Set `max_env_workers` to the number of answers to grade at a time. Each
one uses a thread of SkyRL.
"""

from typing import Any, Mapping, Optional

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from kgrade._request import check_options
from kgrade.adapters._shared import client, columns, failures, reward_named


class KgradeEnv(BaseTextEnv):
    """One answer for the problem `kgrade_problem` of the sample, or else its `reward_spec.ground_truth`.

    env_config: `reward` is the name of a function in kgrade.rewards, and `options` are those of Client.grade().

    Raises WrongUsage if there is no such reward, TypeError if there is no such option, and KeyError for a sample
    without a problem.

    SkyRL's rewards are numbers. So a grade without a reward (kgrade.rewards) has the reward 0.0, and `kgrade_valid` in
    the metadata is 0.0. If more than 5 % of the latest 200 grades have failed, GradeFailed stops the training.
    """

    def __init__(self, env_config: Optional[Mapping[str, Any]] = None, extras: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__()
        sample, config = extras or {}, env_config or {}
        self.problem = sample.get("kgrade_problem") or sample.get("reward_spec", {}).get("ground_truth")
        if not self.problem:
            raise KeyError('the sample has no "kgrade_problem", which names the problem')
        self._reward = reward_named(config.get("reward", "log_speedup"))
        self._options = dict(config.get("options", {}))
        check_options(self._options)

    def step(self, action: str) -> BaseTextEnvStepOutput:
        grade = client().grade_many([(self.problem, action, "answer.md")], **self._options)[0]
        reward = self._reward(grade)
        metadata = {**columns(grade, reward), "kgrade_reason": grade.reason}
        value = failures().value(grade, reward)
        return BaseTextEnvStepOutput(observations=[], reward=value, done=True, metadata=metadata)
