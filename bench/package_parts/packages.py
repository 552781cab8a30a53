"""Where tools/package puts what it makes, what is there, and which commit it is of."""
import functools
import subprocess
import sys

from lab import site

sys.path.insert(0, str(site.ROOT / "packaging"))
import deb  # noqa: E402

RELEASES = ("bookworm", "trixie")
ARCHITECTURES = ("amd64", "arm64")
NAMES = ("shingle-node", "shingle", "libshingle0", "libshingle-dev", "python3-shingle", "gstreamer1.0-shingle")


def folder(release, name="packages"):
    """Of a release's packages; `name`: "packages", or "packages-next" for the version after them."""
    return site.ROOT / "build" / (name if release == deb.suite() else f"{name}-{release}")


def command(release, architecture=None):
    """What makes them."""
    words = ["tools/package"]
    words += [] if release == deb.suite() else ["--release", release]
    words += [] if architecture in (None, here()) else ["--arch", architecture]
    return " ".join(words)


def here():
    return site.call("dpkg", "--print-architecture").strip()


def made(release, architecture):
    """The packages of a release and an architecture."""
    return sorted(folder(release).glob(f"*_{architecture}.deb"))


def all_made():
    """{release: {architecture: its packages}} of all that are there."""
    found = {release: {each: made(release, each) for each in ARCHITECTURES} for release in RELEASES}
    found = {release: {each: files for each, files in by_architecture.items() if files} for release, by_architecture in found.items()}
    return {release: by_architecture for release, by_architecture in found.items() if by_architecture}


def missing(files):
    """Names of packages that are not among the files."""
    return [name for name in NAMES if name not in {file.name.split("_")[0] for file in files}]


@functools.cache
def head_time():
    return int(subprocess.run(["git", "-C", site.ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True).stdout)


def are_of_head(release, architecture, say):
    """Whether all packages of a release and an architecture are made of HEAD. If not, it says so, and what makes them anew."""
    files = made(release, architecture)
    old = [file for file in files if deb.made_at(file) != head_time()]
    if old:
        say(f"{release} {architecture}: {len(old)} of {len(files)} packages are of another commit than HEAD; "
            f"{command(release, architecture)} makes them anew")
    return not old
