"""Problems of sets whose cases are lines of a file, calls in tests, and samples of PyTorch's own list."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PROGRAMS))

import torch  # noqa: E402

from kgrade_python import emulated_cuda  # noqa: E402
from kgrade_python.module_file import FileError  # noqa: E402
from kgrade_python.module_run import NO_NUMBERS  # noqa: E402
from kgrade_python.sets import backend_bench, multi_kernel_bench, triton_bench  # noqa: E402


class SetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        emulated_cuda.install()

    def defined(self, reader, source, **text):
        space = {"__name__": "problem", "__file__": str(Path(tempfile.gettempdir()) / "3_scale.py")}
        if reader is multi_kernel_bench:
            reader.prepare()
        exec(compile(source, space["__file__"], "exec"), space)  # pylint: disable=exec-used
        reader.define(space, json.dumps(text))
        self.assertEqual(len({case["name"] for case in space["CASES"]}), len(space["CASES"]))
        for case in space["CASES"]:
            self.assertRegex(case["name"], "^[a-z0-9-]+$")
        return space

    def roles(self, space):
        return {case["name"]: case["role"] for case in space["CASES"] if "left_out" not in case}

    def left_out(self, space):
        """The reasons, each of which get_inputs() says, too."""
        cases = [case for case in space["CASES"] if "left_out" in case]
        for case in cases:
            with self.assertRaisesRegex(FileError, re.escape(case["left_out"])):
                space["get_inputs"](case)
        return [case["left_out"] for case in cases]

    def drawn(self, space, place, seed=1):
        torch.manual_seed(seed)
        return space["get_inputs"](space["CASES"][place])

    def computed(self, space, place, seed=1):
        inputs = self.drawn(space, place, seed)
        model = space["Model"](*space["get_init_inputs"](space["CASES"][place])).eval()
        return inputs, model(*inputs)

    def error(self, *parts, **arguments):
        with self.assertRaises(FileError) as caught:
            self.defined(**arguments)
        for part in parts:
            self.assertIn(part, str(caught.exception))


SCALE = '''
import json
import os
import torch
import torch.nn as nn

class Model(nn.Module):
    """A product with a number.
    More words.
    """
    def forward(self, x, y, factor=1.0):
        return x * factor if y is None else x * factor + y

def get_input_groups():
    found = []
    with open(os.path.join(os.path.dirname(__file__), "3_scale.json"), "r") as lines:
        for line in lines:
            x, y, factor = json.loads(line)["inputs"]
            kind = getattr(torch, x["dtype"])
            other = None if y["shape"] is None else torch.randn(y["shape"], dtype=kind)
            found.append([torch.randn(x["shape"], dtype=kind), other, factor["value"]])
    return found

def get_init_inputs():
    return []
'''
ON_ACCELERATOR = '''
import json
import torch
import torch_npu

class Model(torch.nn.Module):
    """Doubles.
    In other words:
    def forward(self, x):
        return self.twice(x)

    def twice(self, x):
        return x + x
    """
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return torch_npu.npu_double(x)

def get_input_groups():
    with open("3_scale.json") as lines:
        return [[torch.rand(json.loads(line)["inputs"][0]["shape"])] for line in lines]

def get_init_inputs():
    return []
'''


def line(shape, dtype="float32", other=None, factor=2.0):
    tensor = {"type": "tensor", "dtype": dtype, "required": True}
    return json.dumps({"inputs": [{"name": "x", "shape": shape, **tensor}, {"name": "y", "shape": other, **tensor},
                                  {"name": "factor", "type": "attr", "dtype": "float", "value": factor}]})


class LinesTest(SetTest):
    def scaled(self, *lines, source=SCALE):
        return self.defined(multi_kernel_bench, source, name="3_scale", files={"3_scale.json": "\n".join(lines) + "\n"})

    def test_a_line_is_a_case(self):
        space = self.scaled(line([], "float16"), "", line([4, 8], other=[8], factor=3.0), line([2, 3, 5], "bfloat16"))
        self.assertEqual(list(self.roles(space)), ["w01-scalar", "w02-4x8", "w03-2x3x5"])
        (x, y, factor), out = self.computed(space, 1)
        self.assertEqual((x.shape, y.shape, factor), ((4, 8), (8,), 3.0))
        self.assertTrue(torch.equal(out, x * 3 + y))
        self.assertEqual(space["CASES"][1]["scalars"], {"factor": 3.0})
        (x, y, _), out = self.computed(space, 0)
        self.assertEqual((x.shape, y, out.dtype), ((), None, torch.float16))
        self.assertFalse(torch.equal(self.drawn(space, 2, 1)[0], self.drawn(space, 2, 2)[0]))
        self.assertTrue(torch.equal(self.drawn(space, 2, 1)[0], self.drawn(space, 2, 1)[0]))
        self.assertEqual(space["CASES"][0]["by_set"]["absolute"], 1e-4)
        self.assertNotIn("open", space)

    def test_the_largest_of_each_type_are_measured(self):
        space = self.scaled(*(line([size], kind) for kind in ("float32", "float16") for size in (5, 40, 30, 20, 10)),
                            line([7], "bf16"))
        measured = [name for name, role in self.roles(space).items() if role == "bench"]
        self.assertEqual(measured, ["w02-40", "w03-30", "w04-20", "w07-40", "w08-30", "w09-20", "w11-7"])

    def test_words_for_another_accelerator(self):
        space = self.scaled(line([4]), source=ON_ACCELERATOR)
        (x,), out = self.computed(space, 0)
        self.assertTrue(torch.equal(out, 2 * x))
        self.assertEqual(space["Model"].__doc__, "Doubles.")
        without = ON_ACCELERATOR.replace("def forward(self, x):\n        return self", "self")
        self.error("needs an Ascend NPU", reader=multi_kernel_bench, source=without, name="3_scale",
                   files={"3_scale.json": line([4])})

    def test_faulty_lines(self):
        for text, words in ((line([4]) + "\nnull", "line 2 of 3_scale.json"), ("", "has no line"),
                            ('{"inputs": [{"type": "tensor"}]}', "line 1")):
            self.error(words, reader=multi_kernel_bench, source=SCALE, name="3_scale", files={"3_scale.json": text})


FUNCTION = '''
import torch
def blend(input, other=None, *, alpha=1.0, out=None):
    """Adds a multiple."""
    return torch.mul(input, alpha, out=out) if other is None else input + alpha * other
'''
TESTS = '''
import torch
from blend import blend
# def blend(input): commented
def test_blend():
    results = {}
    x = torch.randn(3, 4, device="cuda", requires_grad=True)
    results["one"] = blend(x)
    results["one"].sum().backward()
    try:
        blend(torch.randn(3, device="cuda"), torch.randn(2, device="cuda"))
    except RuntimeError:
        results["two"] = None
    results["three"] = blend(torch.tensor([1.0, -2.0], device="cuda"), other=torch.randn(2).cuda(), alpha=0.5)
    results["four"] = blend(torch.zeros(5).cuda(), alpha=2, out=torch.empty(5).cuda())
    results["five"] = blend(torch.zeros(0).cuda())
    results["six"] = blend(torch.zeros(2, dtype=torch.complex64).cuda())
    return results
print(test_blend())
'''


class CallsTest(SetTest):
    def blended(self, function=FUNCTION, tests=TESTS):
        return self.defined(triton_bench, function, name="blend", files={"tests": tests})

    def test_a_call_is_a_case(self):
        space = self.blended()
        self.assertEqual(self.roles(space), {"t01-3x4": "bench", "t03-2": "test", "t04-5": "test"})
        self.assertEqual(space["ENTRY"], "blend")
        raises, *others = self.left_out(space)
        self.assertIn("it raises RuntimeError: The size of tensor", raises)
        self.assertEqual(others, ["an output is empty", "a tensor is complex"])
        (args, kwargs), out = self.computed(space, 2)
        self.assertEqual((args[0].tolist(), kwargs), ([1.0, -2.0], {"alpha": 0.5}))
        self.assertTrue(torch.equal(out, args[0] + 0.5 * args[1]))
        self.assertEqual(space["INPUT_NAMES"], ["input", "other"])
        (args, kwargs), out = self.computed(space, 3)
        self.assertEqual((kwargs, out.tolist()), ({"alpha": 2}, [0.0] * 5))
        self.assertFalse(self.drawn(space, 0)[0][0].requires_grad)
        self.assertFalse(torch.equal(self.drawn(space, 0, 1)[0][0], self.drawn(space, 0, 2)[0][0]))

    def test_calls_behind_an_error_are_not_lost_without_a_word(self):
        space = self.blended(tests="""
import torch
def test_first():
    blend(torch.ones(3))
    blend(torch.ones(3), torch.ones(2))
    blend(torch.ones(4))
def test_second(): blend(torch.ones(5))
def test_third(): undefined(torch.ones(6))
""")
        self.assertEqual(self.roles(space), {"t01-3": "test", "t03-5": "bench"})
        self.assertEqual(self.drawn(space, 2)[0][0].tolist(), [1.0] * 5)
        raises, first, third = self.left_out(space)
        self.assertIn("it raises RuntimeError", raises)
        self.assertIn("test_first() ends with RuntimeError: The size", first)
        self.assertIn("test_third() ends with NameError: name 'undefined'", third)

    def test_calls_with_a_type_or_without_numbers(self):
        space = self.blended("def blend(x, dtype=None): return x.log().to(dtype or x.dtype)\n", """
import torch
def test():
    blend(torch.ones(3))
    blend(torch.ones(3), dtype=torch.float64)
    blend(-torch.ones(9))
""")
        self.assertEqual(self.roles(space), {"t01-3": "bench"})
        self.assertEqual(self.left_out(space), ["it gets a dtype", NO_NUMBERS])

    def test_what_cannot_be_graded(self):
        for body, words in (("torch.rand_like(x)", "draws random numbers"), ("[x.sum().item()]", "returns a float"),
                            ("x.to_sparse()", "not dense"), ("x.nothing()", "AttributeError")):
            self.error(words, reader=triton_bench, source=f"import torch\ndef blend(x): return {body}\n", name="blend",
                       files={"tests": "import torch\ndef test(): blend(torch.ones(3).cuda())"})
        self.error("call 0 functions", reader=triton_bench, source=FUNCTION, name="other",
                   files={"tests": "def test(): pass"})
        kernel = "class Kernel: pass\nKernel.__module__ = 'triton.runtime.jit'\nblend = Kernel()"
        self.error("Triton kernel", reader=triton_bench, source=kernel, name="blend", files={"tests": TESTS})


def sample(operator, **more):
    return {"name": "sample", "files": {"sample": json.dumps({"operator": operator, **more})}}


class SamplesTest(SetTest):
    def test_a_sample_is_a_case(self):
        space = self.defined(backend_bench, "", **sample("nn.functional.layer_norm", dtype="bfloat16"))
        self.assertEqual(list(self.roles(space).values()).count("bench"), 1)
        self.assertGreater(len(space["CASES"]), 2)
        for place in (i for i, case in enumerate(space["CASES"]) if "left_out" not in case):
            (args, kwargs), out = self.computed(space, place)
            self.assertEqual(args[0].dtype, torch.bfloat16)
            self.assertTrue(torch.equal(out, torch.nn.functional.layer_norm(*args, **kwargs)))
            again = self.drawn(space, place, seed=2)[0]
            self.assertEqual(again[0].shape, args[0].shape)
            self.assertFalse(torch.equal(again[0], args[0]))
        self.assertFalse(torch.backends.flags_frozen())

    def test_tensors_in_lists(self):
        space = self.defined(backend_bench, "", **sample("cat"))
        (args, kwargs), out = self.computed(space, 0)
        self.assertIsInstance(args[0], (list, tuple))
        self.assertTrue(torch.equal(out, torch.cat(*args, **kwargs)))

    def test_what_cannot_be_graded(self):
        for given, words in (({"operator": "nothing"}, "no samples of the operator 'nothing'"),
                             ({"operator": "bernoulli"}, "draws random numbers"),
                             ({"operator": "allclose"}, "returns a bool"),
                             ({"operator": "cat", "dtype": "float3"}, "'dtype' is one of"),
                             ({"operator": "cat", "variant": "x"}, "'variant' is one of")):
            self.error(words, reader=backend_bench, source="", **sample(**given))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
