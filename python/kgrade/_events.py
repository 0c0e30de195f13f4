"""The events of an owner's jobs, as a service reports them."""

import http.client
import json
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any, Iterator, Literal, Mapping, Optional

from kgrade._result import Grade
from kgrade._transport import Busy, Clock, Transport, Unavailable

# "gap": events may be lost, since the service keeps only the latest ones and forgets them when it stops. After a gap,
# ask for the jobs.
EventKind = Literal["queued", "started", "finished", "gap"]

# The service sends a comment every 15 s.
_LONGEST_SILENCE = 60.0


@dataclass(frozen=True)
class Event:
    """Something has happened to a job.

    id: Client.events(id) continues after this event. Empty for a "gap".
    data: `id`, `problem`, `client_ref`, `group` and `state` of the job. For "finished", also the data of `grade`.
    """

    id: str
    kind: EventKind
    data: Mapping[str, Any]

    @property
    def grade(self) -> Optional[Grade]:
        """The grade of the job if the event is "finished", else None."""
        return Grade.of_service(self.data) if self.kind == "finished" else None


class Follower(Iterator[Event]):
    """The iterator of Client.events(). close() may come from another thread, and ends the loop."""

    def __init__(self, transport: Transport, timeout: float, after: Optional[str]) -> None:
        self._transport = transport
        self._timeout = timeout
        self._last = after or ""
        self._is_closed = False
        self._connection: Optional[http.client.HTTPConnection] = None
        self._has_heard = False  # whether the service has answered since it was last away
        self._events = self._follow()

    def __iter__(self) -> "Follower":
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def close(self) -> None:
        self._is_closed = True
        connection = self._connection
        if connection is not None and connection.sock is not None:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)  # Wakes a thread that reads from the socket.
            except OSError:
                pass

    def _follow(self) -> Iterator[Event]:
        clock = Clock(self._timeout)
        while not self._is_closed:
            try:
                yield from self._read()
            except Busy as error:
                if self._has_heard:
                    clock = Clock(self._timeout)
                self._has_heard = False
                pause = clock.pause(error.retry_after)
                if pause >= clock.left():
                    raise Unavailable(str(error)) from error
                if not self._is_closed:
                    time.sleep(pause)
            finally:
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None

    def _read(self) -> Iterator[Event]:
        """The events of one connection. Raises Busy when it ends."""
        headers = {"Last-Event-ID": self._last} if self._last else {}
        try:
            self._connection, answer = self._transport.stream("/v1/events", headers, _LONGEST_SILENCE)
            fields: "dict[str, str]" = {}
            while not self._is_closed:
                line = answer.readline()
                if not line:
                    break
                self._has_heard = True
                name, _, value = line.decode("utf-8").rstrip("\r\n").partition(": ")
                if name:
                    fields[name] = value
                    continue
                # The stream begins with the number of the last event in a block without data, so that none is missed if
                # the connection is lost before the first one.
                self._last = fields.get("id", self._last)
                if "data" in fields:
                    kind: Any = fields.get("event", "")
                    yield Event(fields.get("id", ""), kind, json.loads(fields["data"]))
                fields = {}
        except ssl.SSLCertVerificationError as error:
            raise Unavailable(f"{self._transport.url} is not trusted: {error}") from error
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # http.client forgets the socket of a connection that another thread closes.
            raise Busy(f"{self._transport.url} cannot be reached: {error or type(error).__name__}") from error
        raise Busy(f"{self._transport.url} has ended the stream of events")

