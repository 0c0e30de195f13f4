"""What Triton's interpreter lacks and the emulated device adds: libdevice, single instructions, numbers in bfloat16."""

import os
import re
import sys
import unittest
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch  # noqa: E402

try:
    import numpy
    import triton
    import triton.language as tl
    from triton.runtime import interpreter
except ImportError:
    print("Triton is not installed")
    sys.exit(77)

from kgrade_python import emulated_assembly, emulated_interpreter, emulated_libdevice, emulated_triton  # noqa: E402
from kgrade_python.errors import Unsupported  # noqa: E402


def setUpModule():
    emulated_triton.install()


# PyTorch's functions of the same meaning, with arguments for them.
BY_PYTORCH = {
    "__nv_tanhf": torch.tanh, "__nv_erff": torch.erf, "__nv_erfcf": torch.erfc, "__nv_expf": torch.exp,
    "__nv_fast_expf": torch.exp, "__nv_exp2f": torch.exp2, "__nv_expm1f": torch.expm1, "__nv_log1pf": torch.log1p,
    "__nv_logf": torch.log, "__nv_fast_log2f": torch.log2, "__nv_fast_sinf": torch.sin, "__nv_cosf": torch.cos,
    "__nv_tanf": torch.tan, "__nv_asinhf": torch.asinh, "__nv_atanf": torch.atan, "__nv_sqrtf": torch.sqrt,
    "__nv_fsqrt_rn": torch.sqrt, "__nv_rsqrtf": torch.rsqrt, "__nv_frcp_rn": torch.reciprocal,
    "__nv_fabsf": torch.abs, "__nv_floorf": torch.floor, "__nv_ceilf": torch.ceil, "__nv_truncf": torch.trunc,
    "__nv_rintf": torch.round, "__nv_nearbyintf": torch.round, "__nv_lgammaf": torch.lgamma,
    "__nv_tgammaf": lambda x: torch.lgamma(x).exp(), "__nv_normcdff": torch.special.ndtr,
    "__nv_j0f": torch.special.bessel_j0,
    "__nv_tanh": torch.tanh, "__nv_exp": torch.exp, "__nv_sinpif": lambda x: torch.sin(torch.pi * x),
}
OF_TWO = {"__nv_powf": torch.pow, "__nv_fast_powf": torch.pow, "__nv_atan2f": torch.atan2, "__nv_fmodf": torch.fmod,
          "__nv_hypotf": torch.hypot, "__nv_copysignf": torch.copysign, "__nv_fdiv_rn": torch.div,
          "__nv_fmul_rn": torch.mul, "__nv_dadd_rn": torch.add, "__nv_fast_fdividef": torch.div,
          "__nv_fmaxf": torch.maximum}


RARE = {"__nv_" + name for name in (
    "brev", "brevll", "byte_perm", "double2hiint", "double2loint", "hadd", "hiloint2double", "jn", "jnf", "mul64hi",
    "nextafter", "nextafterf", "rcp64h", "rhadd", "sad", "uhadd", "umul64hi", "urhadd", "usad", "yn", "ynf")}


class Libdevice(unittest.TestCase):
    def check(self, symbol, expected, *arguments):
        # __nv_tanh and __nv_dadd_rn, beside __nv_tanhf and __nv_fadd_rn, are of double precision.
        is_double = not symbol.endswith("f") and "__nv_f" not in symbol
        kind = numpy.float64 if is_double else numpy.float32
        function = emulated_libdevice.function_of(symbol, numpy.dtype(kind))
        self.assertIsNotNone(function, symbol)
        result = function(*[argument.numpy().astype(kind) for argument in arguments])
        self.assertEqual(result.dtype, kind, symbol)
        numpy.testing.assert_allclose(result, expected(*arguments).numpy(), 2e-6, 1e-6, err_msg=symbol)

    def test_has_the_functions_that_kernels_use(self):
        x, y = torch.rand(97, dtype=torch.float64) * 3 + 0.1, torch.rand(97, dtype=torch.float64) * 3 + 0.1
        x, y = x.float().double(), y.float().double()
        for symbol, function in BY_PYTORCH.items():
            self.check(symbol, function, x)
        for symbol, function in OF_TWO.items():
            self.check(symbol, function, x, y)

    def test_rounds_and_reinterprets(self):
        halves = numpy.array([-2.5, -0.5, 0.5, 1.5, 2.5], numpy.float32)
        of = lambda symbol, kind=numpy.int32: emulated_libdevice.function_of(symbol, numpy.dtype(kind))  # noqa: E731
        self.assertEqual(of("__nv_float2int_rn")(halves).tolist(), [-2, 0, 0, 2, 2])
        self.assertEqual(of("__nv_float2int_rd")(halves).tolist(), [-3, -1, 0, 1, 2])
        self.assertEqual(of("__nv_llrintf", numpy.int64)(halves).tolist(), [-2, 0, 0, 2, 2])
        self.assertEqual(of("__nv_roundf", numpy.float32)(halves).tolist(), [-3, -1, 1, 2, 3])
        self.assertEqual(of("__nv_float_as_int")(numpy.float32([1.0])).tolist(), [0x3F800000])
        whole = numpy.array([0, 1, 6, -1], numpy.int32)
        self.assertEqual(of("__nv_clz")(whole).tolist(), [32, 31, 29, 0])
        self.assertEqual(of("__nv_popc")(whole).tolist(), [0, 1, 2, 32])
        self.assertEqual(of("__nv_ffs")(whole).tolist(), [0, 1, 2, 1])

    def test_knows_what_triton_has_except_for_other_roundings_and_rare_ones(self):
        folder = Path(tl.__file__).parent / "extra/cuda/libdevice.py"
        symbols = set(re.findall(r"\"(__nv_\w+)\"", folder.read_text(encoding="utf-8")))
        self.assertGreater(len(symbols), 200)
        unknown = {symbol for symbol in symbols if emulated_libdevice.function_of(symbol, numpy.dtype("f4")) is None}
        self.assertEqual({symbol for symbol in unknown if not re.search("_r[zud]$", symbol)} - RARE, set())

    def test_refuses_what_it_does_not_know(self):
        for symbol in ("__nv_byte_perm", "__nv_fadd_rz", "__nv_int2float_rz", "__nv_nothing"):
            self.assertIsNone(emulated_libdevice.function_of(symbol, numpy.dtype("f4")), symbol)


class Assembly(unittest.TestCase):
    def test_of_one_instruction_is_computed(self):
        x, y = numpy.float32([1.5, 4.0]), numpy.float32([0.5, 2.0])
        for text, expected in (("add.rn.f32 $0, $1, $2;", [2.0, 6.0]), ("{ div.full.f32 $0, $2, $1; }", [1 / 3, 0.5]),
                               ("neg.ftz.f32 $0, $1; // sign", [-1.5, -4.0]),
                               ("rsqrt.approx.f32 $0,$1;", [0.8164966, 0.5]),
                               ("fma.rn.f32 $0, $1, $2, $1", [2.25, 12.0]), ("max.f32 $0, $1, $2;", [1.5, 4.0])):
            function = emulated_assembly.function_of(emulated_assembly.one_instruction(text))
            numpy.testing.assert_allclose(function([x, y]), numpy.float32(expected), 1e-6, err_msg=text)

    def test_of_several_or_of_other_roundings_is_refused(self):
        for text in ("add.rz.f32 $0, $1, $2;", "add.f32 $0, $1, $2; add.f32 $0, $0, $1;", "",
                     "lop3.b32 $0, $1, $2, $3, 0xea;", "add.f16x2 $0, $1, $2;", "max.NaN.f32 $0, $1, $2;",
                     "mul.hi.s32 $0, $1, $2;", "cvt.rna.tf32.f32 $0, $1;"):
            self.assertIsNone(emulated_assembly.function_of(emulated_assembly.one_instruction(text)), text)

    def test_reads_the_clock(self):
        self.assertGreater(emulated_assembly.fixed_value("mov.u64 $0, %globaltimer;"), 0)
        self.assertEqual(emulated_assembly.fixed_value("griddepcontrol.wait;"), 0)
        self.assertIsNone(emulated_assembly.fixed_value("mov.u32 $0, %laneid;"))


@triton.jit
def convert(x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at).to(tl.bfloat16))


@triton.jit
def calculate(x, y, total, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(y + at, tl.where(value > 0, value * value + 1.0, -value))
    tl.store(total, tl.sum(value.to(tl.float32)))
    tl.store(total + 1, tl.max(value, axis=0))


class BrainFloats(unittest.TestCase):
    def test_are_rounded_to_nearest(self):
        # Also where all bits behind the point are carried into the exponent.
        x = torch.cat([torch.randn(60), torch.tensor([1.9999999, 0.99999994, 1.00390625, 3.0])])
        y = torch.empty(64, dtype=torch.bfloat16)
        convert[(1,)](x, y, BLOCK=64)
        self.assertTrue(torch.equal(y, x.to(torch.bfloat16)))

    def test_are_calculated_with(self):
        x = torch.randn(64).to(torch.bfloat16)
        y, total = torch.empty_like(x), torch.empty(2)
        calculate[(1,)](x, y, total, BLOCK=64)
        self.assertTrue(torch.allclose(y.float(), torch.where(x > 0, x * x + 1.0, -x).float(), 1e-2))
        self.assertAlmostEqual(float(total[0]), float(x.float().sum()), places=4)
        self.assertEqual(float(total[1]), float(x.max()))


@triton.jit
def misshapen(x):
    tl.store(x + tl.arange(0, 4), tl.zeros((8,), tl.float32))


class Limitations(unittest.TestCase):
    @staticmethod
    def reason(work):
        try:
            work()
        except Exception as error:  # pylint: disable=broad-except
            reasons = [emulated_interpreter.limitation(one) for one in (error, error.__cause__) if one is not None]
            return next(filter(None, reasons), "a mistake")
        return "nothing"

    def test_are_told_from_mistakes(self):
        lines = "def create_cat():\n  raise ValueError('Unsupported data type')\ndef load():\n  raise ValueError('none')"
        inside = {}
        exec(compile(lines, interpreter.__file__, "exec"), inside)  # pylint: disable=exec-used
        self.assertEqual(self.reason(inside["create_cat"]),
                         "Triton's interpreter cannot do 'cat' (Unsupported data type): not on the emulated device")
        self.assertEqual(self.reason(inside["load"]), "a mistake")
        self.assertEqual(self.reason(lambda: misshapen[(1,)](torch.zeros(8))), "a mistake")


class Driver(unittest.TestCase):
    def test_names_what_it_lacks(self):
        driver = triton.runtime.driver.active
        self.assertFalse(hasattr(driver, "launcher_cls"))
        with self.assertRaisesRegex(Unsupported, "'launcher_cls'"):
            driver.launcher_cls  # noqa: B018  pylint: disable=pointless-statement
        with self.assertRaisesRegex(Unsupported, "'load_binary'"):
            driver.utils.load_binary("", b"", 0, 0)
        self.assertGreater(driver.utils.get_device_properties(0)["multiprocessor_count"], 0)

    def test_has_compiled_kernels_that_can_be_launched(self):
        x, y = torch.randn(64), torch.empty(64, dtype=torch.bfloat16)
        kernel = convert.warmup(x, y, BLOCK=64, grid=(1,), num_warps=8)
        kernel._init_handles()  # pylint: disable=protected-access
        self.assertEqual(kernel.metadata.num_warps, 8)
        for arguments in ((x, y), (x, y, 64)):
            y.zero_()
            kernel[(1, 1, 1)](*arguments)
            self.assertTrue(torch.equal(y, x.to(torch.bfloat16)))
        with self.assertRaisesRegex(Unsupported, "'asm'"):
            kernel.asm  # noqa: B018  pylint: disable=pointless-statement
        self.assertTrue(hasattr(interpreter, "InterpretedFunction"))


if __name__ == "__main__":
    unittest.main()
