"""Tests tools/oracle_check/torch_check.py: it compares the oracle with PyTorch, and refuses formulas that are wrong.

The environment variable KGRADE names the program. Everything runs on the emulated device and the CPU.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ORACLE_CHECK = ROOT / "tools" / "oracle_check"
sys.path.insert(0, str(ORACLE_CHECK))

# Of each row: the elements times a real number, how many are above 0, whether one is, and where a largest one is. Many
# elements are equal.
PROBLEM = """---
slug: row-facts
title: Facts about rows
difficulty: EASY
parameters:
  - {name: input, type: float, pointer: true, const: true, shape: [rows, columns], init: "choice(-1, 0, 2)"}
  - {name: scaled, type: float, pointer: true, const: false, shape: [rows, columns]}
  - {name: above, type: int, pointer: true, const: false, shape: [rows]}
  - {name: any_above, type: bool, pointer: true, const: false, shape: [rows]}
  - {name: largest, type: int, pointer: true, const: false, shape: [rows], compare: "ties(input, 1)"}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
  - {name: alpha, type: float, pointer: false}
dtypes: [float32]
cases:
  - {name: small, role: test, rows: 7, columns: 11, alpha: 0.1}
  - {name: large, role: bench, rows: 64, columns: 64, alpha: 0.7}
---
Facts about the rows of a matrix.
"""
REFERENCE = """#include "ops/launch.cuh"
__global__ void facts(const float* input, float* scaled, int* above, bool* any_above, int* largest, std::int64_t rows,
                      std::int64_t columns, float alpha) {
  const std::int64_t row = ops::position_in_plane();
  if (row >= rows) return;
  const float* x = input + row * columns;
  above[row] = largest[row] = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    scaled[row * columns + i] = static_cast<float>(static_cast<ops::accumulator>(alpha) * x[i]);
    above[row] += x[i] > 0;
    if (x[i] >= x[largest[row]]) largest[row] = static_cast<int>(i);
  }
  any_above[row] = above[row] > 0;
}
extern "C" void solution(const float* input, float* scaled, int* above, bool* any_above, int* largest, size_t rows,
                         size_t columns, float alpha) {
  facts<<<ops::plane_grid(1, rows), ops::threads_per_block>>>(input, scaled, above, any_above, largest, rows, columns, alpha);
}
"""
# The oracle has the last of several largest elements; the formula has the first.
FORMULA = """import torch
FORMULAS = {"row-facts": lambda t, p: {
    "scaled": t["input"] * p["alpha"],
    "above": (t["input"] > 0).sum(1),
    "any_above": (t["input"] > 0).any(1),
    "largest": t["input"].argmax(1),
}}
"""


def check(folder, *options):
    report = Path(folder, "report.json")
    done = subprocess.run(
        [sys.executable, str(ORACLE_CHECK / "torch_check.py"), "--kgrade", os.environ["KGRADE"], "--device", "emulated",
         "--json", str(report), *options],
        capture_output=True, text=True, check=False)
    return done, json.loads(report.read_text(encoding="utf-8"))


class Formulas(unittest.TestCase):
    def check(self, formula, *options):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"problems/row-facts.md": PROBLEM, "reference/row-facts.cu": REFERENCE,
                               "formulas/facts.py": formula}.items():
                file = Path(folder, name)
                file.parent.mkdir()
                file.write_text(text, encoding="utf-8")
            return check(folder, "--problems", str(Path(folder, "problems")), "--formulas",
                         str(Path(folder, "formulas")), *options)

    def test_a_right_formula_agrees_in_all_outputs(self):
        done, report = self.check(FORMULA)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([case["case"] for case in report["cases"]], ["small", "large"])
        self.assertEqual(report["cases"][0]["output_elements"], 7 * 11 + 7 * 3)

    def test_a_case_that_is_too_large_is_made_smaller(self):
        done, report = self.check(FORMULA, "--max-elements", "1024")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([case["changes"] for case in report["cases"]], [{}, {"rows": 32, "columns": 32}])

    def test_a_wrong_formula_is_refused_whatever_the_output(self):
        mistakes = {
            "above the bound": ('t["input"] * p["alpha"]', 't["input"] * (p["alpha"] + 1e-6)'),
            "above: .* elements are not the expected ones": ("> 0).sum", ">= 0).sum"),
            "any_above: .* elements are not the expected ones": (".any(1)", ".all(1)"),
            "largest: .* elements are not the expected ones": ("argmax(1)", "argmin(1)"),
            "largest: an index is not from 0 to 10": ("argmax(1)", "argmax(1) - 11"),
            "largest: torch.float64 here, torch.int64 from the oracle": ("argmax(1)", "amax(1)"),
            r"above: shape \[1\] here, \[7\] from the oracle": ("sum(1)", "sum(1)[:1]"),
            "outputs .* here, .* from the oracle": ('"above"', '"below"'),
        }
        for message, (right, wrong) in mistakes.items():
            with self.subTest(message):
                self.assertEqual(FORMULA.count(right), 1)
                done, report = self.check(FORMULA.replace(right, wrong), "--role", "test")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertFalse(report["passed"])
                self.assertRegex(done.stdout, message)


class Repository(unittest.TestCase):
    def test_chains_of_layers_and_formulas_agree_with_the_oracle(self):
        slugs = ["conv-standard-1d", "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm"]
        with tempfile.TemporaryDirectory() as folder:
            done, report = check(folder, *(f"--slug={slug}" for slug in slugs), "--role", "sample", "--role", "test")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({case["slug"] for case in report["cases"]}, set(slugs))

    def test_every_problem_is_a_chain_of_layers_or_has_a_formula(self):
        import problems
        import torch_formulas
        formulas = torch_formulas.load()
        self.assertEqual([slug for slug in problems.slugs() if slug not in formulas and not problems.are_layers(slug)], [])
        self.assertEqual([slug for slug in formulas if slug not in problems.slugs()], [])


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
