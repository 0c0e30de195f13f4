"""Layers as calls of torch.nn.functional, in the type and on the device of the tensors."""

from __future__ import annotations

from functools import singledispatch

import torch
import torch.nn.functional as F

from problems import BatchNorm, Convolution, GroupNorm, Layer, MaxPool2d, Tanh

Tensors = dict[str, torch.Tensor]


@singledispatch
def _apply(layer, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    raise TypeError(f"no call of torch.nn.functional is known for {layer}")


@_apply.register
def _(layer: Convolution, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    dimensions = len(layer.stride)
    common = dict(stride=layer.stride, padding=layer.padding, dilation=layer.dilation, groups=layer.groups)
    if layer.transposed:
        call = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}[dimensions]
        common["output_padding"] = layer.output_padding
    else:
        call = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[dimensions]
        common["bias"] = tensors[layer.bias] if layer.bias else None
    return call(value, tensors[layer.weight], **common)


@_apply.register
def _(layer: BatchNorm, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    return F.batch_norm(value, None, None, tensors[layer.weight], tensors[layer.bias], training=True,
                        eps=layer.epsilon)


@_apply.register
def _(layer: GroupNorm, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    return F.group_norm(value, layer.groups, tensors[layer.weight], tensors[layer.bias], layer.epsilon)


@_apply.register
def _(layer: Tanh, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    return torch.tanh(value)


@_apply.register
def _(layer: MaxPool2d, value: torch.Tensor, tensors: Tensors) -> torch.Tensor:
    return F.max_pool2d(value, layer.kernel, layer.stride)


def run(chain: list[Layer], tensors: Tensors) -> torch.Tensor:
    value = tensors["input"]
    for layer in chain:
        value = _apply(layer, value, tensors)
    return value


def formula(chain: list[Layer], output: str):
    """The chain as a Formula of torch_formulas.py."""
    return lambda tensors, parameters: {output: run(chain, tensors)}
