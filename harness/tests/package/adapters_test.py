"""kgrade.adapters with a service that grades nothing; and with the real frameworks, where they are installed."""

import asyncio
import doctest
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

import stand_ins  # noqa: E402
from adapter_service import FAILS, FAST, REWARD, WORSE, name_service  # noqa: E402
from faulty_service import Service  # noqa: E402

import kgrade  # noqa: E402
from kgrade.adapters import _shared, harbor, openenv, openrlhf, skyrl, trl, verifiers, verl  # noqa: E402

HANGS = json.dumps({"verdict": "accepted", "seconds": 3600})


class Adapters(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        name_service(self.service.url)

    def test_trl(self):
        reward = trl.make_reward(kgrade.Client())
        found = reward(prompts=[""] * 4, completions=[FAST, [{"role": "assistant", "content": WORSE}], FAILS, FAST],
                       problem=["softmax"] * 3 + ["no-such-problem"], completion_ids=[], trainer_state=None)
        self.assertEqual(found, [REWARD, -0.25, None, None])

    def test_trl_prompts(self):
        [row] = trl.prompts(kgrade.Client(), ["softmax"], problem_column="slug")
        self.assertEqual((row["slug"], row["prompt"][0]["role"]), ("softmax", "user"))
        self.assertIn("Normalise each row.", row["prompt"][0]["content"])

    def test_trl_prompts_of_files_and_uploads(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "23_Softmax.py"
            file.write_text("class Model: pass\n")
            given = {"name": "double.py", "source": "class Model: 2\n"}
            rows = trl.prompts(kgrade.Client(), [str(file), file, given])
        self.assertEqual([row["problem"] for row in rows], [str(file), str(file), given])
        for row, source in zip(rows, ("class Model: pass", "class Model: pass", "class Model: 2")):
            self.assertIn(source, row["prompt"][0]["content"])
            self.assertIn("`ModelNew`", row["prompt"][0]["content"])

    def test_prompts_of_files_that_were_made_of_a_set(self):
        def asked(name, text, **files):
            argument = json.dumps(json.dumps({"name": "add", "files": files}))
            line = f"from kgrade_python.sets import {name} as _kgrade_set; _kgrade_set.define(globals(), {argument})\n"
            return _shared.prompt({"name": "add.py", "source": f"{text}\n\n{line}"})

        task = asked("gpu_mode", "def ref_kernel(data): pass", task="{}")
        self.assertIn("```python\ndef ref_kernel(data): pass\n```", task)
        self.assertIn("`custom_kernel(data)`", task)
        self.assertIn("`ModelNew`", asked("kernelbench_v3", "class Model: pass", shapes="x"))
        operator = asked("backend_bench", "", sample='{"operator": "softmax"}')
        self.assertIn('```python\n{"operator": "softmax"}\n```', operator)
        for text in (task, operator):
            self.assertNotIn("_kgrade_set", text)
            self.assertNotIn("ModelNew", text)

    def test_what_is_wrong_is_refused_before_the_first_step(self):
        client = kgrade.Client()
        for options, error in (({"effort": "fast"}, kgrade.BadRequest), ({"efort": "quick"}, TypeError),
                               ({"reward": "kevn"}, kgrade.WrongUsage), ({"cases": [1]}, kgrade.BadRequest),
                               ({"precision": "fp8"}, kgrade.BadRequest), ({"time_limit": 0}, kgrade.BadRequest)):
            with self.assertRaises(error, msg=str(options)):
                trl.make_reward(client, **options)
        self.assertEqual(trl.make_reward(client, "kevin", cases="tiny")([""], [FAST], problem=["softmax"]), [2.3])
        sample = {"kgrade_problem": "softmax"}
        for config, error in (({"reward": "kevn"}, kgrade.WrongUsage), ({"options": {"effort": "fast"}}, kgrade.BadRequest)):
            with self.assertRaises(error):
                skyrl.KgradeEnv(config, sample)
        with self.assertRaisesRegex(kgrade.WrongUsage, "log_speedup, kevin, kernrl, dr_kernel"):
            asyncio.run(verl.compute_score("d", FAST, "softmax", reward="kevn"))
        with self.assertRaises(kgrade.WrongUsage):
            openrlhf.reward_func(["ask"], ["ask"], ["softmax"], reward="kevn")
        for wrong in ({"reward": "kevn"}, {"effort": "fast"}):
            config = verifiers.KgradeConfig(task=verifiers.KgradeTaskConfig(**wrong))
            with self.assertRaises(kgrade.WrongUsage):
                next(iter(verifiers.KgradeTaskset(config).load()))
        self.assertEqual(len(self.service.jobs), 1)

    def test_what_cannot_be_judged_is_handled_as_a_failed_grade(self):
        unjudged = json.dumps({"verdict": "unsupported"})
        self.assertEqual(trl.make_reward(kgrade.Client())([""], [unjudged], problem=["softmax"]), [None])
        found = asyncio.run(verl.compute_score("d", unjudged, "softmax", on_failure=-9.0))
        self.assertEqual((found["score"], found["kgrade_valid"], found["kgrade_verdict"]), (-9.0, 0.0, "unsupported"))
        env = skyrl.KgradeEnv(extras={"kgrade_problem": "softmax"}).step(unjudged)
        self.assertEqual((env["reward"], env["metadata"]["kgrade_valid"]), (0.0, 0.0))
        self.assertEqual(openrlhf.reward_func([unjudged], [""], ["softmax"])["extra_logs"]["kgrade_valid"].tolist(), [0.0])
        game = openenv.KgradeEnvironment()
        game.reset(problem="softmax")
        seen = game.step(openenv.KgradeAction(answer=unjudged))
        self.assertEqual((seen.reward, seen.verdict, seen.fault), (None, "unsupported", None))
        task = next(iter(verifiers.KgradeTaskset(verifiers.KgradeConfig()).load()))
        with self.assertRaisesRegex(verifiers.vf.SandboxError, "unsupported"):
            asyncio.run(task.kgrade(SimpleNamespace(last_reply=unjudged, metrics={}, info={})))
        with tempfile.TemporaryDirectory() as folder:
            given, reward = Path(folder) / "solution.cu", Path(folder) / "reward.json"
            given.write_text(unjudged)
            with self.assertRaisesRegex(kgrade.GradeFailed, "unsupported"):
                harbor.verify("softmax", answer=str(given), to=str(reward))
            self.assertFalse(reward.exists())

    def test_harbor_takes_a_file_of_kernelbench(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "23 Softmax.py"
            file.write_text("class Model: pass\n")
            harbor.export(file, Path(folder) / "task")
            test = (Path(folder) / "task/tests/test.sh").read_text()
            self.assertIn('verify("/tests/23-Softmax.py", answer="/logs/artifacts/solution.py")', test)
            self.assertEqual((Path(folder) / "task/tests/23-Softmax.py").read_text(), file.read_text())
            self.assertIn("/logs/artifacts/solution.py", (Path(folder) / "task/instruction.md").read_text())

    def test_verl(self):
        async def run():
            return [await verl.compute_score("d", each, "softmax", {"kgrade_problem": problem}, reward_router_address="",
                                             reward_model_tokenizer=None)
                    for each, problem in ((FAST, ""), (WORSE, "softmax"), (FAILS, ""), (FAST, "no-such-problem"))]

        failed = {"score": 0.0, "kgrade_valid": 0.0, "kgrade_speedup": 0.0, "kgrade_verdict": ""}
        self.assertEqual(asyncio.run(run()), [
            {"score": REWARD, "kgrade_valid": 1.0, "kgrade_speedup": 2.0, "kgrade_verdict": "accepted"},
            {"score": -0.25, "kgrade_valid": 1.0, "kgrade_speedup": 0.0, "kgrade_verdict": "wrong_answer"}, failed, failed])

    def test_verl_by_path_as_verl_loads_it(self):
        compute_score = runpy.run_path(verl.__file__)["compute_score"]
        self.assertEqual(asyncio.run(compute_score("d", FAST, "softmax"))["score"], REWARD)

    def test_verl_stops_when_many_fail(self):
        async def run():
            for _ in range(11):
                await verl.compute_score("d", FAILS, "softmax")

        with self.assertRaisesRegex(kgrade.GradeFailed, "machine"):
            asyncio.run(run())
        self.assertEqual(len(self.service.jobs), 11)

    def test_failures_are_counted_as_their_text_says(self):
        found = doctest.testmod(_shared)
        self.assertEqual((found.failed, found.attempted > 0), (0, True))

    def test_skyrl(self):
        env = skyrl.KgradeEnv({"reward": "kevin", "options": {"effort": "default"}}, {"kgrade_problem": "softmax"})
        found = env.step(FAST)
        self.assertEqual((found["reward"], found["done"], found["metadata"]["kgrade_verdict"]), (2.3, True, "accepted"))
        self.assertEqual(self.service.seen[0][2]["items"][0]["effort"], "default")
        found = skyrl.KgradeEnv(extras={"reward_spec": {"ground_truth": "softmax"}}).step(FAILS)
        self.assertEqual((found["reward"], found["metadata"]["kgrade_valid"]), (0.0, 0.0))
        with self.assertRaises(KeyError):
            skyrl.KgradeEnv()

    def test_openrlhf(self):
        found = openrlhf.reward_func(["ask" + FAST, "ask" + FAILS], ["ask", "ask"], ["softmax", "softmax"], other=1)
        self.assertEqual([round(each, 5) for each in found["rewards"].tolist()], [0.69315, 0.0])
        self.assertEqual(found["extra_logs"]["kgrade_valid"].tolist(), [1.0, 0.0])

    def test_openrlhf_tells_the_answer_from_the_prompt_and_the_end(self):
        for end in ("", "<|im_end|>", "<|im_end|>\n", "</s>", "<｜end▁of▁sentence｜>"):
            self.assertEqual(openrlhf.answer_of("ask ```\na<b>\n```" + end, "ask "), "```\na<b>\n```")
        # A prompt that was cut.
        self.assertEqual(openrlhf.answer_of("sk a < b", "ask "), "sk a < b")

    def test_openenv(self):
        env = openenv.KgradeEnvironment()
        self.assertIn("Normalise each row.", env.reset(problem="softmax", seed=1).prompt)
        seen = env.step(openenv.KgradeAction(answer=WORSE))
        self.assertEqual((seen.done, seen.reward, seen.verdict, env.state.step_count), (True, -0.25, "wrong_answer", 1))
        seen = asyncio.run(env.step_async(openenv.KgradeAction(answer=FAILS, name="a.cu")))
        self.assertEqual((seen.done, seen.reward, seen.verdict, seen.fault), (True, None, None, "machine"))
        self.assertTrue(openenv.app())

    def test_openenv_takes_the_timeout_of_a_step(self):
        env = openenv.KgradeEnvironment()
        env.reset(problem="softmax")
        for step in (env.step, lambda *given: asyncio.run(env.step_async(*given))):
            # A client's timeout is the deadline of its jobs.
            for timeout_s, deadline in ((77.0, 77.0), (None, 1800.0)):
                self.assertEqual(step(openenv.KgradeAction(answer=FAST), timeout_s).verdict, "accepted")
                self.assertEqual(list(self.service.jobs.values())[-1]["body"]["deadline_s"], deadline)
            begin = time.monotonic()
            seen = step(openenv.KgradeAction(answer=HANGS), 1.0)
            self.assertLess(time.monotonic() - begin, 60)
            self.assertEqual((seen.reward, seen.verdict, seen.fault), (None, None, "service"))

    def test_what_is_kept_can_be_used_after_a_fork(self):
        def grade():
            step = skyrl.KgradeEnv(extras={"kgrade_problem": "softmax"}).step(FAST)
            scored = asyncio.run(verl.compute_score("d", FAST, "softmax"))
            return step["reward"] == scored["score"] == REWARD

        # The child has copies of clients whose threads wait, and has none of these threads.
        waiting = threading.Thread(target=_shared.client().grade_many, args=([("softmax", HANGS, "a.cu")],), daemon=True)
        waiting.start()
        self.addCleanup(waiting.join, 30)
        self.addCleanup(lambda: kgrade.Handle(_shared.client(), "g_00000000").cancel())
        end = time.monotonic() + 60
        while not self.service.jobs and time.monotonic() < end:
            time.sleep(0.01)
        self.assertIn("g_00000000", self.service.jobs)
        self.assertTrue(grade())
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = grade()
            finally:
                os._exit(0 if good else 1)
        end = time.monotonic() + 60
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
            time.sleep(0.02)
        if ended == (0, 0):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.assertEqual(ended, (child, 0))

    def test_verifiers_finds_the_taskset_of_a_module_that_imports_everything(self):
        module = {}
        exec("from kgrade.adapters.verifiers import *", module)
        tasksets = [each for each in module["__all__"] if isinstance(module[each], type)]
        self.assertEqual(tasksets, ["KgradeTaskset"])

    def test_verifiers(self):
        class Trace(SimpleNamespace):
            def record_metrics(self, metrics):
                self.metrics.update(metrics)

        task = next(iter(verifiers.KgradeTaskset(verifiers.KgradeConfig()).load()))
        self.assertEqual(task.data.problem, "softmax")
        self.assertIn("void solution(const float* x, float* y, size_t n);", task.data.prompt)

        async def run():
            trace = Trace(last_reply=FAST, metrics={}, info={})
            self.assertEqual(await task.kgrade(trace), REWARD)
            self.assertEqual(trace.metrics, {"kgrade_correct": 1.0, "kgrade_speedup": 2.0})
            trace.last_reply = FAILS
            with self.assertRaisesRegex(verifiers.vf.SandboxError, "machine"):
                await task.kgrade(trace)

        asyncio.run(run())

    def test_harbor(self):
        with tempfile.TemporaryDirectory() as folder:
            task = Path(folder) / "softmax"
            subprocess.run([sys.executable, "-m", "kgrade.adapters.harbor", "softmax", str(task)], check=True,
                           env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
            self.assertIn("/logs/artifacts/solution.cu", (task / "instruction.md").read_text())
            try:
                from harbor.models.task.task import Task
            except ImportError:
                pass
            else:
                self.assertEqual(Task(task).config.verifier.environment_mode, "separate")
            answer, reward = Path(folder) / "answer.cu", Path(folder) / "reward.json"
            # As the verifier's container does, with the copied package and no other.
            code = "import sys; from kgrade.adapters.harbor import verify; verify('softmax', answer=sys.argv[1], to=sys.argv[2])"
            command = [sys.executable, "-c", code, str(answer), str(reward)]
            environment = {**os.environ, "PYTHONPATH": str(task / "tests")}
            answer.write_text(FAILS)
            self.assertNotEqual(subprocess.run(command, env=environment, capture_output=True).returncode, 0)
            self.assertFalse(reward.exists())
            answer.write_text(FAST)
            subprocess.run(command, env=environment, check=True, capture_output=True)
            self.assertEqual(json.loads(reward.read_text()), {"reward": REWARD, "correct": 1.0, "speedup": 2.0})


if __name__ == "__main__":
    print("not installed:", ", ".join(sorted(stand_ins.missing)) or "none", file=sys.stderr)
    unittest.main()
