"""Reads the tensors of a safetensors file: 8 bytes with the length of a JSON header, little-endian; the header with type,
shape and place of each tensor; then the data."""

import json
import math

import torch

from ..module_file import FileError

TYPES = {"BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
         "U64": "uint64", "I64": "int64", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
         "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


def tensors_of(content):
    """{name: tensor}. Raises ValueError if `content` is not such a file."""
    if content.startswith(b"version https://git-lfs"):
        raise FileError("a safetensors file is a pointer of Git LFS; run: git lfs pull")
    length = int.from_bytes(content[:8], "little")
    try:
        header = json.loads(content[8:8 + length])
        header.pop("__metadata__", None)
        data = bytearray(content[8 + length:])
        return {name: tensor_of(data, **entry) for name, entry in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FileError(f"a safetensors file is damaged: {error}; fetch it anew") from None


def tensor_of(data, dtype, shape, data_offsets):
    begin, end = data_offsets
    if not hasattr(torch, TYPES.get(dtype, "")):
        raise ValueError(f"the type {dtype} is not known")
    kind, count = getattr(torch, TYPES[dtype]), math.prod(shape)
    if not 0 <= begin <= end <= len(data) or count * kind.itemsize != end - begin:
        raise ValueError(f"{shape} elements of type {dtype} are not bytes {begin} to {end} of {len(data)}")
    if not count:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(data, dtype=kind, count=count, offset=begin).reshape(shape)
