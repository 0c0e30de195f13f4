"""The Python side of the C interface. Converts values in both directions, and has the callbacks that an extension
calls."""

import atexit
import ctypes
import struct
import threading

import torch

from . import special_operators
from .extension_interface import (
    BOOLEAN, CALL, CODE_OF_DTYPE, DEVICE, DTYPE, DTYPE_OF_CODE, FORMAT, FORMATS, GIVE_ERROR, GIVE_RESULT, INTEGER,
    INTEGERS, Interface, LAYOUT, LAYOUTS, LIST, NONE, OPTION_FIELDS, OPTIONS, OTHER, REAL, REALS, REAL_VALUE, RELEASE,
    TENSOR, TEXT, TUPLE, VALUE, VERSION, packed_device, real_of, unpacked_device, values_at,
)  # fmt: skip
from .operators import Operators, Options
from .tensor_records import TensorRecords

_ERRORS = {
    kind.__name__: kind
    for kind in (IndexError, ValueError, TypeError, NotImplementedError, MemoryError, OverflowError, KeyError)
}
_ERRORS["OutOfMemoryError"] = getattr(torch, "OutOfMemoryError", RuntimeError)

_INT64_END = 1 << 63


class _Answer:
    """How a call of an exported function ended."""

    __slots__ = ("value", "error")

    def __init__(self):
        self.value = None
        self.error = None


class Bridge:
    """The bridge of all extensions of a process.

    as_cuda        -- the CPU is the device under test: its tensors report CUDA device 0, and tensors that an extension
                      makes on CUDA are made on the CPU
    checked_memory -- the CheckedMemory of a checked run (checked_memory.py), else None
    """

    def __init__(self, as_cuda, checked_memory=None):
        self.as_cuda = as_cuda
        self.checked_memory = checked_memory
        self.records = TensorRecords(as_cuda, checked_memory)
        self._operators = Operators()
        self._special = special_operators.table(as_cuda)
        self._of_thread = threading.local()
        # These are kept, since ctypes frees callbacks without a reference.
        self._callbacks = (
            CALL(self._call),
            RELEASE(self.records.release),
            GIVE_RESULT(self._give_result),
            GIVE_ERROR(self._give_error),
        )
        self.interface = Interface(VERSION, *self._callbacks)
        # Destructors of an extension's static tensors run after the interpreter has ended. The interface must still
        # exist then, and say that its functions must not be called.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.interface))
        atexit.register(setattr, self.interface, "version", 0)

    def enter(self):
        """Call this before a call into an extension. The extension's result is put into the returned answer."""
        answer = _Answer()
        self._answers().append(answer)
        return answer

    def leave(self, answer):
        """Call this after a call into an extension. Raises the error that the extension reported."""
        self._answers().remove(answer)
        if answer.error is not None:
            # The frames between are left out, so that the error's place is the submission's line.
            raise answer.error from None
        return answer.value

    # Values that are read

    def from_values(self, address, count):
        """Kinds and Python objects of the Values at an address."""
        kinds, objects = [], []
        for kind, length, payload in values_at(address, count):
            kinds.append(kind)
            objects.append(self.to_object(kind, length, payload))
        return kinds, objects

    def to_object(self, kind, length, payload):
        """The Python object of a Value."""
        if kind == TENSOR:
            return self.records.tensor_at(payload)
        if kind == INTEGER:
            return payload
        if kind == REAL:
            return real_of(payload)
        if kind == BOOLEAN:
            return payload != 0
        if kind == INTEGERS:
            return list(struct.unpack(f"<{length}q", ctypes.string_at(payload, 8 * length))) if length else []
        if kind == REALS:
            return list(struct.unpack(f"<{length}d", ctypes.string_at(payload, 8 * length))) if length else []
        if kind == OPTIONS:
            return self._options(payload)
        if kind in (LIST, TUPLE):
            objects = self.from_values(payload, length)[1]
            return tuple(objects) if kind == TUPLE else objects
        if kind == TEXT:
            return ctypes.string_at(payload, length).decode("utf-8", "replace") if length else ""
        if kind == DTYPE:
            return DTYPE_OF_CODE[payload]
        if kind == DEVICE:
            return unpacked_device(payload, self.as_cuda)
        if kind == FORMAT:
            return FORMATS[payload]
        return LAYOUTS[payload] if kind == LAYOUT else None

    def _options(self, address):
        dtype, layout, device, requires_grad, pinned, memory_format = OPTION_FIELDS.unpack(
            ctypes.string_at(address, OPTION_FIELDS.size)
        )
        return Options(
            None if dtype < 0 else DTYPE_OF_CODE[dtype],
            None if layout < 0 else LAYOUTS[layout],
            None if device < 0 else unpacked_device(device, self.as_cuda),
            True if pinned > 0 and not self.as_cuda else None,
            None if memory_format < 0 else FORMATS[memory_format],
            requires_grad > 0,
        )

    # Values that are written

    def to_value(self, item, kept):
        """The bytes of the Value for `item`. Memory that the Value points to is added to `kept`; tensors are handed
        over."""
        if isinstance(item, torch.Tensor):
            return VALUE.pack(TENSOR, 0, self.records.hand_over(item))
        if item is None:
            return VALUE.pack(NONE, 0, 0)
        if isinstance(item, bool):
            return VALUE.pack(BOOLEAN, 0, item)
        if isinstance(item, int):
            fits = -_INT64_END <= item < _INT64_END
            return VALUE.pack(INTEGER, 0, item) if fits else VALUE.pack(OTHER, 0, 0)
        if isinstance(item, float):
            return REAL_VALUE.pack(REAL, 0, item)
        if isinstance(item, str):
            return self._pointing(TEXT, len(item.encode()), item.encode(), kept)
        if isinstance(item, (list, tuple)):
            entries = b"".join([self.to_value(entry, kept) for entry in item])
            return self._pointing(TUPLE if isinstance(item, tuple) else LIST, len(item), entries, kept)
        if isinstance(item, torch.dtype):
            return (
                VALUE.pack(DTYPE, 0, CODE_OF_DTYPE[item]) if item in CODE_OF_DTYPE else VALUE.pack(OTHER, 0, 0)
            )
        if isinstance(item, torch.device):
            kind = "cuda" if self.as_cuda and item.type == "cpu" else item.type
            return VALUE.pack(DEVICE, 0, packed_device(kind, item.index))
        if isinstance(item, (torch.memory_format, torch.layout)):
            names = FORMATS if isinstance(item, torch.memory_format) else LAYOUTS
            kind = FORMAT if names is FORMATS else LAYOUT
            return VALUE.pack(kind, 0, next((code for code, each in names.items() if each is item), 0))
        if hasattr(item, "__index__"):
            return self.to_value(item.__index__(), kept)
        return VALUE.pack(OTHER, 0, 0)

    @staticmethod
    def _pointing(kind, count, content, kept):
        memory = ctypes.create_string_buffer(content, max(len(content), 1))
        kept.append(memory)
        return VALUE.pack(kind, count, ctypes.addressof(memory))

    # Callbacks for extensions. An exception must not leave a callback: ctypes would print and drop it.

    def _call(self, name, arguments, count, result):
        kept = self._of_thread.kept = []
        try:
            kinds, objects = self.from_values(arguments, count)
            value = self._result_of(name.decode(), kinds, objects)
            written = self.to_value(value, kept)
            failed = 0
        except BaseException as error:  # noqa: B902 - C++ throws it on
            self._of_thread.raised = error
            text = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
            written = self._pointing(TEXT, len(text), text, kept)
            failed = 1
        ctypes.memmove(result, written, VALUE.size)
        return failed

    def _result_of(self, name, kinds, objects):
        special = self._special.get(name)
        if special is not None:
            return special(kinds, objects)
        value = self._operators.call(name, kinds, objects)
        if name.endswith("_") and kinds and kinds[0] == TENSOR:
            self.records.refresh(objects[0])
        return value

    def _give_result(self, address):
        try:
            self._answers()[-1].value = self.from_values(address, 1)[1][0]
        except BaseException as error:  # noqa: B902
            self._answers()[-1].error = error

    def _give_error(self, kind, text):
        text = text.decode("utf-8", "replace")
        # If an operator has raised an exception, exactly that exception is raised.
        raised, self._of_thread.raised = getattr(self._of_thread, "raised", None), None
        if raised is not None and str(raised) == text:
            self._answers()[-1].error = raised.with_traceback(None)
        else:
            self._answers()[-1].error = _ERRORS.get(kind.decode(), RuntimeError)(text)

    def _answers(self):
        try:
            return self._of_thread.answers
        except AttributeError:
            self._of_thread.answers = []
            return self._of_thread.answers
