#!/usr/bin/python3
"""The package for Python: the built module on the built library, with real local workers.

Prints "N passed, N failed, N skipped". Skips all where the package is not built. Usage: python_test.py [unittest's names]"""
import sys
import unittest

from futures_cases import Requests, Sessions  # noqa: F401
from package_cases import Package  # noqa: F401
from pictures_cases import Pictures  # noqa: F401
from processes_cases import Processes  # noqa: F401
from tensors_cases import Tensors  # noqa: F401

if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    suite = loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(verbosity=2 if sys.argv[1:] else 1).run(suite)
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    for why in sorted({why for _, why in result.skipped}):
        print(why)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
