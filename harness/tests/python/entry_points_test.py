"""Entry points: which one of a file is called and how, and what is said of those that do not fit."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python.entry_points import examine  # noqa: E402

CONTRACT = {
    "parameters": [
        {"name": "x", "role": "input", "type": "[VAR]"},
        {"name": "w", "role": "input", "type": "[VAR]"},
        {"name": "y", "role": "output", "type": "[VAR]"},
        {"name": "n", "role": "scalar", "type": "size_t"},
    ],
    "output_positions": [2],
    "torch": {"init": ["n"], "forward": ["x"], "weights": {"w": "linear.weight"}, "mode": "train",
              "init_line": "def __init__(self, n):", "forward_line": "def forward(self, x):"},
    "shown_as": "mine.py",
}


def entry(source, **changes):
    answer = examine(source, {**CONTRACT, **changes})
    if answer["status"] != "ok":
        raise AssertionError(answer["message"])
    return answer["entry"]


def refusal(source, **changes):
    answer = examine(source, {**CONTRACT, **changes})
    return answer["status"], answer["message"], answer["line"]


class Functions(unittest.TestCase):
    def test_names_in_any_order(self):
        found = entry("def solution(n, y, x, w): pass")
        self.assertEqual((found["arguments"], found["positional"], found["writes"]), (["n", "y", "x", "w"], 4, True))

    def test_without_outputs_it_returns(self):
        self.assertFalse(entry("def solution(x, w): return x")["writes"])

    def test_the_rest_goes_to_keywords_but_outputs_do_not(self):
        found = entry("def run(x, **rest): pass")
        self.assertEqual((found["arguments"], found["positional"], found["writes"]), (["x", "w", "n"], 1, False))

    def test_an_argument_of_its_own_with_a_default(self):
        found = entry("def solution(x, block=64, *, w, n): pass")
        self.assertEqual((found["arguments"], found["positional"]), (["x", "w", "n"], 1))

    def test_data_is_one_tuple(self):
        found = entry("def custom_kernel(data): pass")
        self.assertEqual((found["kind"], found["arguments"]), ("data", ["x", "w", "n"]))

    def test_data_of_a_problem_that_has_this_form_itself(self):
        module = {**CONTRACT["torch"], "entry": "custom_kernel"}
        for source in ("def custom_kernel(x): return x", "from task import input_t\ndef custom_kernel(data):\n    x, w = data"):
            self.assertTrue(entry(source, torch=module)["is_nested"])
        self.assertNotIn("is_nested", entry("def custom_kernel(x): return x"))
        self.assertIn("takes nothing", refusal("def custom_kernel(): return 3", torch=module)[1])

    def test_a_function_that_the_problems_module_calls(self):
        module = {**CONTRACT["torch"], "entry": "forward_fn"}
        function = "def forward_fn(x, w): return x @ w\n"
        for source in (function, "class Model: pass\n" + function):
            self.assertEqual(entry(source, torch=module)["name"], "ModelThatCalls")
        self.assertEqual(entry(function + "class ModelNew: pass\n", torch=module)["name"], "ModelNew")
        self.assertEqual(refusal(function)[0], "signature_mismatch")

    def test_data_is_one_tuple_however_it_is_defined(self):
        for source in ("def custom_kernel(data, store={}): pass", "def custom_kernel(data, *, block=64): pass",
                       "def custom_kernel(*data): pass", "def custom_kernel(x): pass", "custom_kernel = torch.compile(f)",
                       "custom_kernel = lambda data: data[0]", "custom_kernel = Kernel()", "from m import custom_kernel",
                       "custom_kernel = functools.partial(f, 1)", "def custom_kernel(data=None): pass"):
            with self.subTest(source):
                found = entry(source)
                self.assertEqual((found["kind"], found["arguments"]), ("data", ["x", "w", "n"]))

    def test_one_that_needs_more_than_a_tuple_names_its_arguments(self):
        self.assertEqual(entry("def custom_kernel(x, w, y): pass")["kind"], "function")
        self.assertEqual(refusal("def custom_kernel(data, *, block): pass")[0], "signature_mismatch")

    def test_a_lambda_that_names_the_parameters_is_called_as_a_function(self):
        found = entry("solution = lambda n, x, w: x")
        self.assertEqual((found["arguments"], found["writes"]), (["n", "x", "w"], False))

    def test_other_names_of_a_lambda_are_called_in_order(self):
        self.assertEqual(entry("solution = lambda a, b, c, d: None")["arguments"], ["x", "w", "y", "n"])

    def test_an_annotated_name_is_an_entry_point(self):
        self.assertEqual(entry("solution: object = print")["arguments"], ["x", "w", "y", "n"])
        self.assertEqual(refusal("solution: object")[0], "signature_mismatch")

    def test_a_function_that_tries_the_module_out_is_no_entry_point(self):
        for other in ("def run(): pass", "def run(module, steps): pass"):
            with self.subTest(other):
                self.assertEqual(entry(other + "\nclass ModelNew: pass\n")["kind"], "module")

    def test_a_class_model_is_an_entry_point_where_nothing_else_is_one(self):
        model = "class Model: pass\n"
        for source in (model, model + "def run(): pass\n", model + "def run(model, steps): pass\n", "Model = Other\n"):
            with self.subTest(source):
                found = entry(source)
                self.assertEqual((found["name"], found["kind"]), ("Model", "module"))
        for name, other in (("ModelNew", "class ModelNew(Model): pass\n"), ("solution", "def solution(x): return x\n"),
                            ("run", "def run(x): return x\n"), ("custom_kernel", "def custom_kernel(data): pass\n")):
            with self.subTest(other):
                self.assertEqual(entry(model + other)["name"], name)
        self.assertEqual(entry("# kgrade: entry Model\n" + model + "class ModelNew: pass\n")["name"], "Model")

    def test_a_class_model_hides_no_mistake_in_a_function(self):
        self.assertIn("'wrong'", refusal("class Model: pass\ndef solution(x, wrong): pass\n")[1])

    def test_a_function_without_parameters_is_no_entry_point(self):
        source = "def solution(x): return x\n"
        for other in ("def run(): pass", "def custom_kernel(): pass", "run = lambda: 3"):
            with self.subTest(other):
                self.assertEqual(entry(other + "\n" + source)["name"], "solution")
                status, message, line = refusal(other)
                self.assertEqual((status, line), ("signature_mismatch", 1))
                self.assertIn("takes nothing", message)

    def test_where_no_name_tells_outputs_may_be_returned(self):
        for source in ("def solution(*all, **rest): pass", "solution = print", "from m import solution"):
            self.assertTrue(entry(source)["may_return"], source)
        self.assertNotIn("may_return", entry("def solution(x, w, y): pass"))

    def test_a_lambda_is_called_in_order(self):
        self.assertEqual(entry("solution = lambda *all: None")["arguments"], ["x", "w", "y", "n"])


class Popcorn(unittest.TestCase):
    """Submissions to GPU MODE's leaderboards. The problem has two inputs, an output and a scalar."""

    IMPORT = "from task import input_t, output_t\n"

    def form(self, body, head=IMPORT):
        found = entry(f"{head}def custom_kernel(data):\n    {body}\n")
        return found["arguments"], found["writes"]

    def test_what_data_is_taken_apart_into_tells_what_it_holds(self):
        self.assertEqual(self.form("a, b, c = data"), (["x", "w", "y"], True))
        self.assertEqual(self.form("a, b = data"), (["x", "w"], False))
        self.assertEqual(self.form("return data[0] + data[1]"), (["x", "w"], False))
        self.assertEqual(self.form("data[2].copy_(data[0])"), (["x", "w", "y"], True))
        self.assertEqual(self.form("a, b, c = data", "#!POPCORN leaderboard mine\n"), (["x", "w", "y"], True))

    def test_other_files_get_inputs_and_scalars(self):
        self.assertEqual(self.form("a, b, c = data", ""), (["x", "w", "n"], False))

    def test_functions_that_are_called_with_data_tell_too(self):
        source = self.IMPORT + "def add(a, b): return a\ndef kernel(data): return add(*data)\ncustom_kernel = compile(kernel)\n"
        self.assertEqual(entry(source)["arguments"], ["x", "w"])

    def test_a_single_input_is_no_tuple_unless_it_is_taken_apart(self):
        one = [each for each in CONTRACT["parameters"] if each["name"] != "w"]
        source = self.IMPORT + "def custom_kernel(data):\n    {}\n"
        bare = entry(source.format("return data.sum()"), parameters=one)
        self.assertEqual((bare["arguments"], bare["is_bare"]), (["x"], True))
        self.assertEqual(entry(source.format("a, b = data"), parameters=one)["arguments"], ["x", "y"])


class Refusals(unittest.TestCase):
    def test_an_unknown_name_lists_both_sides_and_the_line_to_write(self):
        status, message, line = refusal("\ndef solution(x, weights): pass")
        self.assertEqual((status, line), ("signature_mismatch", 2))
        for part in ("'weights'", "It takes: x, weights", "The problem has: x, w, y, n", "def solution(x, w, y, n):"):
            self.assertIn(part, message)

    def test_some_outputs_are_not_enough(self):
        two = CONTRACT["parameters"] + [{"name": "z", "role": "output", "type": "[VAR]"}]
        self.assertIn("'z'", refusal("def solution(x, w, y): pass", parameters=two)[1])

    def test_without_an_entry_both_forms_are_named(self):
        message = refusal("def other(x): pass")[1]
        for part in ("def solution(x, w, y, n):", "class ModelNew(torch.nn.Module)", "def __init__(self, n):",
                     "def forward(self, x):"):
            self.assertIn(part, message)
        self.assertNotIn("class ModelNew", refusal("def other(x): pass", torch=None)[1])

    def test_several_entries_need_a_choice(self):
        source = "def solution(x): pass\nclass ModelNew: pass\n"
        self.assertIn("# kgrade: entry ModelNew", refusal(source)[1])
        self.assertEqual(entry("# kgrade: entry ModelNew\n" + source)["kind"], "module")

    def test_a_module_needs_a_section(self):
        self.assertIn("torch:", refusal("class ModelNew: pass", torch=None)[1])

    def test_a_line_for_kgrade_that_says_nothing_known_is_a_mistake(self):
        source = "import torch\n{}\ndef solution(x): pass\n"
        for line in ("# kgrade: precison tf32", "#kgrade: entri solution", "# kgrade:", "    # kgrade: stat w=b"):
            with self.subTest(line):
                self.assertEqual(refusal(source.format(line))[::2], ("compile_error", 2))
        for line in ("'# kgrade: precison tf32'", "x = 1  # kgrade: nothing", "# kgrade: entry solution"):
            with self.subTest(line):
                self.assertEqual(entry(source.format(line))["name"], "solution")

    def test_a_type_is_declared_before_the_code(self):
        source = "def solution(x): pass\n"
        self.assertEqual(entry("#!/usr/bin/env python3\n\n# Text.\n# kgrade: dtype float16\n" + source)["name"], "solution")
        status, message, line = refusal('"""Text."""\n# kgrade: precision tf32\n' + source)
        self.assertEqual((status, line), ("compile_error", 2))
        self.assertIn("before the code", message)

    def test_async_is_refused(self):
        self.assertIn("async", refusal("async def solution(x): pass")[1])

    def test_mistakes_in_the_syntax_have_a_line(self):
        self.assertEqual(refusal("x = 1\ndef solution(:\n")[::2], ("compile_error", 2))

    def test_hostile_texts_end_in_a_verdict(self):
        for source in ("\0", "(" * 5000, "x = " + "-" * 100000 + "1", "def solution(x):\n  pass\n pass", "\ud800"):
            with self.subTest(source[:20]):
                self.assertNotEqual(examine(source, CONTRACT)["status"], "ok")


class Frameworks(unittest.TestCase):
    """Frameworks that compile for a GPU themselves, on a device that runs no machine code for GPUs."""

    # Text at the head of a file, then an expression that uses the framework.
    NINE = {
        "CuTe DSL": ("import cutlass.cute as cute", "cute.compile(f, x)"),
        "TileLang": ("import tilelang\nimport tilelang.language as T", "tilelang.compile(f)(x)"),
        "cuTile": ("import cuda.tile as ct", "ct.launch(0, (1,), f, (x,))"),
        "Numba": ("from numba import cuda", "cuda.jit(f)[1, 32](x)"),
        "CuPy": ("import cupy as cp", "cp.asarray(x)"),
        "Warp": ("import warp as wp", "wp.launch(f, dim=1, inputs=[x])"),
        "JAX": ("from jax.experimental import pallas as pl", "pl.pallas_call(f)(x)"),
        "torch.cuda._compile_kernel": ("import torch", "torch.cuda._compile_kernel('', 'f')(x)"),
        "Helion": ("import helion\nimport helion.language as hl", "helion.kernel(f)(x)"),
    }

    @staticmethod
    def look(source, beside=None, runs_gpu_code=False):
        return examine(source, {**CONTRACT, "runs_gpu_code": runs_gpu_code, "modules_beside": beside or {}})

    def unsupported(self, source, beside=None):
        found = self.look(source, beside)
        self.assertEqual(found["status"], "unsupported", source)
        return found["message"], found["line"]

    def stand_ins(self, source, beside=None):
        found = self.look(source, beside)
        self.assertEqual(found["status"], "ok", found["message"])
        return found["stand_ins"]

    def test_are_unsupported_by_name_where_the_entry_point_uses_them(self):
        for name, (head, use) in self.NINE.items():
            with self.subTest(name):
                message, line = self.unsupported(f"{head}\ndef solution(x):\n    return {use}\n")
                self.assertTrue(message.startswith(f"{name} cannot run on the emulated device"), message)
                self.assertEqual(line, head.count("\n") + 3)

    def test_run_on_a_gpu(self):
        for head, use in self.NINE.values():
            source = f"{head}\ndef solution(x):\n    return {use}\n"
            self.assertEqual(self.look(source, runs_gpu_code=True)["status"], "ok")

    def test_are_found_through_all_that_the_entry_point_reaches(self):
        head = "import torch\nfrom numba import cuda\n@cuda.jit\ndef kernel(x): pass\n"
        for rest in ("def solution(x): kernel[1, 2](x)\n",
                     "def helper(x): kernel[1, 2](x)\ndef solution(x): helper(x)\n",
                     "class Base:\n    def forward(self, x): kernel[1, 2](x)\nclass Model(Base): pass\n",
                     "table = {}\ntable['k'] = kernel\ndef solution(x): table['k'][1, 2](x)\n",
                     "@torch.library.custom_op('a::k', mutates_args=())\ndef k(x): kernel(x)\n"
                     "def solution(x): return torch.ops.a.k(x)\n",
                     "def k(x): kernel(x)\nlibrary.impl('k', k)\ndef solution(x): return torch.ops.a.k(x)\n",
                     "def make():\n    def inner(x): kernel(x)\n    return inner\nsolution = make()\n"):
            with self.subTest(rest):
                self.unsupported(head + rest)

    def test_are_found_however_they_are_imported(self):
        for source in ("import numba\ndef solution(x): return numba.cuda.jit(x)\n",
                       "import torch\ndef solution(x): return getattr(torch.cuda, '_compile_kernel')(x)\n",
                       "from importlib import import_module\ndef solution(x): return import_module('cupy').abs(x)\n",
                       "def solution(x):\n    import cupyx\n    return cupyx.f(x)\n",
                       "try:\n    import cupy\nexcept ImportError:\n    cupy = None\ndef solution(x): return cupy.abs(x)\n",
                       "from cupy import *\ndef solution(x): return asarray(x)\n"):
            with self.subTest(source):
                self.unsupported(source)

    def test_that_nothing_needs_have_stand_ins(self):
        for source in ("import cupy\ndef solution(x): return x\n",
                       "import cupy\ndef unused(x): return cupy.abs(x)\ndef solution(x): return x\n",
                       "from cupy import *\ndef solution(x):\n    y = abs(x)\n    return y\n",
                       "import cupy\ndef solution(x): return x\nif __name__ == '__main__':\n    print(cupy.abs(solution(1)))\n"):
            with self.subTest(source):
                self.assertEqual(self.stand_ins(source), ["cupy"])

    def test_are_not_meant_by_other_names(self):
        self.assertEqual(self.stand_ins("import numba\n@numba.njit\ndef f(x): pass\ndef solution(x): f(x)\n"), [])
        self.assertEqual(self.stand_ins("def solution(x):\n    warp = 32\n    return x * warp\n"), [])
        # A parameter and a variable of a function hide the module.
        self.assertEqual(self.stand_ins("import warp as w\ndef solution(x, w): return x @ w\n"), ["warp"])
        self.assertEqual(self.stand_ins("import cupy as cp\ndef bench(): cp.zeros(1)\n"
                                        "def solution(x):\n    cp = x * 2\n    return cp.sum()\n"), ["cupy"])
        own = {"warp.py": "def launch(x): return x\n"}
        self.assertEqual(self.stand_ins("import warp\ndef solution(x): return warp.launch(x)\n", own), [])

    def test_of_a_file_beside_are_named_with_it(self):
        message, _ = self.unsupported("import helper\ndef solution(x): return helper.f(x)\n",
                                      {"helper.py": "import cupy\ndef f(x): return cupy.abs(x)\n"})
        self.assertIn("'helper.py' needs it in line 2", message)

    def test_hip_is_unsupported_unless_a_condition_leaves_it_out(self):
        source = ('from torch.utils.cpp_extension import load_inline\ntext = """\n{}\nvoid f() {{}}\n"""\n'
                  'e = load_inline(name="e", cpp_sources=text, functions=["f"])\ndef solution(x): return e.f(x)\n')
        for text in ("#include <hip/hip_runtime.h>", "void g() { hipLaunchKernelGGL(k, 1, 1, 0, 0, x); }"):
            message, line = self.unsupported(source.format(text))
            self.assertEqual((message.split()[0], line), ("HIP", 3))
        for text in ("#ifdef __HIP__\n#include <hip/hip_runtime.h>\n#endif", "// hipLaunchKernelGGL(k)"):
            self.assertEqual(self.stand_ins(source.format(text)), [])

    def test_hostile_texts_end(self):
        names = [f"a{number}" for number in range(5000)]
        self.look("import cupy\n" + " = ".join(names) + " = 1\ndef solution(x): return a0\n")
        self.look("import cupy\nx = cupy" + ".a" * 2000 + "\ndef solution(x): return x\n")
        self.look("import helper\ndef solution(x): return x\n", {"helper.py": "import cupy\n" + "(" * 5000})


class Literals(unittest.TestCase):
    SOURCE = '''
from torch.utils.cpp_extension import load_inline
name = "k"
cuda = """
void f(torch::Tensor x) {}
"""
m = load_inline(name=name, cpp_sources="void f(torch::Tensor x);", cuda_sources=cuda + "// more", functions=["f"])
def solution(x, w): return x
'''

    def test_literal_arguments_are_read(self):
        requests = examine(self.SOURCE, CONTRACT)["extensions"]
        self.assertEqual([request["name"] for request in requests], ["k"])
        self.assertIn("// more", requests[0]["units"][1]["text"])

    def test_others_are_left_for_later(self):
        self.assertEqual(examine(self.SOURCE.replace('"k"', "input()"), CONTRACT)["extensions"], [])


if __name__ == "__main__":
    unittest.main()
