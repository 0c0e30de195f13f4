"""Kernels of extensions with nvcc: they compile with PyTorch's own flags, without a warning of the headers."""

import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from extension_build import HARNESS, HEADERS

from kgrade_python import extension_sources

KERNELS = pathlib.Path(__file__).with_name("extension_kernels.cu").read_text()
PLAIN = """
__global__ void doubled(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
"""
EXTENSION = "#include <torch/extension.h>\n#include <cuda_runtime.h>\n" + PLAIN + """
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  doubled<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""
HALF_FLAGS = ["HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS"]


@unittest.skipUnless(shutil.which("nvcc"), "nvcc is not in PATH")
class Nvcc(unittest.TestCase):
    def compile(self, text, flags=()):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "cuda.cu"
            source.write_text(text)
            command = [
                "nvcc",
                "-O3",
                "-std=c++17",
                "-arch=sm_90",
                "-Xcompiler=-fPIC,-Wall,-Wextra",
                "--expt-relaxed-constexpr",
            ]
            command += [f"-D__CUDA_NO_{name}__" for name in HALF_FLAGS] + [f"-I{HEADERS}", *flags]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process = subprocess.run(
                command + ["-c", str(source), "-o", f"{source}.o"], capture_output=True, text=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(process.returncode, 0, process.stderr)
            return process.stderr, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def request(self, text, functions):
        return extension_sources.inline_request(
            "x", f"torch::Tensor {functions[0]}(torch::Tensor x);", text, functions
        )

    def test_kernels_compile_without_a_warning_of_the_headers(self):
        unit = self.request(KERNELS, ["doubled_cuda"])["units"][1]
        for flags in (unit["small_flags"], []):
            messages, _ = self.compile(unit["text"], flags)
            self.assertEqual(re.findall(rf"{re.escape(str(HARNESS))}.*warning.*", messages), [])

    def test_compile_time_is_measured(self):
        """Printed, not asserted: machines differ."""
        unit = self.request(EXTENSION, ["run"])["units"][1]
        plain = min(self.compile(PLAIN)[1] for _ in range(3))
        extension = min(self.compile(unit["text"], unit["small_flags"])[1] for _ in range(3))
        print(f"nvcc: plain {plain:.2f} s, extension {extension:.2f} s", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
