#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/tidy takes the sources that a change calls for, and finds what is planted."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import quick  # noqa: E402
import tidy  # noqa: E402

TREE = {
    "primitives/ballot/near.cuh": "#pragma once\n",
    "primitives/ballot/both.cuh": "#pragma once\n#include <ballot/near.cuh>\n",
    "tests/near.cu": "#include <ballot/near.cuh>\n",
    "tests/far.cu": "#include <ballot/both.cuh>\n",
    "tests/peers.cu": "#include <thrust/sort.h>\n#include <ballot/near.cuh>\n",
    "apps/kernel.cu": "#include <ballot/near.cuh>\n",
    "apps/moved.cpp": "#include <string>\n#include <utility>\nstd::string twice(std::string a) {\n  std::string b = std::move(a);\n"
                      "  return a + b;\n}\n",
    "apps/broken.cpp": "int f( {\n",
}


class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in TREE.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "emulator").mkdir()
        shutil.copy(ROOT / ".clang-tidy", self.root)
        for module in (quick, tidy):
            before = module.ROOT
            module.ROOT = self.root
            self.addCleanup(setattr, module, "ROOT", before)

    def test_sources(self):
        self.assertEqual(tidy.host_sources(), ["apps/broken.cpp", "apps/moved.cpp", "tests/far.cu", "tests/near.cu"])

    def test_the_nearest_source_stands_for_a_header(self):
        sources = tidy.host_sources()
        self.assertEqual(tidy.users_of(["primitives/ballot/near.cuh"], sources), ["tests/near.cu"])
        self.assertEqual(tidy.users_of(["primitives/ballot/both.cuh", "primitives/ballot/near.cuh", "README.md"], sources), ["tests/far.cu"])
        self.assertEqual(tidy.users_of(["tests/far.cu", "tests/peers.cu"], sources), ["tests/far.cu"])

    def test_what_is_planted_is_found(self):
        asked = subprocess.run(["bash", "-c", f'source "{ROOT}/scripts/lib/common.sh"; source "{ROOT}/scripts/lib/needs.sh"; '
                                              'need_tidy && echo "$CLANG_TIDY"'], capture_output=True, text=True, check=False)
        if asked.returncode != 0:
            self.skipTest("there is no clang-tidy 16 here")
        found, broken = tidy.findings(asked.stdout.strip(), "apps/moved.cpp")
        self.assertEqual([(path, line, check) for path, line, check, _ in found], [("apps/moved.cpp", 5, "bugprone-use-after-move")])
        self.assertIsNone(broken)
        found, broken = tidy.findings(asked.stdout.strip(), "apps/broken.cpp")
        self.assertEqual(found, set())
        self.assertIn("apps/broken.cpp:1", broken)


if __name__ == "__main__":
    unittest.main()
