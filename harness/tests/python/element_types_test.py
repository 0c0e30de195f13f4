"""Files whose tensors have other types than float32: the oracle computes in float64 on the same numbers."""

import tempfile
import textwrap
import unittest
from pathlib import Path

import torch

from module_worker import Worker, drawn

from kgrade_python import contestant, emulated_cuda, emulated_triton
from kgrade_python.module_description import describe, prepare
from kgrade_python.scaled_products import grouped_mm, scaled_mm
from kgrade_python.tensors import TYPES

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
NO_ARGUMENTS = "def get_init_inputs(): return []\n"
FLOATS = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float64")


class ElementTypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prepare()
        # Once a process is enough.
        emulated_cuda.install = emulated_triton.install = lambda *_: None
        cls.temporary = tempfile.TemporaryDirectory()
        contestant.FOLDER = cls.temporary.name

    def look(self, source):
        path = Path(self.temporary.name) / "problem.py"
        source = HEAD + textwrap.dedent(source) + NO_ARGUMENTS
        path.write_text(source, encoding="utf-8")
        description = describe(str(path))
        self.assertNotIn("error", description)
        return source, description

    def answers(self, source, tensors=None):
        """The description, the inputs, and the first outputs of the oracle, the reference and a candidate that is Model."""
        source, description = self.look(source)
        tensors = tensors or drawn(description)
        found = []
        for role, text in (("oracle", source), ("reference", source), (None, source.replace("Model", "ModelNew"))):
            found.append(Worker(text, description, role).call(tensors)[0])
        self.assertTrue(torch.equal(found[1], found[2]))
        return description, tensors, *found[:2]

    def assert_near(self, one, other, bound):
        error = (one.double() - other.double()).norm().item() / other.double().norm().item()
        self.assertLess(error, bound)

    def test_inputs_of_each_type(self):
        for dtype in FLOATS:
            with self.subTest(dtype):
                description, tensors, oracle, _ = self.answers(f"""
                    class Model(nn.Module):
                        def forward(self, x): return x.float() + 1
                    def get_inputs(): return [torch.rand(64).to(torch.{dtype})]
                """, {"x": torch.rand(64).to(TYPES[dtype][0])})
                self.assertEqual(description["inputs"][0]["dtype"], dtype)
                self.assertTrue(torch.equal(oracle.float(), (tensors["x"].double() + 1).float()))

    def test_integers_and_booleans_stay_what_they_are(self):
        for dtype in ("uint8", "int8", "int16", "int32", "int64", "bool"):
            with self.subTest(dtype):
                description, tensors, oracle, reference = self.answers(f"""
                    class Model(nn.Module):
                        def forward(self, x): return ~x
                    def get_inputs(): return [torch.randint(0, 2, (64,)).to(torch.{dtype})]
                """, {"x": torch.randint(0, 2, (64,)).to(TYPES[dtype][0])})
                self.assertEqual((description["inputs"][0]["dtype"], description["outputs"][0]["dtype"]), (dtype, dtype))
                self.assertTrue(torch.equal(oracle, ~tensors["x"]))
                self.assertTrue(torch.equal(reference, oracle))

    def test_the_type_of_a_file(self):
        for inputs, result, dtype, is_narrow in (
                ("torch.rand(4, dtype=torch.bfloat16)", "x * 2", "bfloat16", True),
                ("torch.rand(4, dtype=torch.bfloat16)", "x.half()", "float16", True),
                ("torch.rand(4, dtype=torch.bfloat16)", "x.float()", "bfloat16", True),
                ("torch.rand(4).to(torch.float8_e5m2)", "x.float()", "float32", True),
                ("torch.rand(4)", "x.half().float()", "float32", True),
                ("torch.rand(4, dtype=torch.float64)", "x * 2", "float32", False),
                ("torch.rand(4)", "x * 2", "float32", False)):
            with self.subTest(inputs + result):
                _, description = self.look(f"""
                    class Model(nn.Module):
                        def forward(self, x): return {result}
                    def get_inputs(): return [{inputs}]
                """)
                self.assertEqual((description["dtype"], description["is_narrow"]), (dtype, is_narrow))

    def test_casts_do_not_round(self):
        for cast in ("x.to(torch.bfloat16)", "x.half()", "x.float()", "x.type(torch.float16)", "torch.zeros(64, dtype=x.dtype) + x",
                     "torch.empty(64, dtype=torch.bfloat16).copy_(x)", "x.sum(dtype=torch.float32) + x.bfloat16()"):
            with self.subTest(cast):
                _, tensors, oracle, reference = self.answers(f"""
                    class Model(nn.Module):
                        def forward(self, x):
                            x = x * 1.0009765625 + 3
                            return ({cast}).float() - 3
                    def get_inputs(): return [torch.rand(64)]
                """)
                exact = tensors["x"].double() * 1.0009765625 + (tensors["x"].double() * 1.0009765625 + 3).sum() * ("sum" in cast)
                self.assert_near(oracle, exact, 1e-7)
                self.assert_near(reference, exact, 2e-2)

    def test_a_cast_to_8_bits_chooses_codes(self):
        description, tensors, oracle, _ = self.answers("""
            class Model(nn.Module):
                def forward(self, x):
                    scale = x.abs().max() / 448
                    return (x / scale).to(torch.float8_e4m3fn).float() * scale
            def get_inputs(): return [torch.randn(256, dtype=torch.bfloat16)]
        """)
        self.assertTrue(description["chooses_codes"])
        x = tensors["x"].double()
        scale = x.abs().max() / 448
        self.assert_near(oracle, (x / scale).to(torch.float8_e4m3fn).double() * scale, 1e-7)

    def test_bits_are_read_in_the_type_of_the_file(self):
        for source, exact in (
                ("x.view(torch.int16) & 0x7FFF", lambda x: x.view(torch.int16) & 0x7FFF),
                ("(x.view(torch.int16) & 0x7FFF).view(torch.bfloat16) * 2", lambda x: x.double().abs() * 2),
                ("x.to(torch.float8_e5m2).view(torch.uint8) >> 2", lambda x: x.to(torch.float8_e5m2).view(torch.uint8) >> 2),
                ("x.float().contiguous().view(torch.int32) >> 16", lambda x: x.view(torch.int16).int())):
            with self.subTest(source):
                _, tensors, oracle, _ = self.answers(f"""
                    class Model(nn.Module):
                        def forward(self, x): return {source}
                    def get_inputs(): return [torch.randn(64, dtype=torch.bfloat16)]
                """)
                self.assertTrue(torch.equal(oracle.double(), exact(tensors["x"]).double()))

    def test_packed_codes_of_weights(self):
        """Codes stay integers, and scales of 16 bits are widened."""
        _, tensors, oracle, reference = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    torch.manual_seed(3)
                    self.register_buffer("codes", torch.randint(0, 256, (32, 16), dtype=torch.uint8))
                    self.scales = nn.Parameter(torch.rand(16, dtype=torch.bfloat16) + 0.5)
                def forward(self, x):
                    whole = torch.empty(64, 16, dtype=torch.uint8)
                    whole[0::2], whole[1::2] = self.codes & 15, self.codes >> 4
                    return x @ ((whole.to(torch.bfloat16) - 8) * self.scales)
            def get_inputs(): return [torch.randn(8, 64, dtype=torch.bfloat16)]
        """)
        torch.manual_seed(3)
        codes = torch.randint(0, 256, (32, 16), dtype=torch.uint8)
        whole = torch.stack([codes & 15, codes >> 4], 1).reshape(64, 16).double() - 8
        exact = tensors["x"].double() @ (whole * tensors["scales"].double())
        self.assert_near(oracle, exact, 1e-7)
        self.assert_near(reference, exact, 1e-2)

    def test_blank_buffers_of_an_answer_are_filled(self):
        """Other graders load Model's state into an answer."""
        source, description = self.look("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scale = nn.Parameter(torch.rand(8).bfloat16() + 1)
                    self.register_buffer("codes", torch.randint(0, 9, (8,), dtype=torch.uint8))
                    self.register_buffer("offset", torch.rand(8))
                    self.register_buffer("inverse", 1 / self.scale.detach())
                def forward(self, x): return x * self.scale * self.codes + self.offset + self.inverse
            def get_inputs(): return [torch.randn(4, 8, dtype=torch.bfloat16)]
        """)
        answer = textwrap.dedent("""
            import torch
            class ModelNew(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.scale = torch.nn.Parameter(torch.empty(8, dtype=torch.bfloat16))
                    self.register_buffer("codes", torch.empty(8, dtype=torch.uint8))
                    self.register_buffer("offset", torch.zeros(8))
                    self.register_buffer("inverse", torch.zeros(8, dtype=torch.bfloat16))
                    self.register_buffer("two", torch.zeros(8).fill_(2))
                def forward(self, x): return x * self.scale * self.codes + self.offset + self.inverse * self.two / 2
        """)
        tensors = drawn(description)
        expected = Worker(source, description, "reference").call(tensors)[0]
        self.assert_near(Worker(answer, description, None, model=source).call(tensors)[0], expected, 1e-2)
        # What an answer has filled itself stays as it is.
        other = answer.replace('"two"', '"offset2"').replace("torch.zeros(8))", "torch.zeros(8).fill_(5))")
        self.assertGreater((Worker(other.replace("self.two", "self.offset2"), description, None, model=source).call(tensors)[0]
                            - expected).abs().min(), 3)

    def test_a_tensor_without_axes(self):
        description, tensors, oracle, reference = self.answers("""
            class Model(nn.Module):
                def forward(self, x, scale): return x * scale.view(()) + scale.dim() + len(scale.shape)
            def get_inputs(): return [torch.rand(5, dtype=torch.float16), torch.ones((), dtype=torch.float16)]
        """)
        self.assertEqual(description["inputs"][1]["axes"], [])
        self.assert_near(oracle, tensors["x"].double() * tensors["scale"].double(), 1e-7)
        self.assertEqual(reference.shape, (5,))

    def test_strides_are_kept(self):
        for made, axes, kind in (
                ("torch.randn(6, 4).t()", [1, 0], "normal"),
                ("torch.randn(6, 4).bfloat16().t()", [1, 0], "normal"),
                ("torch.randn(2, 5, 3).permute(2, 0, 1) * 2", [2, 0, 1], None),
                ("torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)", [0, 3, 1, 2], None),
                ("torch.randn(6, 4)[:, ::2]", None, None),
                ("torch.randn(6, 1).expand(6, 4)", None, None),
                ("torch.randn(6, 1).t()", None, None)):
            with self.subTest(made):
                source, description = self.look(f"""
                    class Model(nn.Module):
                        def forward(self, x): return torch.tensor(x.stride()) * torch.ones_like(x.sum(), dtype=torch.int64)
                    def get_inputs(): return [{made}]
                """)
                found = description["inputs"][0]
                self.assertEqual(found.get("axes"), axes)
                if axes is not None:
                    self.assertEqual(found["draw"] and found["draw"]["kind"], kind)
                    tensor = torch.rand(found["shape"], dtype=TYPES[found["dtype"]][0])
                    answers = [Worker(source.replace("Model", name), description, role).call({"x": tensor})[0].tolist()
                               for name, role in (("Model", "oracle"), ("Model", "reference"), ("ModelNew", None))]
                    self.assertEqual(answers, [list(tensor.permute(axes).stride())] * 3)

    def test_scaled_mm(self):
        _, tensors, oracle, reference = self.answers("""
            class Model(nn.Module):
                def forward(self, x, w, s):
                    return torch._scaled_mm(x, w.t(), scale_a=s, scale_b=s * 2, out_dtype=torch.bfloat16)
            def get_inputs():
                return [torch.randn(32, 64).to(torch.float8_e4m3fn), torch.randn(16, 64).to(torch.float8_e4m3fn), torch.rand(1)]
        """)
        scale = 2 * tensors["s"].double() ** 2
        exact = tensors["x"].double() @ tensors["w"].double().t() * scale
        self.assert_near(oracle, exact, 1e-7)
        self.assert_near(reference, exact, 1e-2)

    def test_int8_weights(self):
        _, tensors, oracle, reference = self.answers("""
            class Model(nn.Module):
                def forward(self, x, codes, scales): return torch._weight_int8pack_mm(x, codes, scales)
            def get_inputs():
                return [torch.randn(8, 64).bfloat16(), torch.randint(-9, 9, (32, 64), dtype=torch.int8), torch.rand(32).bfloat16()]
        """)
        exact = tensors["x"].double() @ tensors["codes"].double().t() * tensors["scales"].double()
        self.assert_near(oracle, exact, 1e-7)
        self.assert_near(reference, exact, 1e-2)

    def test_an_operator_without_float64(self):
        source, description = self.look("""
            class Model(nn.Module):
                def forward(self, x): return torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8).dequantize()
            def get_inputs(): return [torch.randn(8).bfloat16()]
        """)
        with self.assertRaisesRegex(TypeError, "quantize_per_tensor cannot be computed in float64, as the oracle does"):
            Worker(source, description, "oracle").call(drawn(description))

    def test_scales_of_products(self):
        left, right = torch.randn(256, 128).double(), torch.randn(128, 384).double()
        rows, columns = torch.rand(256, 1).double(), torch.rand(1, 384).double()
        self.assertTrue(torch.allclose(scaled_mm(left, right, rows, columns), (rows * left) @ (right * columns)))
        blocks = torch.rand(2, 3).double()
        in_blocks = right * blocks.repeat_interleave(64, 0).repeat_interleave(128, 1)
        self.assertTrue(torch.allclose(scaled_mm(left, right, torch.ones(1).double(), blocks), left @ in_blocks))

    def test_tiled_scales(self):
        """The scale of row r and block c stands at (r % 32) * 16 + r // 32 * 4 + c of a tile of 128 rows and 4 blocks."""
        left, right = torch.randn(128, 128).double(), torch.randn(128, 128).double()
        tiled, plain = torch.rand(512).double(), torch.empty(128, 4).double()
        for row in range(128):
            for column in range(4):
                plain[row, column] = tiled[row % 32 * 16 + row // 32 * 4 + column]
        exact = (left * plain.repeat_interleave(32, 1)) @ (right.t() * plain.repeat_interleave(32, 1)).t()
        self.assertTrue(torch.allclose(scaled_mm(left, right, tiled, tiled), exact))

    def test_grouped_products(self):
        rows, matrices, ends = torch.randn(10, 4).double(), torch.randn(3, 4, 5).double(), torch.tensor([2, 2, 10])
        exact = torch.cat([rows[:2] @ matrices[0], rows[2:] @ matrices[2]])
        self.assertTrue(torch.allclose(grouped_mm(rows, matrices, ends), exact))
        sums = grouped_mm(rows.t(), torch.ones(10, 5).double(), ends)
        self.assertTrue(torch.allclose(sums[0], rows[:2].t() @ torch.ones(2, 5).double()))
        self.assertEqual(sums[1].abs().max(), 0)

    def test_buffers_of_8_bits(self):
        _, tensors, oracle, reference = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("weight", torch.eye(16).to(torch.float8_e4m3fn))
                def forward(self, x): return (x.to(torch.bfloat16) @ self.weight.to(torch.bfloat16)).float()
            def get_inputs(): return [(torch.rand(4, 16) * 8 - 4).to(torch.float8_e4m3fn)]
        """, {"x": torch.randn(4, 16).to(torch.float8_e4m3fn)})
        self.assertTrue(torch.equal(oracle.double(), tensors["x"].double()))
        self.assertTrue(torch.equal(reference, oracle))

    def test_dropout_draws_the_same_mask(self):
        _, _, oracle, reference = self.answers("""
            class Model(nn.Module):
                def forward(self, x): return F.dropout(x, 0.5) * torch.rand(64, dtype=x.dtype)
            def get_inputs(): return [torch.ones(64, dtype=torch.bfloat16)]
        """)
        self.assertTrue(0 < (oracle == 0).sum() < 64)
        self.assert_near(reference, oracle, 1e-2)


if __name__ == "__main__":
    unittest.main()
