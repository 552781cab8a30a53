# What shingle-drone finds, against published programs, recorded flights and rendered truth.
"""  tools/bench drone [--json] [--only KEYS] [--seed N]

KEYS, by commas: keys of the JSON object or names of parts; a part runs if one of its keys is asked for. A part that cannot run
gives null and counts as missed. A part is a module of bench/drone_parts with run(options, say), and a line in PARTS."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lab import parts, site  # noqa: E402

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
    "scenes": {"scenes": ("scenes", {"mota": ("least", 0.85), "idf1": ("least", 0.90), "speed_err": ("most", 0.03),
                                      "class_accuracy": ("least", 0.90)})},
    "counts": {"count_error": ("most", 0.05)},
    "slices": {"slice_recall": ("least", 0.95), "slice_share": ("most", 0.40)},
    "road": {"road_iou": ("least", 0.85), "road_fp_drop": ("least", 0.5), "road_recall_loss": ("most", 0.01)},
    "crash": {"crash_lost_s": ("most", 1.0)}, "shed": {"shed_latency": ("most", 2.0), "shed_idf1_loss": ("most", 0.05)},
    "lab": {"fps_1": ("printed", None), "fps_4": ("printed", None), "speedup_4": ("least", 3.6), "differing_bytes": ("most", 0),
            "kill_frames_lost": ("most", 0)},
}
# Scenes that are looked at from the side have targets of their own.
OBLIQUE = {"mota": ("least", 0.80), "idf1": ("least", 0.85), "speed_err": ("most", 0.06), "class_accuracy": ("least", 0.90)}


def scenes_met(wanted, scenes):
    return all(BENCH.is_met(each, figures[key])
               for name, figures in scenes.items() for key, each in (OBLIQUE if name.endswith("deg") else wanted).items())


BENCH = parts.Bench("drone", PARTS, {"scenes": (scenes_met, lambda _: "targets by scene", lambda scenes: f"{len(scenes)} scenes")})

if __name__ == "__main__":
    try:
        sys.exit(BENCH.main(__doc__, lambda parser: parser.add_argument("--seed", type=int, default=1)))
    except site.BenchError as error:
        sys.exit(f"drone: {error}")
