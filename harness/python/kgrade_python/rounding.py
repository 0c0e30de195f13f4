"""Rounds float32 numbers to the precision of a GPU's products."""

import torch

# TF32 has 10 of float32's 23 mantissa bits.
DROPPED_BITS = 13


def to_tf32(numbers):
    """Rounds to nearest, ties to even; infinities and NaN stay."""
    bits = numbers.contiguous().view(torch.int32)
    odd = (bits >> DROPPED_BITS) & 1
    rounded = (bits + ((1 << (DROPPED_BITS - 1)) - 1 + odd)) & -(1 << DROPPED_BITS)
    return torch.where(numbers.isfinite(), rounded.view(torch.float32), numbers)
