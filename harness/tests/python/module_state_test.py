"""What is said of a ModelNew whose weights cannot be placed, or that cannot be built. PyTorch is needed."""

import importlib.util
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

CALL = {"positional": [3, 5], "keywords": {"stride": 2}}
CONTRACT = {
    "parameters": [{"name": "x", "role": "input"}, {"name": "kernel", "role": "input"},
                   {"name": "bias", "role": "input"}],
    "torch": {"weights": {"kernel": "conv.weight", "bias": "conv.bias"}, "forward": ["x"], "mode": "train",
              "init_line": "def __init__(self, width, height, stride=1):"},
}


def message_of(tensors, source="", build=None):
    """What building a module says, whose `__init__` makes parameters of these names and shapes."""
    import torch

    from kgrade_python import module_state
    from kgrade_python.errors import SignatureMismatch

    class ModelNew(torch.nn.Module):
        def __init__(self, width, height, stride=1):
            super().__init__()
            for name, shape in tensors.items():
                setattr(self, name, torch.nn.Parameter(torch.zeros(shape)))

    lent = {"x": torch.zeros(1), "kernel": torch.ones(5, 3), "bias": torch.ones(5)}
    try:
        module_state.build(build or ModelNew, CALL, CONTRACT, lent, source)
    except SignatureMismatch as error:
        return str(error)
    return ""


class Weights(unittest.TestCase):
    def test_the_first_line_has_the_line_to_add(self):
        message = message_of({"a": (5, 3), "b": (5, 3), "c": (5,), "d": (5,)})
        self.assertIn("add the line: # kgrade: state kernel=a, bias=c (or with others that are listed)",
                      message.splitlines()[0])

    def test_that_line_does_what_it_promises(self):
        tensors = {"a": (5, 3), "b": (5, 3), "c": (5,), "d": (5,)}
        line = message_of(tensors).splitlines()[0].split("add the line: ")[1].split(" (or")[0]
        self.assertEqual(message_of(tensors, line), "")

    def test_all_generators_are_seeded(self):
        import random

        import numpy
        import torch

        from kgrade_python import module_state

        class ModelNew(torch.nn.Module):
            def __init__(self, width, height, stride=1):
                super().__init__()
                self.kernel, self.bias = torch.nn.Parameter(torch.zeros(5, 3)), torch.nn.Parameter(torch.zeros(5))
                self.drawn = (torch.rand(1).item(), random.random(), numpy.random.rand())

        lent = {"x": torch.zeros(1), "kernel": torch.ones(5, 3), "bias": torch.ones(5)}
        one, other = (module_state.build(ModelNew, CALL, CONTRACT, lent, "").module.drawn for _ in range(2))
        self.assertEqual(one, other)

    def test_a_table_has_both_sides(self):
        rows = message_of({"a": (5, 3), "b": (5, 3), "bias": (5,), "other": (7,)}).splitlines()[1:]
        self.assertEqual(rows, ["kernel [5, 3] = a or b", "bias [5] = bias", "ModelNew also has other [7]"])

    def test_a_table_stays_short(self):
        tensors = {"bias": (5,), **{f"a{i}": (5, 3) for i in range(100)}, **{f"p{i}": (9, i) for i in range(200)}}
        rows = message_of(tensors).splitlines()
        self.assertEqual(len(rows), 4)
        self.assertIn("kernel [5, 3] = a0, a1, a2, a3, a4, a5, a6, a7 and 92 more", rows)
        self.assertIn("p7 [9, 7] and 192 more", rows[3])

    def test_where_no_shape_fits_a_parameter_is_asked_for(self):
        first, *rows = message_of({"bias": (5,)}).splitlines()
        self.assertIn("make a parameter of shape [5, 3] for 'kernel'", first)
        self.assertNotIn("# kgrade: state", first)
        self.assertIn("kernel [5, 3] = nothing of this shape", rows)
        self.assertIn("ModelNew has none", message_of({}))

    def test_a_line_that_names_nothing_is_named(self):
        tensors = {"a": (5, 3), "b": (5, 3), "bias": (5,)}
        self.assertIn("'nothing', which '# kgrade: state' names for 'kernel', is none of the module's",
                      message_of(tensors, "# kgrade: state kernel=nothing"))
        self.assertIn("has another shape", message_of(tensors, "# kgrade: state kernel=bias"))


MODEL = """
import torch
class Model(torch.nn.Module):
    def __init__(self, width, height, stride=1):
        super().__init__()
        self.layer = torch.nn.Linear(width, height)
        self.shift = torch.nn.Parameter({shift})
"""


class InitialValues(unittest.TestCase):
    """A Model and a ModelNew with two parameters of one shape, under names that have nothing in common."""

    def places(self, first, model=MODEL.format(shift="torch.randn(height)")):
        import torch

        from kgrade_python import module_state

        class ModelNew(torch.nn.Module):
            def __init__(self, width, height, stride=1):
                super().__init__()
                layer = torch.nn.Linear(width, height)
                mine = {"one": layer.bias, "other": torch.nn.Parameter(torch.randn(height))}
                self.weight = layer.weight
                for name in (first, *(set(mine) - {first})):
                    setattr(self, name, mine[name])

        lent = {"x": torch.zeros(1), "kernel": torch.ones(5, 3), "bias": torch.full([5], 2.0), "shift": torch.full([5], 3.0)}
        contract = {**CONTRACT, "parameters": [{"name": name, "role": "input"} for name in lent], "model": model,
                    "torch": {**CONTRACT["torch"],
                              "weights": {"kernel": "layer.weight", "bias": "layer.bias", "shift": "shift"}}}
        module = module_state.build(ModelNew, CALL, contract, lent, "").module
        return module.one[0].item(), module.other[0].item()

    def test_the_values_that_both_begin_with_tell_which_is_which(self):
        for first in ("one", "other"):
            self.assertEqual(self.places(first), (2.0, 3.0))

    def test_values_that_differ_prove_nothing(self):
        from kgrade_python.errors import SignatureMismatch

        for model in (None, "raise ValueError", MODEL.format(shift="torch.rand(height)").replace("Linear", "Bilinear")):
            with self.assertRaisesRegex(SignatureMismatch, "# kgrade: state bias="):
                self.places("one", model)

    def test_one_that_is_known_leaves_the_other(self):
        self.assertEqual(self.places("one", MODEL.format(shift="torch.ones(height)")), (2.0, 3.0))


class OwnModel(unittest.TestCase):
    """A problem's own Model is built once, and twice where its constructor derives something from its weights."""

    def built(self, derive):
        import torch

        from kgrade_python import module_state

        class Model(torch.nn.Module):
            times = 0

            def __init__(self, width, height, stride=1):
                super().__init__()
                Model.times += 1
                self.conv = torch.nn.Linear(width, height)
                torch.nn.init.normal_(self.conv.weight, 0, 0.02)
                self.conv.bias.requires_grad_(self.conv.bias.shape[0] == height)
                self.derived = derive(self.conv)

        lent = {"x": torch.zeros(1), "kernel": torch.full((5, 3), 2.0), "bias": torch.full([5], 3.0)}
        module = module_state.build(Model, CALL, CONTRACT, lent, "", is_own=True).module
        self.assertEqual((module.conv.weight[0, 0].item(), module.conv.bias[0].item()), (2.0, 3.0))
        return Model.times, module.derived

    def test_once_where_nothing_is_derived(self):
        self.assertEqual(self.built(lambda layer: layer.weight.size(0)), (1, 5))

    def test_twice_where_something_is(self):
        import torch

        for derive in (lambda layer: layer.weight.t().contiguous(), lambda layer: layer.weight.data,
                       lambda layer: torch.cat([layer.weight, layer.weight]),
                       lambda layer: torch.empty(5, 3).copy_(layer.weight)):
            times, derived = self.built(derive)
            self.assertEqual((times, derived[0, 0].item()), (2, 2.0))


class Signature(unittest.TestCase):
    def test_the_line_to_write_comes_last(self):
        import torch

        class ModelNew(torch.nn.Module):
            def __init__(self, width):
                super().__init__()

        message = message_of({}, build=ModelNew)
        self.assertIn("ModelNew(3, 5, stride=2)", message)
        self.assertTrue(message.endswith("write: def __init__(self, width, height, stride=1):"), message)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        sys.exit(77)
    unittest.main()
