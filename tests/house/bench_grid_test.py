#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/grid_report.py and the heat map of bench/page.py on a small grid: ratios, lines, thresholds, known cases."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
sys.dont_write_bytecode = True
import grid_report  # noqa: E402
import page  # noqa: E402


def row(case, n, mode, **us):
    return {"case": case, "n": n, "mode": mode, "us": us}


GRID = {"context": {"gpu": "A GPU", "cub": "3.0.1", "cub_newest": "3.5.0", "date": "2026-11-23T07:00:00+00:00"}, "grid": [
    row("sort_u32:uniform", 1000, "call", ballot=30, cub=40, cub_newest=15, thrust_newest=60),
    row("sort_u32:zipf", 1000, "call", ballot=30, cub=60, cub_newest=70),
    row("sort_u32:uniform", 65537, "call", ballot=30, cub=60, cub_newest=90),
    row("scan_i32", 1000, "call", ballot=4, cub=5, cub_newest=4.9),
    row("scan_i32", 1000, "graph", ballot=4, cub=2, cub_newest=2.4),
    row("flag_bits", 1000, "graph", ballot=4),  # without a peer
]}
KNOWN = {"sort_u32:uniform/n:1000/call": 0.5, "scan_i32/n:1000/graph": 0.5}


class Grid(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "grid.json"
        self.thresholds = pathlib.Path(folder.name) / "thresholds.json"
        self.results.write_text(json.dumps(GRID))
        self.want()

    def want(self, known=None, call=1.0, graph=0.4):
        self.thresholds.write_text(json.dumps({"operations": [{"operation": "scan_*"}], "grid": {
            "geometric_mean": {"call": call, "graph": graph}, "lowest": 1.0, "noise": 0.97,
            "known_below": {"A GPU": KNOWN if known is None else known}}}))

    def report(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = grid_report.main([str(self.results), *map(str, arguments)])
        return code, output.getvalue()

    def check(self):
        return self.report("--check", self.thresholds)

    def test_the_ratio_is_to_the_fastest_peer(self):
        rows = grid_report.load(self.results)[1]
        self.assertEqual(len(rows), 5)
        self.assertEqual((rows[0].peer, rows[0].ratio), ("cub_newest", 0.5))
        self.assertEqual((rows[1].peer, rows[1].ratio), ("cub", 2))

    def test_a_line_a_family_and_size(self):
        code, text = self.report()
        self.assertEqual(code, 0, text)
        self.assertIn("A GPU, CUB 3.0.1, newest CUB 3.5.0", text)
        self.assertRegex(text, r"sort_u32 +1 000 +2 +1 +1\.00 +0\.50 +uniform +cub_newest")
        self.assertRegex(text, r"sort_u32 +65 537 +1 +0 +2\.00 +2\.00 +uniform +cub\n")
        self.assertRegex(text, r"scan_i32 +1 000 +1 +1 +0\.50 +0\.50 +plain +cub\n")
        lines = [line for line in self.report("--markdown")[1].splitlines() if line.startswith("|")]
        self.assertEqual(len({len(line) for line in lines[:4]}), 1)
        self.assertIn("sort_u32:zipf", self.report("--cases")[1])

    def test_check(self):
        self.assertEqual(self.check()[0], 0)
        self.want(known={})
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("sort_u32:uniform/n:1000/call: 0.500 to cub_newest, wanted at least 0.97", text)
        self.want(known={**KNOWN, "scan_i32/n:1000/graph": 0.6})
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("scan_i32/n:1000/graph: 0.500 to cub, known to be below, but it was 0.6", text)
        self.want(call=1.3)
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("geometric mean, call: ", text)

    def test_floors_are_of_a_contender_and_hold_where_the_case_was_measured(self):
        def with_floors(*floors):
            self.want()
            thresholds = json.loads(self.thresholds.read_text())
            thresholds["grid"]["floors"] = floors
            self.thresholds.write_text(json.dumps(thresholds))
            return self.check()
        floor = {"operation": "scan_*", "n": 1000, "peer": "cub"}
        self.assertEqual(with_floors({**floor, "at_least": 1.2})[0], 0)
        self.assertEqual(with_floors({**floor, "n": 1001, "at_least": 1.3})[0], 0)
        code, text = with_floors({**floor, "at_least": 1.3})
        self.assertEqual(code, 1)
        self.assertIn("scan_i32/n:1000/call: 1.225 to cub, wanted at least 1.3", text)

    def test_a_known_case_that_is_mended_is_told_and_taken_out(self):
        self.want(known={**KNOWN, "sort_u32:zipf/n:1000/call": 0.9, "not/n:1/measured": 0.9})
        code, text = self.check()
        self.assertEqual(code, 0, text)
        self.assertIn("not today (--accept takes them out)\n  sort_u32:zipf/n:1000/call\n", text)
        self.assertIn("0 added, 1 taken out", self.report("--accept", self.thresholds)[1])
        written = json.loads(self.thresholds.read_text())
        self.assertEqual(written["grid"]["known_below"]["A GPU"], {**KNOWN, "not/n:1/measured": 0.9})
        self.assertEqual(written["operations"], [{"operation": "scan_*"}])

    def test_what_is_below_is_accepted_by_name(self):
        self.want(known={})
        self.assertIn("2 added, 0 taken out", self.report("--accept", self.thresholds)[1])
        self.assertEqual(json.loads(self.thresholds.read_text())["grid"]["known_below"]["A GPU"], KNOWN)
        self.assertEqual(self.check()[0], 0)

    def test_own_thresholds_are_kept_as_they_are_written(self):
        text = grid_report.THRESHOLDS.read_text(encoding="utf-8")
        self.assertEqual(grid_report.thresholds_text(json.loads(text)), text)

    def test_ratios_that_have_changed(self):
        old = json.loads(self.results.read_text())
        old["grid"][1]["us"]["ballot"] = 20
        self.thresholds.write_text(json.dumps(old))
        code, text = self.report("--baseline", self.thresholds)
        self.assertEqual(code, 0, text)
        self.assertRegex(text.split("have changed")[1], r"sort_u32:zipf +1 000 +call +3\.00 +2\.00\n$")

    def test_heat_map(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(page.main([str(self.results), "--baseline", str(self.results)]), 0)
        text = self.results.with_suffix(".html").read_text(encoding="utf-8")
        self.assertIn("newest CUB 3.5.0", text)
        self.assertIn("<td>sort_u32</td>", text)
        self.assertIn("sort_u32:uniform, 1 000: 30.0 us, cub_newest 15.0 us, 0.50", text)
        self.assertIn(page.colour(2.0), text)
        self.assertNotEqual(page.colour(0.9), page.colour(1.1))
        self.assertIn("<details><summary>sort_u32: 3 cases", text)

    def test_the_page_replaces_nothing_that_it_reads(self):
        before = self.results.read_bytes()
        for words in (("--output", str(self.results)), ("--output", str(self.results.parent / "." / self.results.name)),
                      ("--output", str(self.thresholds), "--baseline", str(self.thresholds))):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(page.main([str(self.results), *words]), 2)
            self.assertIn("the page would replace the ", said.getvalue())
        self.assertEqual(self.results.read_bytes(), before)

    def test_what_is_no_grid_is_told(self):
        self.results.write_text("{}")
        self.assertEqual(self.report()[0], 2)
        self.results.write_text(json.dumps({**GRID, "failed": ["scan_i32/n:1000: wrong answer: item 7"]}))
        code, text = self.report()
        self.assertEqual(code, 2)
        self.assertIn("wrong answer: item 7", text)
        self.results.write_text(json.dumps({**GRID, "grid": [row("scan_i32", 1000, "call", ballot=0, cub=1)]}))
        code, text = self.report()
        self.assertEqual(code, 2)
        self.assertIn("scan_i32/n:1000/call: no time of ballot: 0", text)
        self.results.write_text('{"grid": []}')
        self.assertEqual(self.report()[0], 2)

    def test_a_missing_field_is_named_with_its_file(self):
        for key in ("case", "n", "mode", "us"):
            self.results.write_text(json.dumps({"grid": [{name: value for name, value in GRID["grid"][0].items() if name != key}]}))
            self.assertEqual(self.report(), (2, f'grid_report: {self.results}: grid[0]: the field "{key}" is missing\n'))
        self.results.write_text(json.dumps({"grid": [row("scan_i32", 1000, "call", ballot="fast", cub=1)]}))
        self.assertIn('the field "ballot" is no number', self.report()[1])
        self.results.write_text(json.dumps(GRID))
        whole = json.loads(self.thresholds.read_text())
        for option in ("--check", "--accept"):
            for key in ("geometric_mean", "lowest", "noise", "known_below"):
                text = json.dumps({**whole, "grid": {name: value for name, value in whole["grid"].items() if name != key}})
                self.thresholds.write_text(text)
                code, said = self.report(option, self.thresholds)
                self.assertEqual((code, said), (2, f'grid_report: {self.thresholds}: grid: the field "{key}" is missing\n'))
                self.assertEqual(self.thresholds.read_text(), text)


if __name__ == "__main__":
    unittest.main()
