"""Figures of `shingle-drone eval` against TrackEval's: integers equal, ratios within 1e-6, for each sequence and combined."""
import json
import pathlib
import tempfile

from drone_parts import data

LENGTHS = {"clean": 60, "misses": 90, "switches": 90, "noisy": 120, "distractors": 90, "crowd": 60, "empty_tracker": 20, "only_false": 20}
BENCHMARKS = {"mot17": "mot_preprocessing", "none": "no_preprocessing"}
COUNTS = {"HOTA_TP", "HOTA_FN", "HOTA_FP", "CLR_TP", "CLR_FN", "CLR_FP", "IDSW", "MT", "PT", "ML", "Frag", "CLR_Frames", "IDTP", "IDFN", "IDFP"}


def lay_out(folder, root):
    """MOTChallenge's layout: NAME/gt/gt.txt and NAME/seqinfo.ini."""
    for name, frames in LENGTHS.items():
        (root / name / "gt").mkdir(parents=True)
        (root / name / "gt/gt.txt").write_text((folder / f"gt/{name}.txt").read_text())
        (root / name / "seqinfo.ini").write_text(f"[Sequence]\nseqLength={frames}\n")


def pairs(wanted, ours):
    """Field, their number, our number; a list gives one for each threshold."""
    for field, value in wanted.items():
        got = ours["curves"][field] if isinstance(value, list) else ours[field]
        for a, b in zip(value, got) if isinstance(value, list) else ((value, got),):
            yield field, a, b


def is_equal(field, wanted, got):
    return got is not None and (wanted == got if field in COUNTS else abs(wanted - got) <= 1e-6)


def run(_, say):
    folder = data.shared("trackeval")
    expected = json.loads((folder / "expected.json").read_text())
    compared, equal = 0, 0
    with tempfile.TemporaryDirectory() as root:
        lay_out(folder, pathlib.Path(root))
        for benchmark, key in BENCHMARKS.items():
            ours = json.loads(data.drone("eval", root, folder / "tracks", "--benchmark", benchmark, "--json"))
            for name, wanted in expected[key].items():
                scores = ours["combined"] if name == "COMBINED" else ours["sequences"][name]
                checks = [(field, is_equal(field, a, b)) for field, a, b in pairs(wanted, scores)]
                compared += len(checks)
                equal += sum(good for _, good in checks)
                wrong = sorted({field for field, good in checks if not good})
                say(f"  {benchmark:6} {name:14} {len(checks)} figures{', different: ' + ', '.join(wrong) if wrong else ', all equal'}")
    say(f"  {equal} of {compared} figures")
    return {"trackeval_equal": equal == compared}
