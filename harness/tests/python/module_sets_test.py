"""Readers of sets whose main file has a Model or a reference in Python, and problems of gradients."""

import json
import textwrap
import unittest

import torch

from described_file import HEAD, DescribedFile

from kgrade_python.encoded import encode  # noqa: E402
from kgrade_python.module_file import ModuleFile  # noqa: E402

TASK = {
    "description": "Adds two vectors.\nMore words.",
    "tests": [{"size": 8, "kind": "plain", "seed": 1}, {"size": 16, "kind": "plain", "seed": 2}],
    "benchmarks": [{"size": 16, "kind": "plain", "seed": 3}, {"size": 32, "kind": "plain", "seed": 4}],
}
TASK_HEAD = """
import torch
from task import input_t, output_t
from utils import make_match_reference, verbose_allclose, DeterministicContext
def generate_input(size: int, kind: str, seed: int) -> input_t:
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    a = torch.randn(size, 4, device="cuda", dtype=torch.float16, generator=gen)
    b = torch.randn(4, size, device="cuda", dtype=torch.float16, generator=gen).t()
    return a, b, torch.zeros(size, 4, device="cuda", dtype=torch.float16)
"""
REFERENCE = """
def ref_kernel(data: input_t) -> output_t:
    with DeterministicContext():
        a, b, output = data
        output[...] = a + b
        return output
"""


def with_set(form, text, name, files):
    given = json.dumps({"name": name, "files": files})
    return (f"{textwrap.dedent(text)}\n\nfrom kgrade_python.sets import {form} as _kgrade_set\n"
            f"_kgrade_set.define(globals(), {given!r})\n")


class Sets(DescribedFile):
    def file(self, source):
        path = self.folder / "problem.py"
        path.write_text(source, encoding="utf-8")
        return ModuleFile(str(path))

    def cases(self, source):
        found = self.describe(source, head="")
        self.assertNotIn("error", found)
        self.assertEqual(found["left_out"], {})
        return {each["name"]: each for each in found["cases"]}

    def inputs_under(self, seed, file, number=0):
        torch.manual_seed(seed)
        return file.namespace.get_inputs(file.cases[number])


class GpuModeTest(Sets):
    def task(self, text, task=None):
        return with_set("gpu_mode", text, "add", {"task": json.dumps(task or TASK)})

    def test_tests_and_benchmarks_are_cases(self):
        source = self.task(TASK_HEAD + REFERENCE + "check_implementation = make_match_reference(ref_kernel, rtol=2e-2, atol=1e-3)")
        cases = self.cases(source)
        self.assertEqual({name: each["role"] for name, each in cases.items()},
                         {"size8-plain": "test", "size16-plain": "bench", "size32-plain": "bench"})
        case = cases["size16-plain"]
        self.assertEqual(case["by_set"], {"absolute": 1e-3, "relative": 2e-2, "matched": 1.0, "largest": None})
        self.assertEqual(case["scalars"], {"size": 16})
        self.assertEqual([(each["name"], each["shape"], each["dtype"], each["draw"]["kind"]) for each in case["inputs"]],
                         [("a", [16, 4], "float16", "normal"), ("b", [4, 16], "float16", "normal")])
        self.assertEqual(case["inputs"][1]["axes"], [1, 0])
        self.assertEqual(case["forward"], [{"tuple": [{"input": "a"}, {"input": "b"},
                                                      {"blank": {"shape": [16, 4], "dtype": "float16"}}]}])

    def test_each_seed_draws_other_inputs(self):
        file = self.file(self.task(TASK_HEAD + REFERENCE))
        (first,), (same,), (other,) = (self.inputs_under(seed, file) for seed in (1, 1, 2))
        self.assertTrue(torch.equal(first[0], same[0]))
        self.assertFalse(torch.equal(first[0], other[0]))
        self.assertTrue(torch.equal(file.model_class()(first), first[0] + first[1]))

    def test_an_input_that_the_reference_writes_is_copied(self):
        cases = self.cases(self.task(TASK_HEAD + """
def ref_kernel(data):
    a, b, total = data
    for i, row in enumerate(total):
        row += a[i]
    return total + b
"""))
        self.assertEqual([each["name"] for each in cases["size8-plain"]["inputs"]], ["a", "b", "total"])
        self.assertEqual(cases["size8-plain"]["forward"], [{"tuple": [{"input": "a"}, {"input": "b"}, {"copy": {"input": "total"}}]}])

    def test_tolerances_of_a_check_of_its_own(self):
        check = """
def check_implementation(data, output):
    return not verbose_allclose(output, ref_kernel(data), {}), ""
"""
        for tolerances, rule in (("rtol=1e-3, atol=2e-3", {"absolute": 2e-3, "relative": 1e-3, "matched": 1.0, "largest": None}),
                                 ("rtol=len(data)", None)):
            cases = self.cases(self.task(TASK_HEAD + REFERENCE + check.format(tolerances)))
            self.assertEqual(cases["size8-plain"]["by_set"], rule)

    def test_an_output_that_the_reference_binds_anew(self):
        body = "    a, b, output = data\n    output = {}\n    return output\n"
        for value in ("(a.double() + b)", "(a + b).flatten()"):
            source = self.task(TASK_HEAD + "def ref_kernel(data):\n" + body.format(value))
            case = self.cases(source)["size16-plain"]
            self.assertEqual([each["name"] for each in case["inputs"]], ["a", "b"])
            self.assertEqual(case["outputs"], [{"name": "output", "shape": [16, 4], "dtype": "float16"}])
            file = self.file(source)
            (data,) = self.inputs_under(1, file)
            self.assertTrue(torch.equal(file.model_class()(data), data[0] + data[1]))

    def test_an_output_that_the_reference_adds_to_is_an_input(self):
        for body in ("output[...] += a", "output += a", "output = output + a"):
            cases = self.cases(self.task(TASK_HEAD + f"""
def ref_kernel(data):
    a, b, output = data
    {body}
    return output
"""))
            self.assertEqual([each["name"] for each in cases["size8-plain"]["inputs"]], ["a", "b", "output"])

    def test_a_check_of_a_property_judges(self):
        file = self.file(self.task(TASK_HEAD + REFERENCE + """
def check_implementation(data, output):
    return bool(output.min() > 0), "must be positive"
"""))
        inputs = self.inputs_under(1, file)
        self.assertEqual(file.namespace.check(inputs, torch.ones(3)), (True, "must be positive"))
        self.assertFalse(file.namespace.check(inputs, torch.zeros(3))[0])

    def test_objects_of_the_files_classes(self):
        text = """
import torch
from dataclasses import dataclass
from task import input_t
@dataclass
class Config:
    size: int
    weight: torch.Tensor
class Cache(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("rows", torch.zeros(size))
        self.count = 0
def generate_input(size, kind, seed):
    cache = Cache(size)
    cache.count = 2
    return Config(size, torch.randn(size, device="cuda")), cache
def ref_kernel(data):
    config, cache = data
    cache.rows[: cache.count] = 1
    return config.weight * cache.rows
"""
        cases = self.cases(self.task(text))
        self.assertEqual([each["name"] for each in cases["size8-plain"]["inputs"]], ["config_weight", "cache_rows"])
        file = self.file(self.task(text))
        (data,) = self.inputs_under(1, file)
        output = file.model_class()(data)
        self.assertTrue(torch.equal(output[:2], data[0]["weight"][:2]))
        self.assertEqual(output[2:].count_nonzero(), 0)
        self.assertEqual(data[1]["rows"].count_nonzero(), 0)

    def test_what_cannot_be_read(self):
        for source, words in ((self.task(TASK_HEAD + REFERENCE, {**TASK, "multi_gpu": True}), "multi_gpu"),
                              (self.task(TASK_HEAD), "ref_kernel"),
                              (self.task(TASK_HEAD + REFERENCE, {"tests": []}), "no tests and no benchmarks")):
            self.assertIn(words, self.describe(source, head="")["error"])


LINEAR = """
import torch
import torch.nn as nn
def forward_fn(x, weight): return x @ weight
class Model(nn.Module):
    def __init__(self, rows, columns, scale=1.0):
        super(Model, self).__init__()
        self.weight = nn.Parameter(torch.randn(rows, columns) * scale)
    def forward(self, x, fn=forward_fn): return fn(x, self.weight)
def get_inputs(batch=2, rows=3): return [torch.randn(batch, rows, requires_grad=True)]
input_names = ["x"]
"""
CONFIG = {
    "single_input_configs": [{"batch": 2}], "single_init_configs": [{"columns": 4}], "single_shared_configs": [{"rows": 3}],
    "multi_input_configs": [{"batch": 2}, {"batch": 5}], "multi_init_configs": [{"columns": 4}, {"columns": 6, "scale": 2.0}],
    "multi_shared_configs": [{"rows": 3}],
}


class RobustKBenchTest(Sets):
    def source(self, text):
        return with_set("robust_kbench", text, "linear", {"config": json.dumps(CONFIG)})

    def test_settings_are_combined(self):
        cases = self.cases(self.source(LINEAR))
        self.assertEqual([each["outputs"][0]["shape"] for each in cases.values()], [[2, 4], [5, 4], [2, 6], [5, 6]])
        case = cases["batch5-rows3-columns6-scale2-0"]
        self.assertEqual(case["keywords"], {"columns": encode(6), "scale": encode(2.0), "rows": encode(3)})
        self.assertEqual([each["name"] for each in case["inputs"]], ["x"])

    def test_gradients(self):
        source = self.source(LINEAR + "class AutogradFunction: pass\n")
        case = self.cases(source)["batch2-rows3-columns4"]
        self.assertEqual([each["name"] for each in case["inputs"]], ["x", "grad_output"])
        self.assertEqual([(each["name"], each["shape"]) for each in case["outputs"]],
                         [("grad_x", [2, 3]), ("grad_weight", [3, 4])])
        self.assertEqual([each["name"] for each in case["weights"]], ["weight"])
        file = self.file(source)
        x, grad = self.inputs_under(1, file)
        model = file.model_class(rows=3, columns=4)
        with torch.no_grad():
            of_x, of_weight = model(x, grad)
        self.assertTrue(torch.allclose(of_x, grad @ model.weight.t()))
        self.assertTrue(torch.allclose(of_weight, x.t() @ grad))
        self.assertFalse(of_x.requires_grad)


class DeckTest(Sets):
    def source(self, problem):
        return with_set("kernelbench_v3", """
import torch
M, SEQ_LEN = 4, 5
class Model(torch.nn.Module):
    def __init__(self, rows): super().__init__()
    def forward(self, x): return x + 1
def get_inputs(): return [torch.rand(M, SEQ_LEN).to(torch.bfloat16)]
def get_init_inputs(): return [M]
""", "01_add", {"shapes": 'N = 7\nSHAPES = [{"M": 2, "seq_len": 3}, {"M": 6, "seq_len": N}]', "problem": json.dumps(problem)})

    def test_shapes_are_cases(self):
        cases = self.cases(self.source({"display_name": "Adds one", "precision": "int4_bf16", "forbidden": ["torch.add"],
                                        "tolerance": {"torch.bfloat16": "5e-2", "float32": 1e-3}}))
        self.assertEqual({name: each["inputs"][0]["shape"] for name, each in cases.items()},
                         {"m2-seq-len3": [2, 3], "m6-seq-len7": [6, 7]})
        self.assertIn("the deck forbids, and kgrade does not enforce: torch.add", cases["m2-seq-len3"]["notes"])
        self.assertEqual(cases["m2-seq-len3"]["by_set"], {"absolute": 0.05, "relative": 0.05, "matched": 1.0, "largest": None})

    def test_faults_of_the_files_beside_it(self):
        for problem, words in (({"tolerance": "soon"}, "problem.yaml has the tolerance 'soon'; write"),
                               ({"tolerance": {"float32": "soon"}}, "problem.yaml has the tolerance 'soon', which is no number"),
                               ({"world_size": 4}, "choose a problem without world_size")):
            message = self.describe(self.source(problem), head="")["error"]
            self.assertIn(words, message)
            self.assertNotIn("raised", message)
            self.assertNotIn("; correct it", message)
        broken = self.source({}).replace("SHAPES = [", "SHAPES = [UNKNOWN, ")
        self.assertIn("shapes.py raised NameError", self.describe(broken, head="")["error"])

    def test_several_gpus(self):
        self.assertIn("asks for 4 GPUs", self.describe(self.source({"world_size": 4}), head="")["error"])

    def test_tolerances(self):
        for problem, absolute in (({"precision": "bf16"}, 1e-2), ({"tolerance": {"cos_sim": 0.98}}, None),
                                  ({"precision": "fp8_e4m3", "tolerance": {"bfloat16": 0.2, "fp8_e4m3fn": 0.2}}, 0.2)):
            rule = self.cases(self.source(problem))["m2-seq-len3"]["by_set"]
            self.assertEqual(rule and rule["absolute"], absolute)


class BackwardTest(DescribedFile):
    def test_a_file_asks_for_gradients(self):
        found = self.described("""
BACKWARD = True
class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.linear = nn.Linear(3, 2)
        self.unused = nn.Parameter(torch.ones(4))
    def forward(self, x, chosen, scales):
        y = self.linear(x)[chosen] * scales["first"]
        return y, y.argmax(-1), y.sum()
def get_inputs(): return [torch.rand(5, 3), torch.arange(4), {"first": torch.rand(2)}]
def get_init_inputs(): return []
""")
        self.assertEqual([each["name"] for each in found["inputs"]],
                         ["x", "chosen", "scales_first", "grad_output0", "grad_output1"])
        self.assertEqual([(each["name"], each["shape"]) for each in found["outputs"]],
                         [("grad_x", [5, 3]), ("grad_scales_first", [2]),
                          ("grad_linear_weight", [2, 3]), ("grad_linear_bias", [2])])
        self.assertEqual([each["module_name"] for each in found["weights"]], ["unused", "linear.weight", "linear.bias"])

    def test_a_model_without_gradients(self):
        self.error("""
BACKWARD = True
class Model(nn.Module):
    def forward(self, x): return x.round().argmax()
def get_inputs(): return [torch.rand(5, 3)]
def get_init_inputs(): return []
""", "gradients")


if __name__ == "__main__":
    unittest.main()
