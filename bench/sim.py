# Simulated answers against everything that they can be held against: the lab, ns-3, published tables, closed forms; and their speed.
"""  tools/bench sim [--json] [--only PARTS] [--seed N] [--cases N] [--repeat N]

PARTS, by commas: lab, faults, unpaced (as root: tools/lab), causes, devices, closed_forms, speed, ns3, sweep, arm64 (as root:
tools/arm64); and where asked for, edges (the lab again, where the model is likely to be wrong). `--cases`: of the lab's parts, instead of
30, 10 and 8. A part
that is not there or cannot run gives null and counts as missed."""
import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import site  # noqa: E402

sys.path.insert(0, str(site.ROOT / "tools"))
from laboratory.shell import LabError  # noqa: E402

HASHES_DIFFER = 4  # exit code of tools/arm64 sim
TARGETS = {  # by key: ("most" or "least", value)
    "lab_mean_error": ("most", 0.02), "lab_worst_error": ("most", 0.06),
    "lab_fault_mean_error": ("most", 0.05), "lab_fault_worst_error": ("most", 0.15),
    "unpaced_mean_error": ("most", 0.08), "unpaced_worst_error": ("most", 0.15),
    "fluid_ns3_star": ("most", 0.01), "fluid_ns3_wifi": ("most", 0.05),
    "frames_ns3_star": ("most", 0.02), "frames_ns3_wifi": ("most", 0.08), "stalls": ("most", 0),
    "pi3_mean_error": ("most", 0.02), "pi3_worst_error": ("most", 0.08),
    "retarget_error": ("most", 0.02), "retarget_worst_error": ("most", 0.06),
    "deepthings_mean_error": ("most", 0.04), "deepthings_worst_error": ("most", 0.10),
    "realtime_64": ("least", 10.0), "realtime_256": ("least", 1.0), "realtime_1000": ("least", 0.1),
    "sweep_points": ("least", 91_728), "sweep_runs": ("least", 917_280), "sweep_seconds": ("most", 600.0),
    "causes_named": ("least", 9), "false_alarms": ("most", 1), "nsga_hypervolume": ("least", 0.98),
    "closed_forms": ("most", 0.001), "arm64_equal": ("least", True)}


def program(name, *words):
    """The JSON object that the part's program prints last. Its exit code says only that a target was missed."""
    path = site.ROOT / f"build/release/bench/bench-sim-{name}"
    if not path.exists():
        raise site.BenchError(f"{path.name} is not built")
    with subprocess.Popen([path, "--json", *words], stdout=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if not line.startswith("{"):
                print(f"  {line.rstrip()}", flush=True)
    if not lines or not lines[-1].startswith("{"):
        raise site.BenchError(f"{path.name} ended with {process.returncode} and no figures")
    return json.loads(lines[-1])


def module(name, function="run"):
    def part(options):
        return getattr(importlib.import_module(f"sim_parts.{name}"), function)(options, lambda text: print(text, flush=True))
    return part


def causes(options):
    return importlib.import_module("sim_parts.causes").run(options.seed, say=lambda text: print(f"  {text}", flush=True))


def closed_forms(options):
    """The network's; the device's come from the part `devices`."""
    return program("closed-forms", f"--seed={options.seed}")


def arm64(_):
    done = subprocess.run([site.ROOT / "tools/arm64", "sim"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, HASHES_DIFFER):
        raise site.BenchError(f"tools/arm64 sim ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return {"arm64_equal": done.returncode == 0}


PARTS = {"lab": module("lab_part"), "faults": module("lab_part", "run_faults"), "unpaced": module("unpaced"), "causes": causes,
         "devices": lambda options: program("devices"), "closed_forms": closed_forms,
         "speed": lambda options: program("speed"), "ns3": lambda options: program("ns3", f"--seed={options.seed}"),
         "sweep": lambda options: program("sweep"), "arm64": arm64, "edges": module("edges")}
UNASKED = ("edges",)  # only where asked for: no target is theirs
KEYS = {  # what each part must give
    "lab": ("lab_mean_error", "lab_worst_error"), "faults": ("lab_fault_mean_error", "lab_fault_worst_error"),
    "unpaced": ("unpaced_mean_error", "unpaced_worst_error"), "causes": ("causes_named", "false_alarms"),
    "devices": ("pi3_mean_error", "pi3_worst_error", "retarget_error", "retarget_worst_error", "deepthings_mean_error",
                "deepthings_worst_error", "closed_forms_devices"),
    "closed_forms": ("closed_forms_max_min",), "speed": ("realtime_64", "realtime_256", "realtime_1000"),
    "ns3": ("fluid_ns3_star", "fluid_ns3_wifi", "frames_ns3_star", "frames_ns3_wifi", "stalls"),
    "sweep": ("sweep_points", "sweep_runs", "sweep_seconds", "nsga_hypervolume"), "arm64": ("arm64_equal",), "edges": ()}


def run(name, options):
    """The part's keys; those that it could not find out are None."""
    empty = dict.fromkeys(KEYS[name])
    print(f"\n{name}", flush=True)
    try:
        return {**empty, **PARTS[name](options)}
    except (ModuleNotFoundError, AttributeError) as missing:
        print(f"  there is no such part yet: {missing}", flush=True)
    except (site.BenchError, LabError) as error:
        print(f"  {error}", flush=True)
    return empty


def joined(found):
    """The two halves of the closed forms as one figure."""
    halves = [found.pop(key) for key in ("closed_forms_devices", "closed_forms_max_min") if key in found]
    if len(halves) == 2:
        found["closed_forms"] = max(halves) if None not in halves else None
    return found


def is_met(key, value):
    aim, wanted = TARGETS[key]
    return value is not None and (value <= wanted if aim == "most" else value >= wanted)


def conclude(found, seconds, as_json):
    missed = [key for key in TARGETS if key in found and not is_met(key, found[key])]
    print()
    for key in filter(found.__contains__, TARGETS):
        aim, wanted = TARGETS[key]
        value = "null" if found[key] is None else f"{found[key]:.4g}"
        print(f"{key:24} {value:>12}  {'<=' if aim == 'most' else '>='} {float(wanted):g}{'  MISSED' if key in missed else ''}")
    print(f"{seconds / 60:.1f} minutes")
    if as_json:
        print(json.dumps({"bench": "sim", "date": site.date(), "commit": site.kernel(), "machine": site.machine(),
                          **{key: found[key] for key in TARGETS if key in found}}))
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(prog="tools/bench sim", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join(part for part in PARTS if part not in UNASKED), metavar="PARTS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    chosen = site.chosen(options.only, PARTS)
    since = time.monotonic()
    found = {}
    for name in chosen:
        found.update(run(name, options))
    return conclude(joined(found), time.monotonic() - since, options.json)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        sys.exit(f"sim: {error}")
