"""A pipeline with shingleinfer for tools/bench package: prints what a model finds in pictures, one JSON object a line.

    gstreamer_client.py MODEL WORKERS <pictures       binary PPM pictures of one size, one behind the other
"""
import json
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402, F401  (GstApp gives source and sink their methods)

LONGEST_S = 120


def first_size(stream):
    """(width, height) of the first picture, whose pixels follow."""
    _, width, height, _ = stream.readline().split()
    return int(width), int(height)


def push(source, stream, width, height):
    """All pictures without their heads; the sink is read meanwhile."""
    while True:
        pixels = stream.read(width * height * 3)
        if len(pixels) < width * height * 3:
            source.end_of_stream()
            return
        source.push_buffer(Gst.Buffer.new_wrapped(pixels))
        stream.readline()


def findings_of(buffer):
    return json.loads(buffer.get_custom_meta("GstShingleMeta").get_structure().get_string("findings"))


def boxes_of(buffer, width, height):
    """Of the regions that other elements read, as shingle_boxes() has them."""
    boxes, number = [], 0
    while (region := GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)) is not None:
        found, number = region.get_param("detection"), number + 1
        side = {name: found.get_double(name)[1] for name in ("x_min", "y_min", "x_max", "y_max", "confidence")}
        boxes.append([side["x_min"] * width, side["y_min"] * height, side["x_max"] * width, side["y_max"] * height, side["confidence"],
                      found.get_int("label_id")[1]])
    return boxes


def main():
    model, workers = sys.argv[1:]
    Gst.init(None)
    stream = sys.stdin.buffer
    width, height = first_size(stream)
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time block=true max-buffers=4 caps=video/x-raw,format=RGB,width={width},height={height},framerate=25/1 "
        f"do-timestamp=true ! shingleinfer name=infer workers={workers} qos=false attach=boxes+findings ! appsink name=out sync=false")
    pipeline.get_by_name("infer").set_property("model", model)
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    if pipeline.set_state(Gst.State.PLAYING) != Gst.StateChangeReturn.FAILURE:
        threading.Thread(target=push, args=(source, stream, width, height), daemon=True).start()
        while (sample := sink.try_pull_sample(LONGEST_S * Gst.SECOND)) is not None:
            findings = findings_of(sample.get_buffer())
            print(json.dumps({"boxes": boxes_of(sample.get_buffer(), width, height), "findings": findings}), flush=True)
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message is not None:
        sys.exit(f"gstreamer_client.py: {message.parse_error()[0].message}")


main()
