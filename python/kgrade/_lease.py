"""The work on one lease: jobs that a service has lent to this node (kgrade.join)."""

import json
import time
import urllib.parse
import uuid
from typing import Any, Callable, Mapping, Optional

from kgrade._client import Client
from kgrade._grader import Grader
from kgrade._program import KgradeError
from kgrade._request import to_json
from kgrade._result import Grade
from kgrade._transport import BadRequest, Busy, Clock, Transport, Unavailable
from kgrade._waiter import Watch

# Seconds.
_TICK = 0.5
_RENEW = 5.0
_ANSWER = 15.0
_LOOK_FOR_BEGUN = 1.0
_GIVE_BACK = 3.0
# Results of that many bytes go into one request, which may have 32 MiB.
_MOST_BYTES = 16 << 20
_LONGEST_REASON = 1000


class LeaseLost(Exception):
    """The service has given the jobs to others, or they have ended."""


class Lease:
    """Jobs that a service has lent, until each has a result or the lease is lost.

    Only work() changes it, in one thread.
    """

    def __init__(self, server: Transport, grader: Grader, answer: "Mapping[str, Any]",
                 heard: Callable[[Mapping[str, Any]], None] = lambda record: None) -> None:
        """answer: what the service answered to POST /v1/leases. heard: gets the record of each graded job."""
        self._server, self._grader, self._heard = server, grader, heard
        self._path = f"/v1/leases/{urllib.parse.quote(str(answer['lease']), safe='')}"
        self._seconds = float(answer["lease_s"])
        self._renewed = time.monotonic()
        self._next_report = self._renewed
        self._pause = Clock(0.0)
        self._is_away = False
        # The jobs without a result, by the server's ids.
        self._requests: "dict[str, dict[str, Any]]" = {str(job["id"]): job["request"] for job in answer["jobs"]}
        # This node's service, as of the latest _submit().
        self._client: Optional[Client] = None
        self._generation = 0
        # The server's ids of the jobs that this node's service is to get; and their numbers in that list and texts, as
        # long as it has not taken them. Until it answers, the same texts are sent again with the same key.
        self._ids: "list[str]" = []
        self._todo: "list[tuple[int, bytes]]" = []
        self._key = ""
        self._watch = Watch()
        # The jobs that this node's service has: from its ids to the server's ids. Then those that have begun.
        self._running: "dict[str, str]" = {}
        self._begun: "set[str]" = set()
        self._looked_at = 0.0
        # Jobs that ended here without a result, which nobody asked for. They are given back in the end.
        self._void: "set[str]" = set()
        # What the server is to hear next: results by the server's ids, and ids of jobs that have begun.
        self._results: "dict[str, dict[str, Any]]" = {}
        self._news: "set[str]" = set()

    def left(self) -> int:
        """The number of jobs that this node has still to grade."""
        return len(self._requests)

    def work(self, is_stopped: Callable[[], bool]) -> None:
        """Grades the jobs and hands in results, until all have one or the lease is lost.

        If is_stopped() becomes true, gives back the jobs without a result. Raises GraderGone after giving them back.
        """
        is_lost = False
        try:
            # Until the server has heard of the lease, it may think that its answer was lost.
            self._report_if_due()
            while (set(self._requests) - self._void or self._results) and not is_stopped():
                client = self._submit()
                self._collect(client)
                self._look_for_begun(client)
                self._report_if_due()
        except LeaseLost:
            is_lost = True
        finally:
            if not is_lost:
                self._give_back()
            for local in list(self._running):
                if not self._stop(local):
                    break
            self._leave()

    def _submit(self) -> Client:
        """Gives this node's service the jobs that it does not have. Returns its client."""
        client, generation = self._grader.client()
        if generation != self._generation:
            self._leave()
            for local in self._begun:
                self._fail(self._running[local], "machine", "the service of the node died while it graded this")
            self._client, self._generation = client, generation
            self._watch, self._running, self._begun = Watch(), {}, set()
            self._ids = [id for id in self._requests if id not in self._void]
            self._todo = [(number, to_json(self._requests[id])) for number, id in enumerate(self._ids)]
            self._key = str(uuid.uuid4())
        wrong: "dict[int, BadRequest]" = {}
        try:
            while self._todo:
                taken, busy, _ = client._submit_chunk(self._todo, Clock(_ANSWER), wrong, self._key)
                self._key = str(uuid.uuid4())
                self._todo = [(number, text) for number, text in self._todo if self._ids[number] in self._requests]
                self._running.update((local, self._ids[number]) for local, number in taken.items())
                client._waiter().add(self._watch, taken)
                for local in [local for local, number in taken.items() if self._ids[number] not in self._requests]:
                    self._stop(local)  # The server cancelled it meanwhile.
                if busy:
                    break
        except Unavailable:
            pass  # It is busy or has died. The next round tries again.
        for number, error in wrong.items():
            # The server has accepted the job, so this node's version is another one.
            self._fail(self._ids[number], "machine", f"this node cannot grade it: {error}")
        return client

    def _leave(self) -> None:
        """Waits no longer for jobs of this node's service."""
        if self._client is not None:
            self._client._waiter().remove(self._watch)

    def _collect(self, client: Client) -> None:
        for local, grade in self._watch.take(_TICK).items():
            id = self._running.get(local)
            if id is None:
                continue
            if grade.ok:
                self._keep_record(client, local, id, grade)
            elif grade.fault in ("machine", "service", "problem"):
                if self._had_begun(client, local):
                    self._news.add(id)
                self._fail(id, grade.fault, grade.reason)
            else:
                # Expired: the server's own clock says so too. Cancelled: by somebody on this node.
                self._void.add(id)
            if id not in self._requests or id in self._void:
                del self._running[local]
                self._begun.discard(local)

    def _keep_record(self, client: Client, local: str, id: str, grade: Grade) -> None:
        try:
            record = client._transport.attempt("GET", f"/v1/grades/{local}?view=record", None, "", _ANSWER)
        except (Busy, Unavailable):
            client._waiter().add(self._watch, [local])  # It ends once more, in the next round.
            return
        except BadRequest as error:
            if grade.verdict == "time_limit":
                # The one verdict without a record: the run_limit_s of the request.
                self._news.add(id)
                self._end(id, {"id": id, "overrun": True})
            else:
                self._fail(id, "service", f"the node has no record of it: {error}")
            return
        self._grader.has_graded()
        self._heard(record)
        self._news.add(id)
        if len(to_json(record)) > _MOST_BYTES:
            self._fail(id, "service", "its record is longer than 16 MiB")
        else:
            self._end(id, {"id": id, "record": record})

    def _fail(self, id: str, fault: str, reason: str) -> None:
        self._end(id, {"id": id, "failed": {"fault": fault, "reason": reason[:_LONGEST_REASON]}})

    def _end(self, id: str, result: "dict[str, Any]") -> None:
        if self._requests.pop(id, None) is not None:
            self._results[id] = result

    def _look_for_begun(self, client: Client) -> None:
        """Asks this node's service which jobs have begun, so that the server knows whom to blame if the node dies."""
        if time.monotonic() < self._looked_at + _LOOK_FOR_BEGUN:
            return
        self._looked_at = time.monotonic()
        unknown = [local for local in self._running if local not in self._begun]
        if not unknown:
            return
        try:
            answer = client._transport.attempt(
                "POST", "/v1/wait", json.dumps({"ids": unknown, "timeout_s": 0}).encode(), str(uuid.uuid4()), _ANSWER)
            for job in answer["pending"]:
                # A lane takes several jobs at once, and begins one after the other.
                if job["state"] == "running" and self._has_begun(client, job["id"]):
                    self._begun.add(job["id"])
                    self._news.add(self._running[job["id"]])
        except (Busy, KgradeError):
            pass  # The next round finds out whether the service has died.

    def _has_begun(self, client: Client, local: str) -> bool:
        view = client._transport.attempt("GET", f"/v1/grades/{local}", None, "", _ANSWER)
        return bool(view["attempts"] > 0)

    def _had_begun(self, client: Client, local: str) -> bool:
        """Whether a lane began with a job that failed. If not, the server takes it for a fault of this node."""
        try:
            return local in self._begun or self._has_begun(client, local)
        except (Busy, KgradeError):
            return True

    def _report_if_due(self) -> None:
        has_news = bool(self._results or self._news) and not self._is_away
        if not has_news and time.monotonic() < self._next_report:
            return
        try:
            self._report()
        except Busy as error:
            if time.monotonic() > self._renewed + self._seconds:
                raise LeaseLost from error
            self._is_away = True
            self._next_report = time.monotonic() + min(self._pause.pause(error.retry_after), _RENEW)

    def _report(self, is_released: bool = False) -> None:
        """Tells the server what has happened, and stops jobs that it has cancelled. Raises Busy and LeaseLost."""
        sent: "list[str]" = []
        size = 0
        for id, result in self._results.items():
            size += len(to_json(result))
            if sent and size > _MOST_BYTES:
                break
            sent.append(id)
        news = list(self._news)
        body: "dict[str, Any]" = {"begun": news, "results": [self._results[id] for id in sent]}
        if is_released:
            body["released"] = True
        try:
            answer = self._server.attempt("POST", self._path, to_json(body), str(uuid.uuid4()), _ANSWER)
        except BadRequest as error:
            if error.status == 410:
                raise LeaseLost from error
            raise
        except Unavailable as error:
            raise Busy(str(error)) from error
        self._renewed = time.monotonic()
        self._next_report = self._renewed + _RENEW
        self._pause.reset()
        self._is_away = False
        self._news.difference_update(news)
        for id in sent:
            del self._results[id]
        for id in answer["cancelled"]:
            self._requests.pop(str(id), None)
            self._void.discard(str(id))
            self._results.pop(str(id), None)
            for local in [local for local, other in self._running.items() if other == id]:
                self._stop(local)

    def _give_back(self) -> None:
        """Hands in the results that are left, and gives back the jobs without one."""
        clock = Clock(_GIVE_BACK)
        while self._requests or self._results:
            try:
                many = len(self._results) > 1 and len(to_json(self._results)) > _MOST_BYTES
                self._report(is_released=not many)
                if not many:
                    return
            except (LeaseLost, KgradeError):
                return
            except Busy as error:
                if clock.left() <= 0:
                    return
                time.sleep(min(clock.pause(error.retry_after), 1.0))

    def _stop(self, local: str) -> bool:
        """Cancels a job of this node's service. False if the service is away."""
        self._running.pop(local, None)
        self._begun.discard(local)
        try:
            assert self._client is not None
            self._client._transport.attempt("DELETE", f"/v1/grades/{local}", None, "", _ANSWER)
        except BadRequest:
            pass  # It has ended.
        except (Busy, Unavailable):
            return False
        return True
