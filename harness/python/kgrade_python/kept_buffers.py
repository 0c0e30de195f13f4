"""Buffers that a module's forward changes, mostly running statistics. If the problem is a file, each call of Model
and of a ModelNew begins with the buffers that `__init__` made, so that earlier calls do not matter."""

import torch

from .tensors import are_equal

# The most elements of a candidate's buffer that is put back. Putting it back is not timed, so a candidate could gain
# time by a larger buffer that is filled with zeros.
MOST_ELEMENTS = 1 << 20


class KeptBuffer:
    """One buffer. A forward may write to it, or replace it."""

    def __init__(self, part, name, buffer):
        self.part, self.name, self.buffer = part, name, buffer
        self.first = buffer.clone()

    def take_place(self):
        """Makes this tensor the module's buffer again. If the module has converted the buffer, for example by half(),
        the tensor is converted too."""
        now = self.part._buffers.get(self.name)
        if now is self.buffer:
            return
        if isinstance(now, torch.Tensor) and (now.dtype != self.buffer.dtype or now.device != self.buffer.device):
            self.first = self.first.to(now.device, now.dtype)
            self.buffer = self.first.clone()
        self.part._buffers[self.name] = self.buffer


class KeptBuffers:
    """The buffers of a module that are put back. `names`: for a candidate, the last parts of the names of the buffers
    that the problem's Model changes. The candidate's other buffers are left, since its first call may have filled them.
    For Model itself, `names` is None, and all buffers that change are put back."""

    def __init__(self, module, names=None):
        self.kept = [KeptBuffer(part, name, buffer) for part in module.modules()
                     for name, buffer in part.named_buffers(recurse=False)
                     if names is None or (name in names and buffer.numel() <= MOST_ELEMENTS)]
        self.changing = None if names is None else self.kept
        self.memory = {memory_of(each.buffer) for each in self.kept}

    def apart(self, results):
        """A forward's results, with copies of those in a buffer's memory: buffers are put back before earlier
        launches have been captured."""
        return [each.clone() if type(each) is torch.Tensor and memory_of(each) in self.memory else each
                for each in results]

    def put_back(self):
        """Puts the buffers back after a call."""
        for each in self.kept:
            each.take_place()
        self.memory = {memory_of(each.buffer) for each in self.kept}
        if self.changing is None:
            # The values are compared, since PyTorch's own count of changes leaves out those by batch norm.
            self.changing = [each for each in self.kept if not are_equal(each.buffer, each.first)]
        pairs = {}
        for each in self.changing:
            targets, sources = pairs.setdefault((each.buffer.dtype, each.buffer.device), ([], []))
            targets.append(each.buffer)
            sources.append(each.first)
        # A tensor that was made in this mode can be written only in it.
        with torch.inference_mode():
            for targets, sources in pairs.values():
                copy_all(targets, sources)


def memory_of(tensor):
    """The address of a tensor's storage; 0 if it has no memory."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0


def copy_all(targets, sources):
    """Copies `sources` to `targets`, in one launch if PyTorch can."""
    if hasattr(torch, "_foreach_copy_"):
        torch._foreach_copy_(targets, sources)
        return
    for target, source in zip(targets, sources):
        target.copy_(source)
