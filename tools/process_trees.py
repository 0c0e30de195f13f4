"""Finds processes and everything that they have started, and ends them. A process is identified by its id and its start
time, since ids are reused."""

import os
import signal
import time
from pathlib import Path


def stat_fields(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the third on; None if the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields


def identity(pid: int) -> str | None:
    fields = stat_fields(pid)
    return f"{pid} {fields[19]}" if fields else None


def all_processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(roots: set[int]) -> set[int]:
    """The roots and all their descendants."""
    parents = {pid: int(fields[1]) for pid in all_processes() if (fields := stat_fields(pid))}
    found = {pid for pid in roots if pid in parents}
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= more
    return found


def send(pid: int, what: signal.Signals) -> None:
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


def kill_trees(roots: set[int]) -> None:
    """Kills the roots and their descendants. All are stopped first, so that none can start another process in the
    meantime."""
    stopped: set[int] = set()
    while fresh := descendants(roots) - stopped:
        for pid in fresh:
            send(pid, signal.SIGSTOP)
        stopped |= fresh
    known = {pid: identity(pid) for pid in stopped}
    for pid in stopped:
        send(pid, signal.SIGKILL)
    end = time.monotonic() + 20
    while any(name is not None and identity(pid) == name for pid, name in known.items()):
        if time.monotonic() > end:
            raise TimeoutError("processes outlive SIGKILL")
        time.sleep(0.02)
