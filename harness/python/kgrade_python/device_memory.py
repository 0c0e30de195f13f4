"""What PyTorch keeps of the device's memory for its next tensors, while other contestants may need it."""

import torch

# Less is kept: giving memory back and taking it again costs time.
LARGE_BYTES = 1 << 30

# Saved before a candidate is loaded, which may replace them.
_is_initialized = torch.cuda.is_initialized
_memory_reserved = torch.cuda.memory_reserved
_empty_cache = torch.cuda.empty_cache


def release():
    """Gives back what no tensor uses."""
    if _is_initialized():
        _empty_cache()


def release_if_large():
    if _is_initialized() and _memory_reserved() > LARGE_BYTES:
        _empty_cache()
