"""What PyTorch keeps of the device's memory for its next tensors, while other contestants may need it."""

import torch

# Saved before a candidate is loaded, which may replace them.
_is_initialized = torch.cuda.is_initialized
_empty_cache = torch.cuda.empty_cache


def release():
    """Gives back what no tensor uses."""
    if _is_initialized():
        _empty_cache()
