"""Computes problems by calls of PyTorch, with the formulas of formulas/*.py, and compares the outputs.

Each of these files has `FORMULAS`, a dictionary from slugs to functions of the tensors and the scalars by name:
floating tensors are float64, integers are int64. A function returns the expected outputs by name.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from comparison import Dump, Parameters, check_shape

FOLDER = Path(__file__).resolve().parent / "formulas"
Tensors = dict[str, torch.Tensor]
Formula = Callable[[Tensors, Parameters], Tensors]


def _module(file: Path):
    spec = importlib.util.spec_from_file_location(f"formulas_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(folder: Path = FOLDER) -> dict[str, Formula]:
    """The formulas by slug. Raises ValueError if two files describe the same problem."""
    found: dict[str, Formula] = {}
    for file in sorted(folder.glob("*.py")):
        formulas = _module(file).FORMULAS
        if twice := found.keys() & formulas.keys():
            raise ValueError(f"{file}: another file of the folder has a formula for {', '.join(sorted(twice))} too")
        found |= formulas
    return found


def on_device(array: np.ndarray, device: str) -> torch.Tensor:
    # PyTorch has few operators for unsigned integers. Unsigned integers of 64 bits keep their bits.
    kind = {"f": np.float64, "b": np.bool_}.get(array.dtype.kind, np.int64)
    return torch.from_numpy(array.astype(kind)).to(device)


def relative_error(actual: torch.Tensor, expected: torch.Tensor) -> float:
    """Like comparison.relative_error, but on the device, where the tensors of a large case are."""
    difference, norm = torch.linalg.vector_norm(actual - expected), torch.linalg.vector_norm(expected)
    return float(difference / norm) if norm else float(difference)


def check_exact(actual: torch.Tensor, expected: torch.Tensor) -> None:
    """Raises ValueError unless all elements have the same values; NaN counts as NaN, and -0 as 0."""
    wrong = int((~((actual == expected) | ((actual != actual) & (expected != expected)))).sum())
    if wrong:
        raise ValueError(f"{wrong} of {expected.numel()} elements are not the expected ones")


def at(values: torch.Tensor, axis: int | None, indices: torch.Tensor) -> torch.Tensor:
    """The elements at the indices for each line along an axis, or at indices into all elements."""
    if axis is None:
        return values.flatten()[indices.flatten()]
    return values.gather(axis, indices.reshape(shape_of_lines(values, axis)))


def shape_of_lines(values: torch.Tensor, axis: int) -> list[int]:
    """The shape of indices along an axis. The axis has the extent -1, for any number of indices."""
    lines = list(values.shape)
    lines[axis] = -1
    return lines


def check_ties(comparison: str, inputs: Tensors, actual: torch.Tensor, expected: torch.Tensor) -> None:
    name, axis, distinct = re.fullmatch(r"ties\((\w+)(?:, (-?\d+))?(, distinct)?\)", comparison).groups()
    axis = None if axis is None else int(axis)
    length = inputs[name].numel() if axis is None else inputs[name].shape[axis]
    if bool(((actual < 0) | (actual >= length)).any()):
        raise ValueError(f"an index is not from 0 to {length - 1}")
    check_exact(at(inputs[name], axis, actual), at(inputs[name], axis, expected))
    if distinct:
        lines = [-1] if axis is None else shape_of_lines(inputs[name], axis)
        if bool((actual.reshape(lines).sort(axis or 0).values.diff(dim=axis or 0) == 0).any()):
            raise ValueError("an index occurs twice along the axis")


def output_error(comparison: str, inputs: Tensors, actual: torch.Tensor, expected: torch.Tensor) -> float:
    """The error of an output; 0 if the output has to be exact and is."""
    if actual.numel() == 1 and expected.numel() == 1:
        actual = actual.reshape(expected.shape)  # PyTorch's sums over everything have no axis
    check_shape(actual.shape, expected.shape)
    if actual.is_floating_point() != expected.is_floating_point():
        raise ValueError(f"{actual.dtype} here, {expected.dtype} from the oracle")
    if comparison == "norm":
        return relative_error(actual, expected)
    # These outputs must be equal, since the witness chooses scales and breaks ties as the definition says.
    if comparison == "exact" or comparison.startswith(("quantised", "scales")):
        check_exact(actual, expected)
    else:
        check_ties(comparison, inputs, actual, expected)
    return 0.0


def error(formula: Formula, dump: Dump, device: str) -> float:
    """The largest error of an output. Raises ValueError if an output has another shape, or has to be exact and is
    not."""
    inputs = {name: on_device(array, device) for name, array in dump.inputs.items()}
    with torch.inference_mode():
        outputs = formula(inputs, dump.parameters)
        if outputs.keys() != dump.expected.keys():
            raise ValueError(f"outputs {sorted(outputs)} here, {sorted(dump.expected)} from the oracle")
        errors = []
        for name, expected in dump.expected.items():
            try:
                errors.append(output_error(dump.compare[name], inputs, outputs[name].to(device),
                                           on_device(expected, device)))
            except ValueError as failure:
                raise ValueError(f"{name}: {failure}") from failure
    return float(np.max(errors))  # NaN if any error is NaN
