"""Grades for a service on another machine: `python -m kgrade.join URL`.

A node asks the service for jobs, grades them with a service of its own, and hands in the results. So it needs no open port.
docs/service.md has more.
"""

import argparse
import contextlib
import os
import signal
import socket
import sys
import threading
import urllib.parse
import uuid
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence

from kgrade import _local
from kgrade._grader import Grader, GraderGone
from kgrade._lease import Lease
from kgrade._program import KgradeError, NotInstalled, WrongUsage
from kgrade._request import to_json
from kgrade._transport import BadRequest, Busy, Clock, Transport, Unauthorized, Unavailable

# Exit codes.
STOPPED, WRONG_USAGE, NO_GRADER = 0, 2, 3

# The most jobs of a lease.
_MOST_JOBS = 32
# How long a request for work waits, in seconds. A node that has to stop waits for its answer.
_WAIT = 5.0
# If so few jobs are left for each lane, the node asks for one lease more, so that no lane idles.
_FEW_JOBS = 4
# The longest pause between two tries to reach the service, in seconds. Meanwhile the lanes idle.
_LONGEST_PAUSE = 10.0
# How often the node looks at the state of its lanes, and whether it needs more work, in seconds.
_LOOK = 1.0
_LONGEST_NAME = 100
# The statuses of a service that does not understand a node's requests, and will not later.
_WRONG_FORM = (400, 404, 405, 415, 422)


class Node:
    """Takes leases from a service: one for each lane of this machine, and one ahead when few jobs are left."""

    def __init__(self, server: Transport, options: Sequence[str], name: str = "") -> None:
        """options: of `kgrade serve`, for the service on this machine. name: of this machine, in the server's list."""
        self._server = server
        self._name = name or socket.gethostname()
        self._grader = Grader(lambda: _local.start(options), self._note)
        # What stop() sets. run() looks at it.
        self._is_told = False
        self._is_stopped = threading.Event()
        self._lock = threading.Lock()
        self._leases: "set[Lease]" = set()
        self._lanes: "list[str]" = []
        # The number of lanes that are not out of order.
        self._usable = 0
        self._device = ""
        self._trouble = ""
        self._failure: Optional[KgradeError] = None

    def stop(self) -> None:
        """Lets run() give back what it has, and return.

        A signal handler may call this: it takes no lock, since the handler may have interrupted a thread that holds it.
        """
        self._is_told = True

    def run(self) -> None:
        """Grades until stop(). Raises WrongUsage, Unauthorized, or GraderGone if the service of this machine dies again
        and again."""
        threads: "list[threading.Thread]" = []
        try:
            self._look_at_lanes()
            self._note(f"asks {self._server.url} for work on {', '.join(self._lanes)}")
            for number in range(len(self._lanes) + 1):
                threads.append(threading.Thread(target=self._serve, args=(number,), name=f"kgrade-lease-{number}"))
                threads[-1].start()
            while not (self._is_told or self._is_stopped.wait(_LOOK) or self._is_told):
                self._look_at_lanes()
            if self._failure is None:
                self._note("gives back the jobs that it has")
        except KgradeError as error:
            self._fail(error)
        finally:
            self._is_stopped.set()
            # No other service may use this machine's lanes before this one has ended.
            self._grader.close()
            for thread in threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def _look_at_lanes(self) -> None:
        client = self._grader.client()[0]
        try:
            lanes = client._transport.call("GET", "/v1/capacity", Clock(10.0 if not self._lanes else _LOOK))["lanes"]
        except Unavailable:
            if not self._lanes:
                raise
            return
        before, self._usable = self._usable, sum(lane["state"] != "quarantined" for lane in lanes)
        if not self._lanes:
            counted = len(lanes) > 1 and lanes[0]["device"] == "emulated"
            self._lanes = [lane["device"] + (f":{number}" if counted else "") for number, lane in enumerate(lanes)]
        elif self._usable < before:
            self._note(f"{self._usable} of {len(lanes)} lanes are in order")

    def _serve(self, number: int) -> None:
        """One lease after the other. The last of the threads takes the leases ahead."""
        clock = Clock(0.0)
        try:
            while not self._is_stopped.is_set():
                if not self._has_room(number):
                    self._is_stopped.wait(_LOOK)
                    continue
                try:
                    answer = self._ask(number)
                    self._say("")
                    clock.reset()
                    if answer["lease"] is not None:
                        self._work(answer)
                except (Busy, Unavailable) as error:
                    self._say(str(error))
                    self._is_stopped.wait(min(clock.pause(getattr(error, "retry_after", 0.0)), _LONGEST_PAUSE))
        except KgradeError as error:
            self._fail(error)
        except BaseException as error:
            self._fail(KgradeError(f"a fault of kgrade.join: {error!r}"))
            raise

    def _has_room(self, number: int) -> bool:
        if number < len(self._lanes):
            return number < self._usable
        with self._lock:
            return len(self._leases) >= self._usable > 0 and \
                sum(lease.left() for lease in self._leases) < _FEW_JOBS * self._usable

    def _ask(self, number: int) -> Any:
        lane = self._lanes[number] if number < len(self._lanes) else "ahead"
        body = {"lane": _label(f"{self._name} {lane}"), "device": _label(self._device or lane), "most": _MOST_JOBS,
                "wait_s": _WAIT}
        try:
            return self._server.attempt("POST", "/v1/leases", to_json(body), str(uuid.uuid4()), _WAIT + 25.0)
        except BadRequest as error:
            if error.status in _WRONG_FORM:
                raise
            # The service cannot answer now, as with an answer that is too large. Other jobs may come next.
            raise Unavailable(f"{self._server.url} answered {error.status}: {error}") from error

    def _work(self, answer: "Mapping[str, Any]") -> None:
        lease = Lease(self._server, self._grader, answer, self._heard)
        with self._counted(lease):
            try:
                lease.work(lambda: self._is_stopped.is_set() or self._usable == 0)
            except BadRequest as error:
                # The server has another opinion of the interface. Its jobs go to others when the lease is lost.
                raise Unavailable(f"{self._server.url} refuses results: {error}") from error

    @contextlib.contextmanager
    def _counted(self, lease: Lease) -> "Iterator[None]":
        with self._lock:
            self._leases.add(lease)
        try:
            yield
        finally:
            with self._lock:
                self._leases.discard(lease)

    def _heard(self, record: "Mapping[str, Any]") -> None:
        self._device = str(record.get("device", {}).get("name", ""))

    def _fail(self, error: KgradeError) -> None:
        with self._lock:
            # A request that failed because the node stops is no failure.
            if self._failure is None and not self._is_stopped.is_set():
                self._failure = error
        self._is_stopped.set()

    def _say(self, trouble: str) -> None:
        """Writes what keeps the node from its work, once."""
        with self._lock:
            if trouble == self._trouble:
                return
            was_away, self._trouble = bool(self._trouble), trouble
        if trouble or was_away:
            self._note(f"{trouble}; trying again" if trouble else f"{self._server.url} answers again")

    def _note(self, what: str) -> None:
        print(f"kgrade join: {_printable(what)}", file=sys.stderr, flush=True)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _label(text: str) -> str:
    """A text as the server takes it for a name."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:_LONGEST_NAME]


def is_near(url: str) -> bool:
    """Only this machine reaches the service at this address."""
    host = urllib.parse.urlsplit(url).hostname or ""
    return url.startswith("unix:") or host in ("localhost", "::1") or host.startswith("127.")


def _arguments(arguments: "Optional[Sequence[str]]") -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m kgrade.join", description="Grades on this machine for a service on another one.",
        epilog="Exit codes: 0 it was told to stop, 2 wrong usage or a token that the service does not know, "
               "3 the service of this machine died three times in a row.")
    parser.add_argument("url", metavar="URL", help="the service: https://HOST, http://HOST:PORT or unix:PATH")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--gpus", metavar="0,1,..", help="CUDA devices to grade on")
    where.add_argument("--device", help='"auto", "cuda", "cuda:1" or "emulated" (default: auto)')
    parser.add_argument("--jobs", type=int, metavar="N", help="lanes of the emulated device")
    parser.add_argument("--problems", metavar="DIR", help="a further folder of problem files")
    parser.add_argument("--token-file", type=Path, metavar="FILE",
                        help="file with the token, which needs the word `lanes` at the service (default: $KGRADE_TOKEN)")
    parser.add_argument("--name", default="", help="of this machine, in the service's list of lanes (default: its host name)")
    parser.add_argument("--require-sandbox", action="store_true",
                        help="refuse to run candidates unconfined. Always so if other machines reach the service")
    return parser.parse_args(arguments)


def _options(found: argparse.Namespace) -> "list[str]":
    """The options of `kgrade serve`."""
    options = [f"--gpus={found.gpus}"] if found.gpus is not None else [f"--device={found.device or 'auto'}"]
    if found.jobs is not None:
        if found.jobs < 1:
            raise WrongUsage("--jobs: a node has at least one lane")
        options.append(f"--jobs={found.jobs}")
    if found.problems is not None:
        options.append(f"--problems={found.problems}")
    if found.require_sandbox or not is_near(found.url):
        options.append("--require-sandbox")
    return options


def main(arguments: "Optional[Sequence[str]]" = None) -> int:
    """The program. Returns the exit code."""
    found = _arguments(arguments)
    try:
        token = None
        if found.token_file is not None:
            try:
                token = found.token_file.read_text(encoding="utf-8").strip()
            except (OSError, ValueError) as error:
                raise WrongUsage(f"--token-file: {found.token_file} cannot be read: {error}") from error
        # Programs that this one starts do not need it.
        token = os.environ.pop("KGRADE_TOKEN", "") if token is None else token
        node = Node(Transport(found.url, token), _options(found), found.name)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: node.stop())
        node.run()
        return STOPPED
    except Unauthorized as error:
        print(f"kgrade join: the token is refused ({_printable(str(error))}): name a file with --token-file, or set "
              "KGRADE_TOKEN, with a token that has the word `lanes` at the service", file=sys.stderr)
        return WRONG_USAGE
    except (WrongUsage, NotInstalled) as error:
        print(f"kgrade join: {_printable(str(error))}", file=sys.stderr)
        return WRONG_USAGE
    except GraderGone as error:
        print(f"kgrade join: {_printable(str(error))}", file=sys.stderr)
        return NO_GRADER
    except KgradeError as error:
        print(f"kgrade join: {_printable(str(error))}", file=sys.stderr)
        return 70


if __name__ == "__main__":
    sys.exit(main())
