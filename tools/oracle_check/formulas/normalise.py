"""Softmax and normalisations."""

import torch
import torch.nn.functional as F


def _rows(function, x="X", y="Y"):
    return lambda t, p: {y: function(t[x])}


def _rms_norm(t, p):
    x = t["X"]
    return {"Y": x / torch.sqrt(x.square().mean(dim=1, keepdim=True) + 1e-5)}


FORMULAS = {
    "softmax": lambda t, p: {"output": torch.softmax(t["input"], p["dim"])},
    "softmax-rows": lambda t, p: {"output": torch.softmax(t["input"], 1)},
    "log-softmax": lambda t, p: {"output": torch.log_softmax(t["input"], 1)},
    "batch-norm": lambda t, p: {"Y": F.batch_norm(t["X"], None, None, training=True, eps=1e-5)},
    # PyTorch refuses planes of one position, which the problem does not have.
    "instance-norm": lambda t, p: {"Y": F.instance_norm(t["X"], eps=1e-5)},
    "group-norm": lambda t, p: {"Y": F.group_norm(t["X"], p["num_groups"], t["gamma"], t["beta"], eps=1e-5)},
    "layer-norm": lambda t, p: {"Y": F.layer_norm(t["X"], t["X"].shape[1:], t["gamma"], t["beta"], eps=1e-5)},
    "rms-norm": _rms_norm,
    "rms-norm-channels": _rms_norm,
    "l1-norm": _rows(lambda x: x / (torch.linalg.vector_norm(x, 1, dim=1, keepdim=True) + 1e-10)),
    "l1-norm-mean": _rows(lambda x: F.normalize(x, p=1, dim=1) * x.shape[1]),
    "l2-norm": _rows(lambda x: x / (torch.linalg.vector_norm(x, dim=1, keepdim=True) + 1e-10)),
    "frobenius-norm": _rows(lambda x: x / torch.linalg.vector_norm(x)),
}
