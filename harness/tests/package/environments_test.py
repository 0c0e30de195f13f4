"""kgrade.adapters in the frameworks themselves: skyrl-gym, verifiers, OpenEnv and Harbor.

environments_test.py KGRADE CLASS, with the Python of `tools/trainers.sh GROUP`. Each class names what it needs, and without
that the exit code is 77. In each, one test has a service that answers as it is told, and one has a real service with the
emulated device.
"""

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import socket
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

# Nothing is downloaded, and nothing is reported.
os.environ.update(HF_HUB_OFFLINE="1", GRADIO_ANALYTICS_ENABLED="False", HARBOR_TELEMETRY="off")
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

from adapter_service import FAILS, FAST, REWARD, WORSE, answer, name_service  # noqa: E402
from candidates import CANDIDATES, SLUG  # noqa: E402
from faulty_service import BackgroundServer, Service  # noqa: E402

import kgrade  # noqa: E402

RIGHT, WRONG = CANDIDATES["accepted"], CANDIDATES["wrong_answer"]


class Framework(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.service = Service()
        self.addCleanup(self.service.close)
        name_service(self.service.url)

    @contextlib.contextmanager
    def real_service(self):
        with kgrade.local(device="emulated") as client:
            name_service(client.url)
            yield

    def sent(self):
        """The problem and the text of each job that the service has got."""
        return [(job["body"]["problem"], job["body"]["candidate"]["source"]) for job in self.service.jobs.values()]


class Skyrl(Framework):
    package, module = "skyrl-gym", "skyrl_gym"

    def setUp(self):
        super().setUp()
        import skyrl_gym

        skyrl_gym.register(id="kgrade", entry_point="kgrade.adapters.skyrl:KgradeEnv")
        self.addCleanup(skyrl_gym.envs.registration.deregister, "kgrade")

    def grade(self, problem, answers, **config):
        """What the registered environment makes of answers. SkyRL gives it its configuration in this form."""
        import skyrl_gym
        from omegaconf import OmegaConf

        found, prompt = [], [{"role": "user", "content": "ask"}]
        for each in answers:
            with skyrl_gym.make("kgrade", env_config=OmegaConf.create(config), extras={"kgrade_problem": problem}) as env:
                self.assertEqual(env.init(prompt)[0], prompt)
                found.append(env.step(each))
                self.assertEqual((found[-1]["done"], found[-1]["observations"]), (True, []))
        return found

    def test_rewards(self):
        found = self.grade("softmax", [FAST, WORSE, FAILS])
        self.assertEqual([each["reward"] for each in found], [REWARD, -0.25, 0.0])
        self.assertEqual([each["metadata"]["kgrade_valid"] for each in found], [1.0, 1.0, 0.0])
        self.assertEqual([each["metadata"]["kgrade_speedup"] for each in found], [2.0, 0.0, 0.0])
        self.assertEqual(self.sent(), [("softmax", each) for each in (FAST, WORSE, FAILS)])

    def test_its_configuration(self):
        [found] = self.grade("softmax", [FAST], reward="kevin", options={"effort": "default"})
        self.assertEqual(found["reward"], 2.3)
        self.assertEqual([job["body"]["effort"] for job in self.service.jobs.values()], ["default"])

    def test_many_failures_end_the_training(self):
        self.grade("softmax", [FAILS] * 10)
        with self.assertRaisesRegex(kgrade.GradeFailed, "machine"):
            self.grade("softmax", [FAILS])

    def test_a_real_service(self):
        with self.real_service():
            found = self.grade(SLUG, [answer(RIGHT), answer(WRONG)])
        self.assertEqual([each["reward"] for each in found], [0.0, -0.25])
        self.assertEqual([each["metadata"]["kgrade_verdict"] for each in found], ["accepted", "wrong_answer"])
        self.assertEqual([each["metadata"]["kgrade_valid"] for each in found], [1.0, 1.0])


class Verifiers(Framework):
    package, module = "verifiers", "verifiers"

    def setUp(self):
        super().setUp()
        # All that a user writes is the first of these two modules. The second is an agent of one turn, since those of
        # verifiers download what they run.
        (self.folder / "kgrade_tasks.py").write_text("from kgrade.adapters.verifiers import *\n")
        (self.folder / "one_turn.py").write_text(
            "from environments_test import one_turn_harness\nOneTurn = one_turn_harness()\n__all__ = ['OneTurn']\n")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        for each in ("kgrade_tasks", "one_turn"):
            self.addCleanup(sys.modules.pop, each, None)
        self.replies, self.asked = [], []
        model = BackgroundServer(self.reply)
        self.addCleanup(model.close)
        self.model = model.url

    def reply(self, request):
        """A model's endpoint, which gives the replies in their order."""
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        self.asked.append(body["messages"][-1]["content"])
        message = {"role": "assistant", "content": self.replies.pop(0)}
        content = json.dumps({
            "id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    def load(self, **taskset):
        """The environment that verifiers makes of the taskset's name."""
        import verifiers.v1 as vf

        return vf.load_environment(vf.SingleAgentEnvConfig(
            taskset={"id": "kgrade-tasks", **taskset}, agent={"harness": {"id": "one-turn"}, "runtime": {"type": "subprocess"}}))

    def grade(self, problem, answers, **task):
        """The episodes, one after the other."""
        import verifiers.v1 as vf

        env = self.load(problems=[problem], task=task)
        [task] = env.taskset.load()
        self.replies.extend(answers)
        context = vf.ModelContext(model="m", client=vf.EvalClientConfig(base_url=f"{self.model}/v1", api_key_var="NO_KEY"))

        async def run():
            async with env.serving():
                return [await env.run_slot(slot, context) for slot in env.slots(task, len(answers))]

        episodes = asyncio.run(run())
        self.assertEqual(self.replies, [])
        self.assertEqual([each.errors for each in episodes], [[]] * len(answers))
        return [(each.ok, *each.traces) for each in episodes]

    def test_rewards(self):
        (fast_ok, fast), (worse_ok, worse), (failed_ok, failed) = self.grade("softmax", [FAST, WORSE, FAILS])
        self.assertEqual((fast_ok, worse_ok, failed_ok), (True, True, False))
        self.assertEqual((fast.reward, worse.reward), (REWARD, -0.25))
        self.assertEqual(fast.metrics, {"kgrade_correct": 1.0, "kgrade_speedup": 2.0})
        self.assertEqual(worse.metrics, {"kgrade_correct": 0.0, "kgrade_speedup": 0.0})
        self.assertEqual(worse.info["kgrade"]["verdict"], "wrong_answer")
        # A failed grade is an error of the trace, and there is no reward.
        self.assertEqual((fast.errors, worse.errors), ([], []))
        self.assertEqual([(each.type, each.message) for each in failed.errors],
                         [("SandboxError", "kgrade has no verdict: machine: ")])
        self.assertEqual((failed.rewards, failed.metrics), ({"kgrade": None}, {}))
        self.assertEqual(self.sent(), [("softmax", each) for each in (FAST, WORSE, FAILS)])
        for each in self.asked:
            self.assertIn("Normalise each row.", each)

    def test_its_configuration(self):
        [(_, found)] = self.grade("softmax", [FAST], reward="kevin", effort="default")
        self.assertEqual(found.reward, 2.3)
        self.assertEqual([job["body"]["effort"] for job in self.service.jobs.values()], ["default"])

    def test_without_names_it_has_all_problems(self):
        self.assertEqual([task.data.problem for task in self.load().taskset.load()], ["softmax"])

    def test_a_real_service(self):
        with self.real_service():
            found = self.grade(SLUG, [answer(RIGHT), answer(WRONG)])
        self.assertEqual([(ok, trace.reward) for ok, trace in found], [(True, 0.0), (True, -0.25)])
        self.assertEqual([trace.info["kgrade"]["verdict"] for _, trace in found], ["accepted", "wrong_answer"])


def one_turn_harness():
    import verifiers.v1 as vf

    class OneTurn(vf.Harness[vf.HarnessConfig]):
        NEEDS_CONTAINER = EXECUTES_CODE = False

        async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url=None):
            body = json.dumps({"model": ctx.model, "messages": [{"role": "user", "content": data.prompt}]}).encode()
            request = urllib.request.Request(f"{endpoint}/chat/completions", body, {
                "Authorization": f"Bearer {secret}", "Content-Type": "application/json"})
            await asyncio.to_thread(lambda: urllib.request.urlopen(request, timeout=60).read())
            return vf.ProgramResult(0, "", "")

    return OneTurn


class OpenEnv(Framework):
    package, module = "openenv", "openenv"

    @contextlib.contextmanager
    def served(self):
        """The address of OpenEnv's server, as the command line of uvicorn starts it."""
        import uvicorn

        listening = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config("kgrade.adapters.openenv:app", factory=True, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(60)
            self.assertFalse(thread.is_alive())

    def client(self, url):
        from openenv.core import GenericEnvClient

        return GenericEnvClient(base_url=url, message_timeout_s=600).sync()

    def grade(self, problem, answers):
        with self.served() as url, self.client(url) as env:
            found = []
            for each in answers:
                begin = env.reset(problem=problem)
                self.assertEqual((begin.done, begin.reward, begin.observation["verdict"]), (False, None, None))
                self.assertIn("void solution(", begin.observation["prompt"])
                found.append(env.step({"answer": each}))
                self.assertTrue(found[-1].done)
                self.assertEqual(env.state()["step_count"], 1)
        return found

    def test_the_base_class(self):
        from openenv.core.env_server import Environment

        from kgrade.adapters.openenv import KgradeEnvironment

        self.assertIsInstance(KgradeEnvironment(), Environment)

    def test_rewards(self):
        found = self.grade("softmax", [FAST, WORSE, FAILS])
        self.assertEqual([each.reward for each in found], [REWARD, -0.25, None])
        self.assertEqual([each.observation["verdict"] for each in found], ["accepted", "wrong_answer", None])
        self.assertEqual([each.observation["fault"] for each in found], [None, None, "machine"])
        self.assertEqual([each.observation["speedup"] for each in found], [2.0, None, None])
        self.assertEqual(self.sent(), [("softmax", each) for each in (FAST, WORSE, FAILS)])

    def test_two_sessions_at_once(self):
        with self.served() as url, self.client(url) as first, self.client(url) as second:
            first.reset(problem="softmax", episode_id="one")
            second.reset(problem="softmax", episode_id="two")
            self.assertEqual(second.step({"answer": WORSE}).reward, -0.25)
            self.assertEqual((first.state(), second.state()), ({"episode_id": "one", "step_count": 0},
                                                               {"episode_id": "two", "step_count": 1}))
            self.assertEqual(first.step({"answer": FAST}).reward, REWARD)

    def test_a_real_service(self):
        with self.real_service():
            found = self.grade(SLUG, [answer(RIGHT), answer(WRONG)])
        self.assertEqual([each.reward for each in found], [0.0, -0.25])
        self.assertEqual([each.observation["verdict"] for each in found], ["accepted", "wrong_answer"])


class Harbor(Framework):
    package, module = "harbor", "harbor"

    def trials(self, problem, answers):
        """Exports the problem, and lets Harbor run a trial for each answer."""
        from harbor.models.trial.config import TrialConfig
        from harbor.trial.trial import Trial

        from kgrade.adapters import harbor

        harbor.export(problem, self.folder / problem)

        async def run(each):
            trial = await Trial.create(TrialConfig.model_validate({
                "task": {"path": str(self.folder / problem)}, "trials_dir": str(self.folder / "trials"),
                "agent": {"import_path": "harbor_folders:KnowingAgent", "kwargs": {"answer": each}},
                "environment": {"import_path": "harbor_folders:FolderEnvironment"}}))
            return await trial.run()

        return [asyncio.run(run(each)) for each in answers]

    def test_its_models_read_the_task(self):
        from harbor.models.task.task import Task

        from kgrade.adapters import harbor

        harbor.export("softmax", self.folder / "softmax")
        self.assertTrue(Task.is_valid_dir(self.folder / "softmax"))
        task = Task(self.folder / "softmax")
        self.assertEqual((task.name, task.config.task.description), ("kgrade/softmax", "Softmax"))
        self.assertIn("Normalise each row.", task.instruction)
        self.assertEqual(task.config.verifier.environment_mode, "separate")
        self.assertEqual((task.config.agent.timeout_sec, task.config.verifier.timeout_sec), (3600.0, 1800.0))

    def test_rewards(self):
        fast, worse, failed = self.trials("softmax", [FAST, WORSE, FAILS])
        self.assertEqual(fast.verifier_result.rewards, {"reward": REWARD, "correct": 1.0, "speedup": 2.0})
        self.assertEqual(worse.verifier_result.rewards, {"reward": -0.25, "correct": 0.0, "speedup": 0.0})
        self.assertEqual((fast.exception_info, worse.exception_info), (None, None))
        # A failed grade is an error of the trial, and there is no reward.
        self.assertEqual(failed.exception_info.exception_type, "RewardFileNotFoundError")
        self.assertIsNone(failed.verifier_result)
        self.assertEqual(self.sent(), [("softmax", each) for each in (FAST, WORSE, FAILS)])
        # What grades the kernel comes only where the agent is not.
        for each in (fast, worse, failed):
            agent, verifier = sorted((self.folder / "containers").glob(f"{each.trial_name}__*"))
            self.assertEqual(((agent / "tests").exists(), (verifier / "tests").exists()), (False, True))

    def test_a_real_service(self):
        with self.real_service():
            found = self.trials(SLUG, [RIGHT, WRONG, None])
        self.assertEqual([each.exception_info for each in found], [None] * 3)
        # An agent that writes nothing has a kernel that does not compile.
        self.assertEqual([each.verifier_result.rewards for each in found], [
            {"reward": 0.0, "correct": 1.0, "speedup": 0.0}, {"reward": -0.25, "correct": 0.0, "speedup": 0.0},
            {"reward": -0.5, "correct": 0.0, "speedup": 0.0}])


def main():
    os.environ["KGRADE_PROGRAM"] = str(Path(sys.argv[1]).resolve())
    framework = globals()[sys.argv[2]]
    if importlib.util.find_spec(framework.module) is None:
        print(f"{framework.package} is not installed for Python {sys.version_info.major}.{sys.version_info.minor}")
        sys.exit(77)
    print(framework.package, importlib.metadata.version(framework.package), file=sys.stderr)
    # Harbor warns of its own functions.
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")


if __name__ == "__main__":
    main()
