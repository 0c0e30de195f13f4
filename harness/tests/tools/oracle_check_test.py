"""Tests that the witnesses of tools/oracle_check compute what the problems mean, and that it notices a wrong oracle."""

import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[3]
ORACLE_CHECK = REPOSITORY / "tools" / "oracle_check"
sys.path.insert(0, str(ORACLE_CHECK))

import comparison  # noqa: E402
import onnx_layers  # noqa: E402
import problems  # noqa: E402

TRANSPOSED_2D = "conv-transpose-2d-asym-input-asym-kernel-strided-grouped"
TRANSPOSED_3D = "conv-transpose-3d-asym-input-sq-kernel"
DEPTHWISE = "conv-depthwise-2d-square-input-asym-kernel"
COMPOSED = "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm"
SEPARABLE = "conv-depthwise-separable-2d"
WITH_BIAS = "conv-2d-sq-input-sq-kernel-strided-padded-bias"


def scattered(value, weight, layer):
    """A transposed convolution by its definition: each input element adds to every output it touches."""
    batch, channels, *extents = value.shape
    group_inputs, group_outputs = channels // layer.groups, weight.shape[1]
    axes = list(zip(extents, weight.shape[2:], layer.stride, layer.padding, layer.dilation, layer.output_padding))
    sizes = [(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in axes]
    output = np.zeros((batch, group_outputs * layer.groups, *sizes))
    for c, *at in itertools.product(range(channels), *(range(n) for n in extents)):
        first = c // group_inputs * group_outputs
        for tap in itertools.product(*(range(k) for k in weight.shape[2:])):
            to = tuple(i * s - p + t * d for i, t, (_, _, s, p, d, _) in zip(at, tap, axes))
            if all(0 <= i < n for i, n in zip(to, sizes)):
                products = np.outer(value[(slice(None), c, *at)], weight[(c, slice(None), *tap)])
                output[(slice(None), slice(first, first + group_outputs), *to)] += products
    return output


def gathered(value, weight, layer):
    """A convolution by its definition: each output element collects its window."""
    padded = np.pad(value, [(0, 0), (0, 0), *((p, p) for p in layer.padding)])
    axes = list(zip(padded.shape[2:], weight.shape[2:], layer.stride, layer.dilation))
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in axes]
    output = np.zeros((value.shape[0], weight.shape[0], *sizes))
    group_inputs, group_outputs = weight.shape[1], weight.shape[0] // layer.groups
    for c, *at in itertools.product(range(weight.shape[0]), *(range(n) for n in sizes)):
        first = c // group_outputs * group_inputs
        window = tuple(slice(i * s, i * s + d * (k - 1) + 1, d) for i, (_, k, s, d) in zip(at, axes))
        values = padded[(slice(None), slice(first, first + group_inputs), *window)]
        output[(slice(None), c, *at)] = (values * weight[c]).reshape(value.shape[0], -1).sum(axis=1)
    return output


def normalised(value, axes):
    return (value - value.mean(axes, keepdims=True)) / np.sqrt(value.var(axes, keepdims=True) + 1e-5)


def per_axis(axes, **values):
    return {f"{name}_{axis}".rstrip("_"): v for name, list_ in values.items() for axis, v in zip(axes, list_)}


class WitnessesTest(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def assert_witnesses_agree(self, slug, parameters, tensors, expected):
        chain = problems.layers(slug, parameters)
        self.assertLess(comparison.relative_error(onnx_layers.reference(chain, tensors), expected), 2e-7)
        self.assertLess(comparison.relative_error(onnx_layers.runtime(chain, tensors), expected), 1e-6)

    def check_transposed(self, slug, axes, extents, kernel, groups, **values):
        parameters = per_axis(axes, **values) | {"groups": groups}
        tensors = {"input": self.random.random((2, 8, *extents)),
                   "kernel": self.random.standard_normal((8, 12 // groups, *kernel))}
        (layer,) = problems.layers(slug, parameters)
        expected = scattered(tensors["input"], tensors["kernel"], layer)
        self.assert_witnesses_agree(slug, parameters, tensors, expected)

    def test_transposed_2d_with_everything_differing_per_axis(self):
        self.check_transposed(TRANSPOSED_2D, "hw", (5, 7), (3, 5), groups=4, stride=(2, 3), padding=(1, 2),
                              dilation=(2, 1), output_padding=(1, 2))

    def test_transposed_3d_grouped(self):
        self.check_transposed(TRANSPOSED_3D, "dhw", (3, 4, 5), (3, 3, 3), groups=2, stride=(2, 1, 3),
                              padding=(1, 0, 2), dilation=(1, 2, 1), output_padding=(1, 0, 2))

    def test_transposed_1d_whose_parameters_have_no_suffix(self):
        self.check_transposed("conv-transpose-1d", [""], (9,), (4,), groups=4, stride=(3,), padding=(2,), dilation=(2,),
                              output_padding=(1,))

    def check_gathered(self, slug, axes, extents, kernel, groups, bias=False, **values):
        parameters = per_axis(axes, **values) | {"groups": groups}
        tensors = {"input": self.random.random((2, 6, *extents)),
                   "kernel": self.random.standard_normal((9, 6 // groups, *kernel))}
        (layer,) = problems.layers(slug, parameters)
        expected = gathered(tensors["input"], tensors["kernel"], layer)
        if bias:
            tensors["bias"] = self.random.standard_normal(9)
            expected = expected + tensors["bias"].reshape(-1, *(1 for _ in extents))
        self.assert_witnesses_agree(slug, parameters, tensors, expected)

    def test_convolutions_in_one_two_and_three_dimensions(self):
        self.check_gathered("conv-standard-1d", [""], (17,), (4,), groups=3, stride=(2,), padding=(3,), dilation=(2,))
        self.check_gathered("conv-2d-sq-input-sq-kernel", "hw", (9, 11), (3, 4), groups=1, stride=(2, 3),
                            padding=(1, 2), dilation=(2, 1))
        self.check_gathered("conv-3d-sq-input-sq-kernel", "dhw", (5, 6, 7), (3, 2, 3), groups=3, stride=(2, 1, 3),
                            padding=(1, 0, 2), dilation=(1, 2, 1))

    def test_a_bias_is_added_to_every_value_of_its_channel(self):
        self.check_gathered(WITH_BIAS, "hw", (9, 11), (3, 4), groups=3, bias=True, stride=(2, 3), padding=(1, 2),
                            dilation=(2, 1))

    def test_depthwise_separable_is_two_convolutions(self):
        parameters = per_axis("hw", stride=(2, 1), padding=(1, 2), dilation=(1, 3)) | {"in_channels": 5}
        tensors = {"input": self.random.random((2, 5, 9, 11)),
                   "depthwise_kernel": self.random.standard_normal((5, 1, 3, 2)),
                   "pointwise_kernel": self.random.standard_normal((7, 5, 1, 1))}
        depthwise, pointwise = problems.layers(SEPARABLE, parameters)
        filtered = gathered(tensors["input"], tensors["depthwise_kernel"], depthwise)
        self.assert_witnesses_agree(SEPARABLE, parameters, tensors,
                                    gathered(filtered, tensors["pointwise_kernel"], pointwise))

    def test_output_padding_that_reaches_the_stride(self):
        self.check_transposed(TRANSPOSED_2D, "hw", (4, 5), (3, 2), groups=2, stride=(1, 2), padding=(2, 0),
                              dilation=(3, 3), output_padding=(1, 2))

    def test_parameters_that_a_problem_lacks_are_neutral(self):
        (layer,) = problems.layers("conv-transpose-2d-sq-input-asym-kernel", {})
        self.assertEqual((layer.stride, layer.padding, layer.dilation, layer.output_padding, layer.groups),
                         ((1, 1), (0, 0), (1, 1), (0, 0), 1))

    def test_depthwise_with_two_outputs_a_channel(self):
        parameters = per_axis("hw", stride=(2, 1), padding=(1, 2), dilation=(1, 3)) | {"groups": 6}
        tensors = {"input": self.random.random((2, 6, 9, 11)),
                   "kernel": self.random.standard_normal((12, 1, 3, 2))}
        (layer,) = problems.layers(DEPTHWISE, parameters)
        expected = gathered(tensors["input"], tensors["kernel"], layer)
        self.assert_witnesses_agree(DEPTHWISE, parameters, tensors, expected)

    def test_composed_problem_uses_batch_statistics_and_both_pairs_of_weights(self):
        parameters = per_axis("hw", stride=(2, 1), padding=(1, 0), output_padding=(1, 0))
        parameters |= {"groups": 1, "num_groups": 3}
        vectors = {n: self.random.standard_normal(6) for n in ("bn_weight", "bn_bias", "gn_weight", "gn_bias")}
        tensors = {"input": self.random.random((3, 4, 4, 5)),
                   "kernel": self.random.standard_normal((4, 6, 3, 3)), **vectors}
        scale = {name: vector[:, None, None] for name, vector in vectors.items()}
        value = scattered(tensors["input"], tensors["kernel"], problems.layers(COMPOSED, parameters)[0])
        value = np.tanh(normalised(value, (0, 2, 3)) * scale["bn_weight"] + scale["bn_bias"])
        height, width = (n // 2 * 2 for n in value.shape[2:])
        value = value[:, :, :height, :width].reshape(3, 6, height // 2, 2, width // 2, 2).max((3, 5))
        value = normalised(value.reshape(3, 3, -1), 2).reshape(value.shape)
        expected = value * scale["gn_weight"] + scale["gn_bias"]
        self.assert_witnesses_agree(COMPOSED, parameters, tensors, expected)


class ProblemsTest(unittest.TestCase):
    def test_every_convolution_of_the_repository_is_a_chain_of_layers(self):
        slugs = [slug for slug in problems.slugs() if problems.are_layers(slug)]
        self.assertGreaterEqual(len(slugs), 36)
        for slug in slugs:
            self.assertTrue(problems.layers(slug, {"in_channels": 1, "num_groups": 1}), slug)

    def test_a_problem_of_any_folder_is_what_its_family_says(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "README.md").write_text("no problem", encoding="utf-8")
            (folder / "mine.md").write_text("---\nslug: mine\nfamily: conv-3d  # the full layer\n---\n", encoding="utf-8")
            (folder / "other.md").write_text("---\nslug: other\n---\nfamily: conv-3d\n", encoding="utf-8")
            self.assertEqual(problems.slugs(folder), ["mine", "other"])
            (layer,) = problems.layers("mine", {"stride_d": 2}, folder)
            self.assertEqual(layer.stride, (2, 1, 1))
            self.assertTrue(problems.are_layers("mine", folder))
            self.assertFalse(problems.are_layers("other", folder))
            with self.assertRaisesRegex(KeyError, "does not say what 'other' means"):
                problems.layers("other", {}, folder)


class ComparisonTest(unittest.TestCase):
    def test_shapes_that_would_broadcast_are_an_error(self):
        with self.assertRaisesRegex(ValueError, r"shape \[1, 3\] here, \[2, 3\] from the oracle"):
            comparison.relative_error(np.ones((1, 3)), np.ones((2, 3)))

    def test_a_batch_is_cut_only_when_a_tensor_is_too_large(self):
        case = {"parameters": {"batch_size": 16}, "tensors": [{"elements": 100}, {"elements": 3200}]}
        self.assertEqual(comparison.fitting_changes(case, 3200), {})
        self.assertEqual(comparison.fitting_changes(case, 1000), {"batch_size": 5})
        self.assertEqual(comparison.fitting_changes(case, 10), {"batch_size": 1})

    def test_without_a_batch_the_largest_extent_of_the_largest_tensor_is_halved(self):
        case = {"parameters": {"rows": 64, "columns": 100, "window": 5000, "alpha": 64.0, "flag": True},
                "tensors": [{"elements": 100, "shape": [100]}, {"elements": 6400, "shape": [64, 100]}]}
        self.assertEqual(comparison.fitting_changes(case, 6400), {})
        self.assertEqual(comparison.fitting_changes(case, 3200), {"columns": 50})
        self.assertEqual(comparison.fitting_changes(case, 1600), {"columns": 50, "rows": 32})

    def test_a_case_that_no_parameter_makes_smaller_is_left_out(self):
        case = {"parameters": {"window": 5}, "tensors": [{"elements": 6400, "shape": [64, 100]}]}
        self.assertIsNone(comparison.fitting_changes(case, 3200))
        self.assertIn("too large", comparison.Kgrade._case("slug", case | {"name": "n", "role": "bench"}, "", 3200).left_out)

    def test_scalars_of_type_float_have_the_value_that_float_gives_them(self):
        case = {"name": "n", "role": "test", "parameters": {"alpha": 0.1, "margin": 0.1},
                "tensors": [{"name": "y", "elements": 1, "shape": [1], "compare": "ties(x, 1)"}]}
        found = comparison.Kgrade._case("slug", case, "void solution(float* y, float alpha, double margin);", 9)
        self.assertEqual(found.parameters, {"alpha": float(np.float32(0.1)), "margin": 0.1})
        self.assertEqual(found.compare, {"y": "ties(x, 1)"})

    def test_nan_does_not_pass(self):
        witness = comparison.Witness("w", 1.0, lambda *_: float("nan"))
        row = comparison.Row(comparison.CaseToCheck("s", "c", "test", {}, {}), errors={"w": float("nan")})
        self.assertFalse(row.passed([witness]))


# Stands in for the program: `show` and `dump` as the check scripts call them. The output of a pointwise
# depthwise convolution is the input times one weight a channel; every case has data of its own.
FAKE_KGRADE = """#!{python}
import json, os, sys
import numpy as np
command, slug, *options = sys.argv[1:]
parameters = {{"batch_size": 2, "groups": 3}}

def values_of(option):
    return [value for key, value in zip(options, options[1:]) if key == option]

def dump(case, seed, to):
    os.makedirs(to)
    random = np.random.default_rng(seed)
    data = random.random((2, 3, 4, 5), np.float32)
    kernel = random.random((3, 1, 1, 1), np.float32)
    output = data * kernel[:, 0]
    if os.environ["FAKE_OUTCOME"] == case + " is wrong":
        output *= np.float32(1 + 1e-6)
    for name, tensor in dict(input=data, kernel=kernel, output=output).items():
        np.save(f"{{to}}/{{name}}.npy", tensor)
    with open(f"{{to}}/case.json", "w") as file:
        json.dump(dict(slug=slug, case=case, parameters=parameters, outputs=["output"]), file)

if command == "show":
    tensors = [{{"name": "input", "elements": 120}}]
    cases = [dict(name=n, role=r, parameters=parameters, tensors=tensors)
             for n, r in (("first", "test"), ("second", "test"), ("large", "bench"))]
    print(json.dumps(dict(slug=slug, cases=cases)))
elif os.environ["FAKE_OUTCOME"] == "refuses":
    sys.exit("error: no such device")
else:
    (directory,) = values_of("--directory")
    for seed, case in enumerate(values_of("--case")):
        dump(case, seed, f"{{directory}}/{{case}}")
"""


class ScriptTest(unittest.TestCase):
    def run_check(self, outcome):
        with tempfile.TemporaryDirectory() as directory:
            fake, report = Path(directory, "kgrade"), Path(directory, "report.json")
            fake.write_text(FAKE_KGRADE.format(python=sys.executable), encoding="utf-8")
            fake.chmod(0o755)
            done = subprocess.run(
                [sys.executable, str(ORACLE_CHECK / "onnx_check.py"), "--kgrade", str(fake), "--slug", DEPTHWISE,
                 "--json", str(report)],
                capture_output=True, text=True, env={"FAKE_OUTCOME": outcome}, check=False)
            return done, json.loads(report.read_text(encoding="utf-8"))

    def test_a_right_oracle_passes_on_the_cases_that_are_no_bench(self):
        done, report = self.run_check("right")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([case["case"] for case in report["cases"]], ["first", "second"])
        self.assertEqual([case["output_elements"] for case in report["cases"]], [120, 120])
        self.assertTrue(report["passed"])

    def test_an_oracle_that_is_off_by_one_in_a_million_fails(self):
        for wrong in ("first", "second"):
            done, report = self.run_check(f"{wrong} is wrong")
            self.assertEqual(done.returncode, 1)
            self.assertFalse(report["passed"])
            self.assertEqual([case["case"] for case in report["cases"] if not case["passed"]], [wrong])
            self.assertIn("above the bound", done.stdout)

    def test_a_failing_command_fails_the_check_and_is_quoted(self):
        done, report = self.run_check("refuses")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(report["cases"]), 2)
        for case in report["cases"]:
            self.assertIn("no such device", case["complaint"])


if __name__ == "__main__":
    unittest.main()
