"""OCI images of Debian packages by umoci, and runc's bundles of them. tools/image is the program.

A layout has one image index, under the version as its tag, which names each architecture's manifest with its platform.
Equal packages and times give equal bytes: every file of a layer has the time of the package, its owner is a function of
its path, and no date of the day is written."""
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import tarfile

from deb import call, PackageError

USER = 4420  # of the image: number of the user and of the group shingle
REF = "org.opencontainers.image.ref.name"
INDEX = "application/vnd.oci.image.index.v1+json"
VARIANTS = {"arm64": "v8", "armhf": "v7"}
GO_NAMES = {"armhf": "arm", "i386": "386", "ppc64el": "ppc64le"}

# What a program needs when it runs, of a tree of extracted packages: libraries, licences, the release's name.
KEPT = ("lib", "lib32", "lib64", "usr/lib", "usr/share/common-licenses", "usr/share/doc/*/copyright", "etc/os-release",
        "var/lib/dpkg/status.d")
# Converters between character sets, 8 MB that a node never loads; awk, which base-files asks for.
LEFT_OUT = ("usr/lib/*/gconv", "usr/share/doc/mawk", "var/lib/dpkg/status.d/mawk")


def date(time):
    """`time` in seconds since 1970, as RFC 3339."""
    return datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def platform(architecture):
    """The OCI platform of one of Debian's architectures."""
    named = {"architecture": GO_NAMES.get(architecture, architecture), "os": "linux"}
    return {**named, "variant": VARIANTS[architecture]} if architecture in VARIANTS else named


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def make_root(tree, package, root, program):
    """Makes the folder `root`: what `program` needs of `tree`, and the files of the Debian package `package`."""
    extracted = root.with_name(root.name + ".package")
    for folder in (root, extracted):
        shutil.rmtree(folder, ignore_errors=True)
    call("dpkg-deb", "--extract", package, extracted)
    for place, patterns in ((tree, KEPT), (extracted, (f"usr/bin/{program}", "usr/share/doc/*/copyright"))):
        for pattern in patterns:
            for found in sorted(place.glob(pattern)):
                copy(found, root / found.relative_to(place))
    for pattern in LEFT_OUT:
        for found in sorted(root.glob(pattern)):
            shutil.rmtree(found) if found.is_dir() else found.unlink()
    settings = extracted / "usr/share/shingle/node.toml"  # the package's installation copies it
    if settings.exists():
        copy(settings, root / "etc/shingle/node.toml")
    shutil.rmtree(extracted)
    if not (root / "usr/bin" / program).exists():
        raise PackageError(f"'{package}' has no /usr/bin/{program}")
    control = call("dpkg-deb", "--field", package)
    name = call("dpkg-deb", "--field", package, "Package").strip()
    for place, text in {
            f"var/lib/dpkg/status.d/{name}": control,
            "etc/passwd": f"root:x:0:0:root:/root:/usr/sbin/nologin\nshingle:x:{USER}:{USER}::/nonexistent:/usr/sbin/nologin\n",
            "etc/group": f"root:x:0:\nshingle:x:{USER}:\n",
            "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text)
    for folder in ("dev", "proc", "run", "sys", "tmp", "etc/shingle/keys", "var/cache/shingle", "var/lib/shingle/models"):
        (root / folder).mkdir(parents=True, exist_ok=True)


def rights(path):
    """Owner, group and mode (None: as it is) of a path of the image, as the package's installation would leave them."""
    if path == "tmp":
        return 0, 0, 0o1777
    if path in ("etc/shingle/keys", "var/cache/shingle"):
        return USER, USER, 0o700
    if path == "etc/shingle":
        return 0, USER, 0o750
    if path.startswith("etc/shingle/"):
        return 0, USER, 0o640
    return 0, 0, None


def write_layer(root, archive, time):
    """Writes the tree `root` as a tar archive; the same files and time give the same bytes."""
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as layer:
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            entry = layer.gettarinfo(path, name)
            entry.uid, entry.gid, mode = rights(name)
            if mode is None:
                mode = 0o777 if entry.issym() else 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            entry.uname = entry.gname = ""
            entry.mode, entry.mtime = mode, time
            if entry.islnk():  # the second name of a file: a file of its own
                entry.type, entry.size = tarfile.REGTYPE, path.stat().st_size
            if entry.isreg():
                with path.open("rb") as content:
                    layer.addfile(entry, content)
            else:
                layer.addfile(entry)


def add_image(layout, tag, archive, architecture, time, settings):
    """Adds an image of one layer to `layout`, which is made if it is not there. `settings` are options of 'umoci config'."""
    if not layout.exists():
        call("umoci", "init", "--layout", layout)
    image = f"{layout}:{tag}"
    dates = ("--history.created", date(time), "--history.author", "", "--history.created_by", "tools/image")
    call("umoci", "new", "--image", image)
    call("umoci", "raw", "add-layer", "--image", image, *dates, archive)
    named = platform(architecture)
    call("umoci", "config", "--image", image, "--no-history", "--created", date(time),
         "--architecture", named["architecture"], "--os", named["os"], *settings)


def put(layout, value):
    """Writes `value` as a blob; what describes it."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    digest = hashlib.sha256(text).hexdigest()
    (layout / "blobs/sha256" / digest).write_bytes(text)
    return {"digest": f"sha256:{digest}", "size": len(text)}


def write_index(layout, version, architectures):
    """Gives `layout` one index over the images VERSION-ARCHITECTURE, tagged VERSION. Blobs that nothing names are removed."""
    call("umoci", "gc", "--layout", layout)
    index = json.loads((layout / "index.json").read_text())
    by_tag = {entry["annotations"][REF]: entry for entry in index["manifests"]}
    images = []
    for architecture in sorted(architectures):
        entry = by_tag[f"{version}-{architecture}"]
        images.append({key: entry[key] for key in ("mediaType", "digest", "size")} | {"platform": platform(architecture)})
    both = put(layout, {"schemaVersion": 2, "mediaType": INDEX, "manifests": images})
    tagged = [{"mediaType": INDEX, **both, "annotations": {REF: version}}]
    tagged += [image | {"annotations": {REF: f"{version}-{architecture}"}} for image, architecture in zip(images, sorted(architectures))]
    (layout / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": tagged}, indent=2) + "\n")


def make_bundle(layout, tag, bundle, words, mounts=(), own_network=True):
    """Unpacks an image for 'runc run --bundle BUNDLE' (as root): `words` follow the image's entry point; `mounts` are
    (folder here, folder there, 'ro' or 'rw'). It runs as the image's user, without capabilities, on a root that it cannot write."""
    call("umoci", "unpack", "--image", f"{layout}:{tag}", bundle)
    path = bundle / "config.json"
    config = json.loads(path.read_text())
    process = config["process"]
    process["terminal"] = False
    process["args"] = process["args"][:1] + list(words)
    process["capabilities"] = {}
    process["noNewPrivileges"] = True
    config["root"]["readonly"] = True
    taken = {there for _, there, _ in mounts}
    config["mounts"] = [mount for mount in config["mounts"] if mount["destination"] not in taken]
    config["mounts"] += [{"destination": there, "type": "bind", "source": str(here), "options": ["bind", mode]} for here, there, mode in mounts]
    if not own_network:
        config["linux"]["namespaces"] = [one for one in config["linux"]["namespaces"] if one["type"] != "network"]
    path.write_text(json.dumps(config, indent=1))


def owned(path, mode, user=USER):
    """Gives `path` to the image's user."""
    os.chown(path, user, user)
    pathlib.Path(path).chmod(mode)
