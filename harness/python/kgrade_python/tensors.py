"""Turns lent memory into tensors, and a candidate's results into memory."""

import ctypes

import torch

from .errors import Unsupported, WrongAnswer


def _bits(dtype):
    if dtype == torch.bool:
        return 8
    try:
        return (torch.finfo if dtype.is_floating_point else torch.iinfo)(dtype).bits
    except TypeError:
        return None  # complex numbers and codes, which no tensor of a problem has


def _dlpack_code(dtype):
    # Floating types of eight bits are lent as bytes, since some versions of PyTorch do not take them from DLPack.
    if dtype.is_floating_point and _bits(dtype) > 8:
        return 4 if dtype == torch.bfloat16 else 2
    return {torch.int8: 0, torch.int16: 0, torch.int32: 0, torch.int64: 0, torch.bool: 6}.get(dtype, 1)


class _Types(dict):
    def __missing__(self, name):
        raise Unsupported(f"needs a PyTorch that has the type {name}, which {torch.__version__} does not")


# PyTorch's types by name: (dtype, DLPack's code, bits). https://dmlc.github.io/dlpack/latest/c_api.html
TYPES = _Types((name, (dtype, _dlpack_code(dtype), _bits(dtype)))
               for name, dtype in vars(torch).items() if isinstance(dtype, torch.dtype))

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Saved before a candidate is loaded, since it may replace them. All are functions in C that do not use the tensor's
# own Python attributes.
_from_dlpack = torch._C._from_dlpack  # pylint: disable=protected-access
_tensor = torch.Tensor
_plain_types = (torch.Tensor, torch.nn.Parameter)
_strided = torch.strided
_data_ptr = torch.Tensor.data_ptr
_numel = torch.Tensor.numel
_is_contiguous = torch.Tensor.is_contiguous
_contiguous = torch.Tensor.contiguous
_is_neg = torch.Tensor.is_neg
_resolve_neg = torch.Tensor.resolve_neg
_shape_of, _dtype_of, _layout_of, _device_of, _is_cuda = (
    getattr(torch.Tensor, name).__get__ for name in ("shape", "dtype", "layout", "device", "is_cuda"))
copy_to = torch.Tensor.copy_
# In this context, these functions cannot be replaced by a subclass of Tensor, or by a mode that a candidate has left
# on.
unwatched = torch._C.DisableTorchFunction


def are_equal(one, other):
    """Whether two tensors of one type and shape have equal elements. Those of eight bits are compared by their bits, since
    PyTorch does not compare their numbers."""
    if one.dtype.is_floating_point and one.element_size() == 1:
        one, other = one.contiguous().view(torch.uint8), other.contiguous().view(torch.uint8)
    return torch.equal(one, other)


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
        type(result) is _tensor and _shape_of(result) == _shape_of(output) and _dtype_of(result) == _dtype_of(output)
        and _is_contiguous(result) and _data_ptr(result) == _data_ptr(output))


def address_of_result(result, name, shape, dtype, is_emulated):
    """The address of a candidate's result for one output, and the tensor to keep until it has been read. Call it in
    unwatched(). contest/returned_memory.h decides whether the memory is an input's.

    Raises WrongAnswer for a wrong type, shape or place.
    """
    if not isinstance(result, _tensor):
        raise WrongAnswer(f"returned {type(result).__name__} for output '{name}'; return a tensor")
    if type(result) not in _plain_types:
        raise WrongAnswer(
            f"returned a {type(result).__name__} for output '{name}'; return a plain tensor")
    if tuple(_shape_of(result)) != shape:
        raise WrongAnswer(f"returned shape {list(_shape_of(result))} for output '{name}', which has {list(shape)}")
    if _dtype_of(result) != dtype:
        raise WrongAnswer(f"returned {_dtype_of(result)} for output '{name}', which is {dtype}".replace("torch.", ""))
    if not is_emulated and not _is_cuda(result):
        raise WrongAnswer(f"returned a tensor on the {_device_of(result)} for output '{name}'; return it on the GPU")
    if _layout_of(result) != _strided:
        raise WrongAnswer(f"returned a {_layout_of(result)} tensor for output '{name}'; return a dense one")
    dense = result if _is_contiguous(result) else _contiguous(result)
    # A tensor has a bit for negated elements, which its memory does not show.
    if _is_neg(dense):
        dense = _resolve_neg(dense)
    address = _data_ptr(dense)
    if _numel(dense) and address == 0:
        raise WrongAnswer(f"returned a tensor without memory for output '{name}'; return one that holds its values")
    return address, dense
