"""Finds which tensor of a ModelNew is which weight of a file's Model if neither names nor shapes show it. KernelBench
builds both under one seed, so a ModelNew that is correct for KernelBench begins with Model's values."""

import types

import torch

from . import backward
from .seeds import seed_all


def initial_weights(model_source, positional, keywords):
    """{name: tensor} of the parameters of a file's Model as its constructor leaves them; empty if the file cannot run
    here. The ModelNew is built under the same seed."""
    if not model_source:
        return {}
    module = types.ModuleType("problem_model")
    try:
        exec(compile(model_source, "<Model>", "exec"), vars(module))  # pylint: disable=exec-used
        backward.define_if_asked(vars(module))
        seed_all(0)
        return dict(module.Model(*positional, **keywords).named_parameters())
    except Exception:  # pylint: disable=broad-except
        return {}


def place_by_values(weights, shapes, state, initial, places):
    """Adds to `places` each weight whose initial values belong to exactly one free tensor of the module and to no
    other weight.

    `weights`: {name in the problem: name in Model}; `shapes`: {name in the problem: its shape in this case}; `state`:
    {name in the module: tensor}. A tensor that stands for a weight holds the weight's values in `initial`."""
    left = {weight: initial[usual] for weight, usual in weights.items() if weight not in places and usual in initial
            and tuple(initial[usual].shape) == shapes[weight]}
    free = {name: tensor for name, tensor in state.items() if name not in places.values()}
    for weight, values in left.items():
        same = [name for name, tensor in free.items() if is_equal(tensor, values)]
        rivals = [other for other, others in left.items() if is_equal(others, values)]
        if len(same) == 1 and rivals == [weight]:
            places[weight] = same[0]


def is_equal(one, other):
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one.detach().cpu(), other.detach().cpu())
