"""Functions of every element."""

import torch
import torch.nn.functional as F


def _of_input(function):
    return lambda t, p: {"output": function(t["input"])}


FORMULAS = {
    "relu": _of_input(torch.relu),
    "leaky-relu": lambda t, p: {"output": F.leaky_relu(t["input"], p["alpha"])},
    "elu": lambda t, p: {"output": F.elu(t["input"], p["alpha"])},
    "selu": _of_input(F.selu),
    "sigmoid": _of_input(torch.sigmoid),
    "tanh": _of_input(torch.tanh),
    "swish": _of_input(F.silu),
    "gelu": _of_input(F.gelu),
    "gelu-tanh": _of_input(lambda x: F.gelu(x, approximate="tanh")),
    # Above PyTorch's default threshold of 20, the result would be off by up to 2e-9.
    "soft-plus": _of_input(lambda x: F.softplus(x, threshold=100)),
    "softsign": _of_input(F.softsign),
    "hard-sigmoid": _of_input(F.hardsigmoid),
    "hard-tanh": _of_input(F.hardtanh),
    "vector-addition": lambda t, p: {"d_output": t["d_input1"] + t["d_input2"]},
}
