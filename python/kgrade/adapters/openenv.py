"""An environment for OpenEnv: `uvicorn --factory kgrade.adapters.openenv:app` serves it.

$KGRADE_URL and $KGRADE_TOKEN name the service. A client's `message_timeout_s` is 60 by default. It includes the time in
the queue, so 1800 is better.
"""

import uuid
from typing import Any, Optional

from openenv.core.env_server import Action, Environment, Observation, State, create_app

from kgrade import rewards
from kgrade._async_client import AsyncClient
from kgrade._client import Client
from kgrade._request import Problem
from kgrade._result import Grade
from kgrade.adapters._shared import prompt


class KgradeAction(Action):
    """An answer: a text with code blocks; or a kernel, with the name of its file."""

    answer: str
    name: str = "answer.md"


class KgradeObservation(Observation):
    """The prompt after reset(), or the verdict after step().

    `reward` is None if the grade failed (see `fault`), and if the verdict is "unsupported".
    """

    prompt: str = ""
    verdict: Optional[str] = None
    fault: Optional[str] = None
    reason: str = ""
    speedup: Optional[float] = None


class KgradeEnvironment(Environment[KgradeAction, KgradeObservation, State]):
    """An episode is one problem and one answer."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._client, self._async_client = Client(), AsyncClient()
        self._problem: Problem = ""
        self._state = State()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, *, problem: Problem = "vector-addition",
              **kwargs: Any) -> KgradeObservation:
        """problem: its slug; or one of KernelBench's files as {"name": ..., "source": ...}, or {"sha256": ...} of an
        upload."""
        self._problem, self._state = problem, State(episode_id=episode_id or str(uuid.uuid4()))
        return KgradeObservation(prompt=prompt(self._client.problem(problem)))

    def step(self, action: KgradeAction, timeout_s: Optional[float] = None, **kwargs: Any) -> KgradeObservation:
        """timeout_s: after so many seconds, including those in the queue, the grade fails. 1800 if None, as in
        OpenEnv's WebSocket."""
        client = self._client if timeout_s is None else Client(self._client.url, self._client.token, timeout=timeout_s)
        return self._seen(client.grade_many([(self._problem, action.answer, action.name)])[0])

    async def step_async(self, action: KgradeAction, timeout_s: Optional[float] = None,
                         **kwargs: Any) -> KgradeObservation:
        """See step()."""
        item = self._problem, action.answer, action.name
        if timeout_s is None:
            return self._seen(await self._async_client.grade_item(item))
        async with AsyncClient(self._client.url, self._client.token, timeout=timeout_s) as client:
            return self._seen(await client.grade_item(item))

    @property
    def state(self) -> State:
        return self._state

    def _seen(self, grade: Grade) -> KgradeObservation:
        self._state.step_count += 1
        return KgradeObservation(done=True, reward=rewards.log_speedup(grade), verdict=grade.verdict, fault=grade.fault,
                                 reason=grade.reason, speedup=grade.speedup)


def app() -> Any:
    return create_app(KgradeEnvironment, KgradeAction, KgradeObservation, env_name="kgrade", max_concurrent_envs=256)
