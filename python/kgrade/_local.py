"""Starts a service on this machine, for as long as a program needs it."""

import functools
import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from pathlib import Path
from typing import Callable, Optional, Sequence, Union

from kgrade import _program
from kgrade._client import Client
from kgrade._program import KgradeError, WrongUsage


class LocalClient(Client):
    """The client of a service that runs on this machine, until close(). A pickled one does not end the service."""

    def __init__(self, url: str, stop: Callable[[], None], timeout: float) -> None:
        super().__init__(url, "", timeout=timeout)
        # Also when Python ends without close().
        self._finalizer = weakref.finalize(self, stop)

    def close(self) -> None:
        """Stops the service and removes its files. Jobs that have not ended are lost."""
        self._finalizer()


def local(device: str = "auto", jobs: Optional[int] = None, gpus: Union[str, Sequence[int], None] = None, *,
          timeout: float = 1800.0) -> LocalClient:
    """Starts a service on this machine, and returns its client: `with kgrade.local(gpus=[0, 1]) as client:`.

    device: "auto", "cuda", "cuda:1" or "emulated".
    jobs: lanes of the emulated device.
    gpus: CUDA devices, instead of `device`.

    The service also ends with this Python, but not if Python is killed by a signal.
    Raises WrongUsage if an option is wrong, and KgradeError if the service does not start.
    """
    folder = tempfile.mkdtemp(prefix="kgrade-")
    if len(folder) > 80:
        # The path of a Unix socket has at most 107 bytes.
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="kgrade-", dir="/tmp")
    command = ["serve", "--listen", f"unix:{folder}/socket", "--state", f"{folder}/state"]
    if gpus is None:
        command.append(f"--device={device}")
    else:
        command.append("--gpus=" + (gpus if isinstance(gpus, str) else ",".join(str(each) for each in gpus)))
    if jobs is not None:
        command.append(f"--jobs={jobs}")
    log = Path(folder) / "log"
    try:
        with open(log, "wb") as output:
            process = subprocess.Popen([_program.program(), *command], stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=output, env=_program.environment())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    stop = functools.partial(_stop, process, folder, os.getpid())
    try:
        client = LocalClient(f"unix://{folder}/socket", stop, timeout)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            try:
                if client._transport.once("GET", "/healthz", None, {}, 5.0)[0] == 200:
                    return client
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.02)
        message = log.read_text(encoding="utf-8", errors="replace").strip()[-4000:]
        code = process.poll()
    except BaseException:
        stop()
        raise
    stop()
    if code == 2:
        raise WrongUsage(message)
    raise KgradeError(message or "the service does not grade after 120 s")


def _stop(process: "subprocess.Popen[bytes]", folder: str, owner: int) -> None:
    """Ends a service. Not in a fork of the process that started it."""
    if os.getpid() != owner:
        process.returncode = 0  # Python would warn of a child that it left behind.
        return
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(folder, ignore_errors=True)
