"""Lent memory as tensors, and what a candidate returns as memory."""

import ctypes

import torch

from .errors import WrongAnswer

# DLPack's codes of element types: (code, bits). https://dmlc.github.io/dlpack/latest/c_api.html
TYPES = {
    "float32": (torch.float32, 2, 32),
    "float64": (torch.float64, 2, 64),
    "float16": (torch.float16, 2, 16),
    "bfloat16": (torch.bfloat16, 4, 16),
    # Not every version of PyTorch takes these from DLPack: they are lent as bytes.
    "float8_e4m3fn": (torch.float8_e4m3fn, 1, 8),
    "float8_e5m2": (torch.float8_e5m2, 1, 8),
    "int8": (torch.int8, 0, 8),
    "int16": (torch.int16, 0, 16),
    "int32": (torch.int32, 0, 32),
    "int64": (torch.int64, 0, 64),
    "uint8": (torch.uint8, 1, 8),
    "uint16": (torch.uint16, 1, 16),
    "uint32": (torch.uint32, 1, 32),
    "uint64": (torch.uint64, 1, 64),
    "bool": (torch.bool, 6, 8),
}

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Saved before a candidate is loaded, which may replace them.
_from_dlpack = torch._C._from_dlpack  # pylint: disable=protected-access
_tensor = torch.Tensor
_data_ptr = torch.Tensor.data_ptr
copy_to = torch.Tensor.copy_


class Lender:
    """Makes tensors of memory that the referee has lent. Each call gets new tensor objects."""

    def __init__(self, functions):
        self.make = functions.kgrade_lent_tensor

    def tensor(self, address, shape, count, code, bits):
        """A contiguous tensor over `address`. `shape` is a ctypes array of `count` extents."""
        return _from_dlpack(_new_capsule(self.make(address, shape, count, code, bits), b"dltensor", None))


def is_same(result, output):
    """Whether `result` is `output`, or another tensor of the same elements in the same memory."""
    return result is output or (
        type(result) is _tensor and result.shape == output.shape and result.dtype == output.dtype
        and result.is_contiguous() and _data_ptr(result) == _data_ptr(output))


def address_of_result(result, name, shape, dtype, inputs, is_device):
    """The address of what a candidate returned for one output, and the tensor to keep until it has been read.

    Raises WrongAnswer for what is no answer: another type, shape or place, or an input.
    """
    if not isinstance(result, _tensor):
        raise WrongAnswer(f"returned {type(result).__name__} for output '{name}'; return a tensor")
    if type(result) is not _tensor and type(result) is not torch.nn.Parameter:
        raise WrongAnswer(
            f"returned a {type(result).__name__} for output '{name}'; return a plain tensor")
    if tuple(result.shape) != shape:
        raise WrongAnswer(f"returned shape {list(result.shape)} for output '{name}', which has {list(shape)}")
    if result.dtype != dtype:
        raise WrongAnswer(f"returned {result.dtype} for output '{name}', which is {dtype}".replace("torch.", ""))
    if not is_device(result):
        raise WrongAnswer(f"returned a tensor on the {result.device} for output '{name}'; return it on the GPU")
    if result.layout != torch.strided:
        raise WrongAnswer(f"returned a {result.layout} tensor for output '{name}'; return a dense one")
    dense = result if result.is_contiguous() else result.contiguous()
    # Whether its elements are to be negated is a bit of the tensor that its memory does not show.
    if dense.is_neg():
        dense = dense.resolve_neg()
    address = _data_ptr(dense)
    if dense.numel() and address == 0:
        raise WrongAnswer(f"returned a tensor without memory for output '{name}'; return one that holds its values")
    if dense.numel() and any(low <= address < high for low, high in inputs):
        raise WrongAnswer(f"returned memory of an input for output '{name}'; return a tensor of its own")
    return address, dense
