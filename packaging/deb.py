"""What a Debian package says of itself, and what it needs: its libraries, extracted beside each other (tools/tree)."""
import pathlib
import re
import subprocess

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


class PackageError(Exception):
    """What is wrong and what to do, in one sentence."""


def call(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise PackageError(f"{' '.join(map(str, words))} ended with code {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}")
    return done.stdout


def read_control(text):
    """The fields of one paragraph. Lines of a field that goes on are joined."""
    fields, last = {}, None
    for line in text.splitlines():
        if line[:1].isspace():
            fields[last] += "\n" + line.strip()
        elif ":" in line:
            last, value = line.split(":", 1)
            fields[last] = value.strip()
    return fields


def control(package):
    return read_control(call("dpkg-deb", "--field", package))


def needs(fields, *kinds):
    """Names of what a package depends on, of alternatives the first: 'libc6 (>= 2.36), a | b' are libc6 and a."""
    names = []
    for kind in kinds or ("Pre-Depends", "Depends"):
        for entry in filter(None, re.split(r",\s*", fields.get(kind, ""))):
            name = re.match(r"[a-z0-9][a-z0-9.+-]*", entry.strip()).group()
            if name not in names:
                names.append(name)
    return names


def made_at(package):
    """When the package was made, in seconds since 1970: the time of its first part, which is SOURCE_DATE_EPOCH where that was set."""
    with open(package, "rb") as archive:
        head = archive.read(68)
    if head[:8] != b"!<arch>\n":
        raise PackageError(f"'{package}' is no Debian package")
    return int(head[24:36])


def suite():
    """The Debian release of this machine, for which tools/package makes packages."""
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.split("=")[1].strip('"')
    raise PackageError("/etc/os-release names no release of Debian (VERSION_CODENAME)")


def suite_of(package):
    """The Debian release that a package was made for, by the folder that tools/package puts it in: build/packages for this
    machine's, build/packages-SUITE for another."""
    named = re.fullmatch(r"packages(?:-next)?(?:-(\w+))?", pathlib.Path(package).resolve().parent.name)
    return named[1] if named and named[1] else suite()


def siblings(package):
    """Packages of the same architecture in the folder of `package` that it needs, in turn: our own, which no mirror has."""
    own = {}
    for path in sorted(package.parent.glob("*.deb")):
        fields = control(path)
        if fields["Architecture"] == control(package)["Architecture"]:
            own[fields["Package"]] = fields
    found, waiting = {}, needs(control(package))
    while waiting:
        name = waiting.pop()
        if name in own and name not in found:
            found[name] = own[name]
            waiting += needs(own[name])
    return [found[name] for name in sorted(found)]


def tree_of(package, name, extra=()):
    """A folder with the files of all packages of Debian that `package` needs, and their control files in var/lib/dpkg/status.d.
    Our own packages that it needs are not in it, but what these need is."""
    fields, own = control(package), siblings(package)
    wanted = {need for one in (fields, *own) for need in needs(one)} - {one["Package"] for one in own}
    made = call(TOOLS / "tree", "--arch", fields["Architecture"], "--variant", "extract", "--name", name, "--facts",
                suite_of(package),
                *sorted(wanted | set(extra)))
    return pathlib.Path(made.strip())
