"""Pictures of several kinds as what the library takes."""
from __future__ import annotations

import sys
from typing import Any, Protocol, TypeGuard, Union

import numpy as np
from numpy.typing import NDArray

from . import _shingle
from .errors import UsageError


class PilPicture(Protocol):
    """What is used of a PIL.Image.Image; PIL need not be installed."""

    @property
    def mode(self) -> str: ...

    def convert(self, mode: str) -> Any: ...


Picture = Union[NDArray[np.uint8], PilPicture]
FORMATS = {"bgr": _shingle.BGR, "rgb": _shingle.RGB, "grey": _shingle.GREY}


def _is_pil(picture: object) -> TypeGuard[PilPicture]:
    pil = sys.modules.get("PIL.Image")  # a PIL picture cannot be there unless PIL is
    return pil is not None and isinstance(picture, pil.Image)


def as_array(picture: Picture, format: str | None) -> tuple[NDArray[Any], int]:
    """The picture's array and the library's number of its format. PIL's pictures know their format themselves."""
    if _is_pil(picture):
        if format is not None:
            raise UsageError(f"a picture of PIL knows its colours itself: leave out format='{format}'")
        grey = picture.mode in ("1", "L")
        return np.asarray(picture.convert("L" if grey else "RGB")), _shingle.GREY if grey else _shingle.RGB
    if not isinstance(picture, np.ndarray):
        raise TypeError(f"a picture is a NumPy array or a picture of PIL, not {type(picture).__name__}")
    if format is None:
        format = "grey" if picture.ndim == 2 else "bgr"
    if format not in FORMATS:
        raise UsageError(f"there is no format '{format}'; there are {', '.join(FORMATS)}")
    return picture, FORMATS[format]
