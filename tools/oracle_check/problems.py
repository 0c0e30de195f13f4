"""Describes problems as layers of other frameworks. The remaining problems are described in formulas/.

`layers` turns a slug and the parameters of a case into a chain of layers. A problem without its own line here is
described by the line of its family. The first layer reads the tensor `input`, each further layer the output of the
layer before it; `weight` and `bias` name tensors of the problem.
A framework's module (onnx_layers.py, torch_layers.py) can compute each kind of layer but knows no problems. Nothing
here is shared with the oracle.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "problems"
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
    output_padding: tuple[int, ...] = ()  # only if transposed
    bias: str = ""  # empty: none; never with transposed


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


ONE_AXIS = ("",)  # the parameters of one-dimensional problems have no suffix
TWO_AXES = ("_h", "_w")
THREE_AXES = ("_d", "_h", "_w")


def _per_axis(parameters: Parameters, name: str, axes: tuple[str, ...], default: int) -> tuple[int, ...]:
    return tuple(parameters.get(name + axis, default) for axis in axes)


def _convolution(parameters: Parameters, axes: tuple[str, ...], transposed: bool = False, **fields) -> Convolution:
    """The layer of problems with parameters named stride_h, padding_w, ... Missing parameters get neutral values."""
    return Convolution(**{
        "weight": "kernel",
        "stride": _per_axis(parameters, "stride", axes, 1),
        "padding": _per_axis(parameters, "padding", axes, 0),
        "dilation": _per_axis(parameters, "dilation", axes, 1),
        "groups": parameters.get("groups", 1),
        "transposed": transposed,
        "output_padding": _per_axis(parameters, "output_padding", axes, 0) if transposed else (),
    } | fields)


def _one_convolution(axes: tuple[str, ...], **fields) -> Callable[[Parameters], list[Layer]]:
    return lambda parameters: [_convolution(parameters, axes, **fields)]


def _depthwise_separable(parameters: Parameters) -> list[Layer]:
    return [
        _convolution(parameters, TWO_AXES, weight="depthwise_kernel", groups=parameters["in_channels"]),
        _convolution({}, TWO_AXES, weight="pointwise_kernel"),
    ]


def _conv_transpose_norm_pool(parameters: Parameters) -> list[Layer]:
    return [
        _convolution(parameters, TWO_AXES, transposed=True),
        BatchNorm("bn_weight", "bn_bias"),
        Tanh(),
        MaxPool2d(kernel=2, stride=2),
        GroupNorm("gn_weight", "gn_bias", parameters["num_groups"]),
    ]


_FAMILIES = {
    "conv-1d": _one_convolution(ONE_AXIS),
    "conv-2d": _one_convolution(TWO_AXES),
    "conv-3d": _one_convolution(THREE_AXES),
    "conv-depthwise-2d": _one_convolution(TWO_AXES),
    "conv-transpose-1d": _one_convolution(ONE_AXIS, transposed=True),
    "conv-transpose-2d": _one_convolution(TWO_AXES, transposed=True),
    "conv-transpose-3d": _one_convolution(THREE_AXES, transposed=True),
}
_LAYERS = {
    "conv-2d-sq-input-sq-kernel-strided-padded-bias": _one_convolution(TWO_AXES, bias="bias"),
    "conv-depthwise-separable-2d": _depthwise_separable,
    "conv-pointwise-2d": _one_convolution(TWO_AXES),
    "conv-transpose-2d-sq-input-asym-kernel": _one_convolution(TWO_AXES, transposed=True),
    "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm": _conv_transpose_norm_pool,
}


def slugs(folder: Path = FOLDER) -> list[str]:
    """The slugs of all problem files, in order."""
    return sorted(file.stem for file in folder.glob("*.md") if file.name != "README.md")


def family_of(slug: str, folder: Path = FOLDER) -> str:
    """The family that a problem's frontmatter names; empty if there is none."""
    file = folder / f"{slug}.md"
    frontmatter = file.read_text(encoding="utf-8").split("\n---", 1)[0] if file.exists() else ""
    found = re.search(r"^family: *(\S+)", frontmatter, flags=re.MULTILINE)
    return found[1] if found else ""


def _described(slug: str, folder: Path) -> Callable[[Parameters], list[Layer]] | None:
    return _LAYERS.get(slug) or _FAMILIES.get(family_of(slug, folder))


def are_layers(slug: str, folder: Path = FOLDER) -> bool:
    return _described(slug, folder) is not None


def layers(slug: str, parameters: Parameters, folder: Path = FOLDER) -> list[Layer]:
    """The layers of a problem. Raises KeyError for a problem that is not described here."""
    described = _described(slug, folder)
    if described is None:
        raise KeyError(f"tools/oracle_check/problems.py does not say what '{slug}' means; add it to _LAYERS, or its "
                       "family to _FAMILIES, or a formula to tools/oracle_check/formulas")
    return described(parameters)
