"""Runs a command until it ends, or until standard input ends: `python -I -S _kept.py FOLDER COMMAND ARGUMENT...`.

Standard input is a pipe, whose other end belongs to the process that starts this one. So the command does not outlive
that process, however that process ends. If standard input ends, the folder FOLDER is removed with its contents, unless
FOLDER is empty text.
Exit code: the command's, or 128 and the number of the signal that ended it.
"""

import ctypes
import functools
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Sequence

# Seconds between SIGTERM and SIGKILL.
PATIENCE = 10.0
_PR_SET_PDEATHSIG = 1


def command_for(command: Sequence[str], folder: str = "") -> "list[str]":
    """The command that runs `command` with this file. Start it with a pipe as its standard input."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), folder, *command]


def _prepare(parent: int) -> None:
    """Runs in the child before it becomes the command. Makes the command end also if this process, `parent`, is
    killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # If the parent was killed before that call, no signal comes.
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


class _Signals:
    """Signals as bytes in a pipe, so that a signal just before a wait is not missed."""

    def __init__(self, *numbers: int) -> None:
        self.descriptor, written = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(written, False)
        signal.set_wakeup_fd(written, warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, lambda *_: None)

    def take(self) -> bytes:
        """The numbers of the signals that came since the last call."""
        try:
            return os.read(self.descriptor, 4096)
        except BlockingIOError:
            return b""


def _has_ended(descriptor: int) -> bool:
    try:
        return not os.read(descriptor, 4096)
    except OSError:
        return True


def main() -> int:
    folder, command = sys.argv[1], sys.argv[2:]
    # A terminal sends SIGINT to the command as well, and the command decides whether to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signals = _Signals(signal.SIGTERM, signal.SIGCHLD)
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=functools.partial(_prepare, os.getpid()))
    waiting, kill_at = [0, signals.descriptor], math.inf
    while child.poll() is None:
        ready = select.select(waiting, [], [], max(0.0, min(kill_at - time.monotonic(), 60.0)))[0]
        if signals.descriptor in ready and signal.SIGTERM in signals.take():
            child.terminate()
        if 0 in ready and _has_ended(0):
            waiting.remove(0)
            child.terminate()
            kill_at = time.monotonic() + PATIENCE
        if time.monotonic() >= kill_at:
            child.kill()
            child.wait()
    if folder and 0 not in waiting:
        shutil.rmtree(folder, ignore_errors=True)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


if __name__ == "__main__":
    sys.exit(main())
