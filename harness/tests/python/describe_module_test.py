"""Describing a file with Model, get_inputs and get_init_inputs: what is read off, and what is said of files that are wrong."""

import json
import signal
import subprocess
import sys
import time
import unittest

from described_file import HEAD, IDENTITY, PROGRAMS, DescribedFile, uniform

from kgrade_python.encoded import NotEncodable, decode, encode
from kgrade_python.module_file import end_after


class DescribeModuleTest(DescribedFile):
    def test_a_plain_file(self):
        found = self.described('''
            """A file."""
            class Model(nn.Module):
                """
                Softmax of rows.
                More about it.
                """
                def __init__(self, features, dim=1):
                    super().__init__()
                    self.linear = nn.Linear(features, 8, bias=False)
                    self.dim = dim
                def forward(self, x):
                    return torch.softmax(self.linear(x), self.dim)
            def get_inputs():
                x = torch.rand(16, 4)
                return [x]
            def get_init_inputs():
                return [4]
        ''')
        self.assertEqual(found, {
            "title": "Softmax of rows.", "positional": [4], "keywords": {}, "forward": [{"input": "x"}],
            "inputs": [{"name": "x", "shape": [16, 4], "dtype": "float32", "draw": uniform(0, 1)}],
            "weights": [{"name": "linear_weight", "module_name": "linear.weight", "shape": [8, 4], "dtype": "float32",
                         "draw": uniform(-0.5, 0.5), "constant": False}],
            "buffers": [], "outputs": [{"name": "output", "shape": [16, 8], "dtype": "float32"}], "dtype": "float32", "is_narrow": False, "chooses_codes": False, "terms": 8, "operators": 2,
            "is_ranged": False, "mode": "train", "notes": []})

    def test_terms_are_those_of_the_longest_sum(self):
        for forward, shape, terms in (("self.conv(x)", (2, 16, 9, 9), 144), ("torch.mm(x, x)", (48, 48), 48),
                                      ("x.mean()", (40, 50), 2000), ("x.sum(1)", (40, 50), 50), ("x.cumsum(0)", (40, 5), 40),
                                      ("x.softmax(1)", (4, 70), 70), ("nn.functional.layer_norm(x, (6, 7))", (3, 6, 7), 11),
                                      ("nn.functional.batch_norm(x, None, None, training=True)", (3, 6, 7), 6),
                                      ("nn.functional.layer_norm(x, (1024, 1024))", (1, 1024, 1024), 2**17),
                                      ("x.norm()", (40, 50), 500), ("x.norm(p=1)", (40, 50), 2000),
                                      ("x.relu() + 1", (40, 50), 1)):
            with self.subTest(forward):
                found = self.described(f"""
                    class Model(nn.Module):
                        def __init__(self):
                            super().__init__()
                            self.conv = nn.Conv2d(16, 8, 3)
                        def forward(self, x):
                            return {forward}
                    def get_inputs():
                        return [torch.rand{shape}]
                    def get_init_inputs():
                        return []
                """)
                self.assertEqual(found["terms"], terms)

    def test_operators_that_refuse_numbers_are_seen(self):
        for forward, is_ranged in (("F.relu(x)", False), ("F.dropout(x)", False), ("x[0]", False), ("torch.bernoulli(x)", True),
                                   ("F.binary_cross_entropy(x, x)", True), ("x[(x * 2).long()]", True)):
            with self.subTest(forward):
                found = self.described(f"""
                    class Model(nn.Module):
                        def forward(self, x): return {forward}
                    def get_inputs(): return [torch.rand(4)]
                    def get_init_inputs(): return []
                """)
                self.assertEqual(found["is_ranged"], is_ranged)

    def test_operators_are_those_that_may_round(self):
        for forward, operators in (("x.view(-1)", 0), ("x.t().contiguous()", 0), ("x.argmax(1)", 0), ("x.relu() + 1", 1),
                                   ("torch.relu_(x + 1)", 1), ("torch.mm(x, x.t()).softmax(1)", 2), ("x.max(1)", 0), ("x.exp().sqrt()", 2)):
            with self.subTest(forward):
                found = self.described(f"""
                    class Model(nn.Module):
                        def forward(self, x):
                            return {forward}
                    def get_inputs():
                        return [torch.rand(4, 5)]
                    def get_init_inputs():
                        return []
                """)
                self.assertEqual(found["operators"], operators)

    def test_writes_to_repeated_places_are_noted(self):
        for write, noted in (("index_copy(0, i, y)", "index_copy"), ("index_put((i,), y)", "index_put"),
                             ("scatter(0, i.unsqueeze(1).expand(4, 3), y)", "scatter"), ("index_add(0, i, y)", None),
                             ("index_put((i,), y, accumulate=True)", None), ("scatter(0, i.unsqueeze(1), 1.0)", None)):
            for indices, repeats in (("[0, 1, 2, 1]", True), ("[0, 1, 2, 3]", False)):
                with self.subTest(f"{write} {indices}"):
                    found = self.described(f"""
                        class Model(nn.Module):
                            def __init__(self):
                                super().__init__()
                                self.register_buffer("i", torch.tensor({indices}))
                            def forward(self, x, y):
                                i = self.i
                                return x.{write}
                        def get_inputs():
                            return [torch.rand(5, 3), torch.rand(4, 3)]
                        def get_init_inputs():
                            return []
                    """)
                    wanted = [f"forward() writes to places that repeat ({noted}): PyTorch leaves undefined which value stays"]
                    self.assertEqual(found["notes"], wanted if noted and repeats else [])

    def test_the_title_is_the_files_where_model_has_none(self):
        rest = IDENTITY + "def get_inputs(): return [torch.rand(2)]\n"
        self.assertEqual(self.describe(rest, head='"""  Of the file.\nMore."""\n' + HEAD)["title"], "Of the file.")
        self.assertEqual(self.describe(rest)["title"], "")

    def test_large_inputs_need_no_memory(self):
        begin = time.monotonic()
        found = self.described("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = nn.Linear(1 << 20, 1 << 20)
                    self.scale = nn.Parameter(torch.randn(1 << 20) * 0.02 + 1)
                def forward(self, x, y): return self.linear(x @ y) * self.scale, x.argmax(dim=1)
            def get_inputs(): return [torch.randn(1 << 20, 1 << 20), torch.ones(1 << 20, 1 << 20)]
            def get_init_inputs(): return []
        """)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual([(each["shape"], each["dtype"]) for each in found["outputs"]],
                         [([1 << 20, 1 << 20], "float32"), ([1 << 20], "int64")])
        self.assertEqual([each["draw"]["kind"] for each in found["inputs"]], ["normal", "constant"])
        self.assertEqual([each["draw"] for each in found["weights"]],
                         [{"kind": "normal", "first": 1, "second": 0.02}, uniform(-2**-10, 2**-10), uniform(-2**-10, 2**-10)])

    def test_a_large_model_that_reads_values(self):
        found = self.described("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.rates = [rate.item() for rate in torch.linspace(0, 1, 3)]
                    self.scale = nn.Parameter(torch.rand(5))
                def forward(self, x):
                    return x[: int(x.max() * 0) + 2] * self.rates[2]
            def get_inputs(): return [torch.rand(1 << 13, 1 << 12)]
            def get_init_inputs(): return []
        """)
        self.assertEqual(found["outputs"][0]["shape"], [2, 1 << 12])
        self.assertIn("run on the CPU", found["notes"][0])
        self.assertEqual(found["weights"][0]["draw"], uniform(0, 1))

    def test_long_recurrences_are_quick(self):
        begin = time.monotonic()
        found = self.described("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.gru = nn.GRU(64, 128, 4, bidirectional=True)
                    self.lstm = nn.LSTM(64, 128, 4, batch_first=True, proj_size=32)
                def forward(self, x):
                    return self.gru(x), self.lstm(x)
            def get_inputs(): return [torch.rand(4096, 64, 64)]
            def get_init_inputs(): return []
        """)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual([each["shape"] for each in found["outputs"]],
                         [[4096, 64, 256], [8, 64, 128], [4096, 64, 32], [4, 4096, 32], [4, 4096, 128]])

    # Inputs.

    def test_draws_of_inputs(self):
        self.assertEqual(self.inputs("""
            def get_inputs():
                return [torch.rand(2, 3), torch.randn((2, 3)), torch.randint(7, (4,)), torch.randint(-2, 3, size=(4,)),
                        torch.ones(2), torch.zeros(2), torch.full((2,), 2.5), torch.normal(1.0, 2.0, (3,)),
                        torch.empty(3).uniform_(-1, 2), torch.empty(3).normal_(), torch.randint(0, 2, (3,), dtype=torch.float32)]
        """), [uniform(0, 1), {"kind": "normal", "first": 0, "second": 1}, {"kind": "integers", "first": 0, "second": 6},
               {"kind": "integers", "first": -2, "second": 2}, {"kind": "constant", "first": 1, "second": 1},
               {"kind": "constant", "first": 0, "second": 0}, {"kind": "constant", "first": 2.5, "second": 2.5},
               {"kind": "normal", "first": 1, "second": 2}, uniform(-1, 2), {"kind": "normal", "first": 0, "second": 1},
               {"kind": "integers", "first": 0, "second": 1}])

    def test_computed_inputs_are_no_draws(self):
        for expression in ("torch.rand(4) * 2", "torch.rand(4).mul_(2)", "torch.tril(torch.rand(4, 4))",
                           "torch.rand(1).expand(4)", "torch.rand(8)[:4]", "torch.arange(4.0)", "torch.tensor([1.0, 2.0])",
                           "torch.rand(4).softmax(-1)", "torch.rand(4).double()", "torch.randperm(4)", "torch.empty(4)",
                           "torch.rand(4).clone()", "torch.rand(4) > 0.5"):
            with self.subTest(expression):
                self.assertEqual(self.inputs(f"def get_inputs(): return [{expression}]"), [None])

    def test_inputs_that_are_touched_later_are_no_draws(self):
        for line in ("x[0] = 1", "x += 1", "x.view(-1)[1:2].zero_()", "x.data.mul_(2)", "x.t().fill_(3)", "torch.relu_(x)",
                     "x.numpy()[0] = 5", "torch.add(x, 1, out=x)", "x.clamp_(min=0.5)"):
            with self.subTest(line):
                try:
                    import numpy  # noqa: F401
                except ImportError:
                    if "numpy" in line:
                        continue
                (draw,) = self.inputs(f"def get_inputs():\n    x = torch.rand(2, 3)\n    {line}\n    return [x]\n")
                self.assertIn(draw, (None, {"kind": "constant", "first": 3, "second": 3}))

    def test_what_returns_the_same_tensor_leaves_the_draw(self):
        for expression in ("torch.rand(4).cuda()", "torch.rand(4, device='cuda')", "torch.rand(4).to('cuda').float()",
                           "torch.rand(4).contiguous()", "torch.rand(4, requires_grad=True)", "torch.rand(4).requires_grad_()"):
            with self.subTest(expression):
                self.assertEqual(self.inputs(f"def get_inputs(): return [{expression}]"), [uniform(0, 1)])

    def test_what_others_are_computed_from_is_computed_with_them(self):
        for line in ("return [x, x, torch.rand(3)]", "return [x, x * 2, torch.rand(3)]", "return [x, x.flip(0), torch.rand(3)]",
                     "y = torch.rand(3)\n    y.add_(x.exp())\n    return [x, y, torch.rand(3)]",
                     "y = torch.zeros(3)\n    torch.mul(x, 2, out=y)\n    return [x, y, torch.rand(3)]"):
            with self.subTest(line):
                self.assertEqual(self.inputs(f"def get_inputs():\n    x = torch.rand(3)\n    {line}\n"),
                                 [None, None, uniform(0, 1)])

    def test_what_has_only_the_shape_of_others_is_a_draw(self):
        self.assertEqual(self.inputs("""
def get_inputs():
    x = torch.rand(3)
    return [x, torch.rand_like(x), torch.rand(x.shape).exp(), torch.ones_like(x).exp()]
"""), [uniform(0, 1), uniform(0, 1), None, None])

    def test_where_python_reads_random_elements_all_is_computed(self):
        for line in ("s = x.sum().item()", "s = float(x[0])", "s = x.tolist()[0]", "s = 1 if x.sum() > 1 else 2"):
            with self.subTest(line):
                self.assertEqual(self.inputs(
                    f"def get_inputs():\n    x = torch.rand(3)\n    {line}\n    return [x, torch.rand(3) * s, torch.rand(3)]\n"),
                    [None, None, None])
        self.assertEqual(self.inputs("def get_inputs():\n    n = int(torch.ones(3).sum())\n    return [torch.rand(n), torch.rand(3) * n]\n"),
                         [uniform(0, 1), None])

    def test_notes_tell_what_is_the_same_in_every_call(self):
        same = "input 'input0' is computed in get_inputs(), from nothing random: it is the same in every call"
        for expression, wanted in (("torch.arange(4.0)", same), ("torch.tril(torch.ones(4, 4))", same),
                                   ("torch.rand(4, generator=torch.Generator().manual_seed(1)) * 2", same),
                                   ("torch.rand(4) * 2", same.split(",")[0]), ("torch.randperm(4).float()", same.split(",")[0]),
                                   ("torch.empty(4).uniform_() * 2", same.split(",")[0])):
            with self.subTest(expression):
                notes = self.described(IDENTITY + f"def get_inputs(): return [{expression}]")["notes"]
                self.assertEqual([note for note in notes if "computed" in note], [wanted])

    def test_types_and_shapes_of_inputs(self):
        found = self.described(IDENTITY + """
def get_inputs():
    return (torch.rand(()), torch.zeros(2, 0, dtype=torch.bool), torch.randint(0, 2, (3,), dtype=torch.int32),
            torch.rand(2, dtype=torch.float16))
""")["inputs"]
        self.assertEqual([(each["name"], each["shape"], each["dtype"]) for each in found],
                         [("input0", [], "float32"), ("input2", [3], "int32"), ("input3", [2], "float16")])

    def test_values_among_the_inputs(self):
        found = self.described("""
            class Model(nn.Module):
                def forward(self, x, factor, klass, shape, flag=True, mode="sum", *, out=None, **more): return x * factor
            def get_inputs(): return [torch.rand(2), 3, torch.rand(1), (1, [2.5, None]), False]
            def get_init_inputs(): return []
        """)
        self.assertEqual(found["forward"], [
            {"input": "x"}, {"value": 3}, {"input": "klass"},
            {"value": {"tuple": [1, {"list": [2.5, None]}]}}, {"value": False}])

    def test_forward_with_defaults_needs_fewer_inputs(self):
        found = self.described("""
            class Model(nn.Module):
                def forward(self, x, mask=None): return x
            def get_inputs(): return [torch.rand(2)]
            def get_init_inputs(): return []
        """)
        self.assertEqual(found["forward"], [{"input": "x"}])

    # Arguments of Model.

    def arguments(self, values):
        found = self.described(f"""
class Model(nn.Module):
    def __init__(self, *all, size=1, rate=0.5):
        super().__init__()
    def forward(self, x): return x + 1
def get_inputs(): return [torch.rand(2)]
def get_init_inputs(): return {values}
""")
        return found["positional"], found["keywords"]

    def test_arguments_of_every_kind(self):
        self.assertEqual(self.arguments('[1, 1.0, True, None, "a", (1, 2), [3, (4,)], {"k": [5], 2: None}, float("inf")]'), (
            [1, 1.0, True, None, "a", {"tuple": [1, 2]}, {"list": [3, {"tuple": [4]}]},
             {"dict": [["k", {"list": [5]}], [2, None]]}, {"float": "inf"}], {}))

    def test_keywords(self):
        self.assertEqual(self.arguments('[[7], {"size": 2}]'), ([7], {"size": 2}))
        self.assertEqual(self.arguments('{"size": 2, "rate": 0.1}'), ([], {"size": 2, "rate": 0.1}))
        # Two arguments, a list and a dictionary that names no parameter.
        self.assertEqual(self.arguments('[[7], {"other": 2}]'), ([{"list": [7]}, {"dict": [["other", 2]]}], {}))

    def test_encoded_values_come_back(self):
        for value in (0, -1, 2**63 - 1, 1.5, "é", None, True, (1, [2, {"a": (3,)}]), {}, [], float("-inf")):
            with self.subTest(value):
                back = decode(json.loads(json.dumps(encode(value))))
                self.assertEqual((back, type(back)), (value, type(value)))
        deep = []
        for _ in range(50):
            deep = [deep]
        for value in (2**63, object(), "\ud800", deep, [0] * 20000, 1j):
            with self.subTest(str(type(value))), self.assertRaises(NotEncodable):
                encode(value)

    # Weights.

    def outputs(self, expression):
        found = self.described(f"""
class Model(nn.Module):
    def forward(self, x): return {expression}
def get_inputs(): return [torch.rand(6, 4)]
def get_init_inputs(): return []
""")
        return [(each["name"], each["shape"], each["dtype"]) for each in found["outputs"]], found

    def test_outputs(self):
        self.assertEqual(self.outputs("(x.t(), [x.argmax(1), x > 0.5])")[0], [
            ("output0", [4, 6], "float32"), ("output1", [6], "int64"), ("output2", [6, 4], "bool")])
        self.assertEqual(self.outputs("x.sum()")[0], [("output", [], "float32")])
        self.assertEqual(self.outputs("[x.half()]")[0], [("output", [6, 4], "float16")])

    def test_outputs_in_the_memory_of_an_input(self):
        def of_input(expression):
            return [each.get("of_input", False) for each in self.outputs(expression)[1]["outputs"]]

        for expression in ("x", "x.view(-1)", "x.t()", "x.float()", "x[1:]", "torch.nn.functional.dropout(x, 0.5, False)"):
            with self.subTest(expression):
                self.assertEqual(of_input(expression), [True])
        self.assertEqual(of_input("(x * 2, x.clone(), x, x.half())"), [False, False, True, False])

    def ties(self, expression):
        return [each.get("ties") for each in self.outputs(expression)[1]["outputs"]]

    def test_indices_chosen_in_an_input_are_tied_to_it(self):
        self.assertEqual(self.ties("x.argmax(1)"), [{"input": "x", "axis": 1}])
        self.assertEqual(self.ties("x.argmin(dim=-1, keepdim=True)"), [{"input": "x", "axis": -1}])
        self.assertEqual(self.ties("x.argmax()"), [{"input": "x", "axis": None}])
        self.assertEqual(self.ties("tuple(torch.topk(x, 2))"), [None, {"input": "x", "axis": -1, "distinct": True}])
        self.assertEqual(self.ties("torch.sort(x, dim=0).indices"), [{"input": "x", "axis": 0, "distinct": True}])
        self.assertEqual(self.ties("torch.argsort(x, 1)"), [{"input": "x", "axis": 1, "distinct": True}])
        self.assertEqual(self.ties("torch.max(x, 1).indices.unsqueeze(1)"), [{"input": "x", "axis": 1}])

    def test_other_indices_are_tied_to_nothing(self):
        # Of what is computed, of a part, moved on, in another order.
        for expression in ("(x * 2).argmax(1)", "x[:3].argmax(1)", "x.argmax(1) + 1", "x.argmax(1, True).expand(6, 2).t()",
                           "torch.arange(6)", "x.t().argmax(0)"):
            self.assertEqual(self.ties(expression), [None], expression)

    def test_random_forwards_are_noted(self):
        self.assertIn("draws random numbers (bernoulli_)", self.outputs("F.dropout(x)")[1]["notes"][0])

    # Errors.

    MODEL = "class Model(nn.Module):\n    def forward(self, x): return x + 1\n"
    INPUTS = "def get_inputs(): return [torch.rand(2)]\n"
    INIT = "def get_init_inputs(): return []\n"

    def test_definitions_that_are_missing(self):
        self.error(self.INPUTS + self.INIT, "no 'Model'", "add: class Model(torch.nn.Module):", line=0)
        self.error(self.MODEL + self.INIT, "no 'get_inputs'", "add: def get_inputs()")
        self.error(self.MODEL + self.INPUTS, "no 'get_init_inputs'", "return []")
        takes = self.MODEL + "def __init__(self, size, *, eps=1e-5): pass\nModel.__init__ = __init__\n"
        self.error(takes + self.INPUTS, "no 'get_init_inputs'; add: def get_init_inputs(): return [size]",
                   "what Model.__init__ takes (size, *, eps=1e-05)")
        self.error("class Model: pass\n" + self.INPUTS + self.INIT, "no module", "torch.nn.Module")

    def test_mistakes_in_the_syntax(self):
        self.error("x = 1\ndef get_inputs(:\n", "SyntaxError", line=2)
        self.error("x = 1\n\0\n", "SyntaxError")

    def test_what_the_file_raises(self):
        self.error("x = 1\n1 / 0\n", "the file raised ZeroDivisionError", line=2)
        self.error(self.MODEL + self.INIT + "def get_inputs():\n    x = 1\n    return [torch.rand(-x)]\n", "get_inputs() raised",
                   line=6)
        self.error(self.MODEL + self.INPUTS + "def get_init_inputs(): return [1]\n", "Model(*get_init_inputs()) raised TypeError")
        self.error(self.INPUTS + self.INIT + "class Model(nn.Module):\n    def forward(self, x):\n        return x @ x.view(1, 2, 1, 3)\n",
                   "forward() raised RuntimeError", line=5)
        self.error("import no_such_package_here\n", "needs the package 'no_such_package_here'", line=1)

    def test_files_that_end_the_program(self):
        for line in ("sys.exit(0)", "raise SystemExit", "raise KeyboardInterrupt", "exit()"):
            with self.subTest(line):
                self.error("import sys\nfrom builtins import *\n" + line + "\n", line=3)
        self.error(self.MODEL + self.INIT + "import sys\ndef get_inputs(): sys.exit(3)\n", "get_inputs() ends the program", line=5)

    def test_wrong_numbers_of_inputs(self):
        two = "class Model(nn.Module):\n    def forward(self, x, y): return x + y\n" + self.INIT
        self.error(two + self.INPUTS, "returns 1 value,", "takes 2 (x, y)", line=2)
        self.error(two + "def get_inputs(): return [torch.rand(2)] * 3\n", "returns 3 values", line=2)
        self.error(self.MODEL + self.INIT + "def get_inputs(): return torch.rand(2)\n", "returns a Tensor; return a list", line=4)
        self.error(self.MODEL + self.INIT + "def get_inputs(): pass\n", "returns nothing")

    def test_values_that_cannot_be_written_down(self):
        self.error(self.MODEL + self.INPUTS + "def get_init_inputs(): return [torch.float32]\n", "raised TypeError")
        any_arguments = "class Model(nn.Module):\n    def __init__(self, *a): super().__init__()\n    def forward(self, x, *y): return x + 1\n"
        self.error(any_arguments + self.INPUTS + "def get_init_inputs(): return [1, torch.strided]\n",
                   "argument 2 of Model is a torch.layout")
        self.error(any_arguments + self.INIT + "def get_inputs(): return [torch.rand(2), torch.strided]\n",
                   "input 'input1' is a torch.layout")

    def test_inputs_within_lists_and_dictionaries(self):
        found = self.describe("""
            class Model(nn.Module):
                def forward(self, data, scale):
                    x, weights, out = data
                    out.copy_(x @ weights["w"] * scale)
                    return out
            def get_inputs(): return [(torch.rand(4, 3), {"w": torch.randn(3, 5)}, torch.empty(4, 5)), 2]
            def get_init_inputs(): return []
        """)
        self.assertEqual([(each["name"], each["shape"]) for each in found["inputs"]],
                         [("data0", [4, 3]), ("data1_w", [3, 5])])
        self.assertEqual(found["forward"], [
            {"tuple": [{"input": "data0"}, {"dict": [["w", {"input": "data1_w"}]]},
                       {"blank": {"shape": [4, 5], "dtype": "float32"}}]}, {"value": 2}])

    def test_an_input_without_elements_is_no_input(self):
        found = self.describe("""
            class Model(nn.Module):
                def forward(self, x, more): return torch.cat([x, more])
            def get_inputs(): return [torch.rand(4, 3), torch.rand(0, 3)]
            def get_init_inputs(): return []
        """)
        self.assertEqual([each["name"] for each in found["inputs"]], ["x"])
        self.assertEqual(found["forward"], [{"input": "x"}, {"blank": {"shape": [0, 3], "dtype": "float32"}}])

    def test_an_input_of_a_packed_type_is_one_of_bytes(self):
        found = self.describe("""
            class Model(nn.Module):
                def forward(self, codes): return (codes.view(torch.uint8) & 15).float()
            def get_inputs(): return [torch.randint(0, 256, (4, 3), dtype=torch.uint8).view(torch.float4_e2m1fn_x2)]
            def get_init_inputs(): return []
        """)
        self.assertEqual([(each["name"], each["shape"], each["dtype"]) for each in found["inputs"]], [("codes", [4, 3], "uint8")])
        self.assertEqual(found["forward"], [{"viewed": {"input": "codes", "dtype": "float4_e2m1fn_x2"}}])

    def test_names_of_inputs_within_an_argument(self):
        found = self.describe("""
            INPUT_NAMES = ["x", "y"]
            class Model(nn.Module):
                def forward(self, data): return data[0] + data[2]
            def get_inputs(): return [[torch.rand(2), 3, torch.rand(2)]]
            def get_init_inputs(): return []
        """)
        self.assertEqual(found["forward"], [{"list": [{"input": "x"}, {"value": 3}, {"input": "y"}]}])

    def test_an_input_that_forward_writes_is_copied(self):
        model = "class Model(nn.Module):\n    def forward(self, x, y):\n        %s\n        return y\n" + self.INIT
        for line in ("y.add_(x)", "y += x", "y[0] = 1", "torch.relu_(y)", "y.view(-1).zero_()",
                     "torch.nn.functional.batch_norm(x.expand(2, 2), y, x + 1, training=True)"):
            with self.subTest(line):
                found = self.describe(model % line + "def get_inputs(): return [torch.rand(2), torch.zeros(2)]\n")
                self.assertEqual(found["forward"], [{"input": "x"}, {"copy": {"input": "y"}}])
                self.assertRegex(found["notes"][0], "forward.. writes to its input 'y': each call of it, .* gets a copy")

    def test_a_written_input_shares_no_memory(self):
        model = "class Model(nn.Module):\n    def forward(self, x, y):\n        y[:2] = 3\n        return x + y\n" + self.INIT
        for inputs, words in (("t = torch.rand(8); return [t, t]", "'x' and 'y' share memory"),
                              ("t = torch.rand(8); return [t[:6], t[2:]]", "'x' and 'y' share memory"),
                              ("return [torch.rand(8), torch.rand(8).as_strided((8,), (0,))]", "elements of 'y' share memory")):
            with self.subTest(inputs):
                self.error(model + f"def get_inputs(): {inputs}\n", words, "return clones", line=6)
        found = self.describe(model + "def get_inputs(): t = torch.rand(2, 8); return [t[0], t[1]]\n")
        self.assertIn({"copy": {"input": "y"}}, found["forward"])

    def test_draws_that_are_thrown_away_beside_a_written_input(self):
        found = self.describe("class Model(nn.Module):\n    def forward(self, x, y):\n        torch.rand(3)\n        y.add_(x)\n"
                              "        return y * 1\n" + self.INIT + "def get_inputs(): return [torch.rand(2), torch.rand(2)]\n")
        self.assertNotIn("random", found)

    def test_several_cases(self):
        found = self.describe("""
            CASES = [{"name": "small", "role": "test", "n": 4, "scalars": {"n": 4}},
                     {"name": "empty", "n": 0, "scalars": {"n": 0}}, {"name": "half", "n": 8, "scalars": {"n": 8}}]
            class Model(nn.Module):
                def __init__(self, factor):
                    super().__init__()
                    self.factor = factor
                def forward(self, x, n): return x * self.factor + n
            def get_inputs(case):
                return [torch.rand(case["n"], dtype=torch.float16 if case["n"] == 8 else torch.float32), case["n"]]
            def get_init_inputs(case):
                if case["n"] == 0: raise ValueError("nothing to add")
                return [case["n"] + 1]
        """)
        self.assertEqual([(each["name"], each["number"], each["role"], each["dtype"], each["positional"], each["scalars"])
                          for each in found["cases"]],
                         [("small", 0, "test", "float32", [5], {"n": 4}), ("half", 2, "bench", "float16", [9], {"n": 8})])
        self.assertEqual(found["cases"][0]["forward"], [{"input": "x"}, {"scalar": "n"}])
        self.assertIn("nothing to add", found["left_out"]["empty"])

    def test_a_case_unlike_the_others_is_left_out(self):
        found = self.describe("""
            CASES = [{"name": "one", "role": "test", "n": 2, "parts": 1}, {"name": "two", "n": 50, "parts": 2},
                     {"name": "three", "role": "test", "n": 3, "parts": 1}, {"name": "nan", "n": 9, "parts": 0}]
            class Model(nn.Module):
                def forward(self, x, parts):
                    y = x * float("nan") if parts == 0 else x + 1
                    return (y, y) if parts == 2 else y
            def get_inputs(case): return [torch.rand(case["n"]), case["parts"]]
            def get_init_inputs(case): return []
        """)
        # No measured case is left, so the largest one becomes measured.
        self.assertEqual([(each["name"], each["role"]) for each in found["cases"]], [("one", "test"), ("three", "bench")])
        self.assertIn("returns 2 tensors for it, and most often 1", found["left_out"]["two"])
        self.assertIn("no finite element", found["left_out"]["nan"])

    def test_numbers_that_are_not_finite(self):
        found = self.describe("""
            CASES = [{"name": "nan", "fill": float("nan"), "scalars": {"fill": float("nan"), "n": 3}},
                     {"name": "one", "fill": 1.0, "scalars": {"fill": 1.0, "n": 5}}]
            class Model(nn.Module):
                def forward(self, x, fill): return torch.where(x == x, x, fill)
            def get_inputs(case): return [torch.rand(case["scalars"]["n"]), case["fill"]]
            def get_init_inputs(case): return []
        """)
        self.assertEqual([each["scalars"] for each in found["cases"]], [{"n": 3}, {"n": 5}])
        self.assertEqual([each["forward"][1] for each in found["cases"]], [{"value": {"float": "nan"}}, {"value": 1.0}])

    def test_of_two_kinds_the_measured_one_is_kept(self):
        found = self.describe("""
            CASES = [{"name": "one", "role": "test", "parts": 1}, {"name": "two", "parts": 2}]
            class Model(nn.Module):
                def forward(self, x, parts): return [x + i for i in range(parts)]
            def get_inputs(case): return [torch.rand(3), case["parts"]]
            def get_init_inputs(case): return []
        """)
        self.assertEqual(([each["name"] for each in found["cases"]], list(found["left_out"])), (["two"], ["one"]))

    def test_wrong_lists_of_cases(self):
        rest = self.MODEL + self.INIT + self.INPUTS
        self.error("CASES = 3\n" + rest, "CASES is no list of cases")
        self.error("CASES = [{}]\n" + rest, "has the name None")
        self.error('CASES = [{"name": "a"}, {"name": "a"}]\n' + rest, "has the name 'a'")
        self.error('CASES = [{"name": "a", "role": "hidden"}]\n' + rest, "has the role 'hidden'")

    def test_what_is_quoted_can_be_printed(self):
        found = self.error("raise ValueError('\\x1b[31m\\ud800\\n' * 1000)\n", "ValueError", "?[31m?")
        self.assertLessEqual(len(found), 1100)
        self.error("class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.register_buffer('\\ud800', torch.ones(1))\n    def forward(self, x): return x + 1\n" +
                   self.INPUTS + self.INIT, "cannot be printed")

    def test_answers_that_are_none(self):
        for expression, word in (("None", "None"), ("x.sum().item()", "a float"), ("{'y': x}", "a dict"), ("()", "no tensor"),
                                 ("(x, 3)", "a int"), ("x.to_sparse()", "sparse")):
            with self.subTest(expression):
                self.error(f"class Model(nn.Module):\n    def forward(self, x): return {expression}\n" + self.INPUTS + self.INIT,
                           word, "dense" if "sparse" in word else "return")

    def test_an_output_without_elements(self):
        self.error("class Model(nn.Module):\n    def forward(self, x): return x[:0]\n" + self.INPUTS + self.INIT,
                   "an output is empty", line=2)

    def test_lazy_layers(self):
        self.error("class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.linear = nn.LazyLinear(3)\n    def forward(self, x): return self.linear(x)\n" +
                   self.INPUTS + self.INIT, "'linear.weight' has no shape", "not lazy")

    def test_what_does_not_return(self):
        endless = "class Model(nn.Module):\n    def forward(self, x): return x + 1\n" + self.INIT + "def get_inputs():\n    while True: pass\n"
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        end_after(0.5)
        self.error(endless, "get_inputs() is not done after 0.5 s", "return sooner", line=endless.count("\n"))

    # The program.

    def program(self, source, seconds=60):
        path, output = self.folder / "mine.py", self.folder / "answer.json"
        output.unlink(missing_ok=True)
        path.write_text(HEAD + source, encoding="utf-8")
        ended = subprocess.run([sys.executable, "-I", "-B", str(PROGRAMS / "describe_module.py"), str(path), str(output)],
                               capture_output=True, timeout=seconds, check=False)
        return ended, json.loads(output.read_text(encoding="utf-8") or "null")

    def test_the_program_writes_the_answer(self):
        ended, found = self.program(self.MODEL + self.INPUTS + self.INIT + "print('noise')\n")
        self.assertEqual((ended.returncode, found["inputs"][0]["draw"]), (0, uniform(0, 1)))

    def test_the_program_survives_what_the_file_changes(self):
        hostile = """
import atexit, builtins, json, os, sys, threading, time
json.dump = json.dumps = json.JSONEncoder.encode = None
builtins.open = builtins.print = None
torch.rand_ = torch.Tensor.numel
atexit.register(lambda: time.sleep(1000))
threading.Thread(target=lambda: time.sleep(1000)).start()
os._exit_ = os._exit
os._exit = lambda code: None
sys.stdout.close()
sys.excepthook = None
"""
        ended, found = self.program(hostile + self.MODEL + self.INPUTS + self.INIT)
        self.assertEqual((ended.returncode, found["inputs"][0]["shape"]), (0, [2]))

    def test_an_end_without_an_answer_leaves_an_empty_file(self):
        ended, found = self.program("import os\nos._exit(0)\n")
        self.assertEqual((ended.returncode, found), (0, None))


if __name__ == "__main__":
    unittest.main()
