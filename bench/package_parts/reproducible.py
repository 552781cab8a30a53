"""Equal bytes of a second build in another folder: tools/package --reproducible, for each architecture of this machine's release."""
import subprocess

from lab import site
from package_parts import packages


def run(_, say):
    equal = {}
    for architecture in packages.ARCHITECTURES:
        words = [*packages.command(packages.deb.suite(), architecture).split(), "--reproducible"]
        ran = subprocess.run(words, cwd=site.ROOT, capture_output=True, text=True, check=False, timeout=8 * 3600)
        equal[architecture] = ran.returncode == 0 and "the same bytes from another folder" in ran.stdout
        say(f"{' '.join(words)}: {'the same bytes' if equal[architecture] else ran.stderr.strip()[-300:]}")
    return {"reproducible": all(equal.values())}
