"""Small problems in the form of KernelBench's files, written here, and one right answer to each.

A problem is a file with Model, get_inputs and get_init_inputs: one operator in the folder level1, a chain of operators
in level2. Its answer defines ModelNew, which computes the same by calls of functions instead of modules, or by simpler
operators. No two files are alike. No tensor is larger than 16 MB."""

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

# The number of different files from one template.
VARIANTS = 40

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@dataclass
class Template:
    """`model` and `answer` are expressions of the inputs x and y and of the members that `init` sets. All texts may
    contain {names}, whose values `sizes` gives."""

    level: int
    name: str
    model: str
    answer: str
    inputs: list
    sizes: Callable  # from a number below VARIANTS to the values of {names}
    init: list = field(default_factory=list)  # lines of __init__


def pick(variant, values):
    return values[variant % len(values)]


def rows(variant):
    return 256 + 16 * variant


def side(variant):
    return 24 + variant


# Each activation as a module, and as an expression of {0}. The first WITHOUT_LIMIT activations have no upper limit. The
# others have the same value, or nearly so, for all large inputs.
ACTIVATIONS = {
    "gelu": ("nn.GELU()", "F.gelu({0})"),
    "silu": ("nn.SiLU()", "F.silu({0})"),
    "elu": ("nn.ELU(alpha=0.7)", "F.elu({0}, alpha=0.7)"),
    "leaky_relu": ("nn.LeakyReLU(0.05)", "F.leaky_relu({0}, 0.05)"),
    "softplus": ("nn.Softplus()", "F.softplus({0})"),
    "mish": ("nn.Mish()", "F.mish({0})"),
    "relu": ("nn.ReLU()", "torch.clamp({0}, min=0)"),
    "sigmoid": ("nn.Sigmoid()", "torch.sigmoid({0})"),
    "tanh": ("nn.Tanh()", "torch.tanh({0})"),
    "hardtanh": ("nn.Hardtanh()", "torch.clamp({0}, -1, 1)"),
}
WITHOUT_LIMIT = 7


def activation(variant, of_what, count=len(ACTIVATIONS)):
    module, expression = pick(variant, list(ACTIVATIONS.values())[:count])
    return {"activation": module, "activated": expression.format(of_what)}


# Each reduction of x over one dimension: as `Model` writes it, and as the answer computes it by other functions.
REDUCTIONS = {
    "sum": ("x.sum(dim={dim})", "x.movedim({dim}, -1).sum(dim=-1)"),
    "mean": ("x.mean(dim={dim})", "x.sum(dim={dim}) / x.shape[{dim}]"),
    "max": ("torch.max(x, dim={dim})[0]", "torch.amax(x, dim={dim})"),
    "min": ("torch.min(x, dim={dim})[0]", "-torch.amax(-x, dim={dim})"),
    "norm": ("torch.linalg.vector_norm(x, dim={dim})", "x.square().sum(dim={dim}).sqrt()"),
    "logsumexp": ("torch.logsumexp(x, dim={dim})", "x.exp().sum(dim={dim}).log()"),
    "variance": ("x.var(dim={dim})", "(x - x.mean(dim={dim}, keepdim=True)).square().sum(dim={dim}) / (x.shape[{dim}] - 1)"),
}


def reduction(variant):
    dim = variant % 3
    call, function = pick(variant, list(REDUCTIONS.values()))
    return {"call": call.format(dim=dim), "function": function.format(dim=dim), "rows": 64 + variant}


def loss(variant):
    call, expression = pick(variant, [
        ("F.mse_loss(x, y)", "(x - y).square().mean()"),
        ("F.l1_loss(x, y)", "(x - y).abs().mean()"),
        ("F.huber_loss(x, y)", "F.smooth_l1_loss(x, y)"),
        ("(1 - F.cosine_similarity(x, y, dim=1)).mean()",
         "(1 - (x * y).sum(dim=1) / (x.norm(dim=1) * y.norm(dim=1))).mean()"),
        ("torch.clamp(1 - x * y, min=0).mean()", "F.relu(1 - x * y).mean()"),
    ])
    return {"call": call, "function": expression, "rows": rows(variant)}


TEMPLATES = [
    Template(1, "activation", "self.activation(x)", "{activated}", ["torch.randn({rows}, 2048)"],
             lambda v: {"rows": rows(v), **activation(v, "x")}, ["self.activation = {activation}"]),
    Template(2, "linear_activation_scale", "self.activation(self.linear(x)) * self.scale", "{activated} * self.scale",
             ["torch.randn({rows}, 512)"],
             lambda v: {"rows": rows(v), "scale": 0.5 + 0.25 * v,
                        **activation(v + 1, "F.linear(x, self.linear.weight, self.linear.bias)")},
             ["self.linear = nn.Linear(512, 384)", "self.activation = {activation}", "self.scale = {scale}"]),
    Template(1, "reduction", "{call}", "{function}", ["torch.randn(32, {rows}, 512)"], reduction),
    Template(2, "conv2d_bias_relu", "self.relu(self.conv(x) + self.bias)",
             "torch.clamp(F.conv2d(x, self.conv.weight, self.conv.bias, padding={padding}) + self.bias, min=0)",
             ["torch.randn(8, 16, {side}, {side})"], lambda v: {"side": side(v), "padding": v % 3},
             ["self.conv = nn.Conv2d(16, 32, 3, padding={padding})", "self.bias = nn.Parameter(torch.randn(32, 1, 1))",
              "self.relu = nn.ReLU()"]),
    Template(1, "softmax", "torch.softmax(x, dim=1)",
             "torch.exp(x - x.amax(dim=1, keepdim=True)) / "
             "torch.exp(x - x.amax(dim=1, keepdim=True)).sum(dim=1, keepdim=True)",
             ["torch.randn({rows}, 4096)"], lambda v: {"rows": rows(v)}),
    Template(2, "linear_group_norm_activation", "self.activation(self.norm(self.linear(x)))", "{activated}",
             ["torch.randn({rows}, 256)"],
             lambda v: {"rows": rows(v), "groups": pick(v, [4, 8, 16]),
                        **activation(v + 2, "F.group_norm(F.linear(x, self.linear.weight, self.linear.bias), "
                                            f"{pick(v, [4, 8, 16])}, self.norm.weight, self.norm.bias)")},
             ["self.linear = nn.Linear(256, 512)", "self.norm = nn.GroupNorm({groups}, 512)",
              "self.activation = {activation}"]),
    Template(1, "layer_norm", "self.norm(x)", "F.layer_norm(x, ({features},), self.norm.weight, self.norm.bias)",
             ["torch.randn(16, {rows}, {features})"], lambda v: {"rows": 64 + v, "features": pick(v, [256, 512, 768])},
             ["self.norm = nn.LayerNorm({features})"]),
    Template(2, "conv2d_pool_sigmoid_sum", "torch.sigmoid(self.pool(self.conv(x))).sum(dim=(1, 2, 3))",
             "F.{pool}_pool2d(F.conv2d(x, self.conv.weight, self.conv.bias), 2).sigmoid().flatten(1).sum(dim=1)",
             ["torch.randn(64, 8, {side}, {side})"],
             lambda v: {"side": side(v), "pool": pick(v, ["avg", "max"]), "Pool": pick(v, ["Avg", "Max"])},
             ["self.conv = nn.Conv2d(8, 16, 3)", "self.pool = nn.{Pool}Pool2d(2)"]),
    Template(1, "matmul", "torch.matmul(x, y)", "F.linear(x, y.T)", ["torch.randn({rows}, 512)", "torch.randn(512, 640)"],
             lambda v: {"rows": rows(v)}),
    Template(2, "linear_residual_layer_norm", "self.norm(x + self.linear(x))",
             "F.layer_norm(x + x @ self.linear.weight.T + self.linear.bias, (384,), self.norm.weight, self.norm.bias)",
             ["torch.randn({rows}, 384)"], lambda v: {"rows": rows(v)},
             ["self.linear = nn.Linear(384, 384)", "self.norm = nn.LayerNorm(384)"]),
    Template(1, "conv2d", "self.conv(x)", "F.conv2d(x, self.conv.weight, stride={stride}, dilation={dilation})",
             ["torch.randn(8, 16, {side}, {side})"],
             lambda v: {"side": side(v), "stride": 1 + v % 2, "dilation": 1 + v // 2 % 2},
             ["self.conv = nn.Conv2d(16, 24, 3, stride={stride}, dilation={dilation}, bias=False)"]),
    Template(2, "matmul_scale_softmax", "self.softmax(torch.matmul(x, y) * {scale})",
             "torch.exp(torch.log_softmax((x @ y) * {scale}, dim=-1))",
             ["torch.randn({rows}, 128)", "torch.randn(128, 512)"],
             lambda v: {"rows": rows(v), "scale": 0.125 + 0.0625 * (v % 4)}, ["self.softmax = nn.Softmax(dim=-1)"]),
    Template(1, "pooling", "self.pool(x)", "F.{pool}_pool2d(x, {kernel}, stride=2, padding=1)",
             ["torch.randn(16, 32, {side}, {side})"],
             lambda v: {"side": side(v), "kernel": 2 + v % 3, "pool": pick(v, ["max", "avg"]), "Pool": pick(v, ["Max", "Avg"])},
             ["self.pool = nn.{Pool}Pool2d({kernel}, stride=2, padding=1)"]),
    Template(2, "conv_transpose2d_clamp_divide", "torch.clamp(self.conv(x), {low}, 1.0) / {divisor}",
             "F.hardtanh(F.conv_transpose2d(x, self.conv.weight, self.conv.bias, stride=2), {low}, 1.0) * (1 / {divisor})",
             ["torch.randn(8, 16, {side}, {side})"],
             lambda v: {"side": side(v) // 2, "low": -0.25 * (1 + v % 4), "divisor": 2.0 + v},
             ["self.conv = nn.ConvTranspose2d(16, 16, 3, stride=2)"]),
    Template(1, "loss", "{call}", "{function}", ["torch.randn({rows}, 1024)", "torch.randn({rows}, 1024)"], loss),
    Template(2, "linear_logsumexp_activation", "self.activation(torch.logsumexp(self.linear(x) * 4, dim=1, keepdim=True))",
             "{activated}", ["torch.randn({rows}, 512)"],
             lambda v: {"rows": rows(v), **activation(
                 v, "(4 * (x @ self.linear.weight.T + self.linear.bias)).exp().sum(dim=1, keepdim=True).log()", WITHOUT_LIMIT)},
             ["self.linear = nn.Linear(512, 256)", "self.activation = {activation}"]),
    Template(1, "cumulative_sum", "torch.cumsum(x, dim=1)", "torch.cumsum(x.T, dim=0).T", ["torch.rand({rows}, 1024)"],
             lambda v: {"rows": rows(v)}),
    Template(2, "conv1d_activation_mean", "self.activation(self.conv(x)).mean(dim=2)",
             "{activated}.sum(dim=2) / {length}", ["torch.randn(16, 32, {side})"],
             lambda v: {"side": 514 + 8 * v, "length": 512 + 8 * v,
                        **activation(v + 4, "F.conv1d(x, self.conv.weight, self.conv.bias)")},
             ["self.conv = nn.Conv1d(32, 64, 3)", "self.activation = {activation}"]),
    Template(1, "cross_entropy", "F.cross_entropy(x, y)",
             "-torch.log_softmax(x, dim=1).gather(1, y.unsqueeze(1)).mean()",
             ["torch.randn({rows}, 512)", "torch.randint(0, 512, ({rows},))"], lambda v: {"rows": rows(v)}),
    Template(2, "batched_matmul_bias_activation", "self.activation(torch.bmm(x, y) + self.bias)", "{activated}",
             ["torch.randn(16, {rows}, 128)", "torch.randn(16, 128, 64)"],
             lambda v: {"rows": 64 + v, **activation(v + 5, "torch.baddbmm(self.bias, x, y)")},
             ["self.bias = nn.Parameter(torch.randn(64))", "self.activation = {activation}"]),
]

MOST_FILES = VARIANTS * len(TEMPLATES)


def module_class(name, init, arguments, result):
    lines = "\n".join(["super().__init__()", *init])
    return (f"\n\nclass {name}(nn.Module):\n    def __init__(self):\n{textwrap.indent(lines, ' ' * 8)}\n\n"
            f"    def forward(self, {arguments}):\n        return {result}\n")


def filled(template, values):
    """The texts of problem and answer."""
    init = [line.format(**values) for line in template.init]
    inputs = [text.format(**values) for text in template.inputs]
    arguments = ", ".join(["x", "y"][:len(inputs)])
    problem = (HEAD + module_class("Model", init, arguments, template.model.format(**values)) +
               f"\n\ndef get_inputs():\n    return [{', '.join(inputs)}]\n\n\ndef get_init_inputs():\n    return []\n")
    return problem, HEAD + module_class("ModelNew", init, arguments, template.answer.format(**values))


def write_module_files(count, problems, answers):
    """Writes problems/level1/1_activation.py and so on, and answers/level_1_problem_1_sample_0_kernel.py."""
    if not 1 <= count <= MOST_FILES:
        raise ValueError(f"there are 1 to {MOST_FILES} different files, not {count}")
    answers.mkdir(parents=True)
    numbers = {1: 0, 2: 0}
    for index in range(count):
        variant, which = divmod(index, len(TEMPLATES))
        template = TEMPLATES[which]
        numbers[template.level] += 1
        number = numbers[template.level]
        problem, answer = filled(template, template.sizes(variant))
        place = problems / f"level{template.level}" / f"{number}_{template.name}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(problem, encoding="utf-8")
        # The comment makes each answer a different file.
        (answers / f"level_{template.level}_problem_{number}_sample_0_kernel.py").write_text(
            f"# Answers level{template.level}/{place.name}.\n{answer}", encoding="utf-8")
