"""Releases device memory that PyTorch keeps for its next tensors, since other contestants may need it."""

import torch

# Saved before a candidate is loaded, since it may replace them.
_is_initialized = torch.cuda.is_initialized
_empty_cache = torch.cuda.empty_cache


def release():
    """Gives back the memory that no tensor uses."""
    if _is_initialized():
        _empty_cache()
