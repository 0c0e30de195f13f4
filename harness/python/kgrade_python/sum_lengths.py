"""How many terms the longest sum of a run has. The rounding errors of an honest answer grow with its square root."""

import math

import torch

from .dispatch_mode import DispatchMode

try:
    # Here, and not in the run: it takes part of a second, and the time of a run is bounded.
    from torch.utils.flop_counter import flop_registry
except ImportError:  # before PyTorch 2.1
    flop_registry = {}

# A result of these has one element for each group of elements of the input that become one.
REDUCTIONS = {"sum", "mean", "var", "std", "var_mean", "std_mean", "norm", "linalg_vector_norm", "prod", "logsumexp",
              "nansum", "trace", "dot", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss_forward"}
# The second result of these is the mean of each group of elements of the input.
NORMALISATIONS = {"native_layer_norm", "native_group_norm", "native_batch_norm", "_native_batch_norm_legit",
                  "_batch_norm_with_update", "cudnn_batch_norm"}
# Their second argument is the axis along which elements are added or multiplied.
ALONG_AXIS = {"_softmax", "_log_softmax", "cumsum", "cumprod", "logcumsumexp"}


class SumLengths(DispatchMode):
    """`longest`: terms of the longest sum that an operator has made since it was entered, at least 1."""

    def __init__(self):
        super().__init__()
        self.longest = 1

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        self.longest = max(self.longest, terms_of(function, args, kwargs, result))
        return result


def terms_of(function, args, kwargs, result):
    """Terms of the sums of one operator: of products and convolutions operations / (2 x elements of the result), by
    PyTorch's own counter (torch.utils.flop_counter)."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    name = function.overloadpacket.__name__
    first = args[0] if args and isinstance(args[0], torch.Tensor) else None
    count = flop_registry.get(function.overloadpacket)
    if count is not None and elements(results[0]):
        return count(*args, **kwargs, out_val=result) // (2 * elements(results[0]))
    if first is None:
        return 1
    if name in REDUCTIONS and elements(results[0]):
        return first.numel() // elements(results[0])
    if name in NORMALISATIONS and len(results) > 1 and elements(results[1]):
        return first.numel() // elements(results[1])
    if name in ALONG_AXIS and first.dim():
        return first.shape[args[1]]
    return 1


def elements(result):
    return math.prod(result.shape) if isinstance(result, torch.Tensor) else 0
