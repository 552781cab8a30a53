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
    """(recall, share, both runs), where a run, that with chosen slices first, is (recall by the truth, share)."""
    chosen, told = scenes.followed(clip, "chosen", "--road", scenes.ROAD, "--slices", "auto")
    full, of_all = scenes.followed(clip, "full", "--road", scenes.ROAD, "--slices", "auto", *EVERY_PICTURE)
    tracks, full_tracks = scenes.tracks_of(chosen), scenes.tracks_of(full)
    shares = [each[-1]["slices"]["share"] for each in (told, of_all)]
    by_truth = [scenes.scored_by_truth(clip, each)["CLR_Re"] for each in (tracks, full_tracks)]
    return scenes.scored(full_tracks, tracks)["CLR_Re"], shares[0], list(zip(by_truth, shares))


def run(options, say):
    recalls, shares = [], []
    for name, clip in scenes.clips_of(NAMES, options).items():
        recall, share, by_truth = compared(clip)
        say(f"  {name:20} recall {recall:.3f}; by the truth " + ", ".join(f"{found:.3f} with {of:.3f} of the slices" for found, of in by_truth))
        recalls.append(recall)
        shares.append(share)
    return {"slice_recall": min(recalls), "slice_share": max(shares)}
