"""Is a log that is shifted by 7.3 s found within a frame, in drawn flights?"""
from drone_parts import data


def run(options, say):
    _, figures = data.told_by("bench-drone-sync", "--seed", options.seed)
    say("  " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    return {"sync_frames": figures["sync_frames"]}
