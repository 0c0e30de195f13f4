"""Functions of every element, and losses."""

import torch
import torch.nn.functional as F


def _of_input(function):
    return lambda t, p: {"output": function(t["input"])}


def _of_both(function):
    return lambda t, p: {"output": function(t["predictions"], t["targets"])}


def _kl_terms(predictions, targets):
    # xlogy is 0 where the target is 0.
    return torch.xlogy(targets, targets) - targets * predictions.clamp(min=1e-10).log()


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
    "huber-loss": _of_both(lambda x, y: F.smooth_l1_loss(x, y, reduction="none")),
    "hinge-loss": _of_both(lambda x, y: (1 - x * y).clamp(min=0)),
    "kl-loss": _of_both(_kl_terms),
    "mse-loss": _of_both(F.mse_loss),
    "mean-squared-error": _of_both(F.mse_loss),
    "smooth-l1-loss": _of_both(F.smooth_l1_loss),
    "hinge-loss-mean": _of_both(lambda x, y: (1 - x * y).clamp(min=0).mean()),
    "kl-loss-batchmean": _of_both(lambda x, y: F.kl_div(x.log(), y, reduction="batchmean")),
    "cross-entropy": _of_both(F.cross_entropy),
    "cosine-similarity": _of_both(lambda x, y: 1 - F.cosine_similarity(x, y, dim=1)),
    "triplet-margin": lambda t, p: {
        "loss": F.triplet_margin_loss(t["anchor"], t["positive"], t["negative"], margin=p["margin"])
    },
}
