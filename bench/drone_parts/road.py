"""The road network, and what its mask leaves out, over the twelve rendered flights that look straight down in 1080p.

`road_iou`: the overlap (IoU) of found and true road, over all pixels of each tenth picture. `road_fp_drop`: the share of the false
boxes that the mask leaves out. `road_recall_loss`: the share of the vehicles on true road that it leaves out as well. Boxes are those
that the detector found before tracking, at the score of its card; each place of each picture is looked at, so that the mask decides
about boxes and not about slices."""
from drone_parts import data, scenes, slices

NAMES = tuple(f"{place}-{altitude}" for place in scenes.PLACES for altitude in (50, 100, 150))


def figures(counts, road_iou):
    """None where nothing could be left out."""
    total = {key: sum(each[key] for each in counts) for key in counts[0]}
    return {"road_iou": road_iou,
            "road_fp_drop": 1 - total["false_kept"] / total["false"] if total["false"] else None,
            "road_recall_loss": (total["found"] - total["found_kept"]) / total["vehicles"] if total["vehicles"] else None}


def run(options, say):
    clips, counts = scenes.clips_of(NAMES, options), []
    _, overlap = data.told_by("bench-drone-roads", *clips.values())
    for name, clip in clips.items():
        folder, _ = scenes.followed(clip, "road", "--road", scenes.ROAD, "--slices", "auto", *slices.EVERY_PICTURE)
        counts.append(data.told_by("bench-drone-road-layer", clip, folder)[1])
        say(f"  {name:20} " + ", ".join(f"{key} {value}" for key, value in counts[-1].items()))
    return figures(counts, overlap["road_iou"])
