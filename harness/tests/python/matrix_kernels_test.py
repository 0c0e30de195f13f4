"""The kernels of Triton that a worker sends to the referee, which names their matrix units."""

import base64
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python import matrix_kernels  # noqa: E402

BF16 = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.bf16.bf16 {{%f1, %f2}}, %rd1, %rd2, p, 1, 1, 0, 1;"
FP8 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1}, {%r2}, {%f1};"


class MatrixKernels(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "triton"

    def compile(self, name, ptx, cubin=None):
        place = self.folder / name.upper()
        place.mkdir(parents=True)
        (place / f"{name}.ptx").write_text(f".version 8.8\n.target sm_90a\n\t{ptx}\n", encoding="utf-8")
        if cubin is not None:
            (place / f"{name}.cubin").write_bytes(cubin)

    def chosen(self):
        kernels = matrix_kernels.chosen(str(self.folder))
        return None if kernels is None else sorted(base64.b64decode(kernel) for kernel in kernels)

    def test_the_instructions_are_found_without_their_sizes(self):
        for ptx, expected in {
            BF16.format(128): {"wgmma.mma_async.sync.aligned.f32.bf16.bf16"},
            FP8 + FP8: {"mma.sync.aligned.row.col.f32.e4m3.e4m3.f32"},
            "@p tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1;": {"tcgen05.mma.cta_group::1.kind::f16"},
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {":
                {"mma.sp::ordered_metadata.sync.aligned.row.col.f32.f16.f16.f32"},
            "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {": {"wmma.mma.sync.aligned.row.col.f32.f32"},
            "wgmma.fence.sync.aligned; tcgen05.wait::ld.sync.aligned; fma.rn.f32 %f1, %f2; wmma.load.a.sync": set(),
        }.items():
            self.assertEqual(matrix_kernels.instructions_in(ptx), expected)

    def test_there_is_one_of_each_kind(self):
        self.assertEqual(self.chosen(), [])
        for columns in (64, 128, 256):
            self.compile(f"matmul{columns}", BF16.format(columns), b"bf16 %d" % columns)
        self.compile("scaled", FP8, b"fp8")
        self.compile("both", FP8 + BF16.format(8), b"both")
        self.compile("add", "add.f32 %f1, %f2, %f3;", b"none")
        self.compile("unfinished", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
        self.assertEqual(self.chosen(), [b"bf16 128", b"both", b"fp8"])

    def test_many_kinds_are_not_sent(self):
        for number in range(matrix_kernels.MOST_KERNELS + 1):
            self.assertIsNotNone(self.chosen())
            self.compile(f"kernel{number}", f"mma.sync.aligned.kind{number} ", b"kernel")
        self.assertIsNone(self.chosen())

    def test_large_kernels_are_not_sent(self):
        self.compile("large", FP8, bytes(matrix_kernels.MOST_BYTES + 1))
        self.assertIsNone(self.chosen())

    def test_files_that_vanish_leave_the_kernels_unknown(self):
        self.compile("kernel", FP8, b"fp8")
        gone = self.folder / "tmp.pid_7_x"
        gone.mkdir()
        (gone / "k.ptx").symlink_to("nowhere")
        self.assertIsNone(self.chosen())
        (gone / "k.ptx").unlink()
        self.assertEqual(self.chosen(), [b"fp8"])

    def test_a_folder_that_vanishes_leaves_the_kernels_unknown(self):
        self.compile("kernel", FP8, b"fp8")
        (self.folder / "tmp.pid_7_x").mkdir()
        scan = os.scandir

        def scan_late(path):
            if os.path.basename(path).startswith("tmp.pid_"):
                os.rmdir(path)
            return scan(path)

        with mock.patch("os.scandir", scan_late):
            self.assertIsNone(self.chosen())
        self.assertEqual(self.chosen(), [b"fp8"])

    def test_other_frameworks_compile_kernels_that_are_not_there(self):
        for source, expected in {
            "import torch\ndef solution(x): return x @ x": False,
            "import triton\n@triton.jit\ndef kernel(): pass\ndef solution(x): kernel[1,]()": False,
            "from triton.experimental import gluon\n@gluon.jit\ndef kernel(): pass\n"
            "def solution(x): kernel[1,]()": False,
            "import cupy\ndef solution(x): return cupy.RawKernel('', 'k')": True,
            "import cupy\ndef solution(x): return x": False,
            "import torch\ndef solution(x): return torch.cuda._compile_kernel('', 'k')": True,
            "def solution(": True,
        }.items():
            self.assertEqual(matrix_kernels.compiles_elsewhere(source, "solution", {}), expected, source)
        self.assertTrue(matrix_kernels.compiles_elsewhere(
            "import beside\ndef solution(x): return beside.f(x)", "solution",
            {"beside.py": "import cupy\ndef f(x): return cupy.asarray(x)"}))


if __name__ == "__main__":
    unittest.main()
