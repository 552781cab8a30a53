"""The shared MISB clip: what its KLV says of the picture's centre, and the camera's motion by KLV and by pixels."""
from drone_parts import data


def run(_, say):
    _, figures = data.told_by("bench-drone-misb", data.shared("misb") / "sample-stream.ts")
    say("  " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    return {key: figures[key] for key in ("misb_median_m", "misb_offset_frames", "misb_motion_px", "misb_motion_p95_px")}
