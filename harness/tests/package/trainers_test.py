"""kgrade.adapters in the trainers themselves: TRL, and the parts of verl and OpenRLHF that load and call reward functions.

trainers_test.py KGRADE, with the Python of tools/trainers.sh. It needs no GPU. What is not installed is skipped.
"""

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

# Nothing is downloaded, and nothing is reported.
os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", RAY_USAGE_STATS_ENABLED="0")
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

from adapter_service import FAILS, FAST, REWARD, WORSE, answer, name_service  # noqa: E402
from faulty_service import Service  # noqa: E402

import kgrade  # noqa: E402
from kgrade.adapters import openrlhf, verl  # noqa: E402


def installed(name):
    return importlib.util.find_spec(name) is not None


def load_example():
    spec = importlib.util.spec_from_file_location("grpo_trl", ROOT / "examples" / "grpo_trl.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KERNEL = (ROOT / "solutions" / "vector-addition" / "naive.cu").read_text()
RIGHT, WRONG = answer(KERNEL), answer(KERNEL.replace("] + b[", "] - b["))
NOT_COMPILED = answer(KERNEL.replace("size_t n", "size_of n"))


@contextlib.contextmanager
def named(service):
    """The service that the adapters find."""
    name_service(service.url)
    try:
        yield
    finally:
        del os.environ["KGRADE_URL"], os.environ["KGRADE_TOKEN"]


@unittest.skipUnless(installed("trl"), "TRL is not installed")
class Trl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def train(self, client, problem, answers, *, steps=2):
        """Trains the example's model, with `answers` instead of its noise. Returns each step's rewards and advantages."""
        import pandas
        import torch

        trainer = load_example().make_trainer(
            client, [problem], max_steps=steps, num_generations=len(answers), per_device_train_batch_size=len(answers),
            max_completion_length=4096, learning_rate=0.01, log_completions=True, num_completions_to_print=1,
            disable_tqdm=True, output_dir=str(self.folder))
        tokens = [torch.tensor(trainer.processing_class(each)["input_ids"] + [0]) for each in answers]
        written = torch.nn.utils.rnn.pad_sequence(tokens, batch_first=True)
        trainer.model.generate = lambda input_ids, **_: torch.cat([input_ids, written], dim=1)
        self.before = [each.clone() for each in trainer.model.parameters()]
        with contextlib.redirect_stdout(sys.stderr):
            trainer.train()
        self.assertEqual(trainer.state.global_step, steps)
        self.changed = any(not torch.equal(*each) for each in zip(self.before, trainer.model.parameters()))
        self.assertTrue(all(each.isfinite().all() for each in trainer.model.parameters()))
        tables = [pandas.read_parquet(each) for each in sorted((self.folder / "completions").iterdir())]
        self.assertEqual([len(each) for each in tables], [len(answers)] * steps)
        for table in tables:
            self.assertEqual([each[0]["content"] for each in table["completion"]], answers)
        return [list(zip(table["kgrade_reward"], table["advantage"])) for table in tables]

    def test_the_example_as_it_is(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "KGRADE_PROGRAM": sys.argv[1]}
        tiny, trained = self.folder / "tiny", self.folder / "trained"
        # Then the model that it has saved, by the name of its folder.
        for options in (["--steps=2", f"--output={tiny}"],
                        ["--steps=1", f"--output={trained}", f"--model={tiny}", "--problem=softmax"]):
            ended = subprocess.run([sys.executable, ROOT / "examples" / "grpo_trl.py", "--tokens=32", *options],
                                   env=environment, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        for state, steps in ((tiny / "checkpoint-2", 2), (trained / "checkpoint-1", 1)):
            logged = json.loads((state / "trainer_state.json").read_text())["log_history"]
            # Noise has no block of code, which counts as a kernel that does not compile.
            self.assertEqual([each["rewards/kgrade_reward/mean"] for each in logged[:steps]], [-0.5] * steps)
        self.assertTrue((trained / "model.safetensors").exists())

    def test_right_answers_have_higher_rewards_than_wrong_ones(self):
        os.environ["KGRADE_PROGRAM"] = sys.argv[1]
        with kgrade.local(device="emulated") as client:
            steps = self.train(client, "vector-addition", [RIGHT, WRONG, NOT_COMPILED, RIGHT])
        for step in steps:
            rewards, advantages = zip(*step)
            self.assertEqual(rewards, (0.0, -0.25, -0.5, 0.0))
            self.assertAlmostEqual(sum(advantages), 0.0, places=5)
            self.assertGreater(advantages[0], 0.0)
            self.assertGreater(advantages[1], advantages[2])
        self.assertTrue(self.changed)

    def test_a_failed_grade_is_no_zero_in_the_baseline(self):
        with contextlib.closing(Service()) as service:
            [step] = self.train(kgrade.Client(service.url), "softmax", [FAST, WORSE, FAILS, FAST], steps=1)
        rewards, advantages = zip(*step)
        for found, expected in zip(rewards, (REWARD, -0.25, math.nan, REWARD)):
            self.assertTrue(math.isnan(found) if math.isnan(expected) else math.isclose(found, expected, rel_tol=1e-6))
        # The mean of three answers. With a 0 for the failed one it would be 0.284.
        mean = (2 * REWARD - 0.25) / 3
        deviation = math.sqrt((2 * (REWARD - mean) ** 2 + (-0.25 - mean) ** 2) / 2)
        for found, reward in zip(advantages, (REWARD, -0.25, mean, REWARD)):
            self.assertAlmostEqual(found, (reward - mean) / (deviation + 1e-4), places=4)
        self.assertEqual(advantages[2], 0.0)
        self.assertTrue(self.changed)

    def test_without_a_service_nothing_is_learned(self):
        service = Service()
        client = kgrade.Client(service.url, timeout=1.0)

        class Gone(kgrade.Client):
            """The service ends after the prompts were asked for."""

            def grade_many(self, items, **options):
                service.close()
                return client.grade_many(items, **options)

        [step] = self.train(Gone(service.url), "softmax", [FAST, WORSE], steps=1)
        for reward, advantage in step:
            self.assertTrue(math.isnan(reward))
            self.assertEqual(advantage, 0.0)
        self.assertFalse(self.changed)


@unittest.skipUnless(installed("verl"), "verl is not installed")
class Verl(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        # Ray has sockets below it, whose paths have at most 107 bytes. Its processes still write when they end.
        folder = tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.tokenizer = load_example().tiny_tokenizer()
        self.tokenizer.save_pretrained(self.folder)

    def config(self, *overrides):
        import hydra
        from verl.experimental.reward_loop import migrate_legacy_reward_impl

        with hydra.initialize_config_module("verl.trainer.config", version_base=None):
            return migrate_legacy_reward_impl(hydra.compose("ppo_trainer", [
                f"actor_rollout_ref.model.path={self.folder}", "reward.num_workers=2",
                f"reward.custom_reward_function.path={verl.__file__}", *overrides]))

    def batch(self, answers):
        """What verl's rollout hands to its reward manager."""
        import numpy
        import torch
        from verl import DataProto

        written = [torch.tensor(self.tokenizer(each)["input_ids"] + [0]) for each in answers]
        responses = torch.nn.utils.rnn.pad_sequence(written, batch_first=True)
        lengths = torch.tensor([len(each) for each in written])
        mask = (torch.arange(responses.size(1)) < lengths[:, None]).long()
        prompts = torch.ones(len(answers), 3, dtype=torch.long)
        return lengths, DataProto.from_dict(
            tensors={"prompts": prompts, "responses": responses, "attention_mask": torch.cat([prompts, mask], dim=1)},
            non_tensors={"data_source": numpy.array(["kgrade"] * len(answers), dtype=object),
                         "reward_model": numpy.array([{"ground_truth": "softmax"}] * len(answers), dtype=object),
                         "extra_info": numpy.array([{} for _ in answers], dtype=object)})

    def test_loader_and_reward_manager(self):
        from verl.trainer.ppo.reward import load_reward_manager

        for manager in ("naive", "dapo"):
            config = self.config(f"reward.reward_manager.name={manager}",
                                 "+reward.custom_reward_function.reward_kwargs.reward=kevin")
            manager = load_reward_manager(config, self.tokenizer)
            _, batch = self.batch([FAST, WORSE, FAILS])
            with named(self.service):
                async def run():
                    return await asyncio.gather(*(manager.run_single(batch[i:i + 1]) for i in range(3)))

                found = manager.loop.run_until_complete(run())
            self.assertEqual([each["reward_score"] for each in found], [2.3, 0.0, 0.0])
            self.assertEqual([each["reward_extra_info"] for each in found], [
                {"score": 2.3, "kgrade_valid": 1.0, "kgrade_speedup": 2.0, "kgrade_verdict": "accepted"},
                {"score": 0.0, "kgrade_valid": 1.0, "kgrade_speedup": 0.0, "kgrade_verdict": "wrong_answer"},
                {"score": 0.0, "kgrade_valid": 0.0, "kgrade_speedup": 0.0, "kgrade_verdict": ""}])

    def test_reward_loop_in_its_ray_actors(self):
        import ray
        from verl import DataProto
        from verl.experimental.reward_loop import RewardLoopManager
        from verl.trainer.ppo.metric_utils import process_validation_metrics

        with named(self.service):
            ray.init(num_cpus=2, _temp_dir=self.folder, include_dashboard=False, log_to_driver=False,
                     object_store_memory=80 << 20, runtime_env={"env_vars": {"PYTHONPATH": str(ROOT / "python")}})
            self.addCleanup(ray.shutdown)
            manager = RewardLoopManager(self.config())
            lengths, batch = self.batch([FAST, FAILS, WORSE, FAST, FAST])
            found = manager.compute_rm_score(batch)
            # It stands at the last token of each answer, and nowhere else.
            scores = found.batch["rm_scores"]
            expected = [REWARD, 0.0, -0.25, REWARD, REWARD]
            for row, length, score in zip(scores, lengths, expected):
                self.assertAlmostEqual(row[length - 1].item(), score, places=6)
                self.assertAlmostEqual(row.sum().item(), score, places=6)
            self.assertEqual(found.meta_info["reward_extra_keys"], ["score", "kgrade_valid", "kgrade_speedup", "kgrade_verdict"])
            self.assertEqual(found.non_tensor_batch["kgrade_valid"].tolist(), [1.0, 0.0, 1.0, 1.0, 1.0])
            self.assertEqual(found.non_tensor_batch["kgrade_speedup"].tolist(), [2.0, 0.0, 0.0, 2.0, 2.0])
            verdicts = found.non_tensor_batch["kgrade_verdict"].tolist()
            self.assertEqual(verdicts, ["accepted", "", "wrong_answer", "accepted", "accepted"])
            # verl merges the columns of batches, and its validation leaves out those with texts.
            again = DataProto.concat([found.repeat(2), manager.compute_rm_score(self.batch([WORSE, WORSE])[1])])
            self.assertEqual(again.non_tensor_batch["kgrade_verdict"].tolist()[-3:], ["accepted"] + ["wrong_answer"] * 2)
            columns = {key: found.non_tensor_batch[key].tolist() for key in found.meta_info["reward_extra_keys"]}
            metrics = process_validation_metrics(["kgrade"] * 5, list("aabbb"), columns)["kgrade"]
            self.assertEqual(set(metrics), {"score", "kgrade_valid", "kgrade_speedup"})
            # Each actor counts its own failures, and the training's process gets the error.
            with self.assertRaisesRegex(kgrade.GradeFailed, "machine"):
                manager.compute_rm_score(self.batch([FAILS] * 24)[1])


@unittest.skipUnless(installed("openrlhf"), "OpenRLHF is not installed")
class OpenRlhf(unittest.TestCase):
    PROMPT = "Write softmax. ```cuda\nvoid solution();\n```\n"

    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        self.tokenizer = load_example().tiny_tokenizer()

    def execute(self, answers):
        """What OpenRLHF makes of answers. Its engine needs a GPU, so this one repeats them."""
        from openrlhf.utils.agent import SingleTurnAgentExecutor

        class Engine:
            def __init__(self, tokens):
                self.tokens = tokens

            async def generate(self, prompt_token_ids, sampling_params, multi_modal_data=None):
                output = SimpleNamespace(token_ids=self.tokens, finish_reason="stop", logprobs=None)
                return SimpleNamespace(outputs=[output])

        executor = SingleTurnAgentExecutor([openrlhf.__file__])

        async def run():
            return await asyncio.gather(*(
                executor.execute(self.PROMPT, "softmax", SimpleNamespace(max_tokens=2000, logprobs=None), 4000,
                                 self.tokenizer, Engine(self.tokenizer(each)["input_ids"] + [0])) for each in answers))

        with named(self.service):
            return asyncio.run(run())

    def test_loader_and_executor(self):
        found = self.execute([FAST, WORSE, FAILS])
        self.assertEqual([round(each["reward"].item(), 5) for each in found], [0.69315, -0.25, 0.0])
        self.assertEqual([each["scores"] for each in found], [each["reward"] for each in found])
        self.assertEqual([each["extra_logs"]["kgrade_valid"].item() for each in found], [1.0, 1.0, 0.0])
        self.assertEqual([each["extra_logs"]["kgrade_speedup"].item() for each in found], [2.0, 0.0, 0.0])
        # OpenRLHF gives the prompt with each answer, and the token of the end.
        sent = [item["candidate"]["source"] for _, _, body in self.service.seen for item in (body or {}).get("items", [])]
        self.assertEqual(sorted(sent), sorted([FAST, WORSE, FAILS]))

    def test_many_failures_end_the_training(self):
        import torch
        from openrlhf.trainer.ppo_utils.experience import Experience

        found = self.execute([FAILS] * 11 + [FAST])
        rewards = [each["reward"] for each in found[:11]]
        self.assertEqual(sum(each is None for each in rewards), 1)
        # OpenRLHF only logs the error. Then it has a sample without a reward, which it cannot put into a batch.
        samples = [Experience(sequences=torch.ones(1, 2), rewards=each) for each in (found[11]["reward"], None)]
        with self.assertRaises(AttributeError):
            Experience.concat_experiences(samples, 0)
        self.assertIsNone(Experience.concat_experiences(samples[::-1], 0).rewards)


if __name__ == "__main__":
    for package in ("torch", "trl", "transformers", "verl", "openrlhf", "ray"):
        if installed(package):
            print(package, importlib.metadata.version(package), file=sys.stderr)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
