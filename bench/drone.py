# What shingle-drone finds, against published programs, recorded flights and rendered truth.
"""  tools/bench drone [--json] [--only KEYS] [--seed N]

KEYS, by commas: keys of the JSON object or names of parts; a part runs if one of its keys is asked for. A part that cannot run
gives null and counts as missed. A part is a module of bench/drone_parts with run(options, say), and a line in PARTS."""
import argparse
import importlib
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import site  # noqa: E402

PARTS = {  # by module: its keys, each with its target ("most", "least", "within" or "printed", value)
    "bytetrack": {"bytetrack_rows_ok": ("least", 17_465)},
    "misb": {"misb_median_m": ("most", 0.2), "misb_offset_frames": ("within", (1.5, 2.5)), "misb_motion_px": ("most", 0.5),
             "misb_motion_p95_px": ("most", 2.0)},
    "sync": {"sync_frames": ("most", 1.0)}, "clip": {"clip_counts_ok": ("least", True)}, "low_rate": {"low_rate_idf1": ("least", 0.90)},
    "stills": {"ap50_kit": ("least", 0.92), "ap50_dji": ("least", 0.93), "ap50_dji_all": ("printed", None)},
    "trackeval": {"trackeval_equal": ("least", True)},
    "ground": {"geotrax_chain_px": ("most", 0.1), "geotrax_chain_m": ("most", 0.05), "geotrax_rmse_kmh": ("most", 0.9),
               "geotrax_inner_rmse_kmh": ("most", 0.4), "geotrax_distance_error": ("most", 0.015),
               "geotrax_cover": ("within", (0.90, 0.98)), "geotrax_half_width": ("most", 0.04), "interval_cover": ("within", (0.93, 0.97))},
    "scenes": {"scenes": ("scenes", {"mota": ("least", 0.85), "idf1": ("least", 0.90), "speed_err": ("most", 0.03)})},
}
# Scenes that are looked at from the side have targets of their own.
OBLIQUE = {"mota": ("least", 0.80), "idf1": ("least", 0.85), "speed_err": ("most", 0.06)}


def parts_of(words):
    """The parts that the words ask for; all of them without a word."""
    asked = [word for word in words.split(",") if word]
    for word in asked:
        if word not in PARTS and not any(word in keys for keys in PARTS.values()):
            known = sorted({*PARTS, *(key for keys in PARTS.values() for key in keys)})
            raise site.BenchError(f"there is no part or key '{word}'; there are {', '.join(known)}")
    return [part for part, keys in PARTS.items() if not asked or part in asked or any(key in asked for key in keys)]


def run(part, options):
    """The part's keys; those that it could not find out are None."""
    empty = dict.fromkeys(PARTS[part])
    print(f"\n{part}", flush=True)
    try:
        module = importlib.import_module(f"drone_parts.{part}")
        return {**empty, **module.run(options, lambda text: print(text, flush=True))}
    except site.BenchError as error:
        print(f"  {error}", flush=True)
    return empty


def is_met(target, value):
    aim, wanted = target
    if value is None:
        return False
    if aim == "printed":
        return True
    if aim == "scenes":
        return all(is_met(each, figures[key]) for name, figures in value.items() for key, each in (OBLIQUE if name.endswith("deg") else wanted).items())
    if aim == "within":
        return wanted[0] <= value <= wanted[1]
    return value <= wanted if aim == "most" else value >= wanted


def shown(value):
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.6g}"


def bound_of(aim, wanted):
    if aim == "printed":
        return "no target"
    if aim == "scenes":
        return "targets by scene"
    return f"{wanted[0]} to {wanted[1]}" if aim == "within" else f"{'<=' if aim == 'most' else '>='} {shown(wanted)}"


def conclude(found, seconds, as_json):
    targets = {key: target for keys in PARTS.values() for key, target in keys.items()}
    missed = [key for key, target in targets.items() if key in found and not is_met(target, found[key])]
    print()
    for key in filter(targets.__contains__, found):
        aim, wanted = targets[key]
        value = f"{len(found[key])} scenes" if isinstance(found[key], dict) else shown(found[key])
        print(f"{key:24} {value:>12}  {bound_of(aim, wanted)}{'  MISSED' if key in missed else ''}")
    print(f"{seconds / 60:.1f} minutes")
    if as_json:
        print(json.dumps({"bench": "drone", "date": site.date(), "commit": site.kernel(), "machine": site.machine(), **found}))
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(prog="tools/bench drone", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", metavar="KEYS")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    since = time.monotonic()
    found = {}
    for part in parts_of(options.only):
        found.update(run(part, options))
    return conclude(found, time.monotonic() - since, options.json)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except site.BenchError as error:
        sys.exit(f"drone: {error}")
