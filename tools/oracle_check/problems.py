"""What each problem means in the words of other frameworks: the one place that says so.

`layers` turns a slug and the parameters of a case into a chain of layers. The first layer reads the tensor
`input`, each further one what the layer before it made; `weight` and `bias` name tensors of the problem.
A framework's module (onnx_layers.py, torch_layers.py) knows how to compute each kind of layer and knows no
problem. Nothing here is shared with the oracle.
"""

from __future__ import annotations

from dataclasses import dataclass

NORM_EPSILON = 1e-5


@dataclass(frozen=True)
class Convolution:
    """A convolution, or a transposed one, in as many dimensions as `stride` has entries.

    The weight is (out_channels, in_channels / groups, kernel...), transposed
    (in_channels, out_channels / groups, kernel...), as in PyTorch and ONNX.
    """

    weight: str
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    transposed: bool = False
    output_padding: tuple[int, ...] = ()  # of a transposed one only


@dataclass(frozen=True)
class BatchNorm:
    """Normalises by the batch's own statistics, with the biased variance."""

    weight: str
    bias: str
    epsilon: float = NORM_EPSILON


@dataclass(frozen=True)
class GroupNorm:
    weight: str
    bias: str
    groups: int
    epsilon: float = NORM_EPSILON


@dataclass(frozen=True)
class Tanh:
    pass


@dataclass(frozen=True)
class MaxPool2d:
    kernel: int
    stride: int


Layer = Convolution | BatchNorm | GroupNorm | Tanh | MaxPool2d
Parameters = dict[str, int]


def _per_axis(parameters: Parameters, name: str, axes: str, default: int) -> tuple[int, ...]:
    return tuple(parameters.get(f"{name}_{axis}", default) for axis in axes)


def _convolution(parameters: Parameters, axes: str, transposed: bool) -> Convolution:
    """The layer of problems that name their parameters stride_h, padding_w, ...; absent ones are neutral."""
    return Convolution(
        weight="kernel",
        stride=_per_axis(parameters, "stride", axes, 1),
        padding=_per_axis(parameters, "padding", axes, 0),
        dilation=_per_axis(parameters, "dilation", axes, 1),
        groups=parameters.get("groups", 1),
        transposed=transposed,
        output_padding=_per_axis(parameters, "output_padding", axes, 0) if transposed else (),
    )


def _conv_transpose_2d(parameters: Parameters) -> list[Layer]:
    return [_convolution(parameters, "hw", transposed=True)]


def _conv_transpose_3d(parameters: Parameters) -> list[Layer]:
    return [_convolution(parameters, "dhw", transposed=True)]


def _conv_2d(parameters: Parameters) -> list[Layer]:
    return [_convolution(parameters, "hw", transposed=False)]


def _conv_transpose_norm_pool(parameters: Parameters) -> list[Layer]:
    return [
        _convolution(parameters, "hw", transposed=True),
        BatchNorm("bn_weight", "bn_bias"),
        Tanh(),
        MaxPool2d(kernel=2, stride=2),
        GroupNorm("gn_weight", "gn_bias", parameters["num_groups"]),
    ]


_LAYERS = {
    "conv-transpose-2d-asym-input-asym-kernel-strided-grouped": _conv_transpose_2d,
    "conv-transpose-3d-asym-input-sq-kernel": _conv_transpose_3d,
    "conv-depthwise-2d-square-input-asym-kernel": _conv_2d,
    "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm": _conv_transpose_norm_pool,
    "conv-transpose-2d-sq-input-asym-kernel": _conv_transpose_2d,
}


def slugs() -> list[str]:
    return list(_LAYERS)


def layers(slug: str, parameters: Parameters) -> list[Layer]:
    """Raises KeyError for a problem that nobody has described here yet."""
    if slug not in _LAYERS:
        raise KeyError(f"tools/oracle_check/problems.py does not say what '{slug}' means; add it to _LAYERS")
    return _LAYERS[slug](parameters)
