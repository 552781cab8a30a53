"""Who passes the arms of a rendered roundabout, and from which arm to which, against the scene's truth.

Lines and turns each have an error: the sum of |found - true| over what was true in all. Lines are summed by direction, turns by
cell of the turning matrix, so a vehicle that is taken for one on another way counts twice. `count_error` is the worse of both; it is
null if nobody passes or turns. The site is the one that the scene wrote, with the usual limits of `shingle-drone count`.

The clip has 10 pictures a second: a vehicle is on its way from arm to arm for ten seconds and more, and in the 16 s that 400
pictures last at the usual 25 a second nobody may turn (seed 500001)."""
import json

from drone_parts import data, scenes

SCENE, FRAMES, FPS = "roundabout-100", 400, 10


def true_counts(told):
    """Of the scene's .counts.json: {(line, direction): vehicles} and {(from, to): vehicles}."""
    lines = {(line["name"], way): line[way]["all"] for line in told["lines"] for way in ("in", "out")}
    return lines, {(turn["from"], turn["to"]): turn["vehicles"] for turn in told["turns"]}


def found_counts(told):
    """The same of what `shingle-drone count` says."""
    lines = {(line["name"], way): each["vehicles"] for line in told["lines"] for way, each in line["directions"].items()}
    gates, matrix = told["turns"]["gates"], told["turns"]["matrix"]
    return lines, {(gate, other): matrix[row][column] for row, gate in enumerate(gates) for column, other in enumerate(gates)}


def wrong(found, true):
    """[(place, found, true)] where they differ."""
    both = [(place, found.get(place, 0), true.get(place, 0)) for place in sorted({*found, *true})]
    return [each for each in both if each[1] != each[2]]


def error(found, true):
    """None: nothing is true, and no share of it can be wrong."""
    vehicles = sum(true.values())
    return sum(abs(count - wanted) for _, count, wanted in wrong(found, true)) / vehicles if vehicles else None


def told_error(kind, found, true, say):
    """The error, said with the places that differ."""
    share = error(found, true)
    say(f"  {kind}: {sum(found.values())} found, {sum(true.values())} true, error {'-' if share is None else f'{share:.3f}'}")
    for (place, way), count, wanted in wrong(found, true):
        say(f"    {place} {way}: {count} found, {wanted} true")
    return share


def run(options, say):
    clip = scenes.rendered(SCENE, scenes.UNSEEN_SEEDS + options.seed, scenes.sources_hash(), FRAMES, FPS)
    folder, _ = scenes.followed(clip, "run", "--road", scenes.ROAD)
    true = true_counts(json.loads(clip.with_suffix(".counts.json").read_text()))
    found = found_counts(json.loads(data.drone("count", folder, "--site", clip.with_suffix(".site.toml"), "--json")))
    errors = [told_error(*each, say) for each in zip(("lines", "turns"), found, true)]
    return {"count_error": None if None in errors else max(errors)}
