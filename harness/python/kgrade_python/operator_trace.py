"""Which of PyTorch's functions a candidate calls in the rehearsal, beside its own kernels. Help, and no promise: a candidate
can hide what it calls."""

import contextlib
import sys

import torch
from torch.overrides import TorchFunctionMode

# They make or rename memory, or ask for facts, and compute nothing.
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


class _Recorder(TorchFunctionMode):
    def __init__(self, counts):
        super().__init__()
        self.counts = counts

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name and name not in HOUSEKEEPING and not name.startswith("_"):
            self.counts[name] = self.counts.get(name, 0) + 1
        return function(*args, **(kwargs or {}))


class Trace:
    """Records the first call of each case; further ones would only count the same again."""

    def __init__(self):
        self.counts = {}
        self.cases = set()

    @contextlib.contextmanager
    def recording(self, case):
        is_new = case not in self.cases
        self.cases.add(case)
        # What PyTorch compiles it would compile again without the recorder.
        if not is_new or "torch._dynamo" in sys.modules:
            yield
            return
        with _Recorder(self.counts):
            yield

    def names(self):
        return sorted(self.counts)[:40]
