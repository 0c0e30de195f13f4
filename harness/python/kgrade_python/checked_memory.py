"""A checked run on the emulated device (kgrade check): what the checker has to be told of this process.

It sees every access of an extension's kernels. PyTorch's memory, which they work on, it knows only as far as it hears
of it; and an extension's code it can place once it knows where its library is.
"""

import ctypes

import torch

# Taken before a submission can patch them.
_storage_of = torch.Tensor.untyped_storage
_data_ptr = torch.Tensor.data_ptr

# All noted memory is kept, so that no other tensor gets the same address with other bounds. Beyond this, none is noted
# any more: the checker then says nothing of PyTorch's memory, rather than something wrong.
MOST_KEPT_BYTES = 512 << 20


class CheckedMemory:
    """One for a process. Used with the interpreter's lock held."""

    def __init__(self, functions):
        """functions -- of kgrade's library for the emulated device, while it is checking"""
        functions.kgrade_check_extension.argtypes = [ctypes.c_void_p, ctypes.c_uint]
        functions.kgrade_note_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        functions.kgrade_forget_memory.argtypes = [ctypes.c_void_p]
        self._functions = functions
        self._kept = []
        self._places = {}
        self._bytes = 0
        # Of the extension that the referee built last, as it counts them.
        self.number = 0

    def install(self):
        """Addresses that a submission takes itself reach kernels as numbers."""
        def data_ptr(tensor):
            self.note(tensor)
            return _data_ptr(tensor)

        torch.Tensor.data_ptr = data_ptr

    def note_library(self, library):
        """An extension's library, before any function of it is called."""
        address = ctypes.cast(library.kgrade_extension_load, ctypes.c_void_p)
        self._functions.kgrade_check_extension(address, self.number)

    def note(self, tensor):
        """The memory that a tensor lies in, whole."""
        if self._kept is None or tensor.layout is not torch.strided:
            return
        try:
            storage = _storage_of(tensor)
            place = storage.data_ptr(), storage.nbytes()
        except (RuntimeError, NotImplementedError):  # a tensor without memory of its own
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
    """The CheckedMemory of a checked run; None in any other. library -- serving.Library"""
    if not library.is_emulated or not library.functions.kgrade_is_checking():
        return None
    return CheckedMemory(library.functions)
