"""Starts a service on this machine, for as long as a program needs it."""

import functools
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from pathlib import Path
from typing import Callable, Optional, Sequence, Union

from kgrade import _kept, _program
from kgrade._client import Client
from kgrade._program import KgradeError, WrongUsage


class LocalClient(Client):
    """The client of a service that runs on this machine, until close(). A pickled copy does not end the service."""

    def __init__(self, url: str, process: "subprocess.Popen[bytes]", stop: Callable[[], None], timeout: float) -> None:
        super().__init__(url, "", timeout=timeout)
        self._process = process
        # This stops the service also when Python ends without close().
        self._finalizer = weakref.finalize(self, stop)

    def is_running(self) -> bool:
        """False if the service has ended, by close() or because it has died. Call it only in the process that started
        the service."""
        return self._process.poll() is None

    def close(self) -> None:
        """Stops the service and removes its files. Jobs that have not ended are lost."""
        self._finalizer()


def local(device: str = "auto", jobs: Optional[int] = None, gpus: Union[str, Sequence[int], None] = None, *,
          lane_command: str = "", lanes: int = 1, timeout: float = 1800.0) -> LocalClient:
    """Starts a service on this machine, and returns its client: `with kgrade.local(gpus=[0, 1]) as client:`.

    device: "auto", "cuda", "cuda:1" or "emulated".
    jobs: lanes of the emulated device.
    gpus: CUDA devices, instead of `device`.
    lane_command: the command that starts a lane, on this machine or others, instead of the options above
        (docs/lanes.md). `lanes` says how many are started: `kgrade.local(lane_command="python3 -m kgrade.ray",
        lanes=8)`.

    The service also ends with this Python, however Python ends.
    Raises WrongUsage if an option is wrong, and KgradeError if the service does not start.
    """
    options = []
    if lane_command and (device != "auto" or jobs is not None or gpus is not None):
        raise WrongUsage("lane_command: the lanes that it starts have devices of their own")
    if lane_command:
        options += [f"--lane-command={lane_command}", f"--lanes={lanes}"]
    elif gpus is None:
        options.append(f"--device={device}")
    else:
        options.append("--gpus=" + (gpus if isinstance(gpus, str) else ",".join(str(each) for each in gpus)))
    if jobs is not None:
        options.append(f"--jobs={jobs}")
    # Lanes on other machines may have to wait for these.
    statuses = (200, 503) if lane_command else (200,)
    folder = tempfile.mkdtemp(prefix="kgrade-")
    if len(folder) > 80:
        # The path of a Unix socket has at most 107 bytes.
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="kgrade-", dir="/tmp")
    log = Path(folder) / "log"
    try:
        command = [_program.program(), "serve", f"--listen=unix:{folder}/socket", f"--state={folder}/state", *options]
        environment = _program.environment()
        # A token for another service is of no use to this one.
        environment.pop("KGRADE_TOKEN", None)
        with open(log, "wb") as output:
            process = subprocess.Popen(_kept.command_for(command, folder), stdin=subprocess.PIPE, stdout=output,
                                       stderr=output, env=environment)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    stop = functools.partial(_stop, process, folder, os.getpid())
    try:
        client = LocalClient(f"unix://{folder}/socket", process, stop, timeout)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            try:
                if client._transport.once("GET", "/healthz", None, {}, 5.0)[0] in statuses:
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
    """Ends a service. Does nothing in a fork of the process that started it."""
    if process.stdin is not None:
        process.stdin.close()  # In the owner, this alone would end the service.
    if os.getpid() != owner:
        process.returncode = 0  # Otherwise, Python would warn that a child still runs.
        return
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_kept.PATIENCE + 2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    shutil.rmtree(folder, ignore_errors=True)
