"""Weights that a module computes from other parameters in each forward: PyTorch's parametrizations, and the older
weight_norm. The problem's weight is written into the parameters from which the module computes it."""

import torch
from torch.nn.utils import parametrize
from torch.nn.utils.weight_norm import WeightNorm

from .errors import SignatureMismatch

# Tolerances, since a weight that is computed again is rounded.
RELATIVE, ABSOLUTE = 1e-4, 1e-6


def computed_weights(module):
    """{name: (the weight, the names of its source parameters)} for a module and its submodules."""
    found = {}
    for prefix, part in module.named_modules():
        start = prefix + "." if prefix else ""
        if parametrize.is_parametrized(part):
            for name, steps in part.parametrizations.items():
                sources = [f"{start}parametrizations.{name}.{each}" for each, _ in steps.named_parameters()]
                sources += [f"{start}parametrizations.{name}.{each}" for each, _ in steps.named_buffers()]
                found[start + name] = (getattr(part, name), sources)
        for hook in part._forward_pre_hooks.values():  # pylint: disable=protected-access
            if isinstance(hook, WeightNorm):
                found[start + hook.name] = (hook.compute_weight(part),
                                            [f"{start}{hook.name}_g", f"{start}{hook.name}_v"])
    return found


def place(module, name, value):
    """Gives the computed weight `name` the value `value`. Raises SignatureMismatch if that is impossible."""
    prefix, _, last = name.rpartition(".")
    part = module.get_submodule(prefix)
    hook = next((each for each in part._forward_pre_hooks.values()  # pylint: disable=protected-access
                 if isinstance(each, WeightNorm) and each.name == last), None)
    with torch.no_grad():
        try:
            if hook is not None:
                getattr(part, f"{last}_v").copy_(value)
                getattr(part, f"{last}_g").copy_(torch.norm_except_dim(value, 2, hook.dim))
                computed = hook.compute_weight(part)
                setattr(part, last, computed)
            else:
                # The value is cloned, since the module may keep the tensor, and `value` is only lent.
                setattr(part, last, value.clone())
                computed = getattr(part, last)
        except (RuntimeError, NotImplementedError, ValueError) as error:
            raise SignatureMismatch(f"ModelNew computes '{name}' from other parameters, and it cannot be set to the "
                                    f"problem's weight: {error}") from error
    if not torch.allclose(computed, value, rtol=RELATIVE, atol=ABSOLUTE):
        raise SignatureMismatch(f"ModelNew computes '{name}' from other parameters, and it cannot come out as the "
                                "problem's weight; use a plain parameter")
