"""Where the program `kgrade` is, and what it raises."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

# In a wheel, `cmake --install` puts everything here.
PREFIX = Path(__file__).resolve().parent / "_prefix"


class KgradeError(Exception):
    """What kgrade raises. Never for a verdict, and never because the machine lacks something."""


class NotInstalled(KgradeError):
    """There is no program `kgrade`."""


class WrongUsage(KgradeError):
    """No such problem, candidate or option, or a file with a mistake in it (exit code 2). The message has the remedy."""


def program() -> str:
    """The path of the program: $KGRADE_PROGRAM, or else that of this package, or else the first in PATH.

    Raises NotInstalled if there is none.
    """
    named = os.environ.get("KGRADE_PROGRAM")
    if named:
        return named
    packaged = PREFIX / "bin" / "kgrade"
    if packaged.is_file():
        return str(packaged)
    # The command of this package is a script beside Python, which would start itself.
    found = shutil.which("kgrade")
    if found and Path(found).resolve().parent != Path(sys.executable).resolve().parent:
        return found
    raise NotInstalled(
        "the program kgrade is not here: install the wheel, or set KGRADE_PROGRAM to a built one, "
        "such as build/release/bin/kgrade"
    )


def main() -> NoReturn:
    """The command `kgrade`: becomes the program, which then finds this Python for candidates in Python."""
    try:
        path = program()
    except NotInstalled as error:
        sys.exit(f"kgrade: {error}")
    os.environ.setdefault("KGRADE_PYTHON", sys.executable)
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kgrade: {path} cannot be started: {error.strerror}")


def run(arguments: "list[str]") -> "subprocess.CompletedProcess[str]":
    """Runs the program with this Python for candidates in Python. Output and messages are text."""
    environment = {"KGRADE_PYTHON": sys.executable, **os.environ}
    return subprocess.run(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        check=False,
    )
