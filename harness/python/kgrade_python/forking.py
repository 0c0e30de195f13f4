"""An interpreter that forks workers: the Python side of harness/sandbox/zygote.h.

A zygote imports, and then waits for requests. It has one thread, no context of CUDA, and no data of a run. Each
worker is a fork of it. The fork confines itself in C++, as kgrade-sandbox confines a program, and then goes on here.
"""

import ctypes
import os
import signal
import sys
import threading

# harness/sandbox/zygote_protocol.h: ZygoteAsk.
FORK = 1
IMPORT_TRITON = 2
IMPORT_TRITON_INTERPRETED = 3

WORDS = ctypes.POINTER(ctypes.c_char_p)
PROGRAM = ctypes.PYFUNCTYPE(None, ctypes.c_int, WORDS, ctypes.c_int, WORDS)


class Library:
    """libkgrade-zygote.so. The interpreter's lock is kept during its calls, as during os.fork()."""

    def __init__(self, path):
        functions = ctypes.PyDLL(path)
        functions.kgrade_zygote_lacks.restype = ctypes.c_char_p
        functions.kgrade_zygote_answer.argtypes = [ctypes.c_int, ctypes.c_char_p]
        functions.kgrade_zygote_launch.argtypes = [PROGRAM]
        functions.kgrade_zygote_launch.restype = None
        self.next = functions.kgrade_zygote_next
        self.fork = functions.kgrade_zygote_fork
        self.launch = functions.kgrade_zygote_launch
        self._lacks = functions.kgrade_zygote_lacks
        self._answer = functions.kgrade_zygote_answer

    def answer(self, result, reason=""):
        return bool(self._answer(result, reason.encode("utf-8", "replace")))

    def is_fit(self):
        """Tells kgrade whether this process can be forked. If this returns False, the process must end."""
        reason = self._lacks().decode()
        return self.answer(-1 if reason else 0, reason) and not reason


def replace_environment(variables):
    for name in list(os.environ):
        del os.environ[name]
    for variable in variables:
        name, _, value = variable.partition("=")
        os.environ[name] = value


def draw_seeds():
    """Reseeds the generators that an import has seeded. Otherwise all workers would have the same seed. Python's own
    generator is reseeded at a fork, and those of GPUs begin with the same seed in every process."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()


def begin_process():
    """Sets up the state that an interpreter sets up when it starts and that a fork in C++ leaves unchanged."""
    ctypes.pythonapi.PyOS_AfterFork_Child()
    # Some versions keep the identifier of the parent process.
    threading.main_thread()._set_native_id()  # pylint: disable=protected-access
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    draw_seeds()


def run(command, environment, place, programs):
    """Does, in the confined process, what a new interpreter would do with this command."""
    try:
        begin_process()
        replace_environment(environment)
        sys.argv = command[place:]
        programs[os.path.basename(command[place])](command[place + 1:])
    except BaseException:  # pylint: disable=broad-except
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def serve(library, place, programs, import_triton):
    """Forks until kgrade has ended. `place`: the position of the script in a worker's command. `programs`: the
    functions of the scripts, by the script's name; each takes the script's arguments."""
    def confined(words, command, variables, environment):
        run([os.fsdecode(command[i]) for i in range(words)], [os.fsdecode(environment[i]) for i in range(variables)],
            place, programs)

    program = PROGRAM(confined)
    if not library.is_fit():
        return
    while True:
        ask = library.next()
        if ask in (IMPORT_TRITON, IMPORT_TRITON_INTERPRETED):
            import_triton(ask == IMPORT_TRITON_INTERPRETED)
            if not library.is_fit():
                return
        elif ask != FORK or not fork(library, program):
            return


def fork(library, program):
    """Forks a worker. Returns False when kgrade has ended. Does not return in the child."""
    ctypes.pythonapi.PyOS_BeforeFork()
    child = library.fork()
    if child == 0:
        library.launch(program)
    ctypes.pythonapi.PyOS_AfterFork_Parent()
    return library.answer(child, "" if child > 0 else "it cannot fork")
