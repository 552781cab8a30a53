"""A rendered flight, and its run on local workers of which one is killed."""
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHINGLE, DRONE = ROOT / "build/release/apps/shingle", ROOT / "build/release/apps/shingle-drone"
MODEL, ROAD = ROOT / "models/flights.onnx", ROOT / "models/road.onnx"
BUILD = "cmake --preset release && cmake --build --preset release --target shingle shingle-drone"


class DemoError(Exception):
    """One sentence."""


def check_built():
    for program in (SHINGLE, DRONE):
        if not program.exists():
            raise DemoError(f"{program.relative_to(ROOT)} is not built; in the repository's folder run: {BUILD}")


def call(program, *words):
    """Runs the program to its end; what it printed."""
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        command = shlex.join([program.name, *map(str, words)])
        raise DemoError(f"'{command}' ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def render(options, video):
    """The flight's video with its log, truth and site beside it."""
    call(SHINGLE, "scene", video, "--scene", options.scene, "--seed", options.seed, "--frames", options.frames, "--fps", options.fps)


def write_site(video, path):
    """What the scene knows of its lines."""
    path.write_text(video.with_suffix(".site.toml").read_text())
    return path


def first_picture(video, jpeg):
    """The first picture as JPEG, without boxes: no score is above 1."""
    with tempfile.TemporaryDirectory() as folder:
        call(SHINGLE, "run", MODEL, video, "--frames", 1, "--score", 1, "--workers", 1, "--out", folder)
        call(SHINGLE, "run", MODEL, pathlib.Path(folder) / "frame-000000.png", "--score", 1, "--workers", 1, "--out", jpeg)
    return jpeg


def workers_of(program):
    """The worker processes that this process has started: {number: process id}. Linux's /proc says whose children they are."""
    workers = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):  # it has ended since
            continue
        if parent == program and b"node" in words and b"--id" in words:
            workers[int(words[words.index(b"--id") + 1])] = int(entry.name)
    return workers


def kill_one(program, count):
    """Kills the last worker by its process id; its number and id."""
    workers = workers_of(program)
    if len(workers) != count:
        raise DemoError(f"shingle-drone (process {program}) has {len(workers)} workers, not {count}; none was killed")
    number = max(workers)
    os.kill(workers[number], signal.SIGKILL)
    return number, workers[number]


class Run:
    """What is known of a run after it: `lines` of the pictures, its `summary`, which worker was killed after which picture."""

    def __init__(self):
        self.lines, self.summary, self.killed = [], {}, None

    def lost(self, frames):
        """Pictures without a result, or with one that was too late to be looked at."""
        done = {line["frame"] for line in self.lines if not line.get("missed_deadline")}
        return sorted(set(range(1, frames + 1)) - done)


def fresh(folder):
    """Removes an earlier run, and nothing that is no run."""
    if (folder / "run.json").exists():
        shutil.rmtree(folder)
    elif folder.exists():
        raise DemoError(f"{folder} is there and is no run folder; name another folder by --out")


def follow(options, video, site, run_folder, annotated, say):
    """Runs the flight through local workers and kills one after a third of the pictures."""
    fresh(run_folder)
    log, run = run_folder.with_suffix(".log"), Run()
    words = [DRONE, "run", MODEL, video, "--road", ROAD, "--log", video.with_suffix(".srt"), "--site", site,
             "--run", run_folder, "--out", annotated, "--workers", options.workers, "--json"]
    with log.open("w") as errors, subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=errors, text=True) as program:
        try:
            for text in program.stdout:
                line = json.loads(text)
                if "tracks" not in line:
                    run.summary = line
                    continue
                run.lines.append(line)
                if run.killed is None and len(run.lines) >= max(1, options.frames // 3):
                    number, process = kill_one(program.pid, options.workers)
                    run.killed = {"worker": number, "process": process, "after_frame": line["frame"]}
                    say(f"  killed worker {number} (process {process}) after picture {line['frame']} of {options.frames}")
                elif len(run.lines) % 25 == 0:
                    say(f"  picture {line['frame']} of {options.frames}")
        except BaseException:
            program.terminate()  # it ends its workers
            raise
    words_left = log.read_text()
    if program.returncode != 0:
        raise DemoError(f"shingle-drone run ended with {program.returncode}: {words_left.strip()[-400:]}")
    check_kill(run, words_left, log)
    return run


def check_kill(run, told, log):
    """The run itself must have missed the worker that was killed, and have gone on for some pictures."""
    if run.killed is None or run.lines[-1]["frame"] <= run.killed["after_frame"]:
        raise DemoError("no worker was killed while the run went on; give more --frames")
    if f"worker {run.killed['worker']} (process {run.killed['process']}) ended" not in told:
        raise DemoError(f"the run did not notice that worker {run.killed['worker']} was killed; see {log}")
