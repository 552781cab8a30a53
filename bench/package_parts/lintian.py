"""What lintian says of the packages: errors count, the others are printed as numbers."""
import collections
import re
import shutil
import subprocess

from lab import site
from package_parts import packages

TAG = re.compile(r"^([EWIPNX]): (\S+?)(?: \w+)?: (\S+)(.*)$", re.M)


def tags_of(text):
    """(letter, package, tag, rest) of each line that has a tag."""
    return [(letter, package, tag, rest.strip()) for letter, package, tag, rest in TAG.findall(text) if letter != "N"]


def run(_, say):
    if not shutil.which("lintian"):
        raise site.BenchError("lintian is missing; run tools/deps --packages")
    found = packages.all_made()
    files = [file for of in found.values() for files in of.values() for file in files]
    if not files:
        raise site.BenchError(f"there are no packages; run {packages.command('bookworm')}")
    for release, of in found.items():
        for architecture in of:
            packages.are_of_head(release, architecture, say)
    ran = subprocess.run(["lintian", "--allow-root", "--fail-on", "none", "--tag-display-limit", "0", *files], capture_output=True, text=True,
                         check=False, timeout=900)
    if ran.returncode != 0:
        raise site.BenchError(f"lintian ended with {ran.returncode}: {ran.stderr.strip()[:300]}")
    tags = tags_of(ran.stdout)
    errors = sorted({f"{package}: {tag} {rest}" for letter, package, tag, rest in tags if letter == "E"})
    for error in errors:
        say(error)
    counts = collections.Counter(letter for letter, *_ in tags)
    say(f"{len(files)} packages: {counts['E']} errors, {counts['W']} warnings, {counts['I'] + counts['P']} notes")
    return {"lintian_errors": counts["E"]}
