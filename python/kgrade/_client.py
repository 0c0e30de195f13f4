"""Grades candidates with a running `kgrade serve` (docs/service.md)."""

import functools
import hashlib
import os
import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Sequence, TypeVar, Union

from kgrade._events import Follower
from kgrade._grading import Text
from kgrade._options import Options
from kgrade._request import Item, Problem, is_file, job, of_item, path_of, problem_file, to_json
from kgrade._result import Grade
from kgrade._transport import BadRequest, Busy, Clock, DeadlineExceeded, Transport, Unavailable
from kgrade._waiter import MOST_IDS, Waiter, Watch, ask

if TYPE_CHECKING:
    from typing_extensions import Unpack

_C = TypeVar("_C", bound="Client")

_MOST_ITEMS = 256
# The most bytes of all items of one request together. The service closes the connection of a request above 32 MiB.
_MOST_BYTES = 24 << 20
_LONGEST_DEADLINE = 30 * 86400.0
_LAST_LOOK = 2.0  # seconds for one last request, after the time of a call is over


class Handle:
    """A job that was submitted. A handle can be pickled, and used in another process."""

    def __init__(self, client: "Client", id: str, grade: Optional[Grade] = None) -> None:
        # Empty if the service did not take the job.
        self.id = id
        self._client = client
        self._grade = grade

    def __repr__(self) -> str:
        return f"Handle({self.id!r})"

    def result(self, timeout: Optional[float] = None) -> Grade:
        """Waits for the grade. Raises DeadlineExceeded if the job has not ended after `timeout` seconds. If None, the
        client's timeout applies."""
        for _ in self._client.as_completed([self], timeout):
            pass
        assert self._grade is not None
        return self._grade

    def cancel(self) -> bool:
        """Cancels the job, even while it is being graded. Returns False if the job has already ended."""
        if not self.id:
            return False
        # After a refusal, the job's state decides: an earlier try of this request may have cancelled the job.
        path = f"/v1/grades/{urllib.parse.quote(self.id, safe='')}"
        try:
            view = self._client._call("DELETE", path)
        except BadRequest as error:
            if error.status != 409:
                raise
            view = self._client._call("GET", path)
        return bool(view["state"] == "cancelled")


class Client:
    """Grades with a service. A client can be pickled, and used in threads and after a fork.

    url: "http://host:port", "https://host" or "unix:///path/of/socket". $KGRADE_URL if None.
    token: the token that the service's operator gave you. $KGRADE_TOKEN if None.
    timeout: seconds that one call of a method may take in all, including waits and further tries.

    While the service is busy or cannot be reached, each call tries again until `timeout`. Then grade() and grade_many()
    return grades with the outcome "failed" and the fault "service"; the other methods raise Unavailable, or its
    subclass QueueFull. All calls of a process share one thread and one connection for waiting, however many jobs there
    are.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 1800.0) -> None:
        self._transport = Transport(url, token)
        self.timeout = timeout
        # One waiter for each process, by its id, since a fork does not copy a thread. This is a dict, since
        # setdefault() works without a lock, which a fork could copy while it is held.
        self._waiters: "dict[int, Waiter]" = {}

    @property
    def url(self) -> str:
        return self._transport.url

    @property
    def token(self) -> Optional[str]:
        return self._transport.token

    def __repr__(self) -> str:
        return f"Client({self.url!r}, timeout={self.timeout})"

    def __reduce__(self) -> "tuple[Any, ...]":
        return functools.partial(Client, timeout=self.timeout), (self.url, self.token or "")

    def __enter__(self: "_C") -> "_C":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Does nothing, since a client keeps nothing open. The client of local() stops its service."""

    def grade(self, problem: Problem, candidate: Text, *, name: Optional[str] = None,
              **options: "Unpack[Options]") -> Grade:
        """Grades one candidate, and returns when it is done.

        problem: a slug; or the path of one of KernelBench's .py files; or a path into a public set (docs/sets.md), of
            whose files the program kgrade on this machine makes one; or one file as {"name": ..., "source": ...}. A
            text is a path if it has a slash or an extension.
        candidate: the path of a file; or a text, with `name`, such as "answer.md" or "mine.cu". A text of more than 1
            MiB is a compile error.
        options: see `kgrade.Options`.

        Raises BadRequest if the problem or an option is wrong, and Unauthorized.
        """
        found = self._grade_all([functools.partial(job, problem, candidate, name, **options)])[0]
        if isinstance(found, BadRequest):
            raise found
        return found

    def grade_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Grade]":
        """Grades many candidates at once. The grades have the order of `items`.

        items: tuples (problem, candidate) or (problem, candidate, name), as in grade(); or objects of kgrade.Request.
        An item that the service refuses gets a failed grade with the fault "problem".
        """
        found = self._grade_all([functools.partial(of_item, item, same) for item in items])
        return [refused(each) if isinstance(each, BadRequest) else each for each in found]

    def submit(self, problem: Problem, candidate: Text, *, name: Optional[str] = None,
               **options: "Unpack[Options]") -> Handle:
        """Submits one candidate, and returns at once. See grade()."""
        return self._submit(job(problem, candidate, name, **options), Clock(self.timeout))

    def submit_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Handle]":
        """Submits many candidates. The handles have the order of `items`. See grade_many().

        An item that is refused, or not taken within the timeout, gets a handle that has its failed grade already.
        """
        clock, queue = Clock(self.timeout), Clock(self.timeout)
        todo, found = _prepare([functools.partial(of_item, item, same) for item in items], None)
        handles: "dict[int, Handle]" = {}
        reason = ""
        try:
            while todo and clock.left() > 0:
                taken, reason, retry_after = self._submit_chunk(todo, clock, found)
                handles.update((number, Handle(self, id)) for id, number in taken.items())
                if reason:
                    time.sleep(max(0.0, min(queue.pause(retry_after), clock.left())))
                else:
                    queue.reset()
        except Unavailable as error:
            reason = str(error)
        for number, wrong in found.items():
            handles[number] = Handle(self, "", refused(wrong))
        for number, _ in todo:
            handles[number] = Handle(self, "", late(reason))
        return [handles[number] for number in range(len(handles))]

    def as_completed(self, handles: Iterable[Handle], timeout: Optional[float] = None) -> Iterator[Handle]:
        """The handles in the order in which their jobs end. Raises DeadlineExceeded after `timeout` seconds."""
        clock = Clock(self.timeout if timeout is None else timeout)
        ended_before, waiting = by_end(handles)
        yield from ended_before
        if not waiting:
            return
        waiter, watch = self._waiter(), Watch()
        try:
            waiter.add(watch, waiting)
            while waiting:
                ended = watch.take(clock.left())
                if not ended and clock.left() <= 0:
                    # The waiter may not yet have asked for jobs that ended before the call.
                    ended = self._ask_now(list(waiting))
                    if not ended:
                        raise DeadlineExceeded(_pending(len(waiting), waiter.trouble))
                for id, grade in ended.items():
                    for handle in waiting.pop(id, ()):
                        handle._grade = grade
                        yield handle
        finally:
            waiter.remove(watch)

    def problems(self) -> "list[dict[str, Any]]":
        """The service's problems: slug, title, difficulty and family of each."""
        return list(self._call("GET", "/v1/problems")["problems"])

    def problem(self, problem: Problem) -> "dict[str, Any]":
        """Describes a problem. For a slug: its statement and the candidate's signature. For a file or a path into a
        public set: the `name` and `source` of the one file.

        problem: as for grade(). Files are read on this machine. Or {"sha256": ...}.
        """
        if is_file(problem):
            file = problem_file(problem)
            if "sha256" not in file:
                return dict(file)
            problem = file["sha256"]
        return dict(self._call("GET", f"/v1/problems/{urllib.parse.quote(path_of(problem), safe='')}"))

    def upload(self, problem: Problem) -> "dict[str, str]":
        """Stores a problem's file, and returns its name for jobs: {"sha256": ...}.

        problem: the path of the file, or into a public set, or {"name": ..., "source": ...}.
        This saves time if many jobs use the file. Needs a token with `problems`. Raises BadRequest and Unauthorized.
        """
        file = problem_file(problem)
        digest = hashlib.sha256(file.get("source", "").encode("utf-8")).hexdigest()
        clock = Clock(self.timeout)
        return {"sha256": str(self._transport.call("PUT", f"/v1/problems/{digest}", clock, to_json(file))["sha256"])}

    def board(self, slug: str) -> "dict[str, Any]":
        """The best results for a problem of the catalogue: docs/service.md, "Boards"."""
        if is_file(slug):
            raise BadRequest(f"only problems of the catalogue have boards, and {slug!r} is no slug")
        return dict(self._call("GET", f"/v1/problems/{urllib.parse.quote(slug, safe='')}/board"))

    def events(self, after: Optional[str] = None) -> Follower:
        """The events of the jobs of this token's owner, from now on, or after the event with the id `after`.

        If the connection is lost, continues after the latest event. The iterator has no end: leave the loop, or close()
        the iterator. Raises Unavailable if the service is away for longer than the client's timeout, and Unauthorized.
        """
        return Follower(self._transport, self.timeout, after)

    def capacity(self) -> "dict[str, Any]":
        """The lanes and their state, the queue, and grades per minute."""
        return dict(self._call("GET", "/v1/capacity"))

    def record(self, grade: Union[Grade, Handle, str]) -> "dict[str, Any]":
        """The whole record of a job that has a verdict. The service keeps it for a day."""
        id = grade if isinstance(grade, str) else grade.id
        return dict(self._call("GET", f"/v1/grades/{urllib.parse.quote(id, safe='')}?view=record"))

    def agent(self, grade: Union[Grade, Handle, str]) -> "dict[str, Any]":
        """Help for the next answer: a wrong element, what the failed cases have in common, the slowest case, and the
        next step.

        This is the view `agent` of a job that has a verdict. Parts of it come from the candidate.
        """
        id = grade if isinstance(grade, str) else grade.id
        return dict(self._call("GET", f"/v1/grades/{urllib.parse.quote(id, safe='')}?view=agent"))

    def _grade_all(self, requests: "Sequence[Callable[[], dict[str, Any]]]") -> "list[Union[Grade, BadRequest]]":
        """Submits all requests in chunks that the service accepts, and waits for all grades."""
        clock, queue = Clock(self.timeout), Clock(self.timeout)
        todo, wrong = _prepare(requests, self._deadline())
        found: "dict[int, Grade]" = {}
        running: "dict[str, int]" = {}
        next_try = time.monotonic()
        reason = ""
        waiter, watch = self._waiter(), Watch()
        try:
            while (todo or running) and clock.left() > 0:
                if todo and time.monotonic() >= next_try:
                    taken, reason, retry_after = self._submit_chunk(todo, clock, wrong)
                    running.update(taken)
                    waiter.add(watch, taken)
                    if not reason:
                        queue.reset()
                        continue
                    next_try = time.monotonic() + queue.pause(retry_after)
                pause = next_try - time.monotonic() if todo else clock.left()
                for id, grade in watch.take(min(pause, clock.left())).items():
                    found[running.pop(id)] = grade
            reason = reason or waiter.trouble
        except Unavailable as error:
            reason = str(error)
        finally:
            waiter.remove(watch)
        missing = late(reason or _pending(len(running), ""))
        return [wrong.get(number) or found.get(number, missing) for number in range(len(requests))]

    def _submit(self, body: "dict[str, Any]", clock: Clock) -> Handle:
        return Handle(self, str(self._transport.call("POST", "/v1/grades", clock, to_json(body))["id"]))

    def _submit_chunk(
        self, todo: "list[tuple[int, bytes]]", clock: Clock, found: "dict[int, BadRequest]", key: str = ""
    ) -> "tuple[dict[str, int], str, float]":
        """Submits the first requests of `todo`, and removes those that the service has taken or that are wrong.

        key: the Idempotency-Key, for a caller that submits the same again if there is no answer.
        Returns {id: number} of the requests that were taken, why the service takes no more now, and for how many
        seconds.
        """
        count = size = 0
        while count < min(len(todo), _MOST_ITEMS) and size + len(todo[count][1]) <= _MOST_BYTES:
            size += len(todo[count][1])
            count += 1
        chunk = todo[:count]
        body = b'{"items":[' + b",".join(text for _, text in chunk) + b"]}"
        answers = self._transport.call("POST", "/v1/grades/batch", clock, body, key)["items"]
        taken: "dict[str, int]" = {}
        busy: "list[tuple[int, bytes]]" = []
        reason, retry_after = "", 0.0
        for (number, text), answer in zip(chunk, answers):
            error = answer.get("error")
            if error is None:
                taken[answer["id"]] = number
            elif error["status"] in (429, 502, 503, 504):
                busy.append((number, text))
                reason, retry_after = str(error.get("detail", "busy")), float(error.get("retry_after", 0))
            else:
                found[number] = BadRequest(str(error.get("detail", error)), error["status"])
        todo[:count] = busy
        return taken, reason, retry_after

    def _ask_now(self, ids: "list[str]") -> "dict[str, Grade]":
        """The grades of the jobs that have ended. Empty if the service is away."""
        ended: "dict[str, Grade]" = {}
        try:
            for begin in range(0, len(ids), MOST_IDS):
                ended.update(ask(self._transport, ids[begin:begin + MOST_IDS], 0.0, _LAST_LOOK))
        except Busy:
            pass
        return ended

    def _call(self, method: str, path: str) -> Any:
        return self._transport.call(method, path, Clock(self.timeout))

    def _deadline(self) -> float:
        return min(max(self.timeout, 0.001), _LONGEST_DEADLINE)

    def _waiter(self) -> Waiter:
        process = os.getpid()
        waiter = self._waiters.get(process)
        if waiter is None:
            waiter = self._waiters.setdefault(process, Waiter(self._transport))
            # Removes the waiters of the processes that this one was forked from, with their copies of connections.
            for other in [each for each in self._waiters if each != process]:
                self._waiters.pop(other, None)
        return waiter


def by_end(handles: Iterable[Handle]) -> "tuple[list[Handle], dict[str, list[Handle]]]":
    """The handles whose grades are known, and the others by the ids of their jobs."""
    known: "list[Handle]" = []
    waiting: "dict[str, list[Handle]]" = {}
    for handle in handles:
        if handle._grade is not None:
            known.append(handle)
        else:
            waiting.setdefault(handle.id, []).append(handle)
    return known, waiting


def refused(error: BadRequest) -> Grade:
    """The grade of an item that is wrong."""
    return Grade(outcome="failed", fault="problem", reason=str(error))


def late(reason: str) -> Grade:
    """The grade of an item whose result did not come within the client's timeout."""
    return Grade(outcome="failed", fault="service", retryable=True, reason=reason)


def _pending(count: int, trouble: str) -> str:
    jobs = "the job has" if count == 1 else f"{count} jobs have"
    return trouble or f"{jobs} not ended after the timeout"


def _prepare(
    requests: "Sequence[Callable[[], dict[str, Any]]]", deadline: Optional[float]
) -> "tuple[list[tuple[int, bytes]], dict[int, BadRequest]]":
    """The bodies of the requests by number, and what is wrong with the others."""
    todo: "list[tuple[int, bytes]]" = []
    wrong: "dict[int, BadRequest]" = {}
    for number, request in enumerate(requests):
        try:
            body = request()
            if deadline is not None:
                body.setdefault("deadline_s", deadline)
            text = to_json(body)
            if len(text) > _MOST_BYTES:
                raise BadRequest("the problem and the candidate are too long")
            todo.append((number, text))
        except BadRequest as error:
            wrong[number] = error
    return todo, wrong
