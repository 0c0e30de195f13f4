"""Tells the checker of the emulated device about this process in a checked run (kgrade check).

The checker sees every access of an extension's kernels. It knows only the memory of PyTorch that is reported to it. It
can name the place of an extension's code only if it knows where the library is loaded.
"""

import ctypes

import torch

# Saved before a submission can patch it.
_storage_of = torch.Tensor.untyped_storage
_data_ptr = torch.Tensor.data_ptr

# Noted memory is kept, so that no other tensor gets the same address with other bounds. Beyond this limit no memory is
# noted. The checker then misses errors in PyTorch's memory, but reports no false ones.
MOST_KEPT_BYTES = 512 << 20


class CheckedMemory:
    """A process has one such object, and uses it with the interpreter's lock held."""

    def __init__(self, functions):
        """functions -- those of kgrade's library for the emulated device, in a checked run"""
        functions.kgrade_check_extension.argtypes = [ctypes.c_void_p, ctypes.c_uint]
        functions.kgrade_note_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        functions.kgrade_forget_memory.argtypes = [ctypes.c_void_p]
        self._functions = functions
        self._kept = []
        self._places = {}
        self._bytes = 0
        # The referee's number for the latest extension that it built.
        self.number = 0

    def install(self):
        """Makes this object note each tensor whose address a submission reads, since the address may reach kernels as a
        plain number."""
        def data_ptr(tensor):
            self.note(tensor)
            return _data_ptr(tensor)

        torch.Tensor.data_ptr = data_ptr

    def note_library(self, library):
        """Reports an extension's library. Call it before any function of the library."""
        address = ctypes.cast(library.kgrade_extension_load, ctypes.c_void_p)
        self._functions.kgrade_check_extension(address, self.number)

    def note(self, tensor):
        """Notes the whole storage of a tensor."""
        if self._kept is None or tensor.layout is not torch.strided:
            return
        try:
            storage = _storage_of(tensor)
            place = storage.data_ptr(), storage.nbytes()
        except (RuntimeError, NotImplementedError):  # a tensor without memory
            return
        key = storage._cdata  # pylint: disable=protected-access
        before = self._places.get(key)
        if before == place or not all(place):
            return
        if before is None:
            self._kept.append(storage)
        else:
            self._functions.kgrade_forget_memory(before[0])
        self._places[key] = place
        self._bytes += place[1]
        if self._bytes > MOST_KEPT_BYTES:
            self._give_up()
        else:
            self._functions.kgrade_note_memory(*place)

    def _give_up(self):
        self._functions.kgrade_forget_memory(None)
        self._kept = None
        self._places.clear()


def of_this_process(library):
    """The CheckedMemory of a checked run; None in any other run. library -- serving.Library"""
    if not library.is_emulated or not library.functions.kgrade_is_checking():
        return None
    return CheckedMemory(library.functions)
