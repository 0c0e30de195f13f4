"""Grades of answers to Python problem files: cases in which nobody can be judged, and inputs that forward() writes to.

The environment variable KGRADE names the program; PyTorch is needed.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CASES = """
import torch
CASES = [{"name": "plain", "role": "test"}, {"name": "shaped", "role": "test"}, {"name": "inexact", "role": "test"},
         {"name": "timed", "role": "bench"}]
class Model(torch.nn.Module):
    def forward(self, x, name):
        if name == "shaped":
            return x[: 32 + int(x[0] > 0)] * 2
        return x + 1e6 - 1e6 if name == "inexact" else x * 2
def get_inputs(case):
    return [torch.randn(64), case["name"]]
def get_init_inputs(case):
    return []
"""
DOUBLE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x, name):
        return x * 2
"""
# Like the function of a public set that keeps running sums.
SUMS = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, sums):
        sums.mul_(0.5).add_(x.sum(0))
        return x - sums
def get_inputs():
    return [torch.randn(8, 16), torch.rand(16)]
def get_init_inputs():
    return []
"""
IN_PLACE = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x, sums):
        sums.mul_(0.5).add_(x.sum(0))
        return x - sums
"""
WRITES = "sums.mul_(0.5).add_(x.sum(0))"
FUNCTIONS = {
    "returning.py": "def solution(x, sums):\n    return x - (sums * 0.5 + x.sum(0))\n",
    "in_place_function.py": f"def solution(x, sums):\n    {WRITES}\n    return x - sums\n",
    "with_output.py": f"import torch\ndef solution(x, sums, output):\n    {WRITES}\n    torch.sub(x, sums, out=output)\n",
    "of_data.py": f"def custom_kernel(data):\n    x, sums = data\n    {WRITES}\n    return x - sums\n",
}
# The copy holds the input's numbers anew in each call.
KEEPING = IN_PLACE.replace("        sums.mul_", "        self.sums = getattr(self, 'sums', sums)\n        sums = self.sums\n        sums.mul_")


def grade(problem, answers):
    """The exit code, the record (None without one) and what was said of `answers`, {file name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"problem.py": problem, **answers}.items():
            (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        command = [os.environ["KGRADE"], "grade", "./problem.py", *answers, "--device", "emulated", "--json", "-", "--python",
                   sys.executable]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=folder)
    return run.returncode, json.loads(run.stdout) if run.stdout else None, run.stderr


class ModuleGradesTest(unittest.TestCase):
    def test_cases_in_which_nobody_can_be_judged_are_left_out(self):
        code, record, _ = grade(CASES, {"answer.py": DOUBLE})
        (candidate,) = record["candidates"]
        self.assertEqual((code, candidate["verdict"]), (0, "accepted"), candidate["message"])
        self.assertEqual([case["name"] for case in candidate["cases"] if case["run"]], ["plain", "timed"])
        shaped, inexact = record["notes"]
        self.assertRegex(shaped, "^left out: the oracle fails on case 'shaped': returned shape")
        self.assertRegex(inexact, "^left out: case 'inexact': 'output' is ill-conditioned")

    def test_a_wrong_answer_is_wrong_in_the_other_cases(self):
        code, record, _ = grade(CASES, {"answer.py": DOUBLE.replace("x * 2", "x * 3")})
        self.assertEqual((code, record["candidates"][0]["verdict"]), (1, "wrong_answer"))

    def test_a_file_without_a_measured_case_is_refused(self):
        code, record, said = grade(CASES.replace('name == "inexact"', 'name == "timed"'), {"answer.py": DOUBLE})
        self.assertEqual((code, record), (2, None))
        self.assertIn("the oracle fails on case 'shaped'", said)

    def test_answers_may_write_to_what_the_model_writes_to(self):
        _, record, _ = grade(SUMS, {"in_place.py": IN_PLACE, "own.py": SUMS, **FUNCTIONS})
        for candidate in record["candidates"]:
            with self.subTest(candidate["path"]):
                self.assertEqual(candidate["verdict"], "accepted", candidate["message"])

    def test_a_copy_is_of_one_call(self):
        _, record, _ = grade(SUMS, {"keeping.py": KEEPING})
        self.assertEqual(record["candidates"][0]["verdict"], "wrong_answer")


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
