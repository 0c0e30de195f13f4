"""Grades on a Ray cluster: one service, and one lane for each GPU that Ray gives it (docs/service.md).

>>> import kgrade.ray                            # doctest: +SKIP
>>> kgrade.ray.start(num_lanes=8)                # doctest: +SKIP
>>> client = kgrade.Client("ray://kgrade")       # doctest: +SKIP

The service and its lanes live until stop(), also when the program that called start() has ended. Everybody who can use the
Ray cluster can use the service, and can also pretend to be a lane.
"""

import hashlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable, Mapping, Optional

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from kgrade import _kept, _program
from kgrade._client import Client
from kgrade._program import KgradeError, WrongUsage
from kgrade._transport import Unavailable

_WHOLE_GPU: "Mapping[str, float]" = {"GPU": 1}
# Seconds.
_START = 60.0
_STOP = 20.0
_ANSWER = 60.0
_LONGEST_PAUSE = 600.0
# How often a service may fail to start. After a restart, the service before it may still hold the address for a moment.
_MOST_FAILURES = 3


def start(num_lanes: int, name: str = "kgrade", namespace: str = "kgrade",
          gpu_resource: "Mapping[str, float]" = _WHOLE_GPU, *, device: str = "cuda:0", cpus_per_lane: float = 3,
          state: Optional[str] = None, timeout: float = 1800.0) -> Client:
    """Starts a service on this node, and lanes on the cluster. Returns the service's client.

    num_lanes: actors that grade, one candidate after the other. Those for which Ray has no room wait for it.
    name, namespace: of the actor that runs the service. The lanes are NAME-lane-0 and so on.
    gpu_resource: what a lane takes of Ray's resources. A GPU must be whole: another program beside a kernel spoils its time.
    device: of the lane: "cuda:0" is the GPU that Ray gives to it. "emulated" needs no GPU: then gpu_resource may be {}.
    cpus_per_lane: for the candidate's process, the one that grades it, and a compiler.
    state: the service's folder, on this node. A temporary folder if None, which stop() removes.
    timeout: that of the client, in seconds.

    Raises WrongUsage if an argument is wrong or there is such a service, and KgradeError if it does not start.
    """
    resources = dict(gpu_resource)
    gpus = resources.pop("GPU", 0)
    if num_lanes < 1:
        raise WrongUsage("num_lanes: a service needs at least one lane")
    if gpus not in (0, 1) or (gpus == 0 and device != "emulated"):
        raise WrongUsage(f'gpu_resource: a lane takes one whole GPU, {{"GPU": 1}}, and not {gpu_resource}')
    _connect()
    try:
        ray.get_actor(name, namespace=namespace)
    except ValueError:
        pass
    else:
        raise WrongUsage(f"the cluster has a service {name!r} already: kgrade.ray.client({name!r}) uses it, and stop() ends it")
    folder = state or os.path.join(tempfile.gettempdir(), f"kgrade-ray-{secrets.token_hex(8)}")
    tokens = secrets.token_hex(32), secrets.token_hex(32)
    # Its journal is on this node, so the actor stays here.
    here = NodeAffinitySchedulingStrategy(node_id=ray.get_runtime_context().get_node_id(), soft=False)
    service: Any = ray.remote(Service).options(
        name=name, namespace=namespace, lifetime="detached", num_cpus=0, max_restarts=-1, max_task_retries=-1,
        scheduling_strategy=here).remote(folder, state is None, tokens)
    try:
        url, token = ray.get(service.access.remote(), timeout=_START + _ANSWER)
        for number in range(num_lanes):
            options = {"name": f"{name}-lane-{number}", "namespace": namespace, "lifetime": "detached", "max_restarts": -1,
                       "num_cpus": cpus_per_lane, "num_gpus": gpus, "resources": resources}
            ray.remote(Lane).options(**options).remote(url, tokens[1], device, number)
    except BaseException as error:
        stop(name, namespace)
        if isinstance(error, ray.exceptions.RayError):
            raise KgradeError(f"the service does not start on the Ray cluster: {error}") from error
        raise
    return Client(url, token, timeout=timeout)


def client(name: str = "kgrade", namespace: str = "kgrade", *, timeout: float = 1800.0) -> Client:
    """The client of a service that start() has started, from anywhere in the cluster. Raises Unavailable if there is none."""
    return Client(*find(name, namespace), timeout=timeout)


def find(name: str, namespace: str = "kgrade") -> "tuple[str, str]":
    """The address and the token of a service. Raises Unavailable if there is none."""
    _connect()
    try:
        service = ray.get_actor(name, namespace=namespace)  # Some versions of Ray keep no actor without a variable.
        url, token = ray.get(service.access.remote(), timeout=_ANSWER)
        return str(url), str(token)
    except (ValueError, ray.exceptions.RayError) as error:
        raise Unavailable(f"the Ray cluster has no service {name!r} in the namespace {namespace!r}: {error}") from error


def stop(name: str = "kgrade", namespace: str = "kgrade") -> None:
    """Ends the service and its lanes. Jobs that have not ended are lost. Does nothing if there is no such service."""
    _connect()
    lane_name = re.compile(re.escape(name) + r"-lane-\d+")
    names = [each["name"] for each in ray.util.list_named_actors(all_namespaces=True) if each["namespace"] == namespace]
    # Lanes first, so that they can give back what they have.
    for group in ([each for each in names if lane_name.fullmatch(each)], [each for each in names if each == name]):
        actors = []
        for each in group:
            try:
                actors.append(ray.get_actor(each, namespace=namespace))
            except ValueError:
                pass  # It has ended meanwhile.
        if actors:
            # One that waits for room does not answer.
            ray.wait([actor.stop.remote() for actor in actors], num_returns=len(actors), timeout=_STOP)
        for actor in actors:
            ray.kill(actor, no_restart=True)


def _connect() -> None:
    if not ray.is_initialized():
        try:
            ray.init(address="auto", log_to_driver=False)
        except ConnectionError as error:
            raise Unavailable(f"there is no Ray cluster: {error}") from error


class _Program:
    """A program that runs as long as this process lives, and is started again when it ends."""

    def __init__(self, command: "Callable[[], list[str]]", environment: "Mapping[str, str]",
                 log: Optional[Path] = None) -> None:
        """command: is called before each start."""
        self._command, self._environment, self._log = command, dict(environment), log
        self._is_stopped = threading.Event()
        # How often it has ended soon after its start, in a row.
        self.failures = 0
        self._process: "Optional[subprocess.Popen[bytes]]" = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_stopped.is_set():
            begin = time.monotonic()
            with self._lock:
                if self._is_stopped.is_set():
                    return
                command = self._command()
                # Its messages go to the actor's log.
                output = open(self._log, "wb") if self._log is not None else None
                try:
                    process = self._process = subprocess.Popen(
                        _kept.command_for(command), stdin=subprocess.PIPE, stdout=output, stderr=output,
                        env=self._environment)
                finally:
                    if output is not None:
                        output.close()
            process.wait()
            assert process.stdin is not None
            process.stdin.close()
            # What ends at once, again and again, is tried ever less often.
            self.failures = 0 if time.monotonic() - begin > _START else self.failures + 1
            self._is_stopped.wait(min(2.0 ** self.failures, _LONGEST_PAUSE))

    def stop(self) -> None:
        """Ends the program, which gives back what it has."""
        self._is_stopped.set()
        with self._lock:
            process = self._process
        if process is not None:
            process.terminate()
        self._thread.join(_STOP)


class Service:
    """The actor that runs the service. It has no lanes of its own."""

    def __init__(self, folder: str, is_temporary: bool, tokens: "tuple[str, str]") -> None:
        """tokens: of clients and of lanes."""
        self._folder, self._is_temporary, self._token = Path(folder), is_temporary, tokens[0]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        hashes = [hashlib.sha256(token.encode()).hexdigest() for token in tokens]
        file = self._folder / "tokens"
        file.touch(mode=0o600)
        file.write_text(f"ray {hashes[0]} seeds\nlanes {hashes[1]} lanes\n", encoding="utf-8")
        self._log = self._folder / "log"
        host = str(ray.util.get_node_ip_address())
        self._host = f"[{host}]:" if ":" in host else f"{host}:"
        self._address = self._folder / "address"
        command = [_program.program(), "serve", f"--tokens={file}", f"--state={self._folder / 'state'}", "--device=emulated",
                   "--jobs=0"]
        self._program = _Program(lambda: [*command, f"--listen={self._known_address() or self._host + '0'}"], os.environ,
                                 self._log)

    def _known_address(self) -> str:
        """The address that clients and lanes know: of the program that ran before, also of an earlier actor. Empty if there
        was none on this node."""
        said = re.search(r"listening at http://(\S+)", self._log_text())
        if said:
            self._address.write_text(said[1], encoding="utf-8")
        known = self._address.read_text(encoding="utf-8") if self._address.exists() else ""
        return known if known.startswith(self._host) else ""

    def _log_text(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    def access(self) -> "tuple[str, str]":
        """The address, and the token of clients."""
        end = time.monotonic() + _START
        text = ""
        while time.monotonic() < end:
            text = self._log_text()
            if "listening at" in text and self._known_address():
                return f"http://{self._known_address()}", self._token
            if self._program.failures >= _MOST_FAILURES:
                break
            time.sleep(0.05)
        raise KgradeError(text.strip()[-4000:] or f"the service does not listen after {_START:g} s")

    def process(self) -> int:
        """The process of the actor."""
        return os.getpid()

    def stop(self) -> None:
        self._program.stop()
        if self._is_temporary:
            shutil.rmtree(self._folder, ignore_errors=True)


class Lane:
    """The actor of one lane: it runs kgrade.join on the GPU that Ray gives it."""

    def __init__(self, url: str, token: str, device: str, number: int) -> None:
        package = str(Path(__file__).resolve().parents[1])
        path = os.pathsep.join(each for each in (package, os.environ.get("PYTHONPATH")) if each)
        command = [sys.executable, "-m", "kgrade.join", url, f"--device={device}",
                   f"--name={ray.util.get_node_ip_address()} lane {number}"]
        if device == "emulated":
            command.append("--jobs=1")
        self._program = _Program(lambda: command, {**os.environ, "PYTHONPATH": path, "KGRADE_TOKEN": token})

    def process(self) -> int:
        """The process of the actor."""
        return os.getpid()

    def stop(self) -> None:
        self._program.stop()
