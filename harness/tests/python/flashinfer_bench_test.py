"""Problems of flashinfer-bench and SOL-ExecBench: small ones of our own, in their form."""

import base64
import json
import unittest

import torch

from described_file import DescribedFile
from kgrade_python.module_file import FileError, ModuleFile
from kgrade_python.sets import flashinfer_bench
from kgrade_python.sets.safetensors import tensors_of

REFERENCE = """import torch
def run(x, weight, eps):
    return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)
"""
NORM = {"name": "norm", "description": "Norm of rows\nand more", "op_type": "norm", "reference": REFERENCE,
        "axes": {"rows": {"type": "var"}, "half": {"type": "expr", "expression": "size // 2"},
                 "twice": {"type": "expr", "expression": "half * 4"}, "size": {"type": "const", "value": 8}},
        "inputs": {"x": {"shape": ["rows", "twice"], "dtype": "bfloat16"},
                   "weight": {"shape": ["twice"], "dtype": "float32"}, "eps": {"shape": None, "dtype": "float32"}},
        "outputs": {"y": {"shape": ["rows", "twice"], "dtype": "bfloat16"}}}
RANDOM = {"type": "random"}
EPS = {"x": RANDOM, "weight": RANDOM, "eps": {"type": "scalar", "value": 1e-5}}


def workload(inputs=None, tolerance=None, **axes):
    return {"uuid": "1", "axes": axes, "inputs": EPS if inputs is None else inputs,
            **({"tolerance": tolerance} if tolerance else {})}


def traced(one):
    """A line of flashinfer-bench."""
    return {"definition": "norm", "solution": None, "workload": one, "evaluation": None}


def pointwise(reference, inputs, outputs=("y",), dtype="float32", **more):
    """A definition whose tensors all have the shape [n]. `inputs`: {name: type}."""
    return {"name": "pointwise", "axes": {"n": {"type": "var"}}, "reference": "import torch\n" + reference,
            "inputs": {name: {"shape": ["n"], "dtype": kind} for name, kind in inputs.items()},
            "outputs": {name: {"shape": ["n"], "dtype": dtype} for name in outputs}, **more}


def safetensors(**tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = bytes(tensor.contiguous().view(torch.uint8).numpy())
        kind = {torch.int32: "I32", torch.bfloat16: "BF16"}[tensor.dtype]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    header = json.dumps({"__metadata__": {"a": "b"}, **header}).encode()
    return len(header).to_bytes(8, "little") + header + data


class FlashinferBenchTest(DescribedFile):
    @staticmethod
    def text(definition, workloads, **files):
        lines = "\n".join(json.dumps(each) for each in workloads) + "\n"
        given = {"name": "norm", "files": {"definition": json.dumps(definition), "workloads": lines, **files}}
        return (f"{definition['reference']}\n\nfrom kgrade_python.sets import flashinfer_bench as _kgrade_set; "
                f"_kgrade_set.define(globals(), {json.dumps(given)!r})\n")

    def cases(self, definition, workloads, **files):
        found = self.describe(self.text(definition, workloads, **files), head="")
        self.assertNotIn("error", found)
        self.assertEqual(found["left_out"], {})
        return found["cases"]

    def error(self, definition, workloads, **files):
        return self.describe(self.text(definition, workloads, **files), head="")["error"]

    def loaded(self, definition, workloads, **files):
        """The file, as for a run."""
        path = self.folder / "loaded.py"
        path.write_text(self.text(definition, workloads, **files), encoding="utf-8")
        return ModuleFile(str(path))

    def test_a_case_per_workload(self):
        cases = self.cases(NORM, [workload(rows=3), workload(rows=5)])
        self.assertEqual([(each["name"], each["role"]) for each in cases], [("rows3", "bench"), ("rows5", "bench")])
        self.assertEqual(cases[1]["scalars"], {"rows": 5, "eps": 1e-5})
        self.assertEqual(cases[1]["title"], "Norm of rows")
        self.assertEqual([(each["name"], each["shape"], each["dtype"]) for each in cases[1]["inputs"]],
                         [("x", [5, 16], "bfloat16"), ("weight", [16], "float32")])
        self.assertEqual([each["shape"] for each in cases[1]["outputs"]], [[5, 16]])
        self.assertEqual(cases[1]["forward"], [{"input": "x"}, {"input": "weight"}, {"scalar": "eps"}])

    def test_workloads_of_the_same_size_get_numbers(self):
        cases = self.cases(NORM, [workload(rows=3), workload(rows=5), workload(rows=3)])
        self.assertEqual([each["name"] for each in cases], ["w01", "rows5", "w03"])

    def test_rules_of_acceptance(self):
        tolerance = {"max_atol": 1e-3, "required_matched_ratio": 0.9, "max_error_cap": 2}
        cases = self.cases(NORM, [workload(rows=3), workload(rows=5, tolerance=tolerance), traced(workload(rows=7))])
        self.assertEqual([each["by_set"] for each in cases], [
            {"absolute": 1e-2, "relative": 1e-2, "matched": 0.99, "largest": None},
            {"absolute": 1e-3, "relative": 1e-2, "matched": 0.9, "largest": 2},
            {"absolute": 1e-2, "relative": 1e-2, "matched": 1.0, "largest": None, "either": True}])
        sampling = self.cases({**NORM, "op_type": "sampling"}, [traced(workload(rows=3))])
        self.assertIsNone(sampling[0]["by_set"])

    def test_plain_draws_are_known(self):
        """SOL-ExecBench draws matrices of weights with a smaller deviation, flashinfer-bench does not."""
        definition = pointwise("def run(x, up_proj, codes): return x * up_proj.sum() * codes",
                               {"x": "float32", "up_proj": "float32", "codes": "int8"})
        definition["inputs"]["up_proj"]["shape"] = ["n", "16"]
        inputs = {name: RANDOM for name in definition["inputs"]}
        narrow, wide = self.cases(definition, [workload(inputs, n=4), traced(workload(inputs, n=5))])
        normal = {"kind": "normal", "first": 0, "second": 1}
        codes = {"kind": "integers", "first": -128, "second": 127}
        self.assertEqual([each["draw"] for each in wide["inputs"]], [normal, normal, codes])
        self.assertEqual([each["draw"] for each in narrow["inputs"]], [normal, {**normal, "second": 0.25}, codes])

    def drawn(self, name, dtype="float32", shape=(64, 64), description=""):
        return flashinfer_bench.drawn_by_name(name, list(shape), getattr(torch, dtype), description)

    def test_draws_by_name(self):
        self.assertTrue(torch.equal(self.drawn("input_layernorm_weight", shape=(9,)), torch.ones(9)))
        self.assertTrue(torch.equal(self.drawn("norm1_bias", shape=(9,)), torch.zeros(9)))
        mask = self.drawn("causal_mask", "bfloat16", (2, 3, 3))
        self.assertEqual(mask[1].isfinite().all() and mask[1].sign().tolist(), [[0, -1, -1], [0, 0, -1], [0, 0, 0]])
        self.assertEqual(mask.min(), torch.finfo(torch.bfloat16).min)
        self.assertEqual(self.drawn("drop_mask").unique().tolist(), [0, 1])
        self.assertLessEqual(self.drawn("cos").abs().max(), 1)
        self.assertGreater(self.drawn("x_rstd").min(), 0.1 - 1e-6)
        self.assertTrue(-5 <= self.drawn("A_log").min() < -4 and -2 < self.drawn("A_log").max() <= -1)
        self.assertTrue(torch.allclose(self.drawn("routing_weights").sum(-1), torch.ones(64)))
        self.assertAlmostEqual(float(self.drawn("gate_proj").std()), 1 / 8, delta=0.01)
        self.assertIsNone(self.drawn("x"))
        self.assertIsNone(self.drawn("weight", shape=(9,)))
        self.assertIsNone(self.drawn("norm_weight", "int32"))

    def test_packed_codes_are_the_nearest_with_ties_to_even(self):
        values = torch.tensor([0.0, 0.25, 0.2501, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 5.001, -0.3, -9.0])
        bytes_of = flashinfer_bench.packed(values).tolist()
        self.assertEqual([code for byte in bytes_of for code in (byte & 15, byte >> 4)],
                         [0, 0, 1, 2, 2, 4, 4, 6, 6, 7, 9, 15])

    def test_types_of_few_bits(self):
        definition = pointwise("def run(a, b, c): return a.float() * b.float() * c[0]",
                               {"a": "float8_e4m3fn", "b": "float8_e5m2", "c": "float4_e2m1fn_x2"})
        definition["reference"] = "import torch\ndef run(a, b, c): return a.float() * b.float() + c.view(torch.uint8)[0]"
        case = self.cases(definition, [workload({name: RANDOM for name in "abc"}, n=6)])[0]
        self.assertEqual([(each["dtype"], each["shape"]) for each in case["inputs"]],
                         [("float8_e4m3fn", [6]), ("float8_e5m2", [6]), ("uint8", [3])])

    def test_custom_inputs(self):
        definition = pointwise("""
def make(sizes, device):
    assert device.type in ("cuda", "cpu")
    return {"order": torch.randperm(sizes["n"], device=device), "x": torch.rand(sizes["n"], device=device), "k": 3}
def run(x, order, k): return x[order] * k
""", {"x": "float32", "order": "int64", "k": "int32"}, custom_inputs_entrypoint="make")
        custom = {name: {"type": "custom"} for name in ("x", "order", "k")}
        file = self.loaded(definition, [workload(custom, n=64)])
        torch.manual_seed(1)
        first, second = file.get_inputs(file.cases[0]), file.get_inputs(file.cases[0])
        self.assertEqual(sorted(first[1].tolist()), list(range(64)))
        self.assertNotEqual(first[1].tolist(), second[1].tolist())
        self.assertEqual(first[2], 3)
        case = self.cases(definition, [workload(custom, n=64)])[0]
        self.assertEqual([each["draw"] for each in case["inputs"]],
                         [{"kind": "uniform", "first": 0, "second": 1}, None])

    def test_stored_tensors(self):
        definition = pointwise("def run(x, order): return x[order.long()]", {"x": "bfloat16", "order": "int32"},
                               dtype="bfloat16")
        inputs = {"x": {"type": "safetensors", "path": "b/a.safetensors", "tensor_key": "values"},
                  "order": {"type": "safetensors", "path": "b/a.safetensors", "tensor_key": "places"}}
        values, places = torch.randn(5).bfloat16(), torch.tensor([4, 1, 2, 0, 3], dtype=torch.int32)
        content = safetensors(values=values, places=places)
        files = {"b/a.safetensors": base64.b64encode(content).decode()}
        file = self.loaded(definition, [workload(inputs, n=5)], **files)
        x, order = file.get_inputs(file.cases[0])
        self.assertTrue(torch.equal(x, values) and torch.equal(order, places))
        x.zero_()
        self.assertTrue(torch.equal(file.get_inputs(file.cases[0])[0], values))
        self.assertTrue(torch.equal(file.model_class()(values, order), values[places.long()]))
        self.assertIn("fetch the set's data", self.error(definition, [workload(inputs, n=5)]))
        self.assertIn("shape [5]", self.error(definition, [workload(inputs, n=6)], **files))
        files["b/a.safetensors"] = base64.b64encode(b"version https://git-lfs.github.com/spec/v1\n").decode()
        self.assertIn("git lfs pull", self.error(definition, [workload(inputs, n=5)], **files))
        # A workload whose file is missing is left out.
        files["b/a.safetensors"] = base64.b64encode(content).decode()
        missing = {"x": {**inputs["x"], "path": "b/c.safetensors"}}
        mixed = self.describe(self.text(definition, [workload(missing, n=1), workload(inputs, n=5)], **files), head="")
        self.assertEqual(([each["name"] for each in mixed["cases"]], list(mixed["left_out"])), (["n5"], ["n1"]))

    def test_damaged_tensors(self):
        content = safetensors(values=torch.zeros(4, dtype=torch.int32))
        for damaged in (b"", content[:-1], content[:20], b"\xff" * 8, content.replace(b"I32", b"I99")):
            with self.assertRaisesRegex(FileError, "fetch it anew"):
                tensors_of(damaged)
        self.assertEqual(tensors_of(safetensors(none=torch.zeros(0, 3, dtype=torch.int32)))["none"].shape, (0, 3))

    def test_a_reference_that_writes_its_outputs(self):
        definition = pointwise("def run(x, y, z):\n    y.copy_(x * 2)\n    z[:] = x > 0", {"x": "float32"}, ("y", "z"))
        definition["outputs"]["z"]["dtype"] = "bool"
        file = self.loaded(definition, [workload({}, n=3)])
        doubled, positive = file.model_class()(torch.tensor([1.0, -2.0, 3.0]))
        self.assertEqual((doubled.tolist(), positive.tolist()), ([2, -4, 6], [True, False, True]))
        case = self.cases(definition, [workload({}, n=3)])[0]
        self.assertEqual([(each["shape"], each["dtype"]) for each in case["outputs"]], [([3], "float32"), ([3], "bool")])

    def test_a_reference_that_writes_its_inputs(self):
        for write in ("x[0] = 7", "x += 1", "x.mul_(3)"):
            definition = pointwise(f"def run(x):\n    {write}\n    return x", {"x": "float32"})
            self.assertEqual(self.cases(definition, [workload({}, n=2)])[0]["forward"], [{"copy": {"input": "x"}}])

    def test_outputs_by_name_and_numbers(self):
        definition = pointwise("def run(x): return {'z': 3, 'y': x}", {"x": "float32"}, ("y", "z"))
        definition["outputs"]["z"]["shape"] = None
        y, z = self.loaded(definition, [workload({}, n=2)]).model_class()(torch.ones(2))
        self.assertEqual((y.tolist(), z.item(), z.dtype), ([1, 1], 3, torch.float32))

    def test_a_reference_with_names_of_ours(self):
        definition = pointwise("class Model:\n    def twice(self, x): return 2 * x\ndef run(x): return Model().twice(x)",
                               {"x": "float32"})
        self.assertEqual(self.loaded(definition, [workload({}, n=1)]).model_class()(torch.ones(1)).item(), 2)
        self.cases(definition, [workload({}, n=1)])

    def test_outputs_have_the_definitions_shapes(self):
        for run, words in (("x.new_zeros(3, 4)", "[n], and run() returns [3, 4]"), ("x.sum()", "returns []"), ("x[:2]", "returns [2]")):
            message = self.error(pointwise(f"def run(x): return {run}", {"x": "float32"}), [workload({}, n=3)])
            self.assertIn("definition.json gives the output 'y' the shape", message)
            self.assertIn(words, message)
        unknown = pointwise("def run(x): return x[x > 0]", {"x": "float32"})
        unknown["axes"]["found"] = {"type": "var"}
        unknown["outputs"]["y"]["shape"] = ["found"]
        self.assertEqual(self.loaded(unknown, [workload({}, n=3)]).model_class()(torch.tensor([1.0, -1, 2])).tolist(), [1, 2])

    def test_very_many_workloads(self):
        found = self.describe(self.text(pointwise("def run(x): return x", {"x": "float32"}),
                                        [workload({}, n=n) for n in range(1, 203)]), head="")
        self.assertEqual(len(found["cases"]), 200)
        self.assertIn("workloads after the first 200 are left out", found["cases"][0]["notes"])

    def test_faults_are_explained(self):
        self.assertIn("'rows'", self.error(NORM, [workload()]))
        self.assertIn("has no lines", self.error(NORM, []))
        self.assertIn("no function 'run'", self.error({**NORM, "reference": "x = 1"}, [workload(rows=1)]))
        self.assertIn("line 2", self.error(NORM, [workload(rows=1), {"axes": {}}]))
        unknown = {**NORM, "inputs": {**NORM["inputs"], "weight": {"shape": ["twice"], "dtype": "float3"}}}
        self.assertIn("'float3'", self.error(unknown, [workload(rows=1)]))
        loop = {**NORM, "axes": {**NORM["axes"], "half": {"type": "expr", "expression": "twice + other"}}}
        self.assertIn("other", self.error(loop, [workload(rows=1)]))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
