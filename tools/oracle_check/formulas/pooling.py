"""Pooling, of one tensor or of channels."""

import torch.nn.functional as F

MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def _pooled(calls, axes):
    def formula(t, p):
        x = t["input"]
        planes = x[None, None] if x.dim() == axes else x
        dilation = {"dilation": p["dilation"]} if calls is MAX else {}
        result = calls[axes](planes, p["kernel_size"], stride=p["stride"], padding=p["padding"], **dilation)
        return {"output": result[0, 0] if x.dim() == axes else result}

    return formula


FORMULAS = {f"{name}-{axes}d": _pooled(calls, axes) for axes in (1, 2, 3)
            for name, calls in (("max-pool", MAX), ("max-pooling", MAX), ("avg-pool", AVERAGE), ("average-pooling", AVERAGE))}
