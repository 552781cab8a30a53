#!/usr/bin/python3
"""Packaging: images of equal packages have equal bytes and run without root; bills of materials are sound; the files for Compose,
Kubernetes and Ansible are what those programs read. What tools/bench package reads, and what the site makes of headers.

Prints "N passed, N failed, N skipped". Skips what needs a program that is not installed (tools/deps --packages)."""
import copy
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import deb  # noqa: E402
import oci  # noqa: E402
import spdx  # noqa: E402
from bench_cases import Boxes, Figures, Made, WhatProgramsPrint  # noqa: E402, F401  its cases run with these
from site_cases import PagesOfHeaders  # noqa: E402, F401

VERSION = re.search(r"^project\(shingle VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
TIME = 1_700_000_000
PLUGIN = ROOT / "build/release/apps/gstreamer/gstreamer-1.0/libgstshingle.so"


def needs(*programs):
    missing = [name for name in programs if not shutil.which(name)]
    return unittest.skipIf(missing, f"skipped: no {', '.join(missing)}; tools/deps --packages installs it")


def needs_module(name):
    spec = importlib.util.find_spec(name)
    is_there = spec is not None and spec.origin is not None  # packaging/kubernetes, a mere folder, has no origin
    return unittest.skipUnless(is_there, f"skipped: no Python module {name}; tools/deps --packages installs it")


def call(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)
    if done.returncode:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make_package(self, program="/usr/bin/id"):
        """A small package shingle-node, whose program says who runs it."""
        tree = self.folder / "package"
        for place, source in {"usr/bin/shingle-node": program, "usr/share/doc/shingle-node/copyright": ROOT / "LICENSE",
                              "usr/share/shingle/node.toml": ROOT / "packaging/node.toml"}.items():
            (tree / place).parent.mkdir(parents=True)
            shutil.copy(source, tree / place)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text(
            "Package: shingle-node\nVersion: 1.2.3\nArchitecture: amd64\nMaintainer: nobody <nobody@shingle.invalid>\n"
            "Depends: libc6 (>= 2.36), libselinux1 | libselinux2\nDescription: a node\n of a test\n")
        path = self.folder / "shingle-node_1.2.3_amd64.deb"
        call("dpkg-deb", "--root-owner-group", "--build", tree, path, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})
        return path

    def make_tree(self, program="/usr/bin/id"):
        """What `program` needs, as tools/tree would extract it."""
        tree = self.folder / "tree"
        for found in re.findall(r"(/\S+) \(0x", call("ldd", program)):
            (tree / found[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, tree / found[1:])
        (tree / "usr/lib/gconv-is-not-here").mkdir(parents=True)
        (tree / "etc").mkdir()
        (tree / "etc/os-release").write_text("ID=debian\n")
        (tree / "etc/shadow").write_text("root:*:1:0:99999:7:::\n")
        return tree


@needs("dpkg-deb")
class Packages(WithFolder):
    def test_needs_are_names_of_first_alternatives(self):
        fields = deb.control(self.make_package())
        self.assertEqual(deb.needs(fields), ["libc6", "libselinux1"])
        self.assertEqual(fields["Description"], "a node\nof a test")

    def test_our_own_packages_beside_it_are_told_from_debians(self):
        package = self.make_package()
        self.assertEqual(deb.siblings(package), [])
        control = self.folder / "package/DEBIAN/control"
        control.write_text(control.read_text().replace("shingle-node", "libselinux1").replace("Depends", "Suggests"))
        call("dpkg-deb", "--build", self.folder / "package", self.folder / "libselinux1_1.2.3_amd64.deb")
        self.assertEqual([one["Package"] for one in deb.siblings(package)], ["libselinux1"])

    def test_a_package_is_of_the_release_that_its_folder_names(self):
        for folder in ("build/packages-trixie", "build/packages-next-trixie"):
            self.assertEqual(deb.suite_of(f"{folder}/a_1_amd64.deb"), "trixie")
        for folder in ("build/packages", "build/packages-next", "elsewhere"):
            self.assertEqual(deb.suite_of(f"{folder}/a_1_amd64.deb"), deb.suite())

    def test_a_package_knows_when_it_was_made(self):
        self.assertEqual(deb.made_at(self.make_package()), TIME)
        (self.folder / "other").write_text("no archive at all, but long enough to have a time in it: 1234567890123456789")
        with self.assertRaisesRegex(deb.PackageError, "is no Debian package"):
            deb.made_at(self.folder / "other")


@needs("dpkg-deb", "dpkg-shlibdeps", "cpack")
@unittest.skipUnless(PLUGIN.exists(), "skipped: the plugin for GStreamer is not built (tools/test gstreamer)")
class PluginForGStreamer(WithFolder):
    def test_its_package_has_the_plugin_where_gstreamer_looks_and_needs_the_library_of_its_version(self):
        call("cpack", "--config", ROOT / "build/release/CPackConfig.cmake", "-B", self.folder, "-D", "CPACK_COMPONENTS_ALL=gstreamer",
             cwd=self.folder)
        (package,) = self.folder.glob("*.deb")
        fields = deb.control(package)
        self.assertEqual(fields["Package"], "gstreamer1.0-shingle")
        self.assertIn(f"libshingle0 (= {VERSION})", fields["Depends"])
        for needed in ("shingle-node", "libgstreamer1.0-0", "libgstreamer-plugins-base1.0-0"):
            self.assertIn(needed, deb.needs(fields))
        self.assertNotIn("opencv", fields["Depends"])
        call("dpkg-deb", "-x", package, self.folder / "installed")
        (plugin,) = (self.folder / "installed").rglob("*.so")
        wanted = call("pkg-config", "--variable=pluginsdir", "gstreamer-1.0").strip()
        self.assertEqual(plugin.parent, self.folder / "installed" / wanted[1:])
        self.assertNotIn("PATH", call("readelf", "-d", plugin))  # of the build


@needs("umoci", "dpkg-deb")
class Images(WithFolder):
    def make_layout(self, name, architectures=("amd64", "arm64")):
        layout, package, tree = self.folder / name, self.folder / "shingle-node_1.2.3_amd64.deb", self.folder / "tree"
        for architecture in architectures:
            oci.make_root(tree, package, self.folder / "root", "shingle-node")
            oci.write_layer(self.folder / "root", self.folder / "layer.tar", TIME)
            oci.add_image(layout, f"1.2.3-{architecture}", self.folder / "layer.tar", architecture, TIME,
                          ["--config.user", f"{oci.USER}:{oci.USER}", "--config.entrypoint", "/usr/bin/shingle-node"])
        oci.write_index(layout, "1.2.3", architectures)
        return layout

    def setUp(self):
        super().setUp()
        self.make_package()
        self.make_tree()

    def test_equal_packages_give_equal_bytes(self):
        one, other = self.make_layout("one"), None
        for path in self.folder.joinpath("tree").rglob("*"):
            os.utime(path, (1_234_567, 1_234_567), follow_symlinks=False)  # extracted at another time
        other = self.make_layout("other")
        names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
        self.assertEqual(names, sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file()))
        for name in names:
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)

    def test_one_index_names_each_architecture(self):
        layout = self.make_layout("one")
        index = json.loads((layout / "index.json").read_text())
        tags = {entry["annotations"][oci.REF]: entry for entry in index["manifests"]}
        self.assertEqual(sorted(tags), ["1.2.3", "1.2.3-amd64", "1.2.3-arm64"])
        both = json.loads((layout / "blobs/sha256" / tags["1.2.3"]["digest"].split(":")[1]).read_text())
        self.assertEqual([entry["platform"] for entry in both["manifests"]],
                         [{"architecture": "amd64", "os": "linux"}, {"architecture": "arm64", "os": "linux", "variant": "v8"}])
        for entry in both["manifests"]:
            blob = (layout / "blobs/sha256" / entry["digest"].split(":")[1]).read_bytes()
            self.assertEqual(len(blob), entry["size"])
            config = json.loads((layout / "blobs/sha256" / json.loads(blob)["config"]["digest"].split(":")[1]).read_text())
            self.assertEqual(config["architecture"], entry["platform"]["architecture"])
            self.assertEqual(config["config"]["User"], "4420:4420")
            self.assertEqual({one["created"] for one in config["history"]} | {config["created"]}, {oci.date(TIME)})

    @needs("skopeo")
    def test_another_program_finds_each_architecture_in_the_index(self):
        layout = self.make_layout("one")
        for architecture in ("amd64", "arm64"):
            told = call("skopeo", "--override-os", "linux", "--override-arch", architecture, "inspect", "--config", f"oci:{layout}:1.2.3")
            self.assertEqual(json.loads(told)["architecture"], architecture)

    def test_a_layer_has_what_a_node_needs_and_no_more(self):
        self.make_layout("one")
        with tarfile.open(self.folder / "layer.tar") as layer:
            entries = {entry.name: entry for entry in layer}
        self.assertEqual({entry.mtime for entry in entries.values()}, {TIME})
        self.assertEqual([name for name in entries if re.match(r"(etc/shadow|usr/bin/(?!shingle-node$)|usr/sbin|var/lib/apt)", name)], [])
        facts = {name: (entries[name].uid, entries[name].gid, entries[name].mode) for name in entries}
        self.assertEqual(facts["etc/shingle"], (0, oci.USER, 0o750))
        self.assertEqual(facts["etc/shingle/node.toml"], (0, oci.USER, 0o640))
        self.assertEqual(facts["etc/shingle/keys"], (oci.USER, oci.USER, 0o700))
        self.assertEqual(facts["usr/bin/shingle-node"], (0, 0, 0o755))
        self.assertIn("var/lib/dpkg/status.d/shingle-node", entries)

    @needs("runc")
    @unittest.skipIf(os.getuid(), "skipped: only root runs containers here")
    def test_runc_runs_it_without_root_and_without_writing(self):
        layout = self.make_layout("one", ("amd64",))
        oci.make_bundle(layout, "1.2.3-amd64", self.folder / "bundle", [])
        told = call("runc", "run", "--bundle", self.folder / "bundle", f"shingle-test-{os.getpid()}", stdin=subprocess.DEVNULL)
        self.assertEqual(told.split(" groups")[0].strip(), f"uid={oci.USER}(shingle) gid={oci.USER}(shingle)")
        config = json.loads((self.folder / "bundle/config.json").read_text())
        self.assertTrue(config["root"]["readonly"] and config["process"]["noNewPrivileges"])


@needs("dpkg-deb")
class Materials(WithFolder):
    def make_document(self):
        needed = [({"Package": "libc6", "Version": "2.36-9+deb12u1", "Architecture": "amd64", "Depends": "libgcc-s1", "SHA256": "a" * 64},
                   "Format: x\n\nLicense: LGPL-2.1+\n\nLicense: BSD\n"),
                  ({"Package": "libgcc-s1", "Version": "12", "Architecture": "amd64"}, "Anything else. License: none")]
        headers = [{"Package": "libstdc++-12-dev", "Version": "12", "Architecture": "amd64"}]
        return spdx.document(self.make_package(), needed, headers)

    def test_a_document_has_what_spdx_asks_for(self):
        made = self.make_document()
        self.assertEqual(spdx.defects(made), [])
        self.assertEqual([one["name"] for one in made["packages"]], ["shingle-node", "libc6", "libgcc-s1", "libstdc++-12-dev"])
        self.assertEqual([one["fileName"] for one in made["files"]],
                         ["./usr/bin/shingle-node", "./usr/share/doc/shingle-node/copyright", "./usr/share/shingle/node.toml"])
        self.assertEqual(made["packages"][1]["licenseComments"], "Debian's copyright file names: BSD; LGPL-2.1+")
        self.assertNotIn("licenseComments", made["packages"][2])
        self.assertEqual(made["packages"][1]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?arch=amd64")
        edges = {(one["spdxElementId"][8:], one["relationshipType"], one["relatedSpdxElement"][8:]) for one in made["relationships"]}
        self.assertEqual(edges, {("DOCUMENT", "DESCRIBES", "Package-shingle-node"), ("Package-shingle-node", "DEPENDS_ON", "Package-libc6"),
                                 ("Package-libc6", "DEPENDS_ON", "Package-libgcc-s1"),
                                 ("Package-libstdcplusplus-12-dev", "BUILD_DEPENDENCY_OF", "Package-shingle-node")})

    def test_our_own_packages_that_it_needs_are_ours(self):
        needed = [({"Package": "libc6", "Version": "2.36", "Architecture": "amd64"}, "")]
        sibling = {"Package": "libselinux1", "Version": "1.2.3", "Architecture": "amd64", "Depends": "libc6"}
        made = spdx.document(self.make_package(), needed, [], [sibling])
        self.assertEqual(spdx.defects(made), [])
        self.assertEqual([one["supplier"] for one in made["packages"]], [spdx.CREATOR, spdx.CREATOR, "Organization: Debian"])
        self.assertIn(spdx.relation("SPDXRef-Package-libselinux1", "DEPENDS_ON", "SPDXRef-Package-libc6"), made["relationships"])

    def test_its_sums_are_those_of_other_programs(self):
        made = self.make_document()
        package = self.folder / made["packages"][0]["packageFileName"]
        self.assertEqual(made["packages"][0]["checksums"][1]["checksumValue"], call("sha256sum", package).split()[0])
        sums = sorted(call("sha1sum", self.folder / "package" / one["fileName"]).split()[0] for one in made["files"])
        code = call("sha1sum", input="".join(sums)).split()[0]
        self.assertEqual(made["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"], code)

    def test_what_is_wrong_is_found(self):
        made = self.make_document()
        faults = {
            "no name": lambda one: one.pop("name"),
            "SPDX-2.3": lambda one: one.update(spdxVersion="SPDX-2.2"),
            "no URI": lambda one: one.update(documentNamespace="https://shingle.invalid/#a"),
            "time of creation": lambda one: one["creationInfo"].update(created="2026-01-01"),
            "a creator": lambda one: one["creationInfo"].update(creators=["somebody"]),
            "no downloadLocation": lambda one: one["packages"][1].pop("downloadLocation"),
            "bad checksum": lambda one: one["packages"][1]["checksums"][0].update(checksumValue="a" * 63),
            "verification code": lambda one: one["packages"][0]["packageVerificationCode"].update(packageVerificationCodeValue="0" * 40),
            "that nobody looked at": lambda one: one["packages"][1].update(packageVerificationCode={"packageVerificationCodeValue": "0" * 40}),
            "file that is not there": lambda one: one["files"].pop(),
            "no SHA1": lambda one: one["files"][0]["checksums"].pop(0),
            "not of the form": lambda one: one["packages"][2].update(SPDXID="libgcc"),
            "stands twice": lambda one: one["packages"][2].update(SPDXID=one["packages"][1]["SPDXID"]),
            "which is not there": lambda one: one["relationships"][1].update(relatedSpdxElement="SPDXRef-nobody"),
            "no relationship": lambda one: one["relationships"][1].update(relationshipType="LIKES"),
            "describes nothing": lambda one: one["relationships"].pop(0)}
        for words, fault in faults.items():
            broken = copy.deepcopy(made)
            fault(broken)
            self.assertTrue(any(words in defect for defect in spdx.defects(broken)), f"{words}: {spdx.defects(broken)}")

    def test_documents_of_real_packages_are_sound(self):
        made = sorted((ROOT / "build/packages").glob("*.spdx.json"))
        if not made:
            self.skipTest("skipped: no bills of materials in build/packages; tools/package and tools/sbom make them")
        for path in made:
            document = json.loads(path.read_text())
            self.assertEqual(spdx.defects(document), [], path)
            self.assertIn("libc6", [one["name"] for one in document["packages"]], path)


class Deployments(WithFolder):
    @needs("docker-compose")
    @needs_module("yaml")
    def test_compose_reads_its_file(self):
        import yaml
        told = call("docker-compose", "--file", ROOT / "packaging/compose.yaml", "config", env={"PATH": os.environ["PATH"]})
        node = yaml.safe_load(told)["services"]["node"]
        self.assertEqual(node["image"], f"shingle-node:{VERSION}")
        self.assertEqual((node["user"], node["read_only"], node["cap_drop"]), (f"{oci.USER}:{oci.USER}", True, ["ALL"]))
        self.assertIn("/etc/shingle:/etc/shingle:ro", node["volumes"])
        self.assertNotIn("privileged", node)

    @needs_module("yaml")
    @needs_module("kubernetes")
    def test_the_daemon_set_has_no_field_that_kubernetes_does_not_know(self):
        import kubernetes.client
        import yaml
        written = yaml.safe_load((ROOT / "packaging/kubernetes/daemonset.yaml").read_text())
        client = kubernetes.client.ApiClient()

        def read(value):
            return client.deserialize(type("Response", (), {"data": json.dumps(value)}), "V1DaemonSet")

        read_set = read(written)
        self.assertEqual(client.sanitize_for_serialization(read_set), written)  # what it does not know is lost on the way
        lost = copy.deepcopy(written)
        lost["spec"]["template"]["spec"]["hostNetwrok"] = True
        self.assertNotEqual(client.sanitize_for_serialization(read(lost)), lost)
        pod = read_set.spec.template.spec
        node, = pod.containers
        self.assertEqual(read_set.spec.selector.match_labels, read_set.spec.template.metadata.labels)
        self.assertEqual(node.image, f"shingle-node:{VERSION}")
        self.assertTrue(pod.host_network and pod.security_context.run_as_non_root)
        self.assertEqual(pod.security_context.run_as_user, oci.USER)
        self.assertFalse(pod.enable_service_links, "variables of services would be read as settings")
        mounts, volumes = {one.mount_path: one for one in node.volume_mounts}, {one.name: one for one in pod.volumes}
        settings = mounts["/etc/shingle"]
        self.assertTrue(settings.read_only)
        self.assertEqual(volumes[settings.name].host_path.path, "/etc/shingle")
        self.assertEqual(set(volumes), {one.name for one in mounts.values()})
        self.assertEqual(node.liveness_probe.tcp_socket.port, node.ports[0].name)

    @needs("ansible-playbook")
    def test_ansible_reads_the_role(self):
        folder = ROOT / "packaging/ansible"
        call("ansible-playbook", "--syntax-check", "--inventory", folder / "inventory.example.yml", folder / "site.yml", env=self.environment())
        defaults = (folder / "roles/shingle_node/defaults/main.yml").read_text()
        self.assertIn(f'shingle_version: "{VERSION}"', defaults)

    @needs("ansible")
    def test_the_roles_files_say_what_its_variables_say(self):
        nodes = [{"id": 1, "address": "127.0.0.1", "port": 4421, "name": 'the "north" one'}, {"id": 0, "port": 4420, "memory": "512 MiB"}]
        variables = {"shingle_id": 1, "shingle_broker": "", "shingle_nodes": nodes, "shingle_network": {"kind": "shared", "mbps": 40.0},
                     "shingle_settings": {"memory": "400MiB", "threads": 2, "models": ["/a.onnx", "/b"]}}
        cluster = self.render("cluster.toml", variables)
        self.assertEqual(cluster, {"network": variables["shingle_network"], "node": sorted(nodes, key=lambda one: one["id"])})
        del variables["shingle_settings"]["models"]
        settings = self.render("node.toml", variables)
        self.assertEqual(settings, {"id": 1, "cluster": "/etc/shingle/cluster.toml", "models": ["/var/lib/shingle/models"],
                                    "packed": "/var/cache/shingle", "memory": "400MiB", "threads": 2})
        with_broker = self.render("node.toml", {**variables, "shingle_broker": "mqtt://10.0.0.1:1883"})
        self.assertEqual((with_broker["broker"], "cluster" in with_broker), ("mqtt://10.0.0.1:1883", False))

    def environment(self):
        return {**os.environ, "ANSIBLE_LOCAL_TEMP": str(self.folder / "local"), "ANSIBLE_REMOTE_TEMP": str(self.folder / "remote"),
                "ANSIBLE_NOCOWS": "1", "ANSIBLE_LOCALHOST_WARNING": "False"}

    def render(self, name, variables):
        path = self.folder / name
        source = ROOT / f"packaging/ansible/roles/shingle_node/templates/{name}.j2"
        call("ansible", "localhost", "--connection", "local", "--module-name", "ansible.builtin.template",
             "--args", f"src={source} dest={path}", "--extra-vars", json.dumps(variables), env=self.environment())
        return tomllib.loads(path.read_text())


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    for _, why in result.skipped:
        print(why)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
