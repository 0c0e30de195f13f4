"""The C interface of extensions: harness/python/include/kgrade_extension/interface.h in Python."""

import ctypes
import struct

import torch

VERSION = 1

ABSENT, NONE, EMPTY, BOOLEAN, INTEGER, REAL, TEXT, TENSOR, INTEGERS, REALS = range(10)
LIST, TUPLE, DTYPE, DEVICE, LAYOUT, FORMAT, OPTIONS = range(10, 17)
# The kind of any other object, which fits no parameter.
OTHER = 17

# struct Value: kind, count, and an int64, the bits of a double, or an address.
VALUE = struct.Struct("<iiq")
REAL_VALUE = struct.Struct("<iid")
OPTION_FIELDS = struct.Struct("<6i")
# struct FunctionRecord
FUNCTION = struct.Struct("<QQQiiQQQQi")

CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GIVE_RESULT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
GIVE_ERROR = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p)
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)


class Interface(ctypes.Structure):
    """struct Interface."""

    _fields_ = [
        ("version", ctypes.c_int32),
        ("call", CALL),
        ("release", RELEASE),
        ("give_result", GIVE_RESULT),
        ("give_error", GIVE_ERROR),
    ]


_DTYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16", 23: "float8_e5m2",
    24: "float8_e4m3fn", 27: "uint16", 28: "uint32", 29: "uint64", 44: "float8_e8m0fnu",
}  # fmt: skip
DTYPE_OF_CODE = {code: getattr(torch, name) for code, name in _DTYPES.items() if hasattr(torch, name)}
CODE_OF_DTYPE = {dtype: code for code, dtype in DTYPE_OF_CODE.items()}
UNDEFINED_DTYPE = 127

LAYOUTS = {0: torch.strided, 1: torch.sparse_coo}
FORMATS = {
    0: torch.contiguous_format,
    1: torch.preserve_format,
    2: torch.channels_last,
    3: torch.channels_last_3d,
}

_DEVICE_TYPES = {0: "cpu", 1: "cuda", 14: "meta"}
DEVICE_CODES = {name: code for code, name in _DEVICE_TYPES.items()}


def packed_device(kind, index):
    """A device as an integer: its type in the low byte, its index + 1 above."""
    return DEVICE_CODES.get(kind, 0) | ((-1 if index is None else index) + 1) << 8


def unpacked_device(packed, as_cuda):
    """A torch.device. With as_cuda, the CPU stands for CUDA."""
    kind = _DEVICE_TYPES[packed & 0xFF]
    index = (packed >> 8) - 1
    if as_cuda and kind == "cuda":
        return torch.device("cpu")
    return torch.device(kind) if index < 0 else torch.device(kind, index)


def values_at(address, count):
    """(kind, count, payload) of each Value at `address`. A real's payload holds its bits."""
    return list(VALUE.iter_unpack(ctypes.string_at(address, VALUE.size * count))) if count else []


def real_of(payload):
    """The double with these bits."""
    return struct.unpack("<d", struct.pack("<q", payload))[0]


def text_at(address):
    """The zero-terminated text at `address`."""
    return ctypes.string_at(address).decode("utf-8", "replace") if address else ""
