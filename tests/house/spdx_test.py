#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/spdx.py finds the files without a licence line, and puts the line where it belongs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/lib/spdx.py"
LINE = "SPDX-License-Identifier: Apache-2.0"
FILES = {
    "a.cuh": "// A header.\n#pragma once\n",
    "tool": "#!/usr/bin/env bash\n# Does it.\n",
    "script.py": "#!/usr/bin/env python3\n\"\"\"Does it.\"\"\"\n",
    "CMakeLists.txt": "project(x)\n",
    "Config.cmake.in": "@PACKAGE_INIT@\n",
    "empty.hpp": "",
    "data.txt": "1 2 3\n",
    "data": "1 2 3\n",
}
SOURCES = {"a.cuh", "tool", "script.py", "CMakeLists.txt", "Config.cmake.in", "empty.hpp"}


class Spdx(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (self.root / name).write_text(text)
        (self.root / "tool").chmod(0o755)
        for command in (["init", "-q"], ["add", "-A"]):
            subprocess.run(["git", "-C", folder.name, *command], check=True)

    def spdx(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--root", self.root, *arguments], capture_output=True, text=True)

    def test_nothing_is_asked_for_before_the_first_line(self):
        self.assertEqual(self.spdx().returncode, 0)

    def test_lines_are_added_once_and_behind_the_interpreter(self):
        self.assertEqual(self.spdx("--add").returncode, 0)
        self.assertEqual(self.spdx("--add").returncode, 0)
        texts = {name: (self.root / name).read_text() for name in FILES}
        self.assertEqual({name for name in FILES if LINE in texts[name]}, SOURCES)
        self.assertEqual(texts["a.cuh"], f"// {LINE}\n// A header.\n#pragma once\n")
        self.assertEqual(texts["tool"], f"#!/usr/bin/env bash\n# {LINE}\n# Does it.\n")
        self.assertEqual(texts["empty.hpp"], f"// {LINE}\n")
        self.assertTrue(os.access(self.root / "tool", os.X_OK))
        self.assertEqual(self.spdx().returncode, 0)

    def test_a_new_file_without_the_line_is_found(self):
        self.spdx("--add")
        (self.root / "new.cpp").write_text("int x;\n")
        subprocess.run(["git", "-C", self.root, "add", "new.cpp"], check=True)
        found = self.spdx()
        self.assertEqual(found.returncode, 1)
        self.assertIn("new.cpp:", found.stdout)
        self.assertNotIn("a.cuh", found.stdout)


unittest.main()
