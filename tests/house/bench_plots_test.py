#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests bench/plots.py on a small result: the plots drawn, that the same results give the same bytes, and results without the
requested operations.

Exits with 77, "not run", if there is no matplotlib.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
sys.dont_write_bytecode = True
try:
    import matplotlib  # noqa: F401
except ImportError:
    print("not run: no matplotlib for", sys.executable)
    sys.exit(77)
import page  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402

SAMPLE = HERE / "bench_sample.json"


class Plots(unittest.TestCase):
    def draw(self, **how):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return {path.name: path.read_text(encoding="utf-8") for path in
                plots.draw(SAMPLE, pathlib.Path(folder.name) / "new", **how)}

    def test_a_plot_for_each_operation_and_the_overview(self):
        made = self.draw()
        self.assertEqual(list(made), ["scan-i32.svg", "compact-bits.svg", "sort-u32-uniform.svg", "overview.svg"])
        for text in (">ballot<", ">cub<", ">copy<", ">GB/s<", ">2^28<", ">A GPU, commit 0123456789ab, "):
            self.assertIn(text, made["scan-i32.svg"])
        self.assertIn("10\u2079 keys/s", made["sort-u32-uniform.svg"])
        self.assertNotIn(">copy<", made["sort-u32-uniform.svg"])
        # the ratios of report.py: 700 us by 500 us; 450 us by 500 us
        for figure in ("1.40", "0.90", "0.70"):
            self.assertIn(f">{figure}<", made["overview.svg"])

    def test_the_same_bytes_again(self):
        self.assertEqual(self.draw(), self.draw())

    def test_only_what_is_asked_for(self):
        self.assertEqual(list(self.draw(only=["scan_*"])), ["scan-i32.svg", "overview.svg"])
        self.assertEqual(list(self.draw(mode="graph")), ["scan-i32.svg", "overview.svg"])
        with self.assertRaises(report.Unusable):
            self.draw(only=["nothing"])

    def test_the_limit_of_the_memory_is_a_line_where_it_is_known(self):
        self.assertNotIn("memory's limit", self.draw()["scan-i32.svg"])
        results = json.loads(SAMPLE.read_text())
        results["context"] |= {"memory_clock": "2619000 kHz", "memory_bus_bits": "6144"}
        self.assertAlmostEqual(plots.physical_limit(results["context"]), 4.0228e12, delta=1e9)

    def test_the_page_holds_every_plot_and_needs_no_other_file(self):
        text = page.page(SAMPLE, SAMPLE)
        self.assertEqual(text.count("<svg"), 4 + 2)  # call: three operations and the overview; graph: one and the overview
        self.assertNotRegex(text, r"""(?:src|href)=["'](?!#)""")
        self.assertNotIn("@import", text)
        for what in ("ballot: measurements", "as before", "26.84 Gkeys/s", "0123456789ab", "10\u2079 keys/s"):
            self.assertIn(what, text)
        ids = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(ids), len(set(ids)))
        for used in re.findall(r'(?:href="#|url\(#)([^")]+)', text):
            self.assertIn(used, ids)

    @unittest.skipUnless(shutil.which("chromium") or shutil.which("google-chrome"), "no browser")
    def test_a_browser_shows_the_plots(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        # The page after its layout, for --dump-dom: how many plots have a size, and whether the page fits its window.
        look = """<script>document.title = [...document.querySelectorAll("svg")].filter(plot => {
            const box = plot.getBoundingClientRect(); return box.width > 200 && box.height > 100 }).length + " plots, " +
            (document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide")</script></html>"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.html"
            file.write_text(page.page(SAMPLE, SAMPLE).replace("</html>", look), encoding="utf-8")
            done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                                   "--window-size=1200,900", "--dump-dom", file.as_uri()],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
        self.assertIn("<title>6 plots, fits</title>", done.stdout.decode())


if __name__ == "__main__":
    unittest.main()
