"""Model of a problem's file as the oracle, as the reference, and as a candidate: what a worker answers, without one."""

import math
import tempfile
import textwrap
import unittest
from pathlib import Path

import torch

from module_worker import Worker, drawn

from kgrade_python import contestant, emulated_cuda, emulated_triton, trusted_module
from kgrade_python.module_description import describe, prepare
from kgrade_python.wide_arithmetic import WideArithmetic


class TrustedModuleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prepare()
        # Once a process is enough.
        emulated_cuda.install = emulated_triton.install = lambda *_: None
        cls.temporary = tempfile.TemporaryDirectory()
        contestant.FOLDER = cls.temporary.name

    def look(self, source):
        path = Path(self.temporary.name) / "problem.py"
        source = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" + textwrap.dedent(source)
        path.write_text(source, encoding="utf-8")
        description = describe(str(path))
        self.assertNotIn("error", description)
        return source, description

    def answers(self, source, calls=1):
        """The last answers of the oracle, the reference and a candidate that is Model itself."""
        source, description = self.look(source)
        tensors = drawn(description)
        found = []
        for role, text in (("oracle", source), ("reference", source), (None, source.replace("Model", "ModelNew"))):
            worker = Worker(text, description, role)
            for _ in range(calls):
                answer = worker.call(tensors)
            found.append(answer)
        return tensors, *found

    def assert_near(self, one, other, bound=1e-5):
        self.assertEqual([each.shape for each in one], [each.shape for each in other])
        for a, b in zip(one, other):
            self.assertEqual(a.dtype, b.dtype)
            error = (a.double() - b.double()).norm().item() / max(b.double().norm().item(), 1e-30)
            self.assertLess(error, bound)

    def test_the_oracle_computes_in_double(self):
        source, description = self.look("""
            class Model(nn.Module):
                def forward(self, x):
                    return ((x + 1e8) - 1e8).contiguous()
            def get_inputs(): return [torch.rand(64)]
            def get_init_inputs(): return []
        """)
        tensors = drawn(description)
        self.assertTrue(torch.allclose(Worker(source, description, "oracle").call(tensors)[0], tensors["x"], atol=1e-6))
        self.assertFalse(torch.allclose(Worker(source, description, "reference").call(tensors)[0], tensors["x"], atol=1e-3))

    def test_draws_by_computed_probabilities(self):
        """One of 2^18 draws would differ if the oracle drew by probabilities in float64."""
        tensors, oracle, reference, candidate = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = nn.Linear(64, 64)
                def forward(self, x):
                    p = torch.softmax(torch.tanh(self.linear(x)), dim=-1)
                    chosen = torch.multinomial(p, 1 << 18, replacement=True)
                    return chosen, x[chosen[:4]] + torch.rand(4), torch.bernoulli(p) * x
            def get_inputs(): return [torch.randn(64)]
            def get_init_inputs(): return []
        """, calls=3)
        self.assertTrue(torch.equal(oracle[0], reference[0]))
        self.assertTrue(torch.equal(candidate[0], reference[0]))
        for i in (1, 2):
            self.assert_near(oracle[i:i + 1], reference[i:i + 1])

    LINEAR = """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(8, 4)
            def forward(self, x):
                return self.linear(x)
        def get_inputs(): return [torch.rand(3, 8)]
        def get_init_inputs(): return []
    """

    def test_a_baseline_answers_as_the_reference_in_every_variant(self):
        source, description = self.look(self.LINEAR)
        tensors = drawn(description)
        expected = Worker(source, description, "reference").call(tensors)
        worker = Worker(source, description, "baseline")
        try:
            for variant, tf32 in (("pytorch-tf32", True), ("pytorch-fp32", False)):
                worker.contestant.describe({"variant": variant})
                self.assertEqual(torch.backends.cuda.matmul.allow_tf32, tf32)
                self.assertEqual(torch.backends.cudnn.allow_tf32, tf32)
                self.assertFalse(worker.contestant.is_compiled)
                # Rounded as on a GPU.
                self.assert_near(worker.call(tensors), expected, 1e-3 if tf32 else 1e-5)
        finally:
            trusted_module.choose("pytorch-fp32")

    def test_a_compiled_baseline_is_the_same_module(self):
        source, description = self.look(self.LINEAR)
        tensors = drawn(description)
        worker = Worker(source, description, "baseline")
        compiled, keep = [], trusted_module.compiled
        trusted_module.compiled = lambda module: compiled.append(module) or module
        try:
            worker.contestant.describe({"variant": "pytorch-compile-fp32"})
            first = worker.call(tensors)
            self.assert_near(worker.call(tensors), first, 1e-12)
            worker.contestant.describe({"variant": "pytorch-fp32"})
            self.assert_near(worker.call(tensors), first)
        finally:
            trusted_module.compiled = keep
        self.assertEqual(len(compiled), 1)

    def test_trusted_ones_take_other_weights_that_are_lent_with_a_case(self):
        source, description = self.look(self.LINEAR)
        first, second = drawn(description), drawn(description, seed=2)
        oracle = Worker(source, description, "oracle")
        for role in ("reference", "baseline"):
            worker = Worker(source, description, role)
            self.assert_near(worker.call(first), oracle.call(first))
            worker.describe_case()
            self.assert_near(worker.call(second), oracle.call(second))

    def test_a_module_of_a_section_gets_its_weights_with_every_call(self):
        source, description = self.look(self.LINEAR)
        oracle = Worker(source, description, "oracle")
        worker = Worker("import torch\n\nclass Model(torch.nn.Linear):\n    def __init__(self):\n"
                        "        super().__init__(8, 4)\n", description, "baseline", is_file=False)
        for seed in (1, 2, 3):
            tensors = drawn(description, seed)
            self.assert_near(worker.call(tensors), oracle.call(tensors))

    def test_weights_are_the_problems(self):
        tensors, oracle, reference, candidate = self.answers("""
            class Model(nn.Module):
                def __init__(self, n, scale=1.0):
                    super().__init__()
                    self.linear = nn.Linear(n, 3)
                    self.scale = nn.Parameter(torch.ones(3))
                    self.table = torch.full((3,), scale)
                    self.more = {"tables": [torch.ones(3)]}
                def forward(self, x, factor, y):
                    return (self.linear(x) * self.scale * self.table + y) * factor * self.more["tables"][0]
            def get_inputs(): return [torch.rand(4, 5), 2.0, torch.randn(3)]
            def get_init_inputs(): return [[5], {"scale": 0.5}]
        """)
        expected = (tensors["x"] @ tensors["linear_weight"].T + tensors["linear_bias"]) * tensors["scale"] + 2 * tensors["y"]
        for answer in (oracle, reference, candidate):
            self.assert_near(answer, [expected])

    def test_running_statistics_do_not_run_away(self):
        source = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4)
                    self.register_buffer("count", torch.zeros(1))
                def forward(self, x):
                    self.count = self.count + 1
                    return self.bn(x) + self.count, self.bn.running_mean, self.count
            def get_inputs(): return [torch.rand(8, 4)]
            def get_init_inputs(): return []
        """
        _, *first = self.answers(source)
        _, *third = self.answers(source, calls=3)
        self.assert_near(third[0], first[0], 1e-7)
        self.assert_near(third[1], first[1], 1e-7)
        self.assert_near(first[0], first[1])
        self.assert_near(first[2], first[1], 1e-30)
        self.assert_near(third[2], first[2], 1e-30)
        # Nor do they from one launch of a call to the next.
        source, description = self.look(source)
        tensors = drawn(description)
        for role, text in (("oracle", source), ("reference", source), (None, source.replace("Model", "ModelNew"))):
            worker = Worker(text, description, role)
            worker.call(tensors)
            for answer in worker.launch([tensors, drawn(description, 2), tensors])[::2]:
                self.assert_near(answer, first[0])

    def test_buffers_of_a_candidate_that_model_does_not_change_stay(self):
        source = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4)
                    self.register_buffer("mask", torch.ones(4))
                def forward(self, x): return self.bn(x) * self.mask, self.bn.running_mean
            def get_inputs(): return [torch.rand(8, 4)]
            def get_init_inputs(): return []
        """
        source, description = self.look(source)
        # It fills its own in its first call, and converts all of them.
        answer = "import torch\nimport torch.nn as nn\n" + textwrap.dedent("""
            class ModelNew(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.norm = nn.BatchNorm1d(4)
                    self.register_buffer("mask", torch.zeros(4))
                    self.ready = False
                def forward(self, x):
                    if not self.ready:
                        self.ready = True
                        self.mask += 1
                        self.double()
                    y = self.norm(x.double()) * self.mask
                    return y.float(), self.norm.running_mean.float()
        """)
        tensors = drawn(description)
        expected = Worker(source, description, "reference").call(tensors)
        worker = Worker(answer, description, None)
        for _ in range(3):
            self.assert_near(worker.call(tensors), expected)

    def test_a_large_buffer_of_a_candidate_is_not_put_back(self):
        # Zeros that nobody waits for would save a candidate time.
        source, description = self.look("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("total", torch.zeros(1))
                def forward(self, x):
                    self.total += 1
                    return x + self.total
            def get_inputs(): return [torch.rand(3)]
            def get_init_inputs(): return []
        """)
        tensors = drawn(description)
        answer = source.replace("class Model", "class ModelNew").replace("x + self.total", "x + self.total[:3]")
        for elements, expected in ((1 << 20, 1), ((1 << 20) + 1, 2)):
            worker = Worker(answer.replace("zeros(1)", f"zeros({elements})"), description, None)
            worker.call(tensors)
            self.assert_near(worker.call(tensors), [tensors["x"] + expected])

    def test_inference_tensors_are_put_back_too(self):
        source = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    with torch.inference_mode():
                        self.register_buffer("count", torch.zeros(1))
                @torch.inference_mode()
                def forward(self, x):
                    self.count += 1
                    return x + self.count
            def get_inputs(): return [torch.rand(3)]
            def get_init_inputs(): return []
        """
        tensors, *answers = self.answers(source, calls=3)
        for answer in answers:
            self.assert_near([answer[0].clone()], [tensors["x"] + 1])

    def test_dropout_and_draws_are_the_same_for_all(self):
        _, oracle, reference, candidate = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.dropout = nn.Dropout(0.3)
                def forward(self, x):
                    noise = torch.randn(64, 4) + torch.rand_like(x) + torch.empty(64, 4).normal_(2, 3)
                    return self.dropout(x) + F.dropout(x, 0.5) + noise + torch.bernoulli(x) + torch.normal(0.0, 1.0, (64, 4))
            def get_inputs(): return [torch.rand(64, 4)]
            def get_init_inputs(): return []
        """, calls=2)
        self.assert_near(oracle, reference)
        self.assert_near(candidate, reference, 1e-30)

    def test_each_call_draws_under_the_seed_that_it_gets(self):
        source, description = self.look("""
            class Model(nn.Module):
                def forward(self, x): return F.dropout(x, 0.5)
            def get_inputs(): return [torch.rand(64, 4)]
            def get_init_inputs(): return []
        """)
        tensors = drawn(description)
        workers = [Worker(source, description, "reference"), Worker(source.replace("Model", "ModelNew"), description, None)]
        masks = [[worker.launch([tensors], seed)[0][0] != 0 for seed in (1, 2, 1)] for worker in workers]
        for first, second, again in masks:
            self.assertFalse(torch.equal(first, second))
            self.assertTrue(torch.equal(first, again))
        self.assertTrue(torch.equal(masks[0][1], masks[1][1]))

    def test_a_candidate_returns_copies_of_what_it_has_from_the_beginning(self):
        source, description = self.look("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.weight = nn.Parameter(torch.rand(4))
                    self.register_buffer("table", torch.arange(4.0))
                    self.mask, self.answer = [torch.ones(4)], None
                def forward(self, x):
                    if self.answer is None:
                        self.answer = torch.empty(4)
                    return self.weight, self.table.view(2, 2), self.mask[0], self.answer.copy_(x)
            def get_inputs(): return [torch.rand(4)]
            def get_init_inputs(): return []
        """)
        worker = Worker(source.replace("Model", "ModelNew"), description, None)
        worker.call(drawn(description))
        module = worker.contestant.current.module.module
        returned = [each.data_ptr() for each in worker.contestant.current.answers.tensors]
        for kept in (module.weight, module.table, module.mask[0]):
            self.assertNotIn(kept.data_ptr(), returned)
        self.assertEqual(returned[3], module.answer.data_ptr())

    PASSES_ON = """
        class Model(nn.Module):
            def forward(self, x): return x.view(2, 2), x + 1
        def get_inputs(): return [torch.rand(4)]
        def get_init_inputs(): return []
    """

    def addresses(self, worker, contents):
        """The addresses of the answers of each launch of one call."""
        addresses = []
        worker.contestant.call = lambda arguments, call=worker.contestant.call: (
            call(arguments), addresses.append(arguments[-2:]))
        worker.launch(contents)
        return addresses

    def test_the_clock_of_the_reference_has_no_copy_of_an_input_that_it_passes_on(self):
        source, description = self.look(self.PASSES_ON)
        contents = [drawn(description, seed) for seed in range(3)]
        for role, text in (("reference", source), ("baseline", source), (None, source.replace("Model", "ModelNew"))):
            worker = Worker(text, description, role)
            for _ in range(2):  # the second call has the same addresses, as those of lent memory may be
                for (first, second), tensors in zip(self.addresses(worker, contents), contents):
                    self.assertEqual(first, tensors["x"].data_ptr())
                    self.assertNotEqual(second, first)
            self.assertFalse(worker.contestant.current.answers.is_reused)

    def test_the_reference_copies_an_input_that_no_candidate_may_return(self):
        source, description = self.look(self.PASSES_ON)
        for output in description["outputs"]:
            output.pop("of_input", None)
        tensors = drawn(description)
        for role in ("reference", "baseline"):
            worker = Worker(source, description, role)
            ((first, _),) = self.addresses(worker, [tensors])
            self.assertNotEqual(first, tensors["x"].data_ptr())
            self.assertTrue(torch.equal(worker.call(tensors)[0].view(-1), tensors["x"]))

    def test_launches_of_a_candidate_that_keeps_its_output_have_answers_of_their_own(self):
        for keeps in ("[self.y]", "[self.y, self.z]"):
            source, description = self.look("""
                class Model(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.kept = None
                    def forward(self, x):
                        if self.kept is None:
                            self.y, self.z = torch.empty(4), torch.empty(4)
                            self.kept = KEEPS
                        self.kept.reverse()
                        return self.kept[0].copy_(x)
                def get_inputs(): return [torch.rand(4)]
                def get_init_inputs(): return []
            """.replace("KEEPS", keeps))
            worker = Worker(source.replace("Model", "ModelNew"), description, None)
            contents = [drawn(description, seed) for seed in range(5)]
            for tensors in contents[:3]:
                worker.call(tensors)
            for tensors, answer in zip(contents, worker.launch(contents)):
                self.assertTrue(torch.equal(answer[0], tensors["x"]))

    def test_fused_dropout_has_the_mask_of_single_precision(self):
        # Only GPUs fuse it.
        values = torch.rand(50, dtype=torch.float64)
        torch.manual_seed(3)
        expected = torch.native_dropout(torch.ones(50), 0.25, True)
        torch.manual_seed(3)
        with WideArithmetic(torch.float32, torch.float32):
            result, mask = torch.native_dropout(values, 0.25, True)
        self.assertTrue(torch.equal(mask, expected[1]))
        self.assertTrue(torch.allclose(result, values * mask / 0.75))

    def test_a_state_that_forward_draws(self):
        _, oracle, reference, _ = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.lstm = nn.LSTM(3, 4, 2, batch_first=True)
                def forward(self, x):
                    h0, c0 = torch.randn(2, x.size(0), 4), torch.zeros(2, x.size(0), 4, device=x.device)
                    return self.lstm(x, (h0, c0))
            def get_inputs(): return [torch.rand(2, 5, 3)]
            def get_init_inputs(): return []
        """)
        self.assertEqual([list(each.shape) for each in oracle], [[2, 5, 4], [2, 2, 4], [2, 2, 4]])
        self.assert_near(oracle, reference)

    def test_views_and_other_types(self):
        tensors, *answers = self.answers("""
            class Model(nn.Module):
                def forward(self, x, labels):
                    top = x.max(dim=1)
                    return x.t() * 2, [top.values, top.indices], x > 0.5, labels + 1
            def get_inputs(): return [torch.rand(6, 4), torch.randint(0, 9, (6,))]
            def get_init_inputs(): return []
        """)
        for answer in answers:
            self.assertEqual([each.dtype for each in answer],
                             [torch.float32, torch.float32, torch.int64, torch.bool, torch.int64])
            self.assertTrue(all(each.is_contiguous() for each in answer))
            self.assertTrue(torch.equal(answer[0], tensors["x"].t() * 2))
            self.assertTrue(torch.equal(answer[4], tensors["labels"] + 1))

    def test_a_model_that_returns_its_input(self):
        source, description = self.look("""
            class Model(nn.Module):
                def forward(self, x): return x.view(-1)
            def get_inputs(): return [torch.rand(2, 3)]
            def get_init_inputs(): return []
        """)
        tensors = drawn(description)
        for role in ("oracle", "reference"):
            self.assertTrue(torch.equal(Worker(source, description, role).call(tensors)[0], tensors["x"].view(-1)))

    def test_a_derived_weight_under_its_own_name_is_the_problems(self):
        tensors, *answers = self.answers("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    layer = nn.Linear(3, 3, bias=False)
                    self.weight = nn.Parameter(layer.weight.t().contiguous())
                def forward(self, x): return x @ self.weight
            def get_inputs(): return [torch.rand(2, 3)]
            def get_init_inputs(): return []
        """)
        for answer in answers:
            self.assert_near(answer, [tensors["x"] @ tensors["weight"]])

    def test_eval_and_special_arguments(self):
        _, oracle, reference, candidate = self.answers("""
            class Model(nn.Module):
                def __init__(self, sizes, low, name=None, **more):
                    super().__init__()
                    assert isinstance(sizes, tuple) and isinstance(more["table"], dict) and name is None
                    self.low = low
                    self.dropout = nn.Dropout(0.5)
                    self.eval()
                def forward(self, x): return self.dropout(x.clamp_min(self.low) * 2)
            def get_inputs(): return [torch.rand(6)]
            def get_init_inputs(): return [[(1, 2), -float("inf")], {"name": None, "table": {1: [2]}}]
        """)
        self.assertGreater(oracle[0].count_nonzero().item(), 5)
        self.assert_near(oracle, reference, 1e-7)
        self.assert_near(candidate, reference, 1e-7)
        self.assertTrue(math.isfinite(oracle[0].sum().item()))


if __name__ == "__main__":
    unittest.main()
