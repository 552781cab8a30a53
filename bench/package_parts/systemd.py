"""How exposed the services are, as systemd itself judges their files: 0 is best, 10 worst."""
import re
import shutil
import subprocess

from lab import site

FOLDER = site.ROOT / "packaging/systemd"


def score_of(text):
    """The overall level that `systemd-analyze security` prints."""
    found = re.search(r"Overall exposure level for .*: ([0-9.]+) ", text)
    return float(found[1]) if found else None


def run(_, say):
    if not shutil.which("systemd-analyze"):
        raise site.BenchError("systemd-analyze is missing; apt-get install systemd")
    scores = {}
    for unit in sorted(FOLDER.glob("*.service")):
        ran = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True, check=False)
        scores[unit.name] = score_of(ran.stdout)
        if scores[unit.name] is None:
            raise site.BenchError(f"systemd-analyze says nothing of {unit.name}: {ran.stderr.strip()[:300]}")
        say(f"{unit.name}: {scores[unit.name]}")
    return {"systemd_score": max(scores.values())}
