"""Grades candidates with a running `kgrade serve`, for programs with asyncio."""

import asyncio
import functools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterable, Optional, TypeVar, Union

from kgrade._client import Client, Handle, by_end, late, refused
from kgrade._events import Event, Follower
from kgrade._grading import Text
from kgrade._options import Options
from kgrade._request import Item, Problem, job, of_item
from kgrade._result import Grade
from kgrade._transport import BadRequest, Clock, DeadlineExceeded, Unavailable
from kgrade._waiter import Watch

if TYPE_CHECKING:
    from typing_extensions import Unpack

_T = TypeVar("_T")


class AsyncClient:
    """The methods of Client as coroutines. Thousands of grades can wait at a time, and share one connection.

    Requests that are answered at once share up to 32 threads. Cancelling a task does not cancel its job.
    """

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, *, timeout: float = 1800.0) -> None:
        self._client = Client(url, token, timeout=timeout)
        self._pool: "Optional[tuple[int, ThreadPoolExecutor]]" = None

    def __reduce__(self) -> "tuple[Any, ...]":
        client = self._client
        return functools.partial(AsyncClient, timeout=client.timeout), (client.url, client.token or "")

    async def grade(self, problem: Problem, candidate: Text, *, name: Optional[str] = None,
                    **options: "Unpack[Options]") -> Grade:
        """See Client.grade()."""
        return await self._grade(functools.partial(job, problem, candidate, name, **options))

    async def grade_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Grade]":
        """See Client.grade_many(). The call uses one thread."""
        return await self._run(functools.partial(self._client.grade_many, list(items), **same))

    async def grade_item(self, item: Item, **same: "Unpack[Options]") -> Grade:
        """Like grade_many() with one item, but uses no thread while it waits."""
        try:
            return await self._grade(functools.partial(of_item, item, same))
        except BadRequest as error:
            return refused(error)

    async def submit(self, problem: Problem, candidate: Text, *, name: Optional[str] = None,
                     **options: "Unpack[Options]") -> Handle:
        """See Client.submit(). Give the handle to this client's methods: its own methods would block the event loop."""
        return await self._run(functools.partial(self._client.submit, problem, candidate, name=name, **options))

    async def submit_many(self, items: Iterable[Item], **same: "Unpack[Options]") -> "list[Handle]":
        """See Client.submit_many()."""
        return await self._run(functools.partial(self._client.submit_many, list(items), **same))

    async def as_completed(self, handles: Iterable[Handle], timeout: Optional[float] = None) -> AsyncIterator[Handle]:
        """See Client.as_completed()."""
        clock = Clock(self._client.timeout if timeout is None else timeout)
        ended_before, waiting = by_end(handles)
        for handle in ended_before:
            yield handle
        # A watch that wakes this task instead of a thread.
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        waiter, watch = self._client._waiter(), Watch(lambda: loop.call_soon_threadsafe(woken.set))
        try:
            waiter.add(watch, waiting)
            while waiting:
                try:
                    await asyncio.wait_for(woken.wait(), max(0.0, min(clock.left(), 86400.0)))
                except asyncio.TimeoutError:
                    pass
                woken.clear()
                ended = watch.take()
                if not ended and clock.left() <= 0:
                    ended = await self._run(functools.partial(self._client._ask_now, list(waiting)))
                    if not ended:
                        raise DeadlineExceeded(f"{len(waiting)} jobs have not ended after the timeout")
                for id, grade in ended.items():
                    for handle in waiting.pop(id, ()):
                        handle._grade = grade
                        yield handle
        finally:
            waiter.remove(watch)

    async def result(self, handle: Handle, timeout: Optional[float] = None) -> Grade:
        """See Handle.result()."""
        async for _ in self.as_completed([handle], timeout):
            pass
        assert handle._grade is not None
        return handle._grade

    async def cancel(self, handle: Handle) -> bool:
        """See Handle.cancel()."""
        return await self._run(handle.cancel)

    async def problems(self) -> "list[dict[str, Any]]":
        """See Client.problems()."""
        return await self._run(self._client.problems)

    async def problem(self, problem: Problem) -> "dict[str, Any]":
        """See Client.problem()."""
        return await self._run(functools.partial(self._client.problem, problem))

    async def upload(self, problem: Problem) -> "dict[str, str]":
        """See Client.upload()."""
        return await self._run(functools.partial(self._client.upload, problem))

    async def board(self, slug: str) -> "dict[str, Any]":
        """See Client.board()."""
        return await self._run(functools.partial(self._client.board, slug))

    async def events(self, after: Optional[str] = None) -> AsyncIterator[Event]:
        """See Client.events(). The iterator has its own thread until the loop over it ends."""
        loop = asyncio.get_running_loop()
        events = Follower(self._client._transport, self._client.timeout, after)
        arrived: "asyncio.Queue[Union[Event, BaseException, None]]" = asyncio.Queue()

        def read() -> None:
            try:
                for event in events:
                    loop.call_soon_threadsafe(arrived.put_nowait, event)
                end = None
            except BaseException as error:  # The task raises this error.
                end = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(arrived.put_nowait, end)

        threading.Thread(target=read, name="kgrade-events", daemon=True).start()
        try:
            while True:
                event = await arrived.get()
                if event is None:
                    return
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            events.close()

    async def capacity(self) -> "dict[str, Any]":
        """See Client.capacity()."""
        return await self._run(self._client.capacity)

    async def record(self, grade: Union[Grade, Handle, str]) -> "dict[str, Any]":
        """See Client.record()."""
        return await self._run(functools.partial(self._client.record, grade))

    async def agent(self, grade: Union[Grade, Handle, str]) -> "dict[str, Any]":
        """See Client.agent()."""
        return await self._run(functools.partial(self._client.agent, grade))

    def close(self) -> None:
        """Ends the threads when their calls have ended."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown(wait=False)
        self._pool = None

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def _grade(self, request: "Callable[[], dict[str, Any]]") -> Grade:
        clock = Clock(self._client.timeout)

        def submit() -> Handle:
            body = request()
            body.setdefault("deadline_s", self._client._deadline())
            return self._client._submit(body, clock)

        waiter = self._client._waiter()
        try:
            handle = await self._run(submit)
            return await self.result(handle, clock.left())
        except DeadlineExceeded as error:
            return late(waiter.trouble or str(error))
        except Unavailable as error:
            return late(str(error))

    async def _run(self, call: Callable[[], _T]) -> _T:
        # Threads do not survive a fork.
        if self._pool is None or self._pool[0] != os.getpid():
            self._pool = os.getpid(), ThreadPoolExecutor(32, "kgrade")
        return await asyncio.get_running_loop().run_in_executor(self._pool[1], call)
