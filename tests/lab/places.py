"""Paths of the programs and modules that the lab's tests use."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAB = ROOT / "tools/lab"
PROGRAM = ROOT / "build/release/apps/shingle"
MAKE_NETWORK = ROOT / "build/release/tests/networks/make-network"

sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench")]
