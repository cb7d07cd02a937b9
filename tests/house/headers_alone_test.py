#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""headers_alone.py finds headers that do not compile alone, also where another one comes before them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import headers_alone  # noqa: E402

COMPILER = sys.argv.pop() if len(sys.argv) > 1 else "c++"
FILES = {
    "word.hpp": "#pragma once\n#include <cstdint>\nusing word = std::uint32_t;\n",
    "list.hpp": "// A list.\n#pragma once\n#include <vector>\n\n#include <ballot/word.hpp>\nusing list = std::vector<word>;\n",
    "sum.hpp": '#pragma once\n#include "list.hpp"\ninline word sum(const list& l) { return l.empty() ? 0 : l[0]; }\n',
    # Not alone: it has no include of its own for std::vector.
    "stolen.hpp": "#pragma once\n#include <ballot/word.hpp>\nusing stolen = std::vector<word>;\n",
    # Not alone: the include comes behind the use, or only under a condition.
    "late.hpp": "#pragma once\nusing late = list;\n#include <ballot/list.hpp>\n",
    "conditional.hpp": "#pragma once\n#if defined(NEVER)\n#include <ballot/list.hpp>\n#endif\nusing conditional = list;\n",
}


class HeadersAlone(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree = pathlib.Path(self.folder.name)
        (self.tree / "primitives/ballot").mkdir(parents=True)
        for name, text in FILES.items():
            (self.tree / "primitives/ballot" / name).write_text(text)

    def compiles(self, *names):
        headers = [f"primitives/ballot/{name}.hpp" for name in names]
        done = subprocess.run(
            [sys.executable, HERE / "headers_alone.py", "compile", self.tree, self.tree / "d", "done", *headers, "--", COMPILER,
             "-std=c++20", "-fsyntax-only", f"-I{self.tree}/primitives", "-x", "c++", "/dev/null"],
            capture_output=True, text=True, check=False)
        return done.returncode == 0

    def test_a_chain_is_one_unit(self):
        names = [f"primitives/ballot/{name}.hpp" for name in ("word", "list", "sum")]
        self.assertEqual(headers_alone.chains(str(self.tree), names[::-1]), [names])
        self.assertTrue(self.compiles("word", "list", "sum"))
        for name in ("word.hpp", "list.hpp", "sum.hpp"):
            self.assertIn(f"ballot/{name}", (self.tree / "d").read_text())

    def test_what_needs_another_header_is_found(self):
        for name in ("stolen", "late", "conditional"):
            self.assertFalse(self.compiles(name), name)
            self.assertFalse(self.compiles("list", name), name)
            self.assertFalse(self.compiles("word", "list", name), name)

    def test_what_needs_another_header_is_in_no_chain_behind_it(self):
        names = [f"primitives/ballot/{name}" for name in FILES]
        for chain in headers_alone.chains(str(self.tree), names):
            for name in ("late", "conditional"):
                self.assertNotIn(f"primitives/ballot/{name}.hpp", chain[1:])


if __name__ == "__main__":
    unittest.main()
