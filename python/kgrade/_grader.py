"""The service on a node that grades for another service (kgrade.join)."""

import threading
from typing import Callable, Optional

from kgrade._local import LocalClient
from kgrade._program import KgradeError, WrongUsage

# The service has to die that many times, without a result between, before the node gives up.
MOST_DEATHS = 3


class GraderGone(KgradeError):
    """There is no service on this node, and there will be none."""


class Grader:
    """A service on this machine, which is started again when it has died. It can be used in threads."""

    def __init__(self, start: Callable[[], LocalClient], note: Callable[[str], None]) -> None:
        """start: starts a service. It raises WrongUsage if trying again is no use, or another KgradeError."""
        self._start = start
        self._note = note
        self._lock = threading.Lock()
        self._client: Optional[LocalClient] = None
        self._generation = 0
        self._deaths = 0
        self._is_closed = False

    def client(self) -> "tuple[LocalClient, int]":
        """The service, and a number that is larger for each service that was started. Raises GraderGone and WrongUsage."""
        with self._lock:
            while self._client is None or not self._client.is_running():
                if self._is_closed:
                    raise GraderGone("the node stops")
                if self._client is not None:
                    self._died("it has died")
                try:
                    self._client = self._start()
                    self._generation += 1
                except WrongUsage:
                    raise
                except KgradeError as error:
                    self._died(str(error))
            return self._client, self._generation

    def has_graded(self) -> None:
        """A job has ended with a verdict."""
        self._deaths = 0

    def close(self) -> None:
        """Ends the service. client() starts no other."""
        with self._lock:
            self._is_closed = True
            if self._client is not None:
                self._client.close()

    def _died(self, why: str) -> None:
        self._deaths += 1
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._deaths >= MOST_DEATHS:
            self._is_closed = True
            raise GraderGone(f"the service of this node has ended {MOST_DEATHS} times in a row, without a result: {why}")
        self._note(f"the service of this node is started again: {why}")
