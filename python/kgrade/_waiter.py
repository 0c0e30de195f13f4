"""Waits for many jobs of a service with one request at a time."""

import copy
import http.client
import itertools
import json
import socket
import threading
import time
import uuid
from typing import Any, Callable, Iterable, Mapping, Optional

from kgrade._program import KgradeError
from kgrade._result import Grade
from kgrade._transport import Busy, Clock, Transport, Unavailable

MOST_IDS = 1024
_LONGEST_WAIT = 25.0
# Seconds that a request waits if there are more jobs than one request can name, so that all jobs have a turn.
_TURN = 1.0
# A request waits only _SHORT_WAIT seconds if a job was added in the last _CALM seconds. Such a request is not
# interrupted, so answers come even if jobs are added all the time.
_SHORT_WAIT = 0.25
_CALM = 0.5
# The pause between two requests, in seconds. Jobs that are added or end meanwhile share the next request.
_GATHER = 0.02


class Watch:
    """The jobs that one caller waits for."""

    def __init__(self, notify: Optional[Callable[[], object]] = None) -> None:
        """notify: is called in another thread when a job has ended, or the service has refused to answer."""
        self._event = threading.Event()
        self._notify = notify or self._event.set
        self._ended: "dict[str, Grade]" = {}
        self._error: Optional[Exception] = None
        self._lock = threading.Lock()
        # The jobs that have not ended. Only the waiter uses this set.
        self.ids: "set[str]" = set()

    def take(self, seconds: float = 0.0) -> "dict[str, Grade]":
        """The grades of jobs that have ended since the last call. Waits at most `seconds` for the first one."""
        # The wait is limited to a day, because a lock cannot wait for ever.
        self._event.wait(max(0.0, min(seconds, 86400.0)))
        with self._lock:
            self._event.clear()
            ended, self._ended = self._ended, {}
            if self._error is not None and not ended:
                # Each thread raises its own copy, since raising changes an exception.
                raise copy.copy(self._error) from self._error
            return ended

    def _end(self, ended: "Mapping[str, Grade]", error: Optional[Exception] = None) -> None:
        with self._lock:
            self._ended.update(ended)
            self._error = error or self._error
        try:
            self._notify()
        except RuntimeError:
            pass  # The caller's event loop is closed: nobody waits any more.


class Waiter:
    """The thread that asks the service for the jobs of all watches. It runs only while there are watches.

    A fork does not copy it: a process that was forked makes its own.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._lock = threading.Lock()
        self._watches: "dict[str, list[Watch]]" = {}
        self._thread: Optional[threading.Thread] = None
        self._connection: Optional[http.client.HTTPConnection] = None
        self._added_at = 0.0
        # Whether the running request waits for the longest time.
        self._waits_long = False
        self._interrupted = False
        self._wake = threading.Event()
        # Why the latest request failed. Empty if it succeeded.
        self.trouble = ""

    def add(self, watch: Watch, ids: Iterable[str]) -> None:
        with self._lock:
            known = len(self._watches)
            for id in ids:
                if id not in watch.ids:
                    watch.ids.add(id)
                    self._watches.setdefault(id, []).append(watch)
            if len(self._watches) > known:
                self._added_at = time.monotonic()
            if self._thread is None and self._watches:
                thread = threading.Thread(target=self._run, name="kgrade-wait", daemon=True)
                thread.start()
                self._thread = thread
            elif len(self._watches) > known:
                self._interrupt()

    def remove(self, watch: Watch) -> None:
        """Stops waiting for the remaining jobs of a watch."""
        with self._lock:
            for id in watch.ids:
                self._watches[id].remove(watch)
                if not self._watches[id]:
                    del self._watches[id]
            watch.ids.clear()
            if not self._watches:
                self._interrupt()

    def _run(self) -> None:
        clock = Clock(0.0)
        while True:
            time.sleep(_GATHER)
            with self._lock:
                self._interrupted = self._waits_long = False
                self._wake.clear()
                ids = list(itertools.islice(self._watches, MOST_IDS))
                if not ids:
                    self._thread = None
                    return
                crowded = len(self._watches) > len(ids)
                for id in ids if crowded else ():
                    self._watches[id] = self._watches.pop(id)
                seconds = _TURN if crowded else _LONGEST_WAIT
                if time.monotonic() - self._added_at < _CALM:
                    seconds = _SHORT_WAIT
                self._waits_long = seconds == _LONGEST_WAIT
            pause = 0.0
            try:
                self._finish(ask(self._transport, ids, seconds, seconds + 30.0, self._opened))
                self.trouble = ""
                clock.reset()
            except Busy as error:
                # An interrupted request looks as if the service had gone away.
                if not self._interrupted:
                    self.trouble = str(error)
                    pause = clock.pause(error.retry_after)
            except KgradeError as error:
                self._fail(error)
            except Exception as error:  # The answer does not have the interface's form.
                self._fail(Unavailable(f"{self._transport.url} gave an answer that cannot be read: {error!r}"))
            finally:
                with self._lock:
                    self._connection = None
            if pause:
                self._wake.wait(pause)

    def _opened(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if self._interrupted:
                raise OSError("interrupted")
            self._connection = connection

    def _interrupt(self) -> None:
        """Ends the running request. No answer is lost: the next request asks for the same jobs."""
        self._wake.set()
        if not self._waits_long:
            return
        self._interrupted = True
        # The waiting thread may close the connection meanwhile.
        open_socket = self._connection.sock if self._connection is not None else None
        if open_socket is not None:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _finish(self, ended: "Mapping[str, Grade]") -> None:
        found: "dict[Watch, dict[str, Grade]]" = {}
        with self._lock:
            for id, grade in ended.items():
                for watch in self._watches.pop(id, ()):
                    watch.ids.discard(id)
                    found.setdefault(watch, {})[id] = grade
        for watch, grades in found.items():
            watch._end(grades)

    def _fail(self, error: Exception) -> None:
        with self._lock:
            watches = {watch for each in self._watches.values() for watch in each}
            self._watches.clear()
            for watch in watches:
                watch.ids.clear()
        for watch in watches:
            watch._end({}, error)


def ask(transport: Transport, ids: "list[str]", seconds: float, timeout: float,
        opened: Optional[Callable[[http.client.HTTPConnection], None]] = None) -> "dict[str, Grade]":
    """The grades of those jobs that have ended. Waits at most `seconds` for the first one.

    Tries once, and gives up after `timeout` seconds.
    """
    body = json.dumps({"ids": ids, "timeout_s": seconds, "until": "any", "view": "reward"}).encode()
    answer: Any = transport.attempt("POST", "/v1/wait", body, str(uuid.uuid4()), timeout, opened)
    ended = {str(view["id"]): Grade.of_service(view) for view in answer["finished"]}
    for id in answer["unknown"]:
        ended[str(id)] = Grade(outcome="failed", fault="service", id=str(id), retryable=True,
                               reason="the service does not know the job: it forgot it, or it is another owner's")
    return ended
