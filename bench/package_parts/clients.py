"""Clients of every kind find in 100 frames of a clip what `shingle run --json` finds in it."""
import os
import pathlib
import tempfile

from lab import site
from package_parts import boxes, frames, frigate, running, v2

COUNT = 100
HERE = pathlib.Path(__file__).resolve().parent
BUILT = site.ROOT / "build/release/bench/package_parts"
APPS = site.ROOT / "build/release/apps"
PYTHON = "/usr/bin/python3"  # Debian's, for which the package is built


class Frames:
    """The clip, and its frames scaled to the model's size, with what `shingle run` finds in both."""

    def __init__(self, folder):
        self.folder = folder
        decoded = frames.decoded(frames.clip(), COUNT)
        self.height, self.width, _ = decoded[0].shape
        self.stream = frames.write_stream(decoded, folder / "clip.ppm")
        self.found = frames.found_by_run(frames.clip(), COUNT)
        if not any(self.found):
            raise site.BenchError(f"shingle run finds nothing in {frames.clip()}, so there is nothing to compare")


def compared(words, clip, **more):
    """None, or the sentence that says in how many frames the client differs."""
    client = frames.asked([*words, frames.model(), frames.WORKERS], clip.stream, COUNT, **more)
    wrong = boxes.differing(clip.found, client, clip.width, clip.height)
    return f"{len(wrong)} of {COUNT} frames differ, the first is {wrong[0]}" if wrong else None


def of_c(clip):
    running.must_be_built(BUILT / "bench-package-c")
    return compared([BUILT / "bench-package-c"], clip)


def of_cpp(clip):
    running.must_be_built(BUILT / "bench-package-cpp")
    return compared([BUILT / "bench-package-cpp"], clip)


def of_python(clip):
    running.must_be_built(APPS / "python/shingle/__init__.py")
    return compared([PYTHON, HERE / "python_client.py"], clip, env={**os.environ, "PYTHONPATH": str(APPS / "python")})


def of_gstreamer(clip):
    plugins = APPS / "gstreamer/gstreamer-1.0"
    running.must_be_built(plugins / "libgstshingle.so")
    environment = {**os.environ, "GST_PLUGIN_PATH": str(plugins), "GST_REGISTRY": str(clip.folder / "registry"), "SHINGLE_NODE": str(running.NODE)}
    return compared([PYTHON, HERE / "gstreamer_client.py"], clip, env=environment)


CLIENTS = {"c": of_c, "cpp": of_cpp, "python": of_python, "gstreamer": of_gstreamer, "v2": v2.compared, "frigate": frigate.compared}


def run(_, say):
    identical = dict.fromkeys(CLIENTS)
    with tempfile.TemporaryDirectory() as folder:
        clip = Frames(pathlib.Path(folder))
        say(f"{COUNT} frames of {frames.clip().name}: {sum(map(len, clip.found))} boxes")
        for name, client in CLIENTS.items():
            try:
                fault = client(clip)
                identical[name] = fault is None
                say(f"{name}: {fault or 'the same'}")
            except site.BenchError as error:
                say(f"{name}: {error}")
    return {"clients_identical": identical}
