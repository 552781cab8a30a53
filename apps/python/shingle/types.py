"""What sessions give."""
from __future__ import annotations

from typing import Any, NamedTuple


class TensorInfo(NamedTuple):
    """An input or output of a model."""

    name: str
    """As the model's file has it."""
    shape: list[int]
    """As the model's file has it; an input as 1 x channels x height x width."""
    type: str
    """'tensor(float)' or 'tensor(uint8)', as in ONNX Runtime."""


class Detection(NamedTuple):
    """A box that was found in a picture."""

    box: tuple[float, float, float, float]
    """Left, top, right and bottom, in the picture's pixels."""
    score: float
    """0 to 1."""
    class_id: int
    """Which class it is, from 0 on."""
    class_name: str
    """Its name, of the model or of the option "names"."""


class Detections(list[Detection]):
    """The boxes of one picture, best first. Empty if the model finds no boxes, but, say, masks."""

    def __init__(self, boxes: list[Detection], findings: dict[str, Any]) -> None:
        super().__init__(boxes)
        self.findings = findings
        """All that was found, as `shingle run --json` prints it."""
