"""What an adapter keeps for its whole process, where its framework gives it no place for that.

All of it can be used in threads, and in a process that was forked afterwards.
"""

import functools

from kgrade._async_client import AsyncClient
from kgrade._client import Client
from kgrade.adapters._failures import Failures


@functools.lru_cache(maxsize=1)
def client() -> Client:
    """The client of the service that $KGRADE_URL and $KGRADE_TOKEN name."""
    return Client()


@functools.lru_cache(maxsize=1)
def async_client() -> AsyncClient:
    """The same service's client, for asyncio."""
    return AsyncClient()


@functools.lru_cache(maxsize=1)
def failures() -> Failures:
    return Failures()
