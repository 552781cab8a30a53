"""Where tools/package puts what it makes, and what is there."""
import subprocess
import sys

from lab import site

sys.path.insert(0, str(site.ROOT / "packaging"))
import deb  # noqa: E402

RELEASES = ("bookworm", "trixie")
ARCHITECTURES = ("amd64", "arm64")


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


def head_time():
    return int(subprocess.run(["git", "-C", site.ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=True).stdout)


def is_of_head(package):
    return deb.made_at(package) == head_time()
