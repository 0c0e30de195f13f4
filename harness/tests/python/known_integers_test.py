"""Files that are too large to run: their floating tensors have no memory, and their integers have values."""

import time
import unittest

import torch

from described_file import DescribedFile

from kgrade_python.draws import storage_of  # noqa: E402
from kgrade_python.known_integers import KnownIntegers  # noqa: E402

LARGE = 1 << 27


class KnownIntegersTest(DescribedFile):
    def shapes(self, forward, inputs, note=None):
        """The shape of the output, and the terms. Nothing of this size is computed."""
        began = time.monotonic()
        found = self.described(f"""
class Model(nn.Module):
    def forward(self, x, *more):
{forward}
def get_inputs():
    return [torch.rand({LARGE // 1024}, 1024), {inputs}]
def get_init_inputs(): return []
""")
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(any("made-up" in each for each in found["notes"]), note is not None)
        return found["outputs"][0]["shape"], found["terms"]

    def test_lengths_among_the_inputs(self):
        shape, terms = self.shapes("""
        rows = [x[: int(length.item())] @ x[0] for length in more[0]]
        return torch.cat(rows)
""", "torch.tensor([3, 5, 70000])")
        self.assertEqual((shape, terms), ([70008], 1024))

    def test_offsets_that_are_computed(self):
        shape, _ = self.shapes("""
        ends = torch.cumsum(more[0], 0)
        out = torch.empty(int(ends[-1]), 7)
        for begin, end in zip([0, *ends.tolist()], ends.tolist()):
            out[begin:end] = x[begin:end] @ torch.ones(1024, 7)
        return out
""", "torch.full((9,), 5000)")
        self.assertEqual(shape, [45000, 7])

    def test_rows_that_are_chosen_by_scores(self):
        """Every expert gets rows, so the sums of all are seen."""
        shape, terms = self.shapes("""
        scores, experts = torch.topk(x @ torch.ones(1024, 8), 2, dim=-1)
        out = torch.zeros_like(x)
        for expert in range(8):
            rows, places = (experts == expert).nonzero(as_tuple=True)
            if rows.numel():
                out.index_add_(0, rows, x[rows] @ torch.ones(1024, 1024) * scores[rows, places].unsqueeze(1))
        return out
""", "")
        self.assertEqual(shape, [LARGE // 1024, 1024])
        self.assertGreaterEqual(terms, 1024)

    def test_an_integer_that_depends_on_the_inputs_is_noted(self):
        shape, _ = self.shapes("""
        if x.argmax().item() >= 0:
            return x[:5] * 2
        return x
""", "", note="made-up")
        self.assertEqual(shape, [5, 1024])

    def test_masks(self):
        shape, _ = self.shapes("""
        mask = torch.tril(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool))
        return (x[:1024].masked_fill(~mask, 0) + (x[:1024] > 0.5)).cumsum(0)
""", "")
        self.assertEqual(shape, [1024, 1024])

    def test_integers_that_are_written(self):
        shape, _ = self.shapes("""
        codes = torch.empty(2 * more[0].shape[0], dtype=torch.uint8)
        codes[0::2], codes[1::2] = more[0] & 15, more[0] >> 4
        return x * codes[: x.shape[1]]
""", "torch.randint(0, 256, (1024,), dtype=torch.uint8)")
        self.assertEqual(shape, [LARGE // 1024, 1024])

    def test_results_of_repeated_operators(self):
        """Each call gives a tensor of the same form as with memory, and with a storage of its own. Scalars and types
        count, though Python takes 2, 2.0 and True for equal."""
        def results(x, half, steps):
            found = []
            for _ in range(3):
                for scale in (2, 2.0, True, steps):
                    found += [half * scale, x.t() + half, x.to(torch.float16, copy=True), x[:, 1], x[1:].unsqueeze(0)]
                found += [x.sum(0), x.sum(0, keepdim=True), x @ x.t(), x.t().clone(), torch.cat([x, x.t().reshape(x.shape)]),
                          torch.where(steps[0] > 0, x, 0), x.mul_(2), half[:, 0].copy_(x[0]), torch.zeros_like(half)]
            return found

        def made():
            return torch.rand(4, 6), torch.rand(6, 4, dtype=torch.float16)[:, :1], torch.arange(6).reshape(6, 1)

        def forms(x, half, steps):
            tensors = results(x, half, steps)
            storages = [storage_of(each) for each in (x, half, steps, *tensors)]
            return [(each.shape, each.stride(), each.dtype, each.storage_offset(), storages.index(storage_of(each)))
                    for each in tensors]

        with torch.no_grad():
            expected = forms(*made())
            with KnownIntegers() as known:
                self.assertEqual(forms(*made()), expected)
            self.assertGreater(len(known.results.forms), 10)

    def test_a_read_element_of_a_constant(self):
        """PyTorch knows the elements of a constant until they are written."""
        with torch.no_grad(), KnownIntegers():
            for value in (0.5, 1.5):
                constant = torch.tensor(value)
                self.assertEqual((constant * 2).item(), 2 * value)

    def test_a_long_loop(self):
        """Nothing depends on the number of steps, except the operators that round."""
        shape, terms = self.shapes("""
        out = []
        state = torch.zeros(1024)
        for step in range(4000):
            state = state * 0.5 + x[step]
            out.append(state)
        return torch.stack(out)
""", "")
        self.assertEqual((shape, terms), ([4000, 1024], 1))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
