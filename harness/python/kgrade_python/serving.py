"""Connects kgrade's worker library with the contestant: the callbacks that the library calls."""

import ctypes
import json
import os
import sys

from . import distributions, errors, own_functions

# The types of the callbacks, as in harness/contest/worker_python.h.
LOAD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
DESCRIBE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
DRAW_INPUTS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ulonglong, ctypes.POINTER(ctypes.c_ulonglong))
BEGIN = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_ulonglong), ctypes.c_int)
CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_ulonglong))
LOCK = ctypes.CFUNCTYPE(ctypes.c_int)


class Callbacks(ctypes.Structure):
    """harness/contest/worker_python.h: PythonCallbacks."""

    _fields_ = [("load", LOAD), ("describe", DESCRIBE), ("draw_inputs", DRAW_INPUTS), ("begin", BEGIN), ("call", CALL),
                ("lock", LOCK)]


def read_json(descriptor):
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return json.loads(file.read())


class Library:
    """kgrade's worker library, by its C functions."""

    def __init__(self, path):
        # Extensions take the emulated device's functions from this library.
        self.functions = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.is_emulated = "emulated" in os.path.basename(path)
        self.functions.kgrade_build.restype = ctypes.c_int
        self.functions.kgrade_build.argtypes = [
            ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)]
        self.functions.kgrade_lent_tensor.restype = ctypes.c_void_p
        self.functions.kgrade_lent_tensor.argtypes = [
            ctypes.c_ulonglong, ctypes.POINTER(ctypes.c_longlong), ctypes.c_int, ctypes.c_int, ctypes.c_int]
        self.functions.kgrade_end.argtypes = [ctypes.c_int]
        self.functions.kgrade_fault.argtypes = [ctypes.c_char_p]
        self.functions.kgrade_report.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def fault(self, word):
        """The number of a fault of contest/protocol.h."""
        return self.functions.kgrade_fault(word.encode())

    def end(self, fault):
        """Ends the process. `fault`: its word in contest/protocol.h."""
        self.functions.kgrade_end(self.fault(fault))

    def report(self, facts):
        text = json.dumps(facts).encode()
        self.functions.kgrade_report(text, len(text))

    def build(self, request):
        """Sends a build request to the referee. Returns (BuildAnswer of contest/protocol.h, file descriptor)."""
        text = json.dumps(request).encode()
        descriptor = ctypes.c_int(-1)
        kind = self.functions.kgrade_build(text, len(text), ctypes.byref(descriptor))
        if kind < 0:
            raise errors.Unsupported("builds an extension in a measured call, or on a thread of its own")
        return kind, descriptor.value


FAULTS = {errors.Unsupported: "unsupported", errors.SignatureMismatch: "mismatched", errors.WrongAnswer: "no_answer",
          errors.Replaced: "replaced"}


class Server:
    """Makes the calls that the library asks for, and ends the process if one raises."""

    def __init__(self, library):
        self.library = library
        self.contestant = None
        self.own_functions = {}  # as found() saw them before the candidate was loaded
        self.loads_from = None  # the place where the file's output begins; None unless the file is being loaded

    def guarded(self, work):
        try:
            work()
            return 0
        except BaseException as error:  # pylint: disable=broad-except
            self.end(error)
        return 1

    def end(self, error):
        """Ends the process, and reports why. An exception that left this callback would count as success."""
        try:
            self.say_why(error)
        finally:
            self.library.end("raised")

    def say_why(self, error):
        for kind, fault in FAULTS.items():
            if isinstance(error, kind):
                errors.print_last(" | ".join(str(error).splitlines()))
                self.library.end(fault)
        if self.loads_from is not None and self.contestant is not None and self.contestant.needs_package(error):
            version = ".".join(str(part) for part in sys.version_info[:3])
            package = distributions.name_of(error.name, self.contestant.source)
            errors.print_last(f"needs the package '{package}', which Python {version} here does not have"
                              f"{self.why_not_there(error)}")
            self.library.end("unsupported")
        contestant = self.contestant
        refused = contestant.why_refused(error) if contestant is not None else None
        if refused:
            errors.print_last(refused)
            self.library.end("unsupported")
        errors.print_last(self.words_of(error) + errors.printed_since(self.loads_from))
        if is_device_lost():
            self.library.end("device_failed")
        self.library.end("memory_limit" if is_out_of_memory(error) else "raised")

    def load(self, descriptor):
        def work():
            from .contestant import Contestant

            self.contestant = Contestant(self.library, read_json(descriptor))
            self.own_functions = own_functions.found()
            self.loads_from = errors.place_of_output()
            self.contestant.load()
            self.loads_from = None

        return self.guarded(work)

    def describe(self, descriptor):
        return self.guarded(lambda: self.contestant.describe(read_json(descriptor)))

    def draw_inputs(self, seed, addresses):
        return self.guarded(lambda: self.contestant.draw_inputs(seed, addresses))

    def begin(self, seeds, launches):
        self.guarded(lambda: self.contestant.begin(seeds[:launches]))

    def call(self, arguments):
        # This is the only path that is timed, so it calls the contestant without guarded().
        try:
            self.contestant.call(arguments)
            return 0
        except BaseException as error:  # pylint: disable=broad-except
            return self.end_call(error)

    def end_call(self, error):
        """Returns the fault of a failed call if the process can go on. Otherwise ends the process."""
        try:
            if self.goes_on_after(error):
                if isinstance(error, errors.WrongAnswer):
                    errors.print_last(" | ".join(str(error).splitlines()))
                    return self.library.fault("no_answer")
                errors.print_last(self.words_of(error))
                return self.library.fault("raised")
        except BaseException as other:  # pylint: disable=broad-except
            error = other
        self.end(error)
        return self.library.fault("raised")

    def goes_on_after(self, error):
        """Whether an error concerns this call alone."""
        if not isinstance(error, Exception):
            return False
        if isinstance(error, (errors.Unsupported, errors.SignatureMismatch)):
            return False
        return not (is_out_of_memory(error) or self.contestant.why_refused(error) or is_device_lost())

    def words_of(self, error):
        files = self.contestant.files if self.contestant is not None else {}
        return "raised " + errors.in_one_line(error, files) + errors.remedy_of(error) + self.why_not_there(error)

    def why_not_there(self, error):
        return self.contestant.why_not_there(error) if self.contestant is not None else ""

    def lock(self):
        def work():
            own_functions.compare(self.own_functions, (self, self.contestant))
            self.contestant.lock()

        return self.guarded(work)


def is_device_lost():
    """Whether a kernel has faulted. After a fault, PyTorch's next operator raises an error, whose message depends on
    the library that it calls."""
    import torch

    try:
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def is_out_of_memory(error):
    import torch

    return isinstance(error, (MemoryError, torch.OutOfMemoryError))


def serve(path, arguments, with_triton=False):
    """Imports the frameworks, then serves the referee until it closes the connection."""
    sys.stdout, sys.stderr = errors.stream_of(1), errors.stream_of(2)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    if "emulated" in os.path.basename(path):
        os.environ["TRITON_INTERPRET"] = "1"
    from . import frameworks

    frameworks.import_all(with_triton)
    from . import contestant  # noqa: F401  (imported now, while nobody waits)

    library = Library(path)
    server = Server(library)
    callbacks = Callbacks(LOAD(server.load), DESCRIBE(server.describe), DRAW_INPUTS(server.draw_inputs),
                          BEGIN(server.begin), CALL(server.call), LOCK(server.lock))
    words = (ctypes.c_char_p * len(arguments))(*[word.encode() for word in arguments])
    library.functions.kgrade_serve(len(arguments), words, ctypes.byref(callbacks))
    os._exit(0)
