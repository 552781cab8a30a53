"""From 150 m: do the slices that `--slices auto` chooses show what all slices show, and how many of them are looked at?

`slice_recall`: of the boxes of a run that looks at every place of each picture, the share that is among the tracks of the run with
chosen slices (overlap 0.5, one to one). So what only full slicing finds counts as missed, its false boxes too. `slice_share`: slices
looked at of those that show each picture whole, as the program's summary has it. Each is of the place where it is worst. Beside
them stand the recalls of both runs by the scene's truth."""
from drone_parts import scenes

NAMES = tuple(f"{place}-150" for place in scenes.PLACES)
# The least that the option takes. A place is looked at if it would be overdue in the next picture, so at 25 a second in each one.
EVERY_PICTURE = ("--full-every", 0.05)


def compared(clip):
    """(recall, share, recall of chosen slices by the truth, that of all slices)"""
    chosen, told = scenes.followed(clip, "chosen", "--slices", "auto")
    full, _ = scenes.followed(clip, "full", "--slices", "auto", *EVERY_PICTURE)
    tracks, of_full = scenes.tracks_of(chosen), scenes.tracks_of(full)
    return (scenes.scored(of_full, tracks)["CLR_Re"], told[-1]["slices"]["share"],
            *(scenes.scored_by_truth(clip, each)["CLR_Re"] for each in (tracks, of_full)))


def run(options, say):
    recalls, shares = [], []
    for name, clip in scenes.clips_of(NAMES, options).items():
        recall, share, by_truth, full_by_truth = compared(clip)
        say(f"  {name:20} recall {recall:.3f} with {share:.3f} of the slices; by the truth {by_truth:.3f}, with all slices {full_by_truth:.3f}")
        recalls.append(recall)
        shares.append(share)
    return {"slice_recall": min(recalls), "slice_share": max(shares)}
