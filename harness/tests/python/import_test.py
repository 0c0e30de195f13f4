"""A file in KernelBench's form, imported and then edited as an author would: more cases, other shapes, hidden ones. Right
answers to it are accepted, and wrong ones refused. The environment variable KGRADE names the program; PyTorch is needed."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

MODEL = """
import torch

class Model(torch.nn.Module):
    '''A linear layer whose outputs are normalised.'''
    def __init__(self, features, outputs, eps=1e-5):
        super().__init__()
        self.fc = torch.nn.Linear(features, outputs)
        self.eps = eps
    def forward(self, x):
        y = self.fc(x)
        return (y - y.mean(dim=1, keepdim=True)) / torch.sqrt(y.var(dim=1, keepdim=True, correction=0) + self.eps)

def get_inputs(): return [torch.randn(6, 5)]
def get_init_inputs(): return [5, 8, 0.125]
"""
# It reads all sizes off its arguments, so it is right for all cases.
RIGHT = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, features, outputs, eps=1e-5):
        super().__init__()
        self.fc = torch.nn.Linear(features, outputs)
        self.eps = eps
    def forward(self, x):
        y = x @ self.fc.weight.t() + self.fc.bias
        y = y - y.sum(dim=1, keepdim=True) / {outputs}
        return y * torch.rsqrt((y * y).sum(dim=1, keepdim=True) / {outputs} + self.eps)
"""
FUNCTION = """
import torch

def solution(x, fc_weight, fc_bias):
    y = torch.nn.functional.linear(x, fc_weight, fc_bias)
    return torch.nn.functional.layer_norm(y, y.shape[1:], eps=0.125)
"""
KERNEL = """
#include <cuda_runtime.h>
__global__ void normalise(const float* x, const float* w, const float* b, float* y, size_t features, size_t outputs) {
  const float* row = x + blockIdx.x * features;
  float* out = y + blockIdx.x * outputs;
  float mean = 0, variance = 0;
  for (size_t o = 0; o < outputs; ++o) {
    float sum = b[o];
    for (size_t f = 0; f < features; ++f) sum += row[f] * w[o * features + f];
    out[o] = sum;
    mean += sum / outputs;
  }
  for (size_t o = 0; o < outputs; ++o) variance += (out[o] - mean) * (out[o] - mean) / outputs;
  for (size_t o = 0; o < outputs; ++o) out[o] = (out[o] - mean) / sqrtf(variance + 0.125f);
}
extern "C" void solution(const float* x, const float* w, const float* b, float* y, size_t rows, size_t features, size_t outputs) {
  normalise<<<rows, 1>>>(x, w, b, y, features, outputs);
}
"""


def replaced(text, *pairs):
    for old, new in pairs:
        if text.count(old) != 1:
            raise AssertionError(f"{text.count(old)} times '{old}' in:\n{text}")
        text = text.replace(old, new)
    return text


class ImportTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.write("norm.py", MODEL)
        run = self.kgrade("import", "norm.py", "--problems", "problems")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.problem = self.folder / "problems/norm.md"
        self.imported = self.problem.read_text(encoding="utf-8")

    def write(self, name, text):
        (self.folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
        return name

    def kgrade(self, *words):
        return subprocess.run([os.environ["KGRADE"], *words, "--python", sys.executable], capture_output=True, text=True,
                              check=False, cwd=self.folder)

    def grade(self, candidates, *words):
        """{name: candidate's record}"""
        run = self.kgrade("grade", "problems/norm.md", *candidates, "--device", "emulated", "--json", "-", *words)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return {Path(each["path"]).name: each for each in json.loads(run.stdout)["candidates"]}

    def expect(self, verdict, candidate, cases):
        ran = {case["name"]: case["verdict"] for case in candidate["cases"] if case["run"]}
        self.assertEqual(candidate["verdict"], verdict, (candidate["message"], ran))
        if verdict == "accepted":
            self.assertEqual(set(ran), set(cases))

    def vary(self, *more):
        """The problem with the number of rows as a parameter, and a second case."""
        text = re.sub(r"^# TODO.*\n", "", self.imported, flags=re.MULTILINE)
        text = replaced(text, ("shape: [6, 5]", "shape: [rows, 5]"), ("shape: [6, 8]}\n", "shape: [rows, 8]}\n"
                               "  - {name: rows, type: size_t, pointer: false}\n"),
                        ("role: bench}\n", "role: bench, rows: 6}\n  - {name: long, role: test, rows: 37}\nfuzz: {rows: 5..9}\n"),
                        *more)
        self.problem.write_text(text, encoding="utf-8")

    def test_as_it_is(self):
        graded = self.grade([self.write("right.py", RIGHT.format(outputs=8)),
                             self.write("wrong.py", RIGHT.format(outputs=7))])
        self.expect("accepted", graded["right.py"], {"kernelbench"})
        self.expect("wrong_answer", graded["wrong.py"], ())

    def test_a_second_case_and_hidden_ones_with_the_same_arguments(self):
        self.vary()
        graded = self.grade([self.write("right.py", RIGHT.format(outputs=8)), self.write("function.py", FUNCTION),
                             self.write("one_case.py", RIGHT.format(outputs=8).replace("return y", "return y[:6].repeat(9, 1)[:len(y)]")),
                             ], "--hidden", "2")
        cases = {"kernelbench", "long", "hidden-1", "hidden-2"}
        self.expect("accepted", graded["right.py"], cases)
        self.expect("accepted", graded["function.py"], cases)
        self.expect("wrong_answer", graded["one_case.py"], ())

    def vary_all(self):
        """The problem with all of its sizes as parameters, and `init` in the place of `given`."""
        self.vary(("[rows, 5]", "[rows, features]"), ("[rows, 8]", "[rows, outputs]"), ("[8, 5]", "[outputs, features]"),
                  ("[8]", "[outputs]"), ("{name: rows, type: size_t, pointer: false}\n", "{name: rows, type: size_t, pointer: false}\n"
                                         "  - {name: features, type: size_t, pointer: false}\n"
                                         "  - {name: outputs, type: size_t, pointer: false}\n"),
                  ("rows: 6}", "rows: 6, features: 5, outputs: 8}"), ("rows: 37}", "rows: 37, features: 3, outputs: 12}"),
                  ("{rows: 5..9}", "{rows: 5..9, features: 2..7, outputs: 8..11}"))
        text = self.problem.read_text(encoding="utf-8")
        text, count = re.subn(r"^  given: .*\n", "  init: {features: features, outputs: outputs, eps: 0.125}\n", text,
                              flags=re.MULTILINE)
        self.assertEqual(count, 1)
        self.problem.write_text(text, encoding="utf-8")

    def test_cases_with_other_arguments(self):
        self.vary_all()
        graded = self.grade([self.write("right.py", RIGHT.format(outputs="y.shape[1]")), self.write("function.py", FUNCTION),
                             self.write("kernel.cu", KERNEL), self.write("wrong.py", RIGHT.format(outputs=8)),
                             self.write("other_eps.py", FUNCTION.replace("0.125", "0.12"))], "--hidden", "2")
        cases = {"kernelbench", "long", "hidden-1", "hidden-2"}
        for name in ("right.py", "function.py", "kernel.cu"):
            self.expect("accepted", graded[name], cases)
        self.expect("wrong_answer", graded["wrong.py"], ())
        self.assertIn("long", graded["wrong.py"]["message"])
        self.assertNotEqual(graded["other_eps.py"]["verdict"], "accepted")

    def test_other_contents(self):
        self.problem.write_text(replaced(self.imported, ("normal(0, 1)", "uniform(-0.001, 0.001)")), encoding="utf-8")
        # A bias alone is nearly all of the answer then, but not within the threshold.
        graded = self.grade([self.write("right.py", RIGHT.format(outputs=8)),
                             self.write("wrong.py", RIGHT.format(outputs=8).replace("x @", "0 * x @"))])
        self.expect("accepted", graded["right.py"], {"kernelbench"})
        self.assertNotEqual(graded["wrong.py"]["verdict"], "accepted")

    def test_arguments_that_do_not_fit_a_case_are_a_fault_of_the_problem(self):
        self.vary_all()
        text = self.problem.read_text(encoding="utf-8")
        self.problem.write_text(replaced(text, ("init: {features: features,", "init: {features: 5,")), encoding="utf-8")
        run = self.kgrade("grade", "problems/norm.md", self.write("right.py", RIGHT.format(outputs="y.shape[1]")), "--device",
                          "emulated")
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("fc.weight", run.stderr)
        self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
