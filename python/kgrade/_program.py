"""Finds and runs the program `kgrade`, and defines the exceptions of this package."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn, Optional

# In a wheel, `cmake --install` puts everything here.
PREFIX = Path(__file__).resolve().parent / "_prefix"

# Where the program looks for nvcc without $CUDA_HOME, after PATH.
USUAL_NVCC = Path("/usr/local/cuda/bin/nvcc")


class KgradeError(Exception):
    """The base class of kgrade's exceptions. None is raised for a verdict, or because the machine lacks something."""


class NotInstalled(KgradeError):
    """There is no program `kgrade`."""


class WrongUsage(KgradeError):
    """No such problem, candidate or option, or a file with a mistake in it (exit code 2). The message has the
    remedy."""


def program() -> str:
    """The path of the program: $KGRADE_PROGRAM, or else the program of this package, or else the first one in PATH.

    Raises NotInstalled if there is none.
    """
    named = os.environ.get("KGRADE_PROGRAM")
    if named:
        return named
    packaged = PREFIX / "bin" / "kgrade"
    if packaged.is_file():
        return str(packaged)
    # The command of this package is a script beside Python. It must not find itself.
    found = shutil.which("kgrade")
    if found and Path(found).resolve().parent != Path(sys.executable).resolve().parent:
        return found
    raise NotInstalled(
        "the program kgrade is not here: install the wheel, or set KGRADE_PROGRAM to a built one, "
        "such as build/release/bin/kgrade"
    )


def _cuda_home() -> Optional[Path]:
    """The folder with the nvcc of the extra `cuda`. None if the extra is not installed, or if the program finds another
    nvcc first."""
    if os.environ.get("CUDA_HOME") or shutil.which("nvcc") or USUAL_NVCC.is_file():
        return None
    folders = (Path(entry) / "nvidia" / "cu13" for entry in sys.path if entry)
    return next((folder for folder in folders if (folder / "bin" / "nvcc").is_file()), None)


def environment() -> "dict[str, str]":
    """This process's environment, with variables that make the program use this Python's interpreter and nvcc."""
    given = {"KGRADE_PYTHON": sys.executable}
    cuda_home = _cuda_home()
    if cuda_home is not None:
        given["CUDA_HOME"] = str(cuda_home)
    # A CUDA_HOME that is set and empty names no folder.
    return {**given, **{name: value for name, value in os.environ.items() if value or name not in given}}


def main() -> NoReturn:
    """The command `kgrade`. It becomes the program, which uses this Python for candidates in Python."""
    try:
        path = program()
    except NotInstalled as error:
        sys.exit(f"kgrade: {error}")
    # Python ignores this signal, and the program would inherit that. `kgrade list | head -1` has to end quietly.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execve(path, [path, *sys.argv[1:]], environment())
    except OSError as error:
        sys.exit(f"kgrade: {path} cannot be started: {error.strerror}")


def run(arguments: "list[str]") -> "subprocess.CompletedProcess[str]":
    """Runs the program with this Python for candidates in Python. Output and messages are text."""
    return subprocess.run(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment(),
        check=False,
    )
