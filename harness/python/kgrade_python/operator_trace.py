"""Records which of PyTorch's functions a candidate calls in the rehearsal, besides its own kernels.

The record is a help and not a promise: a candidate can hide calls, and only the thread that calls it is watched."""

import contextlib
import sys

import torch
from torch.overrides import TorchFunctionMode

from .dispatch_mode import DispatchMode

# Functions that compute nothing: they make memory, make views of it, or ask for properties.
HOUSEKEEPING = {
    "__get__", "__set__", "alias", "as_strided", "chunk", "clone", "contiguous", "copy_", "cpu", "cuda", "data_ptr",
    "detach", "device", "dim", "element_size", "empty", "empty_like", "empty_strided", "expand", "expand_as", "fill_",
    "flatten", "float", "half", "is_contiguous", "is_floating_point", "item", "movedim", "narrow", "ndimension",
    "new_empty", "new_zeros", "numel", "permute", "record_stream", "requires_grad_", "reshape", "resize_", "select",
    "set_", "size", "slice", "split", "squeeze", "stride", "storage_offset", "swapaxes", "t", "to", "transpose",
    "unbind", "unflatten", "unsqueeze", "untyped_storage", "view", "view_as", "zero_", "zeros", "zeros_like", "ones",
    "full", "tensor", "type", "tolist", "bfloat16", "double", "is_pinned", "get_device", "nelement", "__getitem__",
    "__setitem__", "__len__", "_make_subclass", "apply_", "from_dlpack", "is_complex", "is_inference", "unfold_view",
}


# Such functions by the dispatcher's names, which differ from the names in Python.
HOUSEKEEPING_OF_DISPATCHER = HOUSEKEEPING | {
    "_conj", "_local_scalar_dense", "_neg_view", "_pin_memory", "_reshape_alias", "_to_copy", "_unsafe_view", "lift",
    "lift_fresh", "lift_fresh_copy", "set_data", "unsafe_chunk", "unsafe_split",
}


class _Counts:
    """The calls so far. Calls inside of a counted function are not counted: the outer name, such as `conv1d`, says more
    than `convolution`."""

    def __init__(self, counts):
        self.counts = counts
        self.depth = 0

    def add(self, name):
        if self.depth == 0:
            self.counts[name] = self.counts.get(name, 0) + 1

    @contextlib.contextmanager
    def inside(self):
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


class _Functions(TorchFunctionMode):
    """Records the functions that Python calls."""

    def __init__(self, counts):
        super().__init__()
        self.counts = counts

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name and name not in HOUSEKEEPING and not name.startswith("_"):
            self.counts.add(name)
        # An operator of an extension may call other operators in C++, which count too.
        if isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):  # pylint: disable=protected-access
            return function(*args, **(kwargs or {}))
        with self.counts.inside():
            return function(*args, **(kwargs or {}))


class _Operators(DispatchMode):
    """Records the operators that C++ calls, for example an extension built with PyTorch's own headers, or a scripted
    function."""

    # Without this, higher-order operators refuse to run while the mode is active.
    supports_higher_order_operators = True

    def __init__(self, counts):
        super().__init__()
        self.counts = counts

    @classmethod
    def _should_skip_dynamo(cls):
        # PyTorch's own version imports the compiler, which takes seconds.
        return False

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        schema = getattr(function, "_schema", None)
        name = schema.name.split("::")[-1] if schema is not None else str(function)
        if name not in HOUSEKEEPING_OF_DISPATCHER:
            self.counts.add(name.lstrip("_"))
        with self.counts.inside():
            return function(*args, **(kwargs or {}))


class Trace:
    """Records the first call of each case; later calls would add nothing. `source`: the candidate's source."""

    def __init__(self, source=""):
        # While operators are recorded, PyTorch's compiler skips the functions that it meets, in some versions
        # permanently.
        self.may_compile = "compile" in source
        self.counts = {}
        self.cases = set()

    @contextlib.contextmanager
    def recording(self, case):
        is_new = case not in self.cases
        self.cases.add(case)
        # Nothing is recorded if PyTorch's compiler is loaded: it would compile the code again for calls without a
        # recorder.
        if not is_new or "torch._dynamo" in sys.modules:
            yield
            return
        counts = _Counts(self.counts)
        with _Functions(counts), contextlib.nullcontext() if self.may_compile else _Operators(counts):
            yield

    def names(self):
        return sorted(self.counts)[:40]
