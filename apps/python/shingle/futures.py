"""Requests under way as futures, and the thread of a session that completes them."""
from __future__ import annotations

import concurrent.futures
import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from . import _shingle

Result = TypeVar("Result")
logger = logging.getLogger("shingle")
logger.addHandler(logging.NullHandler())


class RequestFuture(concurrent.futures.Future[Result]):
    """The future of a request. cancel() cancels the request, also while it is computed."""

    def __init__(self, read: Callable[[_shingle.Request], Result], when_done: Callable[[], None], session: object) -> None:
        """read: gives the result of the request. when_done: is called first. session: is kept until then."""
        super().__init__()
        self._read = read
        self._when_done = when_done
        self._session = session
        self._request: _shingle.Request | None = None

    def start(self, submit: Callable[[Callable[[_shingle.Request], None]], _shingle.Request]) -> None:
        """Submits the request. Nobody else has the future yet."""
        self._request = submit(self._receive)

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        if self._request is not None:
            self._request.cancel()
        return True

    def _receive(self, request: _shingle.Request) -> None:
        """Called once, by the session's thread, when the request has ended."""
        self._when_done()
        self._session = self._request = None
        if not self.set_running_or_notify_cancel():
            return
        try:
            result = self._read(request)
        except BaseException as error:  # the request's own error, or no memory for its results
            self.set_exception(error)
        else:
            self.set_result(result)


def _log(level: int, sentence: str) -> None:
    logger.log(logging.WARNING if level == _shingle.WARNING else logging.INFO, "%s", sentence)


def _deliver_all(mailbox: _shingle.Mailbox) -> None:
    more = True
    while more:
        try:
            more = mailbox.deliver(_log)
        except Exception:  # of a handler of the logger, say: requests after it still end
            logger.exception("a result or a note could not be delivered")


def start_delivery(mailbox: _shingle.Mailbox) -> threading.Thread:
    """It ends when the mailbox is finished. It does not hold the session, so a session may be forgotten."""
    thread = threading.Thread(target=_deliver_all, args=(mailbox,), name="shingle", daemon=True)
    thread.start()
    return thread
