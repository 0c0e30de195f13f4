"""examples/grade_answers.py, with a service of its own on the emulated device: `grade_answers_test.py KGRADE`.

Needs a Python with PyTorch, which is that of $KGRADE_PYTHON.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness/tests/support"))

from boost import exit_without_boost  # noqa: E402

# As KernelBench writes its files.
PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x + 1

def get_inputs():
    return [torch.rand(64, 32)]

def get_init_inputs():
    return [3.0]
"""
KERNEL = """
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = '''
__global__ void scale(const float* x, float* y, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = factor * x[i] + 1;
}
torch::Tensor scaled(torch::Tensor x, double factor) {
  auto y = torch::empty_like(x);
  scale<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), (float)factor, (int)x.numel());
  return y;
}
'''
extension = load_inline("scale", "torch::Tensor scaled(torch::Tensor x, double factor);", SOURCE, functions=["scaled"])

class ModelNew(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return extension.scaled(x, self.factor)
"""
ANSWERS = {
    "kernel": KERNEL,
    "kernel_with_a_typing_error": KERNEL.replace("blockDim.x", "blockDimension.x"),
    "pytorch": PROBLEM.replace("Model", "ModelNew"),
    "pytorch_off_by_one": PROBLEM.replace("Model", "ModelNew").replace("x + 1", "x + 2"),
}
VERDICTS = {"kernel": "accepted", "kernel_with_a_typing_error": "compile_error", "no_code": "compile_error",
            "pytorch": "accepted", "pytorch_off_by_one": "wrong_answer"}


class GradeAnswers(unittest.TestCase):
    def test_answers_to_a_file_of_kernelbench(self):
        with tempfile.TemporaryDirectory() as folder:
            problem, answers = Path(folder) / "1_Scale.py", Path(folder) / "answers"
            problem.write_text(PROBLEM)
            answers.mkdir()
            for name, source in ANSWERS.items():
                (answers / f"{name}.txt").write_text(f"My answer:\n```python\n{source}```\nIt is fast.\n")
            (answers / "no_code.txt").write_text("I do not know.\n")
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "CUDA_VISIBLE_DEVICES": ""}
            environment.pop("KGRADE_URL", None)
            ended = subprocess.run([sys.executable, ROOT / "examples" / "grade_answers.py", problem, answers],
                                   env=environment, stdout=subprocess.PIPE, text=True, check=True)
        *lines, summary = ended.stdout.splitlines()
        self.assertEqual({line.split()[0]: line.split()[1] for line in lines},
                         {f"{name}.txt": verdict for name, verdict in VERDICTS.items()}, ended.stdout)
        self.assertEqual(summary, "5 of 5 answers have a verdict: 2 right, 0 faster")


if __name__ == "__main__":
    os.environ["KGRADE_PROGRAM"] = sys.argv.pop(1)
    exit_without_boost(os.environ["KGRADE_PROGRAM"])
    unittest.main()
