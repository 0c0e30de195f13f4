"""Tests `tools/throughput.py --files` and the files that it makes. KGRADE names the program. Needs PyTorch."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

from module_files import MOST_FILES, TEMPLATES, write_module_files  # noqa: E402

MOST_BYTES = 16 << 20


def names_in(path):
    names = {}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), names)  # pylint: disable=exec-used
    return names


class ModuleFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def files(self, count):
        """Pairs of a problem and its answer."""
        write_module_files(count, self.folder / "problems", self.folder / "answers")
        for problem in sorted(self.folder.glob("problems/*/*.py")):
            level, number = problem.parent.name.removeprefix("level"), problem.name.split("_")[0]
            yield problem, self.folder / f"answers/level_{level}_problem_{number}_sample_0_kernel.py"

    def test_no_two_files_are_alike(self):
        texts = [path.read_text(encoding="utf-8") for pair in self.files(MOST_FILES) for path in pair]
        self.assertEqual(len(texts), 2 * MOST_FILES)
        self.assertEqual(len(set(texts)), 2 * MOST_FILES)

    def test_answers_are_right_and_tensors_small(self):
        torch.manual_seed(0)
        # Every template with each of its ten activations.
        for problem, answer in self.files(10 * len(TEMPLATES)):
            with self.subTest(problem.name), torch.no_grad():
                asked, given = names_in(problem), names_in(answer)
                inputs = asked["get_inputs"]()
                model, new = asked["Model"](*asked["get_init_inputs"]()), given["ModelNew"]()
                new.load_state_dict(model.state_dict())
                expected = model(*inputs)
                torch.testing.assert_close(new(*inputs), expected, rtol=1e-4, atol=1e-5)
                for tensor in [*inputs, *model.parameters(), expected]:
                    self.assertLessEqual(tensor.numel() * tensor.element_size(), MOST_BYTES)

    def test_other_counts_are_refused(self):
        for count in (0, MOST_FILES + 1):
            with self.assertRaises(ValueError):
                write_module_files(count, self.folder / "problems", self.folder / "answers")


class FilesTest(unittest.TestCase):
    def call(self, *arguments, **variables):
        command = [sys.executable, REPOSITORY / "tools/throughput.py", "--kgrade", os.environ["KGRADE"], *arguments]
        return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)

    def test_files_are_swept_with_nothing_cached(self):
        schema = json.loads((REPOSITORY / "results/throughput.schema.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "figures.json")
            user_cache = Path(folder, "user_cache")
            run = self.call("--files", "2", "--device", "emulated", "--json", str(output), XDG_CACHE_HOME=str(user_cache))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertFalse(user_cache.exists())
            figures = json.loads(output.read_text(encoding="utf-8"))
        self.assertEqual((figures["form"], figures["candidates"], figures["verdicts"]), ("files", 2, {"accepted": 2}))
        # Each interpreter that reads a file imports PyTorch: this takes longer than a look into a cache.
        self.assertGreater(figures["reading_seconds"], 0.2)
        self.assertLess(figures["reading_seconds"], figures["seconds"])
        of_files = schema["allOf"][0]["then"]
        self.assertLessEqual(set(schema["required"] + of_files["required"]), figures.keys())
        self.assertLessEqual(figures.keys(), (schema["properties"].keys() | of_files["properties"].keys()) - {"problem"})
        self.assertIn(f"Reading the problems: {figures['reading_seconds']:.1f} s of this", run.stdout)
        # What the sweep said of each candidate, without the progress that it shows on a terminal.
        self.assertRegex(run.stderr, r"(?m)^\[2/2\] accepted ")
        self.assertNotIn("reading problems", run.stderr)

    def test_options_of_the_other_modes_are_refused(self):
        for options in (["--python"], ["--candidates", "2"], ["--problem", "x"]):
            run = self.call("--files", "2", *options)
            self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn(f"1 to {MOST_FILES}", self.call("--files", "0").stderr)


if __name__ == "__main__":
    unittest.main()
