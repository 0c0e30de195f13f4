"""Runs a command until it ends, or until standard input ends: `python -I -S _kept.py FOLDER COMMAND ARGUMENT...`.

The process that starts this one keeps the other end of a pipe. So the command does not outlive that process, however that
process ends. If standard input ends, FOLDER is removed with all that is in it; an empty FOLDER names none.
Exit code: the command's, or 128 and the number of the signal that ended it.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import Sequence

# Seconds between SIGTERM and SIGKILL.
PATIENCE = 10.0
_PR_SET_PDEATHSIG = 1


def command_for(command: Sequence[str], folder: str = "") -> "list[str]":
    """The command that runs `command` with this file. Start it with a pipe as its standard input."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), folder, *command]


def _prepare() -> None:
    """Runs in the child before it becomes the command, which is to end also if this process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class _InputEnded(Exception):
    pass


def _wait_for_end_of_input() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGUSR1)


def _on_end_of_input(*_: object) -> None:
    raise _InputEnded


def main() -> int:
    folder, command = sys.argv[1], sys.argv[2:]
    # A terminal sends SIGINT to the command as well, which decides what that means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Before this, SIGTERM ends this process, and so the command.
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_prepare)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    signal.signal(signal.SIGUSR1, _on_end_of_input)
    try:
        threading.Thread(target=_wait_for_end_of_input, daemon=True).start()
        code = child.wait()
    except _InputEnded:
        child.terminate()
        try:
            code = child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
