#!/usr/bin/python3
"""Prints what a model finds in a stream, a line of JSON for each frame, as `shingle run --json` has it:

    findings.py MODEL SOURCE
    findings.py yolo11n-seg.onnx "filesrc location=street.mp4 ! decodebin"

Needs python3-gi, gir1.2-gstreamer-1.0 and gir1.2-gst-plugins-base-1.0."""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402, F401  (GstApp gives the sink its methods)


def findings_of(buffer):
    """The JSON text that shingleinfer put on a buffer."""
    return buffer.get_custom_meta("GstShingleMeta").get_structure().get_string("findings")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: findings.py MODEL SOURCE")
    Gst.init(None)
    pipeline = Gst.parse_launch(f"{sys.argv[2]} ! videoconvert ! shingleinfer name=infer attach=findings ! appsink name=out sync=false")
    pipeline.get_by_name("infer").set_property("model", sys.argv[1])
    sink = pipeline.get_by_name("out")
    if pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE:
        while (sample := sink.pull_sample()) is not None:
            print(findings_of(sample.get_buffer()), flush=True)
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message is not None:
        sys.exit(f"findings.py: {message.parse_error()[0].message}")


if __name__ == "__main__":
    main()
