"""What apps/drone/ground reads off the recorded flight of geo-trax, and how often its intervals hold in 200 undrawn flights."""
from drone_parts import data


def figures(part, seed):
    data.shared("geo-trax")
    return data.told_by("bench-drone-ground", "--seed", seed, part)[1]


def run(options, say):
    flight, undrawn = figures("geotrax", options.seed), figures("cover", options.seed)
    say("  geo-trax: " + ", ".join(f"{key.removeprefix('geotrax_')} {value:g}" for key, value in flight.items()))
    say("  undrawn flights: " + ", ".join(f"{key} {value:g}" for key, value in undrawn.items()))
    flight.pop("published_cover_fast")
    return {**flight, "interval_cover": undrawn["interval_cover"]}
