"""Tasks of asyncio that wait for room in a session's queue."""
from __future__ import annotations

import asyncio
import collections
import threading
from collections.abc import Callable
from typing import TypeVar

from .errors import BusyError

Result = TypeVar("Result")
Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


class Room:
    """Whoever sees a request end calls wake_one(). Any thread may, and tasks of several event loops may wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: collections.deque[Waiter] = collections.deque()

    def wake_one(self) -> None:
        while True:
            with self._lock:
                if not self._waiters:
                    return
                loop, waiter = self._waiters.popleft()
            try:
                loop.call_soon_threadsafe(_wake, waiter)
                return
            except RuntimeError:  # that loop is closed
                continue

    async def when_there(self, submit: Callable[[], Result]) -> Result:
        """What submit() gives, as soon as it does not raise BusyError."""
        try:
            return submit()
        except BusyError:
            pass
        loop = asyncio.get_running_loop()
        while True:
            entry = (loop, loop.create_future())
            with self._lock:
                self._waiters.append(entry)  # first: a request may end between an attempt and the wait
            woken = False
            try:
                try:
                    return submit()
                except BusyError:
                    pass
                except BaseException:
                    self.wake_one()  # no request of this task will end, so the next one would wait for ever
                    raise
                await entry[1]
                woken = True
            finally:
                if not woken:
                    self._withdraw(entry)

    def _withdraw(self, entry: Waiter) -> None:
        with self._lock:
            if entry in self._waiters:
                self._waiters.remove(entry)
                return
        self.wake_one()  # it was woken, but has no use for it
