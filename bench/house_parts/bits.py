"""Are results, plans and what happens in virtual time the same as before, bit for bit?"""
import hashlib
import json
import pathlib
import shutil
import subprocess

from lab import site

from . import trees

FOLDER = site.ROOT / "build/bench-house"
FRAMES, WORKERS = 2, 3
YOLOV2_SIDE, SEED = 416, 7


def models(old):
    """(name, file, side of its input); those of the shared data only where it is there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    yolov2 = FOLDER / f"yolov2-{YOLOV2_SIDE}-{SEED}.onnx"
    if not yolov2.exists():
        site.call(old.make_network, "yolov2", yolov2, "--size", YOLOV2_SIDE, "--seed", SEED)
    yield "yolov2", yolov2, YOLOV2_SIDE
    yield "vehicles", site.ROOT / "models/vehicles.onnx", 640
    if (data := trees.data()) is None:
        print("skipped: no shared data, so no YOLOX-nano and no FastestDet")
        return
    yield "yolox_nano", data / "models/yolox_nano.onnx", 416
    yield "fastestdet", data / "models/fastestdet_352.onnx", 352


def raw_outputs(tree, name, model, side):
    """A hash of every output of some frames of seeded pictures, and how many bytes they are."""
    out = FOLDER / "raw" / f"{tree.key}-{name}"
    shutil.rmtree(out, ignore_errors=True)
    site.call(tree.shingle, "run", model, site.pictures(side, FRAMES), "--head", "raw", "--workers", WORKERS, "--raw-out", out, "--json")
    digest, size = hashlib.sha256(), 0
    for path in sorted(out.iterdir()):
        content = path.read_bytes()
        digest.update(path.name.encode() + content)
        size += len(content)
    if size == 0:
        raise site.BenchError(f"'{tree.shingle} run' of {name} wrote no outputs")
    return digest.hexdigest(), size


def compare_outputs(found, old, new):
    differing = []
    for name, model, side in models(old):
        before, size = raw_outputs(old, name, model, side)
        after, _ = raw_outputs(new, name, model, side)
        print(f"  {name}: {size} bytes of outputs, {after[:16]}{'' if before == after else ', before ' + before[:16]}")
        differing += [name] if before != after else []
    found.put("outputs_differing", len(differing), ("most", 0), note=", ".join(differing) or "models whose raw outputs are other bits")


def plans_of(tree):
    """What bench-plan says of each case; a target that it misses is no concern of this bench."""
    done = subprocess.run([tree.bench_plan, "--json"], capture_output=True, text=True, check=False, timeout=trees.LONG_S)
    lines = done.stdout.splitlines()
    if not lines or not lines[-1].startswith("{"):
        raise site.BenchError(f"'{tree.bench_plan} --json' ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(lines[-1])["cases"]


def compare_plans(found, old, new):
    before, after = plans_of(old), plans_of(new)
    hashes = [case for case in before if before[case]["plan"] != after.get(case, {}).get("plan")]
    times = [case for case in before if any(before[case][key] != after.get(case, {}).get(key) for key in ("predicted_s", "virtual_s"))]
    found.put("plans_differing", len(hashes), ("most", 0), note=", ".join(hashes) or f"of {len(before)} cases of `tools/bench plan`: the plan's hash")
    found.put("plan_times_differing", len(times), ("most", 0), note=", ".join(times) or "of the same: seconds, predicted and virtual")


def scenarios_of(tree):
    """By a scenario's number: (events, hash). Each tree runs its own files, whose words may be its own."""
    source = pathlib.Path(__file__).with_name("scenarios.cpp")
    program = tree.compile(source, FOLDER / f"scenarios-{tree.key}")
    files = sorted((tree.root / "tests/scenarios").glob("*.txt"))
    lines = (line.split() for line in site.call(program, *files).splitlines())
    return {name.split("_")[0]: (name, events, digest) for name, events, digest in lines}


def compare_scenarios(found, old, new):
    before, after = scenarios_of(old), scenarios_of(new)
    differing = [name for number, (name, *happened) in before.items() if happened != list(after.get(number, ("",))[1:])]
    events = sum(int(count) for _, count, _ in before.values())
    found.put("scenarios_differing", len(differing), ("most", 0), note=", ".join(differing) or f"of {len(before)} scenarios with {events} events")


def measure(found, options):
    old, new = trees.old(options.against), trees.new()
    compare_scenarios(found, old, new)
    compare_outputs(found, old, new)
    compare_plans(found, old, new)
