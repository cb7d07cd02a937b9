# SPDX-License-Identifier: Apache-2.0
"""Docstrings: every public name has one, every call an example, which runs where there is torch with a GPU, or on the CPU with BALLOT_TEST_EMULATED. Elsewhere its
syntax is checked. Types: mypy and stubtest, if they are installed.

  documents_test.py PYPROJECT
"""
import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import unittest

import ballot

PYPROJECT = sys.argv.pop() if len(sys.argv) > 1 else None
EMULATED = bool(os.environ.get("BALLOT_TEST_EMULATED"))


def device():
    """Where examples run, or None."""
    try:
        import torch
    except ImportError:
        return None
    if EMULATED:
        import emulated
        emulated.use_torch()
        return "cpu"
    return "cuda" if torch.cuda.is_available() else None


class DocumentsTest(unittest.TestCase):
    def test_examples(self):
        where = device()
        finder, count = doctest.DocTestFinder(), 0
        for name in ballot.__all__:
            thing = getattr(ballot, name)
            self.assertTrue(inspect.getdoc(thing), f"{name} has no docstring")
            if not inspect.isfunction(thing):
                continue
            (test,) = finder.find(thing, name)
            self.assertTrue(test.examples, f"{name} has no example")
            for example in test.examples:
                compile(example.source, name, "single")
                example.source = example.source.replace('device="cuda"', f'device="{where}"')
            count += len(test.examples)
            if where is not None:
                import torch
                test.globs = {"ballot": ballot, "torch": torch}
                failed, _ = doctest.DocTestRunner().run(test)
                self.assertEqual(failed, 0, name)
        print(count, "examples", "read" if where is None else f"run on {where}")

    def test_arguments_are_described(self):
        for name in ballot.__all__:
            thing = getattr(ballot, name)
            if inspect.isfunction(thing):
                text = inspect.getdoc(thing)
                self.assertRegex(text, r"[Ss]hape|of the same kind|of the keys' shape|as sort|As merge", f"{name} does not say shapes")

    def test_versions_agree(self):
        if PYPROJECT is None:
            self.skipTest("without the source tree")
        header = (pathlib.Path(PYPROJECT).parent / "primitives/ballot/version.hpp").read_text(encoding="utf-8")
        version = [re.search(rf"BALLOT_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(ballot.__version__, ".".join(version))
        self.assertIn(f'version = "{ballot.__version__}"', pathlib.Path(PYPROJECT).read_text(encoding="utf-8"))
        soname = ".".join(version[:2]) if version[0] == "0" else version[0]
        self.assertIn(f'"libballot.so.{soname}"', pathlib.Path(ballot._native.__file__).read_text(encoding="utf-8"))

    def test_types(self):
        if PYPROJECT is None or subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode:
            self.skipTest("mypy is not here")
        package = pathlib.Path(ballot.__file__).parent
        environment = {**os.environ, "MYPYPATH": str(package.parent), "MYPY_CACHE_DIR": os.devnull}
        for command in (["mypy", "--config-file", PYPROJECT, "-p", "ballot"], ["mypy.stubtest", "--mypy-config-file", PYPROJECT, "--ignore-disjoint-bases", "ballot._core"]):
            done = subprocess.run([sys.executable, "-m", *command], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
