#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of tests/mutation must fit the library's sources: each mutant's text matches once, and the sources with all
mutants can be parsed. The reader of the tables must find their mistakes, and make switches that hold the original beside the
mistake.

  mutation_table_test.py [COMPILER]        default: g++
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import mutation  # noqa: E402

SOURCE = """int sum(const int* in, int n) {
  int all = 0;
  for (int i = 0; i < n;
       ++i)
    all += in[i];
  barrier();
  return all;
}
int other(int n) { return n + 1; }
"""
FILE = "primitives/ballot/core/sum.hpp"


def tree(table, source=SOURCE):
    """Returns the sources of a small library with the mutants of a table."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tables").mkdir()
        (root / "tables" / "a.txt").write_text(table)
        (root / FILE).parent.mkdir(parents=True)
        (root / FILE).write_text(source)
        return mutation.mutated_sources(mutation.read_tables(root / "tables"), root)[FILE]


class Tables(unittest.TestCase):
    def test_every_mutant_applies(self):
        mutants = mutation.read_tables()
        mutation.mutated_sources(mutants)
        self.assertGreater(len(mutants), 150)

    def test_sources_with_mutants_can_be_parsed(self):
        # A mark around an operator or half of an expression matches the text and compiles nowhere.
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            mutants = mutation.read_tables()
            for path, text in mutation.mutated_sources(mutants).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            headers = dict.fromkeys(pathlib.PurePath(m.file).relative_to(pathlib.PurePath(m.file).parts[0]) for m in mutants)
            done = subprocess.run(
                [COMPILER, "-DBALLOT_EMULATED=1", "-std=gnu++20", "-w", "-fsyntax-only", f"-I{root / 'primitives'}",
                 f"-I{root / 'algorithms'}", f"-I{mutation.ROOT / 'emulator'}", "-include",
                 str(mutation.TABLES / "switch.hpp"), "-x", "c++", "-"],
                input="#include <ballot/ballot.cuh>\n" + "".join(f"#include <{header.as_posix()}>\n" for header in headers),
                capture_output=True, text=True, check=False)
            errors = [line.replace(folder + "/", "") for line in done.stderr.splitlines() if "error:" in line]
            self.assertEqual((done.returncode, errors[:10]), (0, []))

    def test_what_is_listed_exists(self):
        names = {m.name for m in mutation.read_tables()}
        for name, reason in mutation.read_pairs(mutation.TABLES / "survivors.txt"):
            self.assertIn(name, names)
            self.assertTrue(reason, f"{name} survives for no reason")
        tests = mutation.read_pairs(mutation.TABLES / "tests.txt")
        for _, file in tests:
            self.assertTrue((mutation.ROOT / "tests" / file).exists(), file)
        self.assertEqual(len(tests), len(set(tests)), "a test is listed twice")

    def test_expressions_and_statements(self):
        made = tree(f"file {FILE}\nend  one too many\n  <| i < n ==> i <= n |>; ++i\nwait  none\n  <| barrier(); ==> |>\n")
        self.assertRegex(made, r"for \(int i = 0; \(::ballot_mutation::on\(\d+\) \? \(i <= n\) : \(i < n\)\);\n")
        self.assertRegex(made, r"if \(::ballot_mutation::on\(\d+\)\) \{  \} else \{ barrier\(\); \}")
        self.assertEqual(made.count("\n"), SOURCE.count("\n"), "reports name the lines of the sources")

    def test_two_at_one_place_and_one_within_another(self):
        made = tree(f"file {FILE}\na  x\n  return <| n + 1 ==> n |>;\nb  x\n  return <| n + 1 ==> n - 1 |>;\nc  x\n"
                    "  after: int other(int n) {\n  return <| n ==> 0 |> + 1;\n")
        self.assertEqual(made.count("ballot_mutation::on"), 3)
        self.assertRegex(made, r"\(n - 1\) : \(\(::ballot_mutation::on\(\d+\) \? \(0\) : \(n\)\) \+ 1\)|\(n\) : \(\(::")

    def test_mistakes(self):
        for table, what in (
                (f"file {FILE}\na  x\n  <| no such text ==> |>\n", "matches 0 times"),
                (f"file {FILE}\na  x\n  <| int n ==> |>\n", "matches 2 times"),
                (f"file {FILE}\na  x\n  after: int n\n  <| return ==> |>\n", "matches 2 times"),
                (f"file {FILE}\na  x\n  return all;\n", "0 marks"),
                (f"file {FILE}\na\n  return <| all ==> 0 |>;\n", "does not say"),
                (f"file {FILE}\na  x\n  return <| all ==> 0 |>;\na  y\n  <| barrier(); ==> |>\n", "twice"),
                (f"file {FILE}\na  x\n  <| all += in[i]; barrier(); ==> |>\nb  x\n  <| barrier(); return all; ==> |>\n", "overlap"),
                ("file primitives/none.hpp\na  x\n  <| a ==> b |>\n", "renamed")):
            with self.subTest(what=what), self.assertRaisesRegex(mutation.TableError, what):
                tree(table)


if __name__ == "__main__":
    COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "g++"
    unittest.main()
