"""Frames of a clip as streams of PPM pictures, which clients read, and what `shingle run` finds in them."""
import json
import os
import pathlib

from lab import site
from package_parts import running

WORKERS = 2


def shared(name):
    path = pathlib.Path(os.environ.get("SHINGLE_DATA", site.ROOT.parent / "shared/data")) / name
    if not path.exists():
        raise site.BenchError(f"{path} is not there; SHINGLE_DATA names the folder of shared data")
    return path


def clip():
    return shared("clips/car-detection.mp4")


def model():
    return shared("models/yolox_nano.onnx")


def opencv():
    try:
        import cv2
    except ImportError:
        raise site.BenchError("python3-opencv is missing; run tools/deps") from None
    return cv2


def decoded(path, count, size=None):
    """The first `count` frames, as arrays of height x width x 3, blue first; `size`: scaled to (width, height)."""
    cv2 = opencv()
    video, frames = cv2.VideoCapture(str(path)), []
    while len(frames) < count:
        there, frame = video.read()
        if not there:
            raise site.BenchError(f"'{path}' has {len(frames)} frames that OpenCV reads, not {count}")
        frames.append(frame if size is None else cv2.resize(frame, size, interpolation=cv2.INTER_AREA))
    return frames


def ppm(frame):
    height, width, _ = frame.shape
    return b"P6 %d %d 255\n" % (width, height) + frame[:, :, ::-1].tobytes()


def write_stream(frames, path):
    with path.open("wb") as out:
        out.writelines(map(ppm, frames))
    return path


def write_pictures(frames, folder):
    folder.mkdir()
    for number, frame in enumerate(frames):
        (folder / f"{number:06}.ppm").write_bytes(ppm(frame))
    return folder


def found_by_run(media, count, *more):
    """What `shingle run --json` finds: the list "boxes" of each frame."""
    running.must_be_built(site.PROGRAM)
    lines = site.call(site.PROGRAM, "run", model(), media, "--json", "--frames", count, "--workers", WORKERS, *more).splitlines()
    found = [json.loads(line) for line in lines if line.startswith('{"frame"')]
    if len(found) != count:
        raise site.BenchError(f"shingle run gave {len(found)} frames of {media}, not {count}")
    return [each["boxes"] for each in found]


def asked(words, stream, count, **more):
    """What a client of this folder prints for a stream of pictures on its stdin: an object for each frame."""
    with stream.open("rb") as pictures:
        found = [json.loads(line) for line in running.printed(words, pictures, **more).splitlines()]
    if len(found) != count:
        raise site.BenchError(f"{pathlib.Path(words[0]).name} printed {len(found)} frames, not {count}")
    return found
