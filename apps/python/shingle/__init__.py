"""Convolutional networks on clusters of small machines, as one computation.

    import shingle

    with shingle.InferenceSession("model.onnx", workers=4) as session:
        name = session.get_inputs()[0].name
        outputs = session.run(None, {name: array})

The page docs/use/python.md says the rest. It does not work in sub-interpreters.
"""
from __future__ import annotations

from ._shingle import refuse_sub_interpreter as _refuse_sub_interpreter
from ._shingle import version as _version

_refuse_sub_interpreter()

from .errors import (BadInputError, BusyError, ClosedError, ClusterError, Error, ForkedError, LateError, NoMemoryError, UsageError)
from .session import InferenceSession
from .types import Detection, Detections, TensorInfo

__version__ = _version()
__all__ = ["BadInputError", "BusyError", "ClosedError", "ClusterError", "Detection", "Detections", "Error",
           "ForkedError", "InferenceSession", "LateError", "NoMemoryError", "TensorInfo", "UsageError"]
