"""Problems on tensors of doubles and of scales, graded with candidates in Python.

The environment variable KGRADE names the program; PyTorch is needed.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch

PROBLEM = """---
slug: products
title: Products of a matrix and a vector
difficulty: EASY
parameters:
  - {name: x, type: double, pointer: true, const: true, shape: [rows, columns], init: "normal(0, 1)"}
  - {name: w, type: double, pointer: true, const: true, shape: [columns], init: "uniform(0, 1)"}
  - {name: y, type: double, pointer: true, const: false, shape: [rows]}
  - {name: rows, type: size_t, pointer: false}
  - {name: columns, type: size_t, pointer: false}
thresholds: {fp32: 1e-13, tf32: 1e-5, bf16: 1e-2}
flops: 2 * rows * columns
cases:
  - {name: odd, role: test, rows: 131, columns: 67}
  - {name: large, role: bench, rows: 256, columns: 64}
torch:
  init: {}
  forward: [x, w]
---
Text.
"""

REFERENCE = """
__global__ void row_products(const double* x, const double* w, double* y, size_t rows, size_t columns) {
  const size_t row = blockIdx.x * size_t{64} + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (size_t i = 0; i < columns; ++i) sum += x[row * columns + i] * w[i];
  y[row] = sum;
}
extern "C" void solution(const double* x, const double* w, double* y, size_t rows, size_t columns) {
  row_products<<<static_cast<unsigned>((rows + 63) / 64), 64>>>(x, w, y, rows, columns);
}
"""

SCALES = """---
slug: scaled
title: Blocks times their scales
difficulty: EASY
parameters:
  - {name: x, type: float, pointer: true, const: true, shape: [blocks, 32], init: "normal(0, 1)"}
  - {name: s, type: __nv_fp8_e8m0, pointer: true, const: true, shape: [blocks, 1], init: "uniform(0.125, 16)"}
  - {name: y, type: float, pointer: true, const: false, shape: [blocks, 32]}
  - {name: blocks, type: size_t, pointer: false}
dtypes: [float32]
flops: 32 * blocks
cases:
  - {name: odd, role: test, blocks: 131}
  - {name: large, role: bench, blocks: 256}
---
Text.
"""

SCALES_REFERENCE = """
#include <cuda_fp8.h>
__global__ void scale(const float* x, const __nv_fp8_e8m0* s, float* y) {
  const size_t i = blockIdx.x * size_t{32} + threadIdx.x;
  y[i] = x[i] * float(s[blockIdx.x]);
}
extern "C" void solution(const float* x, const __nv_fp8_e8m0* s, float* y, size_t blocks) {
  scale<<<static_cast<unsigned>(blocks), 32>>>(x, s, y);
}
"""

MODULE = """
class ModelNew(torch.nn.Module):
    def forward(self, x, w):
        return {}
"""


class DoubleTensors(unittest.TestCase):
    def grade(self, *bodies, slug="products", problem=PROBLEM, reference=REFERENCE, module=None):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, text in ((f"problems/{slug}.md", problem), (f"reference/{slug}.cu", reference)):
                (folder / name).parent.mkdir()
                (folder / name).write_text(text)
            if module is not None:
                (folder / f"problems/{slug}.py").write_text(module)
            files = []
            for body in bodies:
                files.append(folder / f"answer{len(files)}.py")
                files[-1].write_text("import torch\n" + body)
            command = [os.environ["KGRADE"], "grade", folder / f"problems/{slug}.md", *files]
            options = ["--device", "emulated", "--hidden", "0", "--json", "-", "--python", sys.executable]
            run = subprocess.run([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode not in (0, 1):
            raise AssertionError(run.stderr)
        return json.loads(run.stdout)["candidates"]

    def test_are_float64(self):
        returned, written, module = self.grade(
            "def solution(x, w):\n    assert x.dtype == torch.float64\n    return x @ w\n",
            "def solution(x, w, y):\n    assert y.dtype == torch.float64\n    y.copy_(x @ w)\n",
            MODULE.format("x @ w"))
        for candidate in (returned, written, module):
            self.assertEqual(candidate["verdict"], "accepted", candidate["message"])

    def test_are_judged_by_the_class_that_they_reach(self):
        (single,) = self.grade("def solution(x, w):\n    return (x.float() @ w.float()).double()\n")
        self.assertEqual(single["verdict"], "low_precision", single["message"])

    def test_may_be_computed_by_a_python_file(self):
        """They are held as doubles, like the inputs that kgrade draws."""
        file = """
import torch
class Model(torch.nn.Module):
    def forward(self, x, w):
        return x @ w
def get_inputs():
    return [torch.randn(256, 64, dtype=torch.float64), torch.rand(64, dtype=torch.float64)]
def get_init_inputs():
    return []
"""
        problem = PROBLEM.replace('init: "normal(0, 1)"', "init: computed")
        problem = problem.replace('init: "uniform(0, 1)"', "init: computed")
        problem = problem.replace("difficulty: EASY", "difficulty: EASY\nreference: products.py")
        problem = problem.replace("  - {name: odd, role: test, rows: 131, columns: 67}\n", "")
        (right,) = self.grade("def solution(x, w):\n    return x @ w\n", problem=problem, module=file)
        self.assertEqual(right["verdict"], "accepted", right["message"])

    def test_of_another_type_are_refused(self):
        (single,) = self.grade("def solution(x, w):\n    return x.float() @ w.float()\n")
        self.assertEqual(single["verdict"], "wrong_answer")
        self.assertIn("returned float32 for output 'y', which is float64", single["message"])

    @unittest.skipUnless(hasattr(torch, "float8_e8m0fnu"), "needs PyTorch 2.7")
    def test_of_scales_are_powers_of_two(self):
        right, inverse = self.grade(
            "def solution(x, s):\n    assert s.dtype == torch.float8_e8m0fnu\n    return x * s.float()\n",
            "def solution(x, s):\n    return x / s.float()\n",
            slug="scaled", problem=SCALES, reference=SCALES_REFERENCE)
        self.assertEqual(right["verdict"], "accepted", right["message"])
        self.assertEqual(inverse["verdict"], "wrong_answer", inverse["message"])


if __name__ == "__main__":
    unittest.main()
