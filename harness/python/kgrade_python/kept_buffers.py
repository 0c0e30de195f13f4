"""Buffers that a module's forward changes, running statistics above all. Of a problem that is a file each call begins with
what `__init__` gave them, for Model and for a ModelNew: then it does not matter how often a module has been called."""

import torch

# Of a candidate's: what is put back is not timed, and zeros in a larger one would be worth something.
MOST_ELEMENTS = 1 << 20


class KeptBuffer:
    """One buffer. A forward may write to it, or replace it."""

    def __init__(self, part, name, buffer):
        self.part, self.name, self.buffer = part, name, buffer
        self.first = buffer.clone()

    def take_place(self):
        """Makes the module have it again. One that it has converted since, by half(), is converted too."""
        now = self.part._buffers.get(self.name)
        if now is self.buffer:
            return
        if isinstance(now, torch.Tensor) and (now.dtype != self.buffer.dtype or now.device != self.buffer.device):
            self.first = self.first.to(now.device, now.dtype)
            self.buffer = self.first.clone()
        self.part._buffers[self.name] = self.buffer


class KeptBuffers:
    """`names`: those of a candidate that its problem's Model has and changes, the last part of each; others it may have
    filled in its first call. Without them, of Model itself, all that change."""

    def __init__(self, module, names=None):
        self.kept = [KeptBuffer(part, name, buffer) for part in module.modules()
                     for name, buffer in part.named_buffers(recurse=False)
                     if names is None or (name in names and buffer.numel() <= MOST_ELEMENTS)]
        self.changing = None if names is None else self.kept
        self.memory = {memory_of(each.buffer) for each in self.kept}

    def apart(self, results):
        """What a forward returned, without the memory of a buffer: that is put back while launches before are still
        looked at."""
        return [each.clone() if type(each) is torch.Tensor and memory_of(each) in self.memory else each
                for each in results]

    def put_back(self):
        """After a call."""
        for each in self.kept:
            each.take_place()
        self.memory = {memory_of(each.buffer) for each in self.kept}
        if self.changing is None:
            # PyTorch's own count of changes leaves out those of batch norm.
            self.changing = [each for each in self.kept if not torch.equal(each.buffer, each.first)]
        pairs = {}
        for each in self.changing:
            targets, sources = pairs.setdefault((each.buffer.dtype, each.buffer.device), ([], []))
            targets.append(each.buffer)
            sources.append(each.first)
        # What was made in this mode can be written in no other one.
        with torch.inference_mode():
            for targets, sources in pairs.values():
                copy_all(targets, sources)


def memory_of(tensor):
    """What tensors in one memory have in common; 0 of those without any."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0


def copy_all(targets, sources):
    """In one launch where PyTorch can."""
    if hasattr(torch, "_foreach_copy_"):
        torch._foreach_copy_(targets, sources)
        return
    for target, source in zip(targets, sources):
        target.copy_(source)
