"""Operators of PyTorch that have no form in float64, by their definitions."""

import torch


def scaled_mm(left, right, scale_left, scale_right, bias=None, scale_result=None, out_dtype=None, **_):
    """aten::_scaled_mm of numbers: a product of matrices with a scale for each element, row, or block."""
    del out_dtype
    scales = spread(scale_right.t() if scale_right.dim() == 2 else scale_right, right.t().shape)
    result = (left * spread(scale_left, left.shape)) @ (right * scales.t())
    if bias is not None:
        result = result + bias
    return result if scale_result is None else result * scale_result


def spread(scales, shape):
    """Scales of a matrix [rows, columns] as a tensor that multiplies it: one scale, one for each block of equal size, or
    one for each 32 or 16 neighbours of a row in the tiled order of cuBLAS."""
    if scales.numel() == 1:
        return scales.reshape(1, 1)
    rows, columns = shape
    if scales.dim() == 2 and rows % scales.shape[0] == 0 and columns % scales.shape[1] == 0:
        return scales.repeat_interleave(rows // scales.shape[0], 0).repeat_interleave(columns // scales.shape[1], 1)
    for block in (32, 16):
        tiles = -(-rows // 128), -(-columns // (4 * block))
        if scales.numel() == 512 * tiles[0] * tiles[1]:
            # A tile has 128 rows of four scales: row r stands at place (r % 32, r // 32).
            tiled = scales.reshape(*tiles, 32, 4, 4).permute(0, 3, 2, 1, 4).reshape(128 * tiles[0], 4 * tiles[1])
            return tiled[:rows, :-(-columns // block)].repeat_interleave(block, 1)[:, :columns]
    raise TypeError(f"_scaled_mm has scales of shape {list(scales.shape)} for a matrix of shape {list(shape)}")


def grouped_mm(left, right, offsets=None, bias=None, out_dtype=None):
    """aten::_grouped_mm: products of groups of rows, or of groups of columns that are summed, with matrices."""
    del out_dtype
    if offsets is None:
        result = left @ right
        return result if bias is None else result + bias
    ends = [0, *offsets.tolist()]
    groups = list(zip(ends, ends[1:]))
    if left.dim() == 2 and right.dim() == 2:
        return torch.stack([left[:, start:end] @ right[start:end] for start, end in groups])
    if left.dim() == 2:
        return torch.cat([*(left[start:end] @ each for (start, end), each in zip(groups, right)),
                          left.new_zeros(left.shape[0] - ends[-1], right.shape[-1])])
    return torch.cat([each @ right[:, start:end] for (start, end), each in zip(groups, left)], 1)


def weight_int8pack_mm(left, codes, scales):
    """aten::_weight_int8pack_mm: a product with the transpose of codes that have a scale for each of their rows."""
    return left @ codes.double().t() * scales


# {operator: its definition for arguments in float64}.
DEFINITIONS = {"_scaled_mm": scaled_mm, "_grouped_mm": grouped_mm, "_weight_int8pack_mm": weight_int8pack_mm}
