"""Sessions: a model on a cluster."""
from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import json
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _shingle
from .errors import Error, UsageError
from .futures import RequestFuture, start_delivery
from .pictures import Picture, as_array
from .room import Room
from .types import Detection, Detections, TensorInfo

Result = TypeVar("Result")
Outputs = list[NDArray[np.float32]]
OptionValue = Union[str, bool, int, float, "os.PathLike[str]"]
Submit = Callable[[Optional[Callable[[_shingle.Request], None]]], _shingle.Request]

_TYPES = {"float32": "tensor(float)", "uint8": "tensor(uint8)"}
_FOR_EVER = -1


def _option(name: str, value: OptionValue) -> tuple[str, str]:
    name = name.replace("_", "-")
    if isinstance(value, bool):
        return name, "yes" if value else "no"
    if isinstance(value, float):
        return name, f"{value:.9f}"
    if isinstance(value, (str, int, os.PathLike)):
        return name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    raise TypeError(f"the option '{name}' is a text, a number, a path or True or False, not {type(value).__name__}")


def _nanoseconds(name: str, seconds: float | None) -> int:
    """0: none was given."""
    if seconds is None:
        return 0
    if not 0 < seconds < 1e9:
        raise UsageError(f"{name}={seconds} is no number of seconds above 0")
    return max(1, round(seconds * 1e9))


def _infos(descriptions: list[tuple[str, str, list[int]]]) -> list[TensorInfo]:
    return [TensorInfo(name, dims, _TYPES[type]) for name, type, dims in descriptions]


class InferenceSession:
    """A model on a cluster, or on local workers. Close it, or use `with`.

    All methods may be called on any thread. After fork() the child cannot use its parent's sessions.

    Args:
        model: A path of an ONNX file, a compiled file or a Darknet .cfg, or the bytes of one of the first two.
        cluster: A cluster file. Without it, and without the option "broker", local workers compute.
        node_id: Which node of the cluster this process is.
        workers: Number of local workers.
        threads: Threads of each local worker.
        memory: Cap of each node, such as "48MiB".
        goal: "latency", "throughput", "energy" or "memory".
        deadline: Seconds that each request may take.
        pictures: Whether detect() is to be used.
        copy_outputs: Whether each output is an array of its own; otherwise it is a read-only view of the library's memory.
        options: Further options of shingle.h by name, such as {"broker": "mqtts://...", "audit": "2%"}.
    """

    def __init__(self, model: str | os.PathLike[str] | bytes | bytearray | memoryview, *,
                 cluster: str | os.PathLike[str] | None = None, node_id: int | None = None, workers: int = 4,
                 threads: int | None = None, memory: str | None = None, goal: str | None = None,
                 deadline: float | None = None, pictures: bool = False, copy_outputs: bool = True,
                 options: Mapping[str, OptionValue] | None = None) -> None:
        further = dict(options or {})
        named: dict[str, OptionValue | None] = {
            "cluster": cluster, "id": node_id, "threads": threads, "memory": memory, "goal": goal, "deadline": deadline,
            "pictures": True if pictures else None}
        if cluster is None and "broker" not in further and "workers" not in further:
            named["workers"] = workers
        content = None
        if isinstance(model, (bytes, bytearray, memoryview)):
            content = bytes(model)
        else:
            named["model"] = os.fspath(model)
        given = {name: value for name, value in named.items() if value is not None}
        values = [_option(name, value) for name, value in {**given, **further}.items()]
        self._pictures = pictures
        self._copy_outputs = copy_outputs
        self._room = Room()
        self._open(values, content)

    def _open(self, values: list[tuple[str, str]], content: bytes | None) -> None:
        mailbox = _shingle.Mailbox()
        self._delivery = start_delivery(mailbox)
        try:
            self._session = _shingle.Session(values, content, mailbox)
        except BaseException:
            mailbox.finish()
            raise
        _open_sessions.add(self)
        descriptions = self._session.inputs()
        self._inputs = _infos(descriptions)
        self._input_types = {name: np.dtype(type) for name, type, _ in descriptions}
        self._outputs = _infos(self._session.outputs())
        self._places = {info.name: place for place, info in enumerate(self._outputs)}

    # --- the model ---

    def get_inputs(self) -> list[TensorInfo]:
        """The model's inputs, in the order of its file."""
        return list(self._inputs)

    def get_outputs(self) -> list[TensorInfo]:
        """The model's outputs, in the order of its file. Where a size depends on the frame, it is the largest."""
        return list(self._outputs)

    # --- tensors ---

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, ArrayLike], *,
            deadline: float | None = None) -> Outputs:
        """The outputs of these names, or all, in the order of the model's file. Inputs are float32 or uint8."""
        submit, read = self._tensors(output_names, input_feed, deadline, _FOR_EVER)
        return self._wait(submit, read)

    def submit(self, output_names: Sequence[str] | None, input_feed: Mapping[str, ArrayLike], *,
               deadline: float | None = None, room_wait: float | None = None) -> concurrent.futures.Future[Outputs]:
        """A future of what run() gives; its cancel() cancels the request. If the session's queue is full, waits for room:
        for ever, or so many seconds, and then raises BusyError."""
        return self._begin(*self._tensors(output_names, input_feed, deadline, _room_wait(room_wait)))

    async def arun(self, output_names: Sequence[str] | None, input_feed: Mapping[str, ArrayLike], *,
                   deadline: float | None = None) -> Outputs:
        """run() for asyncio. If the task is cancelled, so is the request."""
        return await self._begin_in_loop(*self._tensors(output_names, input_feed, deadline, 0))

    # --- pictures ---

    def detect(self, picture: Picture, *, format: str | None = None, deadline: float | None = None) -> Detections:
        """What the model finds in a picture: an array of uint8, height x width x 3, or height x width if it is grey, or a
        picture of PIL. `format` of arrays: "bgr", as OpenCV has it, or "rgb", or "grey"."""
        submit, read = self._picture(picture, format, deadline, _FOR_EVER)
        return self._wait(submit, read)

    def submit_picture(self, picture: Picture, *, format: str | None = None, deadline: float | None = None,
                       room_wait: float | None = None) -> concurrent.futures.Future[Detections]:
        """A future of what detect() gives."""
        return self._begin(*self._picture(picture, format, deadline, _room_wait(room_wait)))

    async def adetect(self, picture: Picture, *, format: str | None = None,
                      deadline: float | None = None) -> Detections:
        """detect() for asyncio."""
        return await self._begin_in_loop(*self._picture(picture, format, deadline, 0))

    # --- the session ---

    def counters(self) -> dict[str, int]:
        """What it did so far, as in struct shingle_counters."""
        return self._session.counters()

    def plan(self) -> str:
        """The plan that is in use, in the form of `shingle plan --out`."""
        return self._session.plan()

    def close(self) -> None:
        """Ends requests under way with ClosedError. Closing twice is fine."""
        self._session.close()
        _open_sessions.discard(self)
        if threading.current_thread() is not self._delivery:
            self._delivery.join()

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    # --- how requests are begun and read ---

    def _tensors(self, output_names: Sequence[str] | None, input_feed: Mapping[str, ArrayLike],
                 deadline: float | None, room_wait_ns: int) -> tuple[Submit, Callable[[_shingle.Request], Outputs]]:
        places = self._places_of(output_names)
        if missing := [info.name for info in self._inputs if info.name not in input_feed]:
            raise UsageError(f"the model's inputs are not all there: {', '.join(missing)}")
        inputs = [(name, self._as_input(name, value)) for name, value in input_feed.items()]
        deadline_ns = _nanoseconds("deadline", deadline)
        session, copied = self._session, self._copy_outputs

        def read(request: _shingle.Request) -> Outputs:
            views = [request.output(place) for place in places]
            return [view.copy() for view in views] if copied else views

        return lambda receiver: session.submit(inputs, deadline_ns, room_wait_ns, receiver), read

    def _as_input(self, name: str, value: ArrayLike) -> NDArray[Any]:
        array = np.asarray(value)
        wanted = self._input_types.get(name)  # None: the library says that there is no such input
        if wanted is not None and array.dtype != wanted:
            raise TypeError(f"input '{name}' is {array.dtype}, and the model takes {wanted}: convert it, such as by "
                            f"array.astype(numpy.{wanted})")
        return array

    def _places_of(self, names: Sequence[str] | None) -> list[int]:
        if isinstance(names, str):
            raise TypeError(f"output names are a list: ['{names}']")
        for name in names or ():
            if name not in self._places:
                raise UsageError(f"the model has no output '{name}'; its outputs are {', '.join(self._places)}")
        return [self._places[name] for name in names] if names else list(self._places.values())

    def _picture(self, picture: Picture, format: str | None, deadline: float | None,
                 room_wait_ns: int) -> tuple[Submit, Callable[[_shingle.Request], Detections]]:
        if not self._pictures:
            raise UsageError("this session takes tensors: open it with InferenceSession(..., pictures=True) for pictures")
        array, number = as_array(picture, format)
        deadline_ns = _nanoseconds("deadline", deadline)
        session = self._session
        return (lambda receiver: session.submit_picture(array, number, deadline_ns, room_wait_ns, receiver),
                _read_detections)

    def _wait(self, submit: Submit, read: Callable[[_shingle.Request], Result]) -> Result:
        request = submit(None)
        try:
            request.wait()
        except Error:
            raise
        except BaseException:  # KeyboardInterrupt: the result is not wanted any more
            request.cancel()
            raise
        finally:
            self._room.wake_one()
        return read(request)

    def _begin(self, submit: Submit, read: Callable[[_shingle.Request], Result]) -> RequestFuture[Result]:
        future = RequestFuture(read, self._room.wake_one, self)
        future.start(submit)
        return future

    async def _begin_in_loop(self, submit: Submit, read: Callable[[_shingle.Request], Result]) -> Result:
        future = await self._room.when_there(lambda: self._begin(submit, read))
        return await asyncio.wrap_future(future)


def _room_wait(seconds: float | None) -> int:
    return _FOR_EVER if seconds is None else 0 if seconds == 0 else _nanoseconds("room_wait", seconds)


def _read_detections(request: _shingle.Request) -> Detections:
    boxes = [Detection(row[:4], *row[4:]) for row in request.boxes() or ()]
    return Detections(boxes, json.loads(request.findings()))


# Sessions whose threads have to end before the interpreter does.
_open_sessions: weakref.WeakSet[InferenceSession] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for session in list(_open_sessions):
        try:
            session.close()
        except Error:  # it is closed already, or the parent's
            pass
    _shingle.end()


def _forget_parent() -> None:
    _open_sessions.clear()
    _shingle.forget_parent()


os.register_at_fork(after_in_child=_forget_parent)
