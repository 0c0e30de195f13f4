"""What PyTorch's switches for TF32 and autocast do on the emulated device, and Triton's interpreter: what a GPU does."""

import contextlib
import copy
import os
import sys
import unittest
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch  # noqa: E402

from kgrade_python import contestant, emulated_cuda, rounding  # noqa: E402

A, B = torch.randn(48, 256), torch.randn(256, 32)
X, W = torch.randn(2, 64, 9, 9), torch.randn(16, 64, 3, 3)


def setUpModule():
    emulated_cuda.install()
    torch.set_grad_enabled(False)


def product_of(a, b):
    return torch.mm(a, b)


def error(result, expected):
    return float((result.double() - expected).norm() / expected.norm())


def of_products():
    products = (A @ B, torch.nn.functional.linear(A, B.t()), torch.einsum("ik,kj->ij", A, B),
                torch.bmm(A[None], B[None])[0], torch.addmm(torch.zeros(32), A, B))
    return [error(product, A.double() @ B.double()) for product in products]


def of_callers():
    """The errors of operators that call products, by name."""
    double = torch.float64
    queries, points = torch.randn(2, 4, 48, 64), torch.randn(2, 48, 64)
    functional = torch.nn.functional
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval()
    attention = torch.nn.MultiheadAttention(64, 4, batch_first=True).eval()
    filters = torch.randn(3, 64, 16)

    def of_layer(layer, *inputs):
        return error(layer(*inputs), copy.deepcopy(layer).to(double)(*(each.to(double) for each in inputs)))

    def of(function, *inputs):
        return error(function(*inputs), function(*(each.to(double) for each in inputs)))

    return {
        "attention": of(functional.scaled_dot_product_attention, queries, queries, queries),
        "causal": of(lambda q: functional.scaled_dot_product_attention(q, q, q, is_causal=True, scale=0.2), queries),
        "grouped": of(lambda q, k: functional.scaled_dot_product_attention(q, k, k, enable_gqa=True),
                      queries, queries[:, :2]),
        "distances": of(torch.cdist, A, B.t()),
        "bilinear": of_layer(torch.nn.Bilinear(64, 64, 8), points, points),
        "exponential": of(torch.matrix_exp, A[:, :48] / 16),
        "convolution of time, batch and channels": of(
            lambda x, w: torch.conv_tbc(x, w, torch.zeros(16, dtype=x.dtype)), points.transpose(0, 1).contiguous(), filters),
        "encoder": of_layer(layer, points),
        "heads": error(attention(points, points, points)[0],
                       copy.deepcopy(attention).double()(*[points.double()] * 3)[0]),
        "cell": error(LSTM_CELL(points[0])[0], copy.deepcopy(LSTM_CELL).double()(points[0].double())[0]),
    }


LSTM_CELL = torch.nn.LSTMCell(64, 48)


def of_recurrent():
    errors = []
    for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
        layer, points = kind(64, 48, bidirectional=True), torch.randn(5, 7, 64)
        errors.append(error(layer(points)[0], copy.deepcopy(layer).double()(points.double())[0]))
    return errors


def of_convolution():
    return error(torch.conv2d(X, W), torch.conv2d(X.double(), W.double()))


class Switches(unittest.TestCase):
    def setUp(self):
        contestant.without_tf32()
        torch.set_float32_matmul_precision("highest")

    tearDown = setUp

    def test_that_are_off_leave_single_precision(self):
        for one in (*of_products(), of_convolution()):
            self.assertLess(one, 1e-6)

    def test_for_products_round_their_operands_to_tf32(self):
        for precision in ("high", "medium"):
            torch.set_float32_matmul_precision(precision)
            for one in of_products():
                self.assertGreater(one, 1e-4)
                self.assertLess(one, 5e-4)
            self.assertLess(of_convolution(), 1e-6)

    def test_for_convolutions_round_their_operands_to_tf32(self):
        torch.backends.cudnn.allow_tf32 = True
        self.assertGreater(of_convolution(), 1e-4)
        self.assertLess(of_convolution(), 5e-4)
        self.assertLess(max(of_products()), 1e-6)

    def assert_rounded(self, errors):
        for name, one in dict(errors).items():
            with self.subTest(name):
                # A distance is the root of a sum of squares, so it has half of its relative error.
                self.assertGreater(one, 3e-5)
                self.assertLess(one, 2e-3)

    def assert_exact(self, errors):
        for name, one in dict(errors).items():
            with self.subTest(name):
                self.assertLess(one, 2e-6)

    def test_for_products_reach_operators_that_call_products(self):
        torch.backends.cudnn.allow_tf32 = True
        torch.set_float32_matmul_precision("highest")
        self.assert_exact(of_callers())
        contestant.without_tf32()
        torch.set_float32_matmul_precision("high")
        self.assert_rounded(of_callers())

    def test_for_convolutions_round_recurrent_layers_too(self):
        # A GPU computes both by cuDNN.
        torch.set_float32_matmul_precision("high")
        self.assert_exact(enumerate(of_recurrent()))
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = True
        self.assert_rounded(enumerate(of_recurrent()))

    def test_reach_what_runs_in_inference_mode(self):
        for precision, check in (("highest", self.assert_exact), ("high", self.assert_rounded)):
            contestant.without_tf32()
            torch.set_float32_matmul_precision(precision)
            torch.backends.cudnn.allow_tf32 = precision == "high"
            with torch.inference_mode():
                check({**dict(enumerate(of_products())), **of_callers(), "convolution": of_convolution(),
                       **{f"recurrent {i}": one for i, one in enumerate(of_recurrent())}})

    @unittest.skipUnless(hasattr(torch._C, "_get_fp32_precision_getter"), "an older PyTorch")
    def test_by_their_newer_names_do_the_same(self):
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        self.assertGreater(min(of_products()), 1e-4)
        torch.backends.cuda.matmul.fp32_precision = "ieee"
        self.assertLess(max(of_products()), 1e-6)

    # Libraries have kernels for them that use no tensor cores.
    def test_leave_products_with_vectors_alone(self):
        torch.set_float32_matmul_precision("high")
        self.assertLess(error(A[:1] @ B, A[:1].double() @ B.double()), 1e-6)
        self.assertLess(error(A @ B[:, 0], A.double() @ B[:, 0].double()), 1e-6)

    def test_reach_what_is_scripted(self):
        torch.set_float32_matmul_precision("high")
        product = torch.jit.script(product_of)
        layer = torch.jit.script(torch.nn.Linear(256, 32, bias=False))
        expected = A.double() @ layer.weight.double().t()
        for _ in range(3):
            self.assertGreater(error(product(A, B), A.double() @ B.double()), 1e-4)
            self.assertGreater(error(layer(A), expected), 1e-4)
        torch.set_float32_matmul_precision("highest")
        self.assertLess(error(product(A, B), A.double() @ B.double()), 1e-6)
        self.assertLess(error(layer(A), expected), 1e-6)

    def test_reach_results_that_are_given(self):
        torch.set_float32_matmul_precision("high")
        out = torch.zeros(48, 32)
        self.assertIs(torch.mm(A, B, out=out), out)
        self.assertGreater(error(out, A.double() @ B.double()), 1e-4)
        out.fill_(1).addmm_(A, B, beta=0)
        self.assertLess(error(out, A.double() @ B.double()), 5e-4)


class Autocast(unittest.TestCase):
    def test_computes_products_in_half_precision(self):
        for dtype, least in ((torch.float16, 1e-4), (torch.bfloat16, 1e-3)):
            with torch.autocast("cuda", dtype=dtype):
                self.assertEqual((A @ B).dtype, dtype)
                self.assertEqual(torch.conv2d(X, W).dtype, dtype)
                self.assertGreater(min(of_products()), least)
                self.assertLess(max(of_products()), 4 * 4 * least)

    def test_reaches_recurrent_layers_and_what_runs_in_inference_mode(self):
        for mode in (contextlib.nullcontext(), torch.inference_mode()):
            with mode, torch.autocast("cuda"):
                for one in (*of_products(), *of_recurrent(), of_convolution()):
                    self.assertGreater(one, 1e-4)
                    self.assertLess(one, 2e-3)

    def test_computes_distances_in_single_precision(self):
        with torch.autocast("cuda"):
            self.assertLess(error(torch.cdist(A, B.t()), torch.cdist(A.double(), B.t().double())), 1e-6)

    def test_computes_sums_and_exponentials_in_single_precision(self):
        with torch.autocast("cuda"):
            self.assertEqual(torch.softmax(A @ B, -1).dtype, torch.float32)
            self.assertEqual((A @ B).sum().dtype, torch.float32)
            self.assertEqual(torch.nn.functional.layer_norm(A.half(), (256,)).dtype, torch.float32)
            self.assertEqual(torch.relu(A @ B).dtype, torch.float16)

    def test_leaves_double_precision_and_what_is_disabled_alone(self):
        with torch.autocast("cuda"):
            self.assertEqual((A.double() @ B.double()).dtype, torch.float64)
            with torch.autocast("cuda", enabled=False):
                self.assertLess(max(of_products()), 1e-6)
        self.assertLess(max(of_products()), 1e-6)


class Tf32(unittest.TestCase):
    def test_has_ten_bits_and_rounds_to_the_nearest(self):
        one, step = 1.0, 2.0 ** -10
        values = torch.tensor([one, one + step, one + 0.49 * step, one + 0.51 * step, one + step / 2, one + 1.5 * step,
                               2 - step / 8, -3e38, float("inf"), float("nan"), 0.0, 1e-40])
        expected = [one, one + step, one, one + step, one, one + 2 * step, 2.0]
        rounded = rounding.to_tf32(values)
        self.assertEqual(rounded[:7].tolist(), expected)
        self.assertTrue(torch.isfinite(rounded[7]) and torch.isinf(rounded[8]) and torch.isnan(rounded[9]))
        self.assertEqual(rounded[10], 0)


if __name__ == "__main__":
    unittest.main()
