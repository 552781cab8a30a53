"""The package as users get it: its types, its examples."""
import re
import shutil
import subprocess

from places import ENVIRONMENT, PACKAGES, PIL_IS_HERE, ROOT, WithPackage, network

EXAMPLES = ROOT / "examples/python"


class Package(WithPackage):
    def checked(self, *words, **more):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env=ENVIRONMENT | {"MYPYPATH": str(PACKAGES)}, check=False, **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_module_is_what_its_types_say(self):
        if not shutil.which("stubtest"):
            self.skipTest("skipped: mypy is not installed (tools/deps)")
        known = self.folder / "known"  # pybind11's classes have a metaclass, and those without __init__ say *args
        known.write_text("".join(f"shingle._shingle.{name}\n" for name in ("Mailbox", "Request", "Session", "Request.__init__")))
        self.assertIn("Success", self.checked("/usr/bin/python3", "-m", "mypy.stubtest", "shingle._shingle", "--allowlist", known))

    def test_the_types_are_sound_and_users_see_them(self):
        if not shutil.which("mypy"):
            self.skipTest("skipped: mypy is not installed (tools/deps)")
        check = ["/usr/bin/python3", "-m", "mypy", "--strict"]
        self.checked(*check, PACKAGES / "shingle")
        user = self.folder / "user.py"
        user.write_text("import shingle\nreveal_type(shingle.InferenceSession('m').run(None, {}))\n"
                        "reveal_type(shingle.InferenceSession('m').submit_picture)\n")
        told = self.checked(*check, user)
        self.assertRegex(told, r'"builtins.list\[numpy.ndarray\[.*, numpy.dtype\[.*float.*32')
        self.assertRegex(told, r"Future\[shingle.types.Detections\]")
        user.write_text("import shingle\nshingle.InferenceSession('m').run('x', 3)\n")
        self.assertRaises(AssertionError, self.checked, *check, user)

    def example(self, name, *words):
        return self.checked("/usr/bin/python3", EXAMPLES / name, *words)

    def test_the_example_like_onnx_runtime(self):
        told = self.example("onnx_like.py", network("tiny", 64), "--workers", 2)
        self.assertRegex(told, r"(?m)^input +\S+ +\[1, 3, 64, 64\] tensor\(float\)$")
        self.assertRegex(told, r"(?m)^output +\S+ +\(1, 8, 32, 32\) ")

    def test_the_example_that_finds_boxes(self):
        if not PIL_IS_HERE:
            self.skipTest("skipped: python3-pil is not installed")
        shutil.copy(ROOT / "docs/pictures/frame-000000.png", self.folder / "street.png")
        told = self.example("detect.py", ROOT / "models/vehicles.onnx", self.folder, "--workers", 2)
        boxes = re.findall(r"^street\.png vehicle 0\.\d\d -?\d+ -?\d+ \d+ \d+$", told, re.MULTILINE)
        self.assertGreater(len(boxes), 5, told)

    def test_every_example_is_tested(self):
        tested = set(re.findall(r'"(\w+\.py)"', (ROOT / "tests/python/package_cases.py").read_text()))
        self.assertEqual({path.name for path in EXAMPLES.glob("*.py")} - tested, set())

    def test_the_version_is_the_librarys(self):
        told = self.checked("/usr/bin/python3", "-c", "import shingle; print(shingle.__version__)")
        self.assertIn(f"VERSION {told.strip()} ", (ROOT / "CMakeLists.txt").read_text())
