"""What get_inputs() of a problem's file gives under a seed."""

import random
import re
import sys
import types
import unittest
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from kgrade_python import computed_inputs  # noqa: E402
from kgrade_python.computed_inputs import ComputedInputs  # noqa: E402
from kgrade_python.errors import SignatureMismatch  # noqa: E402
from kgrade_python.varied_draws import FAMILIES  # noqa: E402


class InputsOf:
    """ComputedInputs of a file whose forward() takes the arguments `forward`."""

    def __init__(self, get_inputs, forward):
        self.inputs, self.forward = ComputedInputs(types.SimpleNamespace(get_inputs=get_inputs), True), list(forward)

    def draw(self, seed):
        return self.inputs.draw(seed, self.forward)


def inputs_of(get_inputs, forward=("x",)):
    return InputsOf(get_inputs, forward)


def chosen(values, forward=("x",), name="x", shape=(3,), dtype=torch.float32):
    return computed_inputs.chosen(values, list(forward), name, shape, dtype)


class ComputedInputsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_and_another_one_others(self):
        for get_inputs in (lambda: [torch.rand(3) * 2], lambda: [torch.tensor([random.random() for _ in range(3)])]):
            inputs = inputs_of(get_inputs)
            first = inputs.draw(2**63 + 5)[0]
            self.assertTrue(torch.equal(inputs.draw(2**63 + 5)[0], first))
            self.assertFalse(torch.equal(inputs.draw(2**63 + 6)[0], first))

    def test_numpy_is_seeded_too(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        inputs = inputs_of(lambda: [torch.from_numpy(numpy.random.rand(3))])
        first = inputs.draw(2**40 + 1)[0]
        self.assertTrue(torch.equal(inputs.draw(2**40 + 1)[0], first))
        self.assertFalse(torch.equal(inputs.draw(2**40 + 2)[0], first))

    def test_seeds_of_the_file_count_for_nothing_and_work_again_afterwards(self):
        def get_inputs():
            random.seed(3)
            torch.manual_seed(3)
            return [torch.rand(3, generator=torch.manual_seed(4)) + random.random()]

        inputs = inputs_of(get_inputs)
        self.assertFalse(torch.equal(inputs.draw(1)[0], inputs.draw(2)[0]))
        torch.manual_seed(3)
        first = torch.rand(3)
        torch.manual_seed(3)
        self.assertTrue(torch.equal(torch.rand(3), first))

    def test_seeds_work_again_after_an_error(self):
        seed = torch.manual_seed

        def get_inputs():
            raise ValueError("no")

        with self.assertRaises(ValueError):
            inputs_of(get_inputs).draw(1)
        self.assertIs(torch.manual_seed, seed)

    def test_the_low_bits_of_a_seed_change_the_numbers_and_nothing_else(self):
        own = 2**40  # no family
        lower = inputs_of(lambda: [torch.randn(50, 50).tril()])
        first = lower.draw(own)[0]
        self.assertTrue((first < 0).any())
        for family, holds in ((9, lambda x: (x >= 0).all()), (10, lambda x: (x <= 0).all()),
                              (12, lambda x: abs(x.tril().sum() / 1275) > 1.5), (15, lambda x: not 0.6 < x.square().sum().div(1275).sqrt() < 1.8),
                              (7, lambda x: (x.abs() < 0.2).float().mean() > 0.8)):
            with self.subTest(family=family):
                changed = lower.draw(own + family)[0]
                self.assertTrue(holds(changed))
                self.assertTrue(torch.equal(changed, changed.tril()))
                self.assertTrue(torch.equal(changed, lower.draw(own + family)[0]), "the same again")

    def test_families_have_the_numbers_of_the_header(self):
        header = (Path(__file__).resolve().parents[2] / "base" / "draw_kind.h").read_text(encoding="utf-8")
        names = re.findall(r"^  (\w+)[, ]", header.partition("enum class Family")[2].partition("};")[0], re.MULTILINE)
        self.assertEqual({number: names[number] for number in FAMILIES}, FAMILIES)

    def test_any_draw_can_have_any_family(self):
        def get_inputs():
            out = torch.empty(4)
            torch.randn(4, out=out)
            return [torch.randint(0, 10, ()), torch.randn(()), torch.randn(3, dtype=torch.cfloat), torch.rand(0), out]

        for family in range(1, 21):
            self.assertEqual([len(each.shape) for each in inputs_of(get_inputs, "abcde").draw(2**40 + family)],
                             [0, 0, 1, 1, 1])

    def test_a_file_that_refuses_a_family_draws_its_own(self):
        def get_inputs():
            x = torch.randint(0, 10, (50,))
            if len(x.unique()) == 1:
                raise ValueError("no")
            return [x]

        self.assertGreater(len(inputs_of(get_inputs).draw(2**40 + 1)[0].unique()), 1)

    def test_other_distributions_keep_their_range(self):
        for family in range(1, 21):
            positive, far = inputs_of(lambda: [torch.empty(99).uniform_(0.5, 1.5), torch.empty(99).normal_(10, 1)],
                                      ("x", "y")).draw(2**40 + family)
            self.assertTrue(((positive >= 0.5) & (positive <= 1.5)).all(), family)
            self.assertTrue(((far > 5) & (far < 15)).all(), family)

    def test_families_keep_to_the_distribution(self):
        for family in range(1, 21):
            values = inputs_of(lambda: [torch.rand(40, 40), torch.randint(3, 9, (40, 40))], ("x", "y")).draw(2**40 + family)
            self.assertTrue(((values[0] >= 0) & (values[0] < 1)).all(), family)
            self.assertTrue(((values[1] >= 3) & (values[1] < 9)).all(), family)
            self.assertEqual(values[1].dtype, torch.int64)
        counts = [len(inputs_of(lambda: [torch.randint(3, 9, (40, 40))]).draw(2**40 + family)[0].unique())
                  for family in (0, 1, 2, 6)]
        self.assertEqual((counts[0], counts[1], counts[3]), (6, 1, 2))
        self.assertLessEqual(counts[2], 3)

    def test_what_is_no_list_of_as_many_is_refused(self):
        for values in (None, torch.rand(3), [], [torch.rand(3)] * 2, {"x": 1}):
            with self.assertRaisesRegex(SignatureMismatch, "return a list of 1 each time"):
                inputs_of(lambda values=values: values).draw(1)

    def test_values_are_found_by_their_place_in_forward(self):
        first, second = torch.rand(3), torch.rand(3)
        self.assertEqual(chosen([first, 2, second], ["x", {"value": 2}, "y"], "y").data_ptr(), second.data_ptr())

    def test_one_without_dimensions_is_one_element(self):
        self.assertEqual(chosen([torch.tensor(2.5)], shape=(1,)).tolist(), [2.5])

    def test_other_shapes_and_types_are_refused(self):
        for value, words in ((torch.rand(4), "gives 'x' of shape \\[4\\], where the case has \\[3\\]"),
                             (torch.rand(3, 1), "shape \\[3, 1\\]"), (3, "gives a int for the input 'x'"),
                             (torch.rand(3).double(), "type float64, where the problem has float32"),
                             (torch.tensor([1, 2, 3]), "type int64")):
            with self.assertRaisesRegex(SignatureMismatch, words):
                chosen([value])


if __name__ == "__main__":
    unittest.main()
