"""What goes wrong, one class for each code of the library. Each error is one sentence."""
from __future__ import annotations

from . import _shingle


class Error(Exception):
    """All errors of shingle."""


class ClusterError(Error, RuntimeError):
    """The cluster or this machine: nobody could have known in advance."""


class UsageError(Error, ValueError):
    """A wrong argument: a name, a shape, an option."""


class BadInputError(Error, ValueError):
    """A file: a model, a cluster file, a list of names."""


class LateError(Error, TimeoutError):
    """The request missed its deadline."""


class BusyError(Error):
    """As many requests wait as the session takes: submit it again later."""


class ClosedError(Error):
    """The session is closed, or was closed before the request ended."""


class ForkedError(Error):
    """The session belongs to the process that forked this one."""


class NoMemoryError(Error, MemoryError):
    """This process has no memory left for it."""


_CLASSES: dict[int, type[Error]] = {
    _shingle.RUNTIME: ClusterError, _shingle.USAGE: UsageError, _shingle.BAD_INPUT: BadInputError,
    _shingle.LATE: LateError, _shingle.BUSY: BusyError,
    _shingle.CLOSED: ClosedError, _shingle.FORKED: ForkedError, _shingle.NO_MEMORY: NoMemoryError,
}


def error_of(code: int, sentence: str) -> Error:
    """The error of a code. What has no class is a plain error: codes of later versions, and cancelled requests, for which callers get
    Python's own CancelledError."""
    return _CLASSES.get(code, Error)(sentence)
