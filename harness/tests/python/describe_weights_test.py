"""What the description of a file with Model says about weights and buffers: their draws, names, and changes."""

import unittest

from described_file import DescribedFile, uniform

from kgrade_python.identifiers import Names


class DescribeWeightsTest(DescribedFile):
    def test_draws_of_weights(self):
        weights, found = self.weights("""
            self.conv = nn.Conv2d(4, 8, 3)
            self.norm = nn.LayerNorm(5)
            self.table = nn.Embedding(10, 4)
            self.plain = nn.Parameter(torch.randn(3, 3))
            self.scaled = nn.Parameter(torch.randn(3) * 0.02 - 1)
            self.kaiming = nn.Parameter(torch.empty(6, 6))
            nn.init.kaiming_normal_(self.kaiming)
            self.later = nn.Parameter(torch.zeros(6, 6))
            self.later.data.uniform_(-0.25, 0.25)
            self.five = nn.Parameter(torch.full((2,), -5.0))
            self.copied = nn.Parameter(torch.zeros(4))
            self.copied.data.copy_(torch.rand(4))
            self.reversed = nn.Parameter(1 - torch.rand(4) / 2)
        """)
        self.assertEqual(found["notes"], [])
        third = 1 / 6
        for name, draw, is_constant in (
                ("conv.weight", uniform(-third, third), False), ("conv.bias", uniform(-third, third), False),
                ("norm.weight", uniform(0.9, 1.1), True), ("norm.bias", uniform(-0.1, 0.1), True),
                ("table.weight", {"kind": "normal", "first": 0, "second": 1}, False),
                ("plain", {"kind": "normal", "first": 0, "second": 1}, False),
                ("scaled", {"kind": "normal", "first": -1, "second": 0.02}, False),
                ("kaiming", {"kind": "normal", "first": 0, "second": 3**-0.5}, False),
                ("later", uniform(-0.25, 0.25), False), ("five", uniform(-5.5, -4.5), True), ("copied", uniform(0, 1), False),
                ("reversed", uniform(0.5, 1), False)):
            with self.subTest(name):
                found = weights[name]
                self.assertEqual((found["draw"]["kind"], found["constant"]), (draw["kind"], is_constant))
                self.assertAlmostEqual(found["draw"]["first"], draw["first"], places=6)
                self.assertAlmostEqual(found["draw"]["second"], draw["second"], places=6)

    def test_numbers_that_are_arguments_keep_their_value(self):
        found = self.described("""
            class Model(nn.Module):
                def __init__(self, channels, scale, shift):
                    super().__init__()
                    self.scale = nn.Parameter(torch.tensor(scale))
                    self.shift = nn.Parameter(torch.tensor(shift))
                    self.gain = nn.Parameter(torch.tensor(scale * 2))
                    self.one = nn.Parameter(torch.tensor(1.0))
                    self.norm = nn.BatchNorm1d(channels)
                def forward(self, x): return self.norm(x * self.scale + self.shift) * self.gain * self.one
            def get_inputs(): return [torch.rand(3, 1)]
            def get_init_inputs(): return [1, 0.3, -2.0]
        """)
        weights = {each["module_name"]: each for each in found["weights"]}
        for name, value in (("scale", 0.3), ("shift", -2)):
            with self.subTest(name):
                self.assertEqual((weights[name]["draw"]["kind"], weights[name]["constant"]), ("constant", False))
                self.assertAlmostEqual(weights[name]["draw"]["first"], value, places=6)
        for name in ("gain", "one", "norm.weight"):
            with self.subTest(name):
                self.assertTrue(weights[name]["constant"], "it is not what the constructor gets")

    def test_what_cannot_be_read_off_is_measured(self):
        weights, found = self.weights("""
            self.made = nn.Parameter(torch.randn(200, 200).exp())
            self.orthogonal = nn.Parameter(nn.init.orthogonal_(torch.empty(64, 64)))
            self.truncated = nn.Parameter(nn.init.trunc_normal_(torch.empty(200, 200), std=0.02))
            self.padded = nn.Embedding(100, 100, padding_idx=0)
            self.same = nn.Parameter(torch.ones(3).exp())
            self.range = nn.Parameter(torch.arange(5.0))
        """)
        for name, mean, deviation in (("orthogonal", 0, 0.125), ("truncated", 0, 0.02), ("padded.weight", 0, 1)):
            with self.subTest(name):
                draw = weights[name]["draw"]
                self.assertEqual(draw["kind"], "normal")
                self.assertAlmostEqual(draw["first"], mean, delta=0.1)
                self.assertAlmostEqual(draw["second"], deviation, delta=deviation / 5)
        self.assertTrue(weights["same"]["constant"])
        # PyTorch draws truncated ones in another way in each version.
        noted = " ".join(found["notes"])
        for name in ("orthogonal", "padded.weight"):
            self.assertIn(f"'{name}' is drawn from a normal distribution", noted)

    def test_measured_weights_keep_their_sign(self):
        weights, found = self.weights("""
            self.made = nn.Parameter(torch.randn(200, 200).exp())
            self.below = nn.Parameter(-torch.randn(200, 200).abs())
            self.range = nn.Parameter(torch.arange(5.0))
        """)
        for name, low, high in (("made", 0, 5.4), ("below", -1.84, 0), ("range", 0, 4)):
            with self.subTest(name):
                draw = weights[name]["draw"]
                self.assertEqual(draw["kind"], "uniform")
                self.assertGreaterEqual(draw["first"] * draw["second"], 0)
                self.assertAlmostEqual(draw["first"], low, delta=0.3)
                self.assertAlmostEqual(draw["second"], high, delta=0.6)
                self.assertIn(f"'{name}' has one sign", " ".join(found["notes"]))

    def test_weights_that_hold_nothing_or_no_numbers(self):
        weights, found = self.weights("""
            self.raw = nn.Parameter(torch.empty(3))
            self.bad = nn.Parameter(torch.full((3,), float("nan")))
            self.worse = nn.Parameter(torch.tensor([1.0, float("inf")]))
        """)
        self.assertEqual({tuple(each["draw"].values()) for each in weights.values()}, {("normal", 0.0, 0.1)})
        self.assertIn("never initialised", found["notes"][0])
        self.assertEqual(len(found["notes"]), 3)

    def test_batch_norm_has_buffers(self):
        weights, found = self.weights("self.bn = nn.BatchNorm2d(4)")
        self.assertEqual(set(weights), {"bn.weight", "bn.bias"})
        self.assertEqual(found["buffers"], [
            {"module_name": "bn.running_mean", "shape": [4], "dtype": "float32", "changes": False},
            {"module_name": "bn.running_var", "shape": [4], "dtype": "float32", "changes": False},
            {"module_name": "bn.num_batches_tracked", "shape": [], "dtype": "int64", "changes": False}])

    def test_running_statistics_that_a_norm_reads_are_weights(self):
        weights, found = self.weights("self.bn = nn.BatchNorm2d(4).eval()")
        self.assertEqual(weights["bn.running_mean"]["draw"], uniform(-0.1, 0.1))
        self.assertEqual(weights["bn.running_var"]["draw"], uniform(0.9, 1.1))
        self.assertEqual([each["module_name"] for each in found["buffers"]], ["bn.num_batches_tracked"])

    def test_dropout_in_recurrent_layers(self):
        source = """
            class Model(nn.Module):
                def __init__(self, layers, dropout):
                    super().__init__()
                    self.rnn = nn.GRU(3, 4, layers, dropout=dropout)
                    {more}
                def forward(self, x): return self.rnn(x)[0]
            def get_inputs(): return [torch.rand({rows}, 2, 3)]
            def get_init_inputs(): return {arguments}
        """
        for rows in (5, 100_000):
            self.error(source.format(more="", rows=rows, arguments=[2, 0.5]), "'rnn' drops out between its layers",
                       "dropout=0", line=2)
        self.described(source.format(more="", rows=5, arguments=[2, 0.0]))
        self.described(source.format(more="self.eval()", rows=5, arguments=[2, 0.5]))
        with self.assertWarns(UserWarning):  # PyTorch's: one layer has nothing to drop
            self.described(source.format(more="", rows=5, arguments=[1, 0.5]))

    def test_files_for_inference_alone(self):
        source = """
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.linear = nn.Linear(4, 4)
                def forward(self, x):
                    assert {condition}, "inference only"
                    return self.linear(x)
            def get_inputs(): return [torch.rand(8, 4)]
            def get_init_inputs(): return []
        """
        for condition, mode in [("True", "train"), ("not self.training", "eval"), ("not self.linear.training", "eval")]:
            with self.subTest(condition):
                self.assertEqual(self.described(source.format(condition=condition))["mode"], mode)
        self.error(source.format(condition="x is None"), "forward() raised AssertionError: inference only")

    def test_what_failed_in_training_mode_does_not_count(self):
        found = self.described("""
            class Model(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bn = nn.BatchNorm1d(4)
                    self.register_buffer("scale", torch.ones(1))
                def forward(self, x):
                    y = self.bn(x)
                    if self.training:
                        self.scale.mul_(0.9)
                        raise RuntimeError("inference only")
                    return y * self.scale
            def get_inputs(): return [torch.rand(8, 4)]
            def get_init_inputs(): return []
        """)
        self.assertEqual(found["mode"], "eval")
        self.assertLessEqual({"bn.running_mean", "bn.running_var"}, {each["module_name"] for each in found["weights"]})
        self.assertEqual({each["module_name"]: each["changes"] for each in found["buffers"]},
                         {"bn.num_batches_tracked": False, "scale": False})

    def test_buffers_that_a_forward_changes(self):
        for rows in (2, 200_000):  # run as it is, and without memory
            found = self.described(f"""
                class Model(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.bn = nn.BatchNorm2d(4)
                        self.instance = nn.InstanceNorm2d(4, track_running_stats=True)
                        self.constant = nn.BatchNorm2d(4).eval()
                        self.register_buffer("count", torch.zeros(1))
                        self.register_buffer("größe", torch.zeros(1))
                        self.register_buffer("mask", torch.ones(1))
                    def forward(self, x):
                        self.count = self.count + 1
                        self.größe += 1
                        return self.constant(self.instance(self.bn(x))) * self.mask + self.count
                def get_inputs(): return [torch.rand({rows}, 4, 8, 8)]
                def get_init_inputs(): return []
            """)
            self.assertEqual([each["module_name"] for each in found["buffers"] if each["changes"]],
                             ["count", "bn.running_mean", "bn.running_var", "bn.num_batches_tracked",
                              "instance.running_mean", "instance.running_var"])

    def test_names_are_identifiers_and_unique(self):
        names = Names()
        self.assertEqual([names.give(each) for each in (
            "conv.weight", "conv_weight", "conv__weight", "0.weight", "class", "lambda", "size_t", "__x", "größe", "", "_")],
            ["conv_weight", "conv_weight_2", "conv_weight_3", "p0_weight", "class_value", "lambda_value", "size_t_value", "x",
             "gr_e", "p", "p_2"])
        _, found = self.weights("self.x = nn.Parameter(torch.rand(2))\nself.output = nn.Parameter(torch.rand(2))")
        self.assertEqual([each["name"] for part in ("inputs", "weights", "outputs") for each in found[part]],
                         ["x", "x_2", "output", "output_2"])

    def test_one_weight_under_two_names_is_one(self):
        weights, _ = self.weights("self.a = nn.Linear(3, 3, bias=False)\nself.b = nn.Linear(3, 3, bias=False)\n"
                                  "self.b.weight = self.a.weight")
        self.assertEqual(set(weights), {"a.weight"})

    # Outputs.


if __name__ == "__main__":
    unittest.main()
