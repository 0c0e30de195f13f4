"""The modules by which problems are stated in PyTorch, which are baselines on a GPU: as candidates they are accepted.

The environment variable KGRADE names the program; PyTorch is needed. Twenty problems are drawn by the commit; with KGRADE_ALL
all are graded.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from drawn_problems import drawn  # noqa: E402  pylint: disable=wrong-import-position

MODULES = ROOT / "reference" / "torch"
AT_ONCE = 2


def grade(module, folder):
    candidate = pathlib.Path(folder) / module.name
    candidate.write_text(re.sub(r"^class Model\(", "class ModelNew(", module.read_text(encoding="utf-8"), flags=re.MULTILINE),
                         encoding="utf-8")
    return subprocess.run([os.environ["KGRADE"], "grade", module.stem, str(candidate), "--hidden", "0", "--device", "emulated",
                           "--json", "-", "--python", sys.executable], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)


def states_a_module(slug):
    text = (ROOT / "problems" / f"{slug}.md").read_text(encoding="utf-8")
    family = re.search(r"^family: *(\S+)", text, re.MULTILINE)
    if family:
        text += (ROOT / "problems" / "families" / f"{family[1]}.md").read_text(encoding="utf-8")
    return re.search(r"^torch:", text, re.MULTILINE) is not None


# A case of the same sizes as another, with larger inputs.
TWIN = '  - {name: square-large, role: test, B: 64, N: 64, M: 64, A: "normal(0, 100)"}\n'
LINEAR_WITH_RELU = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = torch.nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.relu(self.linear(x))
"""


class TorchSections(unittest.TestCase):
    def test_cases_of_the_same_sizes_have_weights_of_their_own(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for place in ("problems", "reference"):
                (folder / place).mkdir()
            text = (ROOT / "problems/gemm-relu.md").read_text(encoding="utf-8").replace("slug: gemm-relu", "slug: twins")
            at = text.index("  - {name: over-a-tile")
            (folder / "problems/twins.md").write_text(text[:at] + TWIN + text[at:], encoding="utf-8")
            (folder / "reference/twins.cu").write_bytes((ROOT / "reference/gemm-relu.cu").read_bytes())
            (folder / "mine.py").write_text(LINEAR_WITH_RELU, encoding="utf-8")
            run = subprocess.run([os.environ["KGRADE"], "grade", str(folder / "problems/twins.md"), str(folder / "mine.py"),
                                  "--case", "square", "--case", "square-large", "--device", "emulated", "--json", "-",
                                  "--python", sys.executable], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 check=False)
            self.assertIn(run.returncode, (0, 1), run.stderr)
            candidate = json.loads(run.stdout)["candidates"][0]
            self.assertEqual(candidate["verdict"], "accepted", candidate["message"])

    def test_every_module_has_a_problem_that_states_it(self):
        for module in MODULES.glob("*.py"):
            self.assertTrue(states_a_module(module.stem), module.name)

    def test_their_modules_are_right(self):
        modules = drawn(sorted(MODULES.glob("*.py")))
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for module, run in zip(modules, pool.map(lambda each: grade(each, folder), modules)):
                with self.subTest(module.stem):
                    self.assertIn(run.returncode, (0, 1), run.stderr)
                    candidate = json.loads(run.stdout)["candidates"][0]
                    self.assertEqual(candidate["verdict"], "accepted", candidate["message"])


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
