"""The tensors that extensions hold, with descriptions in memory that C++ reads (struct TensorRecord)."""

import ctypes
import struct

import torch

from .extension_interface import CODE_OF_DTYPE, DEVICE_CODES, UNDEFINED_DTYPE

_HEADER = struct.Struct("<QqqQibbbB")
# Each record has room for the sizes and strides of at least so many dimensions. A tensor that gets more dimensions
# later gets more room.
_LEAST_DIMENSIONS = 8

_CONTIGUOUS, _REQUIRES_GRAD, _STRIDED = 1, 2, 4

# Saved before a submission can patch it.
_Tensor = torch.Tensor
_data_ptr = _Tensor.data_ptr
_stride = _Tensor.stride
_numel = _Tensor.numel
_is_contiguous = _Tensor.is_contiguous
_storage_offset = _Tensor.storage_offset


class _Entry:
    """A tensor, the memory of its record, and how often it was handed over."""

    __slots__ = ("tensor", "memory", "address", "rooms", "capacity", "count")


class TensorRecords:
    """Finds the records by the tensor's identity and by the record's address. Callers hold the interpreter's lock.

    as_cuda        -- tensors of the CPU are described as on CUDA device 0
    checked_memory -- in a checked run, the object that each tensor is reported to
    """

    def __init__(self, as_cuda, checked_memory=None):
        self._as_cuda = as_cuda
        self._checked_memory = checked_memory
        self._by_id = {}
        self._by_address = {}

    def __len__(self):
        return len(self._by_id)

    def hand_over(self, tensor):
        """The address of the tensor's record. The receiver has to release the record once for each time that it is
        handed over."""
        entry = self._by_id.get(id(tensor))
        if entry is None:
            entry = self._add(tensor)
        else:
            self._describe(entry)
        entry.count += 1
        return entry.address

    def tensor_at(self, address):
        """The tensor of a record."""
        return self._by_address[address].tensor

    def release(self, address):
        """Releases the record once. Its memory is freed with the last release."""
        entry = self._by_address[address]
        entry.count -= 1
        if entry.count == 0:
            del self._by_address[address], self._by_id[id(entry.tensor)]

    def refresh(self, tensor):
        """Call this after an in-place operation, which may have changed sizes or storage."""
        entry = self._by_id.get(id(tensor))
        if entry is not None:
            self._describe(entry)

    def _add(self, tensor):
        entry = _Entry()
        entry.tensor = tensor
        entry.count = 0
        entry.capacity = max(tensor.dim(), _LEAST_DIMENSIONS)
        entry.memory = ctypes.create_string_buffer(_HEADER.size + 16 * entry.capacity)
        entry.address = ctypes.addressof(entry.memory)
        # A reference to older sizes may still be in use, so older rooms stay.
        entry.rooms = [(entry.memory, _HEADER.size)]
        self._describe(entry)
        self._by_id[id(tensor)] = entry
        self._by_address[entry.address] = entry
        return entry

    def _describe(self, entry):
        tensor = entry.tensor
        if self._checked_memory is not None:
            self._checked_memory.note(tensor)
        sizes = tensor.shape
        count = len(sizes)
        if count > entry.capacity:
            entry.capacity = count
            entry.rooms.append((ctypes.create_string_buffer(16 * count), 0))
        room, offset = entry.rooms[-1]
        flags = _REQUIRES_GRAD if tensor.requires_grad else 0
        if tensor.layout is torch.strided:
            struct.pack_into(f"<{2 * count}q", room, offset, *sizes, *_stride(tensor))
            flags |= _STRIDED | (_CONTIGUOUS if _is_contiguous(tensor) else 0)
            data, storage_offset = _data_ptr(tensor), _storage_offset(tensor)
        else:
            struct.pack_into(f"<{2 * count}q", room, offset, *sizes, *([0] * count))
            data, storage_offset = 0, 0
        device_type, device_index = self._device_of(tensor.device)
        _HEADER.pack_into(
            entry.memory,
            0,
            data,
            _numel(tensor),
            storage_offset,
            ctypes.addressof(room) + offset,
            count,
            CODE_OF_DTYPE.get(tensor.dtype, UNDEFINED_DTYPE),
            device_type,
            device_index,
            flags,
        )

    def _device_of(self, device):
        if self._as_cuda and device.type == "cpu":
            return DEVICE_CODES["cuda"], 0
        return DEVICE_CODES.get(device.type, 0), -1 if device.index is None else device.index
