"""Grades candidates with a running `kgrade serve` (docs/service.md)."""

import asyncio
import functools
import http.client
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, TypedDict, TypeVar, Union

from kgrade import _program
from kgrade._grading import Effort
from kgrade._program import KgradeError, WrongUsage
from kgrade._result import Grade

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

Text = Union[str, "os.PathLike[str]"]
# A problem, a candidate and the candidate's name.
Item = Union["tuple[Text, Text]", "tuple[Text, Text, Optional[str]]"]
_T = TypeVar("_T")

_MOST_ITEMS = 256
_MOST_IDS = 1024
# Of the items of one request: the service takes 32 MiB, and closes the connection where there is more.
_MOST_BYTES = 24 << 20
_LONGEST_REQUEST = 32 << 20
_LONGEST_WAIT = 25.0
_LONGEST_DEADLINE = 30 * 86400.0
_BUSY = (429, 502, 503, 504)


class Options(TypedDict, total=False):
    """What can be said of a grade. docs/service.md says what each means."""

    effort: Effort
    cases: Sequence[str]
    dtype: Optional[str]
    precision: Optional[str]
    hidden: Optional[int]
    baselines: "Optional[Literal['none', 'usual', 'pytorch', 'compiled']]"
    # Seconds that the candidate may take in all, its build included.
    run_limit: Optional[float]
    # Seconds until the result is of no use, the queue included. grade() and grade_many() take the client's timeout.
    deadline: Optional[float]
    priority: "Literal['normal', 'low']"
    group: Optional[str]
    client_ref: Optional[str]
    # Texts of files beside the candidate, by name.
    headers: Optional[Mapping[str, str]]
    seed: Optional[int]
    hidden_seed: Optional[int]


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


class _Clock:
    """The time that is left of a call, and how long to wait before it tries again."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._pause = 0.5

    def left(self) -> float:
        return self._end - time.monotonic()

    def pause(self, least: float = 0.0) -> float:
        """Seconds to wait. They double up to 30, and vary, so that clients do not come back all at once."""
        # Not the generator of `random`: its numbers belong to the caller, who may have seeded it.
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


class Handle:
    """A job that was submitted. It can be pickled, and used in another process."""

    def __init__(self, client: "Client", id: str) -> None:
        self.id = id
        self._client = client
        self._grade: Optional[Grade] = None

    def __repr__(self) -> str:
        return f"Handle({self.id!r})"

    def result(self, timeout: Optional[float] = None) -> Grade:
        """The grade. Raises TimeoutError if the job has not ended after `timeout` seconds: the client's if None."""
        for _ in self._client.as_completed([self], timeout):
            pass
        assert self._grade is not None
        return self._grade

    def cancel(self) -> bool:
        """Cancels the job, also while it is being graded. False if it has ended before."""
        # The state is asked for after a refusal: an earlier try may have been the one that cancelled it.
        path = f"/v1/grades/{urllib.parse.quote(self.id, safe='')}"
        try:
            view = self._client._call("DELETE", path)
        except BadRequest as error:
            if error.status != 409:
                raise
            view = self._client._call("GET", path)
        return bool(view["state"] == "cancelled")


class Client:
    """Grades with a service. It can be pickled, and used in threads and after a fork: it keeps no connection.

    url: "http://host:port", "https://host" or "unix:///path/of/socket". $KGRADE_URL if None.
    token: what the service's operator gave you. $KGRADE_TOKEN if None.
    timeout: seconds that one call of a method may take in all, waiting and trying again included.

    While the service is busy or cannot be reached, each call tries again until `timeout`. Then grade() and grade_many()
    return grades with the outcome "failed" and the fault "service"; the other methods raise Unavailable.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 1800.0) -> None:
        self.url = url or os.environ.get("KGRADE_URL", "")
        self.token = token if token is not None else os.environ.get("KGRADE_TOKEN")
        self.timeout = timeout
        self._connection(1.0)

    def __repr__(self) -> str:
        return f"Client({self.url!r}, timeout={self.timeout})"

    def __reduce__(self) -> "tuple[Any, ...]":
        return functools.partial(Client, timeout=self.timeout), (self.url, self.token or "")

    def grade(self, problem: Text, candidate: Text, *, name: Optional[str] = None, **options: "Unpack[Options]") -> Grade:
        """Grades one candidate, and returns when it is done.

        problem: a slug, or the path of one of KernelBench's .py files.
        candidate: the path of a file; or a text, with `name`, such as "answer.md" or "mine.cu".
        options: see `Options`.

        Raises BadRequest if the problem or an option is wrong, and Unauthorized.
        """
        found = self._grade_all([functools.partial(_request, problem, candidate, name, **options)])[0]
        if isinstance(found, BadRequest):
            raise found
        return found

    def grade_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Grade]":
        """Grades many candidates at once. The grades have the order of `items`.

        items: tuples (problem, candidate) or (problem, candidate, name), as in grade().
        An item that the service refuses gets a failed grade with the fault "problem".
        """
        requests = [functools.partial(_request, *_named(item), **same) for item in items]
        return [
            Grade(outcome="failed", fault="problem", reason=str(found)) if isinstance(found, BadRequest) else found
            for found in self._grade_all(requests)
        ]

    def submit(self, problem: Text, candidate: Text, *, name: Optional[str] = None, **options: "Unpack[Options]") -> Handle:
        """Accepts one candidate, and returns at once. See grade()."""
        return Handle(self, str(self._call("POST", "/v1/grades", _request(problem, candidate, name, **options))["id"]))

    def as_completed(self, handles: Iterable[Handle], timeout: Optional[float] = None) -> Iterator[Handle]:
        """The handles in the order in which their jobs end. Raises TimeoutError after `timeout` seconds."""
        clock = _Clock(self.timeout if timeout is None else timeout)
        waiting: "dict[str, list[Handle]]" = {}
        for handle in handles:
            if handle._grade is not None:
                yield handle
            else:
                waiting.setdefault(handle.id, []).append(handle)
        late = False
        while waiting:
            if late:
                raise TimeoutError(f"{len(waiting)} jobs have not ended after the timeout")
            late = clock.left() <= 0
            # All have a turn where they are more than one call can name.
            ids = list(waiting)[:_MOST_IDS]
            longest = _LONGEST_WAIT if len(waiting) <= _MOST_IDS else 1.0
            try:
                ended = self._wait(ids, "any", longest, clock if not late else _Clock(1.0))
            except Unavailable as error:
                raise TimeoutError(str(error)) from error
            for id, grade in ended.items():
                for handle in waiting.pop(id):
                    handle._grade = grade
                    yield handle
            if len(waiting) > _MOST_IDS:
                for id in ids:
                    if id in waiting:
                        waiting[id] = waiting.pop(id)

    def problems(self) -> "list[dict[str, Any]]":
        """The service's problems: slug, title, difficulty and family of each."""
        return list(self._call("GET", "/v1/problems")["problems"])

    def problem(self, slug: str) -> "dict[str, Any]":
        """One problem with its statement and the candidate's signature."""
        return dict(self._call("GET", f"/v1/problems/{urllib.parse.quote(slug, safe='')}"))

    def capacity(self) -> "dict[str, Any]":
        """The lanes and what they do, the queue, and grades per minute."""
        return dict(self._call("GET", "/v1/capacity"))

    def record(self, grade: Union[Grade, Handle, str]) -> "dict[str, Any]":
        """The whole record of a job that has a verdict. The service keeps it for a day."""
        id = grade if isinstance(grade, str) else grade.id
        return dict(self._call("GET", f"/v1/grades/{urllib.parse.quote(id, safe='')}?view=record"))

    def _grade_all(self, requests: "Sequence[Callable[[], dict[str, Any]]]") -> "list[Union[Grade, BadRequest]]":
        """Submits all and waits for all, a chunk after the other, as the service takes them."""
        clock, queue = _Clock(self.timeout), _Clock(self.timeout)
        found: "dict[int, Union[Grade, BadRequest]]" = {}
        todo: "list[tuple[int, bytes]]" = []
        for number, request in enumerate(requests):
            try:
                body = request()
                body.setdefault("deadline_s", min(max(self.timeout, 0.001), _LONGEST_DEADLINE))
                text = _json(body)
                if len(text) > _MOST_BYTES:
                    raise BadRequest("the problem and the candidate are too long")
                todo.append((number, text))
            except BadRequest as error:
                found[number] = error
        running: "dict[str, int]" = {}
        next_try = time.monotonic()
        reason = ""
        try:
            while (todo or running) and clock.left() > 0:
                if todo and time.monotonic() >= next_try:
                    taken, refused, retry_after = self._submit_chunk(todo, clock, found)
                    running.update(taken)
                    if refused:
                        reason = refused
                        next_try = time.monotonic() + queue.pause(retry_after)
                    else:
                        queue.reset()
                        continue
                pause = next_try - time.monotonic() if todo else _LONGEST_WAIT
                if running:
                    ended = self._wait(list(running)[:_MOST_IDS], "all", pause, clock)
                    for id, grade in ended.items():
                        found[running.pop(id)] = grade
                elif todo:
                    time.sleep(max(0.0, min(pause, clock.left())))
        except Unavailable as error:
            reason = str(error)
        late = Grade(outcome="failed", fault="service", retryable=True,
                     reason=reason or f"the job has not ended after {self.timeout:g} s, the client's timeout")
        return [found.get(number, late) for number in range(len(requests))]

    def _submit_chunk(
        self, todo: "list[tuple[int, bytes]]", clock: _Clock, found: "dict[int, Union[Grade, BadRequest]]"
    ) -> "tuple[dict[str, int], str, float]":
        """Submits the first of `todo` and removes those that were taken or are wrong.

        Returns the numbers of the taken by their ids; and why the service takes no more now, and for how many seconds.
        """
        count = size = 0
        while count < min(len(todo), _MOST_ITEMS) and size + len(todo[count][1]) <= _MOST_BYTES:
            size += len(todo[count][1])
            count += 1
        chunk = todo[:count]
        body = b'{"items":[' + b",".join(text for _, text in chunk) + b"]}"
        answers = self._call("POST", "/v1/grades/batch", body, clock=clock)["items"]
        taken: "dict[str, int]" = {}
        busy: "list[tuple[int, bytes]]" = []
        refused, retry_after = "", 0.0
        for (number, text), answer in zip(chunk, answers):
            error = answer.get("error")
            if error is None:
                taken[answer["id"]] = number
            elif error["status"] in _BUSY:
                busy.append((number, text))
                refused, retry_after = str(error.get("detail", "busy")), float(error.get("retry_after", 0))
            else:
                found[number] = BadRequest(str(error.get("detail", error)), error["status"])
        todo[:count] = busy
        return taken, refused, retry_after

    def _wait(self, ids: "list[str]", until: str, longest: float, clock: _Clock) -> "dict[str, Grade]":
        """The grades of those that have ended, after at most `longest` seconds."""
        # Less than what is left, so that the answer comes in time.
        seconds = max(0.0, min(longest, _LONGEST_WAIT, 0.9 * clock.left()))
        answer = self._call("POST", "/v1/wait", {"ids": ids, "timeout_s": round(seconds, 3), "until": until}, clock=clock)
        ended = {str(view["id"]): Grade.of_service(view) for view in answer["finished"]}
        for id in answer["unknown"]:
            ended[id] = Grade(outcome="failed", fault="service", id=id, retryable=True,
                              reason="the service does not know the job: it is older than a day, or another owner's")
        return ended

    def _call(self, method: str, path: str, body: "Union[bytes, dict[str, Any], None]" = None, *,
              clock: Optional[_Clock] = None) -> Any:
        """The answer's JSON. Tries again while the service is away or busy."""
        clock = clock or _Clock(self.timeout)
        text = _json(body) if isinstance(body, dict) else body
        if text is not None and len(text) > _LONGEST_REQUEST:
            raise BadRequest("the request is longer than 32 MiB", 413)
        headers = {"Accept": "application/json", "Connection": "close"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if text is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":
            # The same in each try, so that a job whose answer was lost is not graded twice.
            headers["Idempotency-Key"] = str(uuid.uuid4())
        while True:
            retry_after = 0.0
            try:
                status, retry_after, content = self._once(method, path, text, headers, clock.left())
                why = f"{self.url} answered {status}: {_detail(content)}"
                if status < 300:
                    answer = json.loads(content)
                    clock.reset()
                    return answer
                if status in (401, 403):
                    raise Unauthorized(_detail(content))
                if 400 <= status < 500 and status not in _BUSY:
                    raise BadRequest(_detail(content), status)
                if status not in _BUSY:
                    raise Unavailable(why)
            except ssl.SSLCertVerificationError as error:
                raise Unavailable(f"{self.url} is not trusted: {error}") from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = f"{self.url} cannot be reached: {error or type(error).__name__}"
            pause = clock.pause(retry_after)
            if pause >= clock.left():
                time.sleep(max(0.0, clock.left()))
                raise Unavailable(why)
            time.sleep(pause)

    def _once(self, method: str, path: str, text: Optional[bytes], headers: "dict[str, str]",
              left: float) -> "tuple[int, float, bytes]":
        """The status, the seconds to wait before another try, and the body."""
        connection = self._connection(min(max(left, 0.1), 60.0))
        try:
            prefix = "" if self.url.startswith("unix:") else urllib.parse.urlsplit(self.url).path.rstrip("/")
            connection.request(method, prefix + path, text, headers)
            answer = connection.getresponse()
            seconds = answer.getheader("Retry-After") or ""
            return answer.status, float(seconds) if seconds.isdecimal() else 0.0, answer.read()
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


class LocalClient(Client):
    """The client of a service that runs on this machine, until close(). A pickled one does not end the service."""

    def __init__(self, url: str, stop: Callable[[], None], timeout: float) -> None:
        super().__init__(url, "", timeout=timeout)
        # Also when Python ends without close().
        self._finalizer = weakref.finalize(self, stop)

    def close(self) -> None:
        """Stops the service and removes its files. Jobs that have not ended are lost."""
        self._finalizer()

    def __enter__(self) -> "LocalClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
                                       stderr=output, env={"KGRADE_PYTHON": sys.executable, **os.environ})
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    stop = functools.partial(_stop, process, folder, os.getpid())
    try:
        client = LocalClient(f"unix://{folder}/socket", stop, timeout)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            try:
                if client._once("GET", "/healthz", None, {}, 5.0)[0] == 200:
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


class AsyncClient:
    """The same for asyncio, with threads: up to 32 calls at a time. For more candidates at once, use grade_many().

    A task that is cancelled does not cancel its job.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 1800.0) -> None:
        self._client = Client(url, token, timeout=timeout)
        self._pool: "Optional[tuple[int, ThreadPoolExecutor]]" = None

    def __reduce__(self) -> "tuple[Any, ...]":
        client = self._client
        return functools.partial(AsyncClient, timeout=client.timeout), (client.url, client.token or "")

    async def grade(self, problem: Text, candidate: Text, *, name: Optional[str] = None,
                    **options: "Unpack[Options]") -> Grade:
        """See Client.grade()."""
        return await self._run(functools.partial(self._client.grade, problem, candidate, name=name, **options))

    async def grade_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Grade]":
        """See Client.grade_many(). It needs one thread."""
        return await self._run(functools.partial(self._client.grade_many, list(items), **same))

    async def capacity(self) -> "dict[str, Any]":
        """See Client.capacity()."""
        return await self._run(self._client.capacity)

    def close(self) -> None:
        """Ends the threads, when their calls are done."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown(wait=False)
        self._pool = None

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _run(self, call: Callable[[], _T]) -> _T:
        # Threads do not survive a fork.
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(32, "kgrade")
        return await asyncio.get_running_loop().run_in_executor(self._pool[1], call)


def _named(item: Item) -> "tuple[Text, Text, Optional[str]]":
    return (item[0], item[1], item[2] if len(item) > 2 else None)


def _request(
    problem: Text,
    candidate: Text,
    name: Optional[str] = None,
    *,
    effort: Effort = "quick",
    cases: Sequence[str] = (),
    dtype: Optional[str] = None,
    precision: Optional[str] = None,
    hidden: Optional[int] = None,
    baselines: Optional[str] = None,
    run_limit: Optional[float] = None,
    deadline: Optional[float] = None,
    priority: str = "normal",
    group: Optional[str] = None,
    client_ref: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    seed: Optional[int] = None,
    hidden_seed: Optional[int] = None,
) -> "dict[str, Any]":
    """A job as the service takes it. Files are read here: the service sees none of this machine's."""
    sent: "dict[str, Any]" = {}
    where = os.fspath(problem)
    if where.endswith(".py"):
        sent["problem"] = {"name": Path(where).name, "source": _read(where)}
    else:
        sent["problem"] = _clean(where)
    text = os.fspath(candidate)
    if name is None:
        sent["candidate"] = {"name": Path(text).name, "source": _read(text)}
    else:
        sent["candidate"] = {"name": _clean(name), "source": _clean(text)}
    if headers:
        sent["candidate"]["headers"] = {_clean(each): _clean(source) for each, source in headers.items()}
    options = {
        "effort": effort,
        "cases": list(cases) or None,
        "dtype": dtype,
        "precision": precision,
        "hidden": hidden,
        "baselines": baselines,
        "run_limit_s": run_limit,
        "deadline_s": deadline,
        "priority": priority,
        "group": group,
        "client_ref": client_ref,
        "seed": seed,
        "hidden_seed": hidden_seed,
    }
    sent.update((key, value) for key, value in options.items() if value is not None)
    return sent


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        raise BadRequest(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _clean(text: str) -> str:
    """Without halves of surrogate pairs, which are no Unicode and would spoil a whole request."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _json(body: "dict[str, Any]") -> bytes:
    try:
        return _clean(json.dumps(body, ensure_ascii=False, allow_nan=False)).encode("utf-8")
    except ValueError as error:
        raise BadRequest(f"the request is no JSON: {error}") from error


def _detail(content: bytes) -> str:
    """What an error of the service says."""
    text = content.decode("utf-8", "replace")
    try:
        problem = json.loads(text)
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return text.strip()[:500]
