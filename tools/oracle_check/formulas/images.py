"""Filters on images, and convolutions of one image."""

import torch
import torch.nn.functional as F


def _planes(x):
    return x[None, None]


def _box_blur(t, p):
    size = p["kernel_size"]
    ones = torch.ones(1, 1, size, size, dtype=torch.float64, device=t["input_image"].device)
    image = _planes(t["input_image"])
    sums = F.conv2d(image, ones, padding=size // 2)
    counts = F.conv2d(torch.ones_like(image), ones, padding=size // 2)
    return {"output_image": (sums / counts)[0, 0]}


def _edges(t, p):
    x = t["input_image"]
    lengths = torch.zeros_like(x)
    dx = (x[1:-1, 2:] - x[1:-1, :-2]) / 2
    dy = (x[2:, 1:-1] - x[:-2, 1:-1]) / 2
    lengths[1:-1, 1:-1] = torch.hypot(dx, dy)
    most = lengths.max()
    return {"output_image": lengths / most * 255 if most > 0 else lengths}


def _conv2d(image, kernel):
    return F.conv2d(_planes(image), _planes(kernel), padding=tuple(extent // 2 for extent in kernel.shape))[0, 0]


def _conv1d(signal, kernel):
    # The work is done in parts, since F.conv1d needs memory for all windows at once on the CPU.
    windows = F.pad(signal, (len(kernel) // 2,) * 2).unfold(0, len(kernel), 1)
    return torch.cat([part @ kernel for part in windows.split(4096)])


FORMULAS = {
    "box-blur": _box_blur,
    "edge-detect": _edges,
    "grayscale": lambda t, p: {"grayscale_output": t["rgb_image"] @ t["rgb_image"].new_tensor([0.299, 0.587, 0.114])},
    "threshold": lambda t, p: {
        "output_image": torch.where(t["input_image"] > p["threshold_value"], 255.0, 0.0).to(t["input_image"].dtype)
    },
    "histogram": lambda t, p: {
        "histogram": torch.bincount(t["image"].long().flatten(), minlength=p["num_bins"]).to(torch.float64)
    },
    "conv-1d": lambda t, p: {"C": _conv1d(t["A"], t["B"])},
    "conv-2d": lambda t, p: {"C": _conv2d(t["A"], t["B"])},
    "conv2d-relu-hardswish": lambda t, p: {"output": F.hardswish(F.relu(_conv2d(t["image"], t["kernel"])))},
    "conv-square-3d": lambda t, p: {"C": F.conv3d(_planes(t["A"]), _planes(t["B"]), padding=p["K"] // 2)[0, 0]},
    "running-sum-1d": lambda t, p: {"output": _conv1d(t["input"], t["input"].new_ones(p["W"], dtype=torch.float64))},
}
