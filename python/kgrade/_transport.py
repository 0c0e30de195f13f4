"""Sends requests to a service, and sends them again while it is away or busy."""

import http.client
import json
import logging
import os
import random
import socket
import ssl
import time
import urllib.parse
import uuid
from typing import Any, Callable, NoReturn, Optional

from kgrade._program import KgradeError, WrongUsage

_LONGEST_REQUEST = 32 << 20
_LOG = logging.getLogger("kgrade")
_BUSY = (429, 502, 503, 504)


class BadRequest(WrongUsage):
    """The service refuses the request: no such problem or option. The message has the reason."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class Unauthorized(KgradeError):
    """The service does not know the token."""


class Unavailable(KgradeError):
    """The service gave no usable answer within the timeout."""


class QueueFull(Unavailable):
    """Until the timeout, the service answered that it takes no more jobs now. `retry_after` is in seconds."""

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message, retry_after)
        self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.args[0])


class DeadlineExceeded(KgradeError, TimeoutError):
    """A job has not ended after the timeout of the call. The service still works on it."""


class Busy(Exception):
    """The service is away or busy: the same request may succeed later. It never leaves this package."""

    def __init__(self, why: str, retry_after: float = 0.0, full: bool = False) -> None:
        super().__init__(why)
        self.retry_after = retry_after
        # True if the service was reached, and takes no more jobs.
        self.full = full


class Clock:
    """The time that is left for a call, and the pauses between its tries."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._pause = 0.5

    def left(self) -> float:
        return self._end - time.monotonic()

    def pause(self, least: float = 0.0) -> float:
        """Seconds to wait before the next try. They double up to 30, and vary, so that clients do not come back all at
        once."""
        # The generator of `random` is not used, since the caller may have seeded it for other purposes.
        seconds = self._pause * random.SystemRandom().uniform(0.5, 1.0)
        self._pause = min(2 * self._pause, 30.0)
        return max(seconds, least)

    def reset(self) -> None:
        self._pause = 0.5


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Transport:
    """One service, by its address. It keeps no connection."""

    def __init__(self, url: Optional[str], token: Optional[str]) -> None:
        self.url = url or os.environ.get("KGRADE_URL", "")
        self.token = (token if token is not None else os.environ.get("KGRADE_TOKEN", "")).strip()
        if not all(" " <= c <= "~" for c in self.token):
            raise WrongUsage("the token has characters that no token has")
        self._connection(1.0)

    def call(self, method: str, path: str, clock: Clock, body: Optional[bytes] = None, key: str = "") -> Any:
        """The answer's JSON. Tries again while the service is away or busy.

        key: the Idempotency-Key of a POST. If it is empty, the call makes a new one.
        """
        if body is not None and len(body) > _LONGEST_REQUEST:
            raise BadRequest("the request is longer than 32 MiB", 413)
        # The key is the same in each try, so that a job whose answer was lost is not graded twice.
        key = key or str(uuid.uuid4())
        told = False
        while True:
            try:
                answer = self.attempt(method, path, body, key, clock.left())
                clock.reset()
                return answer
            except Busy as error:
                if not told:
                    told = True
                    _LOG.warning("%s; trying again for %.0f s", error, clock.left())
                pause = clock.pause(error.retry_after)
                if pause < clock.left():
                    time.sleep(pause)
                    continue
                time.sleep(max(0.0, clock.left()))
                if error.full:
                    raise QueueFull(str(error), error.retry_after) from error
                raise Unavailable(str(error)) from error

    def attempt(self, method: str, path: str, body: Optional[bytes], key: str, left: float,
                opened: Optional[Callable[[http.client.HTTPConnection], None]] = None) -> Any:
        """The answer's JSON. Tries once, and raises Busy if another try may succeed.

        key: the Idempotency-Key of a POST.
        opened: gets the connection before the request is sent, and may raise OSError.
        """
        headers = {"Accept": "application/json", "Connection": "close"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":
            headers["Idempotency-Key"] = key
        try:
            status, retry_after, content = self.once(method, path, body, headers, left, opened)
            if status < 300:
                return json.loads(content)
        except ssl.SSLCertVerificationError as error:
            raise Unavailable(f"{self.url} is not trusted: {error}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Busy(f"{self.url} cannot be reached: {error or type(error).__name__}") from error
        self._refuse(status, retry_after, content)

    def stream(self, path: str, headers: "dict[str, str]", silence: float
               ) -> "tuple[http.client.HTTPConnection, http.client.HTTPResponse]":
        """A connection whose answer has begun and does not end. A read of it takes up to `silence` seconds.

        Raises OSError and HTTPException, and for an HTTP status the same exceptions as attempt().
        """
        if self.token:
            headers = {**headers, "Authorization": f"Bearer {self.token}"}
        connection = self._connection(silence)
        try:
            connection.request("GET", self._prefix() + path, None, headers)
            answer = connection.getresponse()
            if answer.status != 200:
                seconds = answer.getheader("Retry-After") or ""
                self._refuse(answer.status, float(seconds) if seconds.isdecimal() else None, answer.read())
            return connection, answer
        except BaseException:
            connection.close()
            raise

    def _refuse(self, status: int, retry_after: Optional[float], content: bytes) -> NoReturn:
        """Raises the exception for an answer that is not a success."""
        why = f"{self.url} answered {status}: {_detail(content)}"
        if status in _BUSY:
            raise Busy(why, retry_after or 0.0, status == 429 or (status == 503 and retry_after is not None))
        if status in (401, 403):
            raise Unauthorized(_detail(content))
        if 400 <= status < 500:
            raise BadRequest(_detail(content), status)
        raise Unavailable(why)

    def _prefix(self) -> str:
        return "" if self.url.startswith("unix:") else urllib.parse.urlsplit(self.url).path.rstrip("/")

    def once(self, method: str, path: str, body: Optional[bytes], headers: "dict[str, str]", left: float,
             opened: Optional[Callable[[http.client.HTTPConnection], None]] = None
             ) -> "tuple[int, Optional[float], bytes]":
        """The status, the seconds to wait before another try if the service said so, and the body."""
        connection = self._connection(min(max(left, 0.1), 60.0))
        try:
            connection.connect()
            if opened is not None:
                opened(connection)
            connection.request(method, self._prefix() + path, body, headers)
            answer = connection.getresponse()
            seconds = answer.getheader("Retry-After") or ""
            return answer.status, float(seconds) if seconds.isdecimal() else None, answer.read()
        finally:
            connection.close()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        if self.url.startswith("unix:/"):
            path = self.url[len("unix:"):]
            return _UnixConnection("/" + path.lstrip("/"), timeout)
        try:
            parts = urllib.parse.urlsplit(self.url)
            if parts.scheme in ("http", "https") and parts.hostname:
                kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
                return kind(parts.hostname, parts.port, timeout=timeout)
        except (ValueError, http.client.InvalidURL):
            pass
        raise WrongUsage(f"{self.url!r} is no address of a service: give http://host:port or unix:///path, "
                         "or set KGRADE_URL")


def _detail(content: bytes) -> str:
    """What an error of the service says."""
    text = content.decode("utf-8", "replace")
    try:
        problem = json.loads(text)
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return text.strip()[:500]
