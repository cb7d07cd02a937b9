#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests bench/report.py on a small result (bench_sample.json): medians, ratios, order, thresholds, files that are no results."""
import contextlib
import fnmatch
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
sys.dont_write_bytecode = True
import command  # noqa: E402
import report  # noqa: E402

SAMPLE = HERE / "bench_sample.json"
N = 1 << 28


def run(*arguments):
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = report.main([str(one) for one in arguments])
    return code, output.getvalue()


class Report(unittest.TestCase):
    def setUp(self):
        self.context, self.rows = report.load(SAMPLE)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "file.json"

    def row(self, operation, n=N, mode="call"):
        return next(row for row in self.rows if (row.operation, row.n, row.mode) == (operation, n, mode))

    def with_thresholds(self, *thresholds):
        self.file.write_text(json.dumps({"operations": thresholds}))
        return run(SAMPLE, "--check", self.file)

    def changed(self, change):
        results = json.loads(SAMPLE.read_text())
        change(results)
        self.file.write_text(json.dumps(results))
        return run(self.file)

    def test_median_and_spread_are_of_the_repetitions(self):
        ours = self.row("scan_i32").ours
        self.assertEqual(ours.median, 500)  # one repetition is in ms
        self.assertAlmostEqual(ours.spread, (600 - 490) / 500)

    def test_ratios(self):
        scan, sort = self.row("scan_i32"), self.row("sort_u32:uniform")
        self.assertAlmostEqual(scan.ratio_to("cub"), 1.4)
        self.assertAlmostEqual(scan.ratio_to("copy"), 0.9)
        self.assertEqual(sort.best_peer(), "thrust")
        self.assertAlmostEqual(sort.ratio_to("thrust"), 0.7)
        self.assertIsNone(self.row("compact_bits").best_peer())

    def test_rows_are_in_the_order_of_registration_and_sizes_ascend(self):
        self.assertEqual([(row.operation, row.n) for row in self.rows if row.mode == "call"],
                         [("scan_i32", 65536), ("scan_i32", N), ("compact_bits", N), ("sort_u32:uniform", N)])

    def test_tables(self):
        code, text = run(SAMPLE)
        self.assertEqual(code, 0)
        self.assertIn("A GPU, CUB 3.0.1, commit 0123456789ab", text)
        self.assertRegex(text, r"scan_i32 +2\^28 +500\.0 us ±22% +700\.0 us ±0% +- +450\.0 us ±0% +4295 GB/s +0\.90 +1\.40 +cub")
        self.assertIn("26.84 Gkeys/s", text)
        code, text = run(SAMPLE, "--markdown")
        lengths = {len(line) for line in text.splitlines() if line.startswith("|") and "2^28" in line}
        self.assertEqual((code, len(lengths)), (0, 1))

    def test_the_surveys_operations_have_tables_of_their_own(self):
        def add_survey(results):
            for name, time in (("sklansky", 300), ("brent_kung", 200)):
                run_name = f"survey_block_patterns/n:{N}/call/{name}"
                results["benchmarks"].append({**results["benchmarks"][0], "family_index": 99, "run_name": run_name,
                                              "name": run_name, "real_time": time, "time_unit": "us"})
        code, text = self.changed(add_survey)
        self.assertEqual(code, 0, text)
        before, after = text.split("survey_block_patterns")
        self.assertNotIn("sklansky", before.rsplit("\n\n", 1)[0])  # nor a column for it in the tables before
        self.assertRegex(before.rsplit("\n", 2)[1], r"^operation +n +brent_kung +sklansky +rate of ballot")
        self.assertRegex(after, r"2\^28 +200\.0 us ±0% +300\.0 us ±0%.* brent_kung\n")

    def test_thresholds(self):
        met = {"operation": "scan_*", "n": N, "at_least": 1.4}
        code, text = self.with_thresholds(met, {"operation": "sort_*", "n": N, "peer": "thrust", "at_least": 0.6})
        self.assertEqual(code, 0, text)
        code, text = self.with_thresholds(met, {"operation": "sort_*", "n": N, "at_least": 1.0})
        self.assertEqual(code, 1)
        self.assertIn("sort_u32:uniform, n = 2^28, call, against cub: 0.800, wanted at least 1.0", text)
        code, text = self.with_thresholds({"operation": "split_*", "n": N, "at_least": 1.0})
        self.assertEqual(code, 1)
        self.assertIn("not measured", text)

    def test_a_threshold_that_needs_the_newest_cub_is_missed_only_where_that_is(self):
        of_newest = {"operation": "top_k_*", "n": N, "at_least": 1.2, "needs": "cub_newest"}
        code, text = self.with_thresholds(of_newest)
        self.assertEqual(code, 0, text)
        self.assertIn("Not held, without what they need\n  top_k_*, n = 2^28, call, against cub: needs cub_newest", text)
        thresholds = self.file.with_name("thresholds.json")
        thresholds.write_text(json.dumps({"operations": [of_newest]}))
        self.changed(lambda results: results["context"].update(cub_newest="3.5.0"))
        code, text = run(self.file, "--check", thresholds)
        self.assertEqual(code, 1)
        self.assertIn("against cub: not measured", text)
        code, text = self.with_thresholds({**of_newest, "operation": "scan_*", "at_least": 1.5})
        self.assertEqual(code, 1)  # measured all the same, and below

    def test_the_plain_run_measures_what_its_thresholds_name(self):
        sources = "".join(path.read_text() for path in (HERE.parent.parent / "bench").glob("*.cu"))
        grid_alone = set(re.findall(r'"(view_\w+)"', sources))  # bench/grid_operations.cpp adds them
        self.assertIn("view_compact_if", grid_alone)
        thresholds = json.loads((HERE.parent.parent / "bench" / "thresholds.json").read_text())
        for one in thresholds["operations"]:
            self.assertFalse([name for name in grid_alone if fnmatch.fnmatchcase(name, one["operation"])], one)
            self.assertIn(one.get("needs", "cub_newest"), ("cub_newest",))

    def test_thresholds_against_the_copy_and_of_other_contenders(self):
        of_copy = {"operation": "scan_*", "n": N, "peer": "copy"}
        self.assertEqual(self.with_thresholds({**of_copy, "at_least": 0.9})[0], 0)
        code, text = self.with_thresholds({**of_copy, "at_least": 0.91})
        self.assertEqual(code, 1)
        self.assertIn("scan_i32, n = 2^28, call, against copy: 0.900, wanted at least 0.91", text)
        of_cub = {"operation": "scan_*", "n": N, "contender": "cub", "peer": "ballot"}  # 500 us by 700 us
        self.assertEqual(self.with_thresholds({**of_cub, "at_least": 0.7})[0], 0)
        code, text = self.with_thresholds({**of_cub, "at_least": 0.72})
        self.assertEqual(code, 1)
        self.assertIn("scan_i32, n = 2^28, call, cub against ballot: 0.714", text)

    def test_variants_of_ours_are_no_peers_and_have_tables_of_their_own(self):
        def add_variant(results):
            for name, time in (("ballot_any_order", 1), ("generator", 1)):
                run_name = f"scan_i32/n:{N}/call/{name}"
                results["benchmarks"].append({**results["benchmarks"][0], "family_index": 99, "run_name": run_name,
                                              "name": run_name, "real_time": time, "time_unit": "us"})
        code, text = self.changed(add_variant)
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"scan_i32 +2\^28.* 0\.90 +1\.40 +cub")
        heads = [line for line in text.splitlines() if line.startswith("operation") and "ballot_any_order" in line]
        self.assertRegex(heads[0], r"^operation +n +ballot +ballot_any_order +cub +generator +copy +rate of ballot")
        of_the_rest = text[:text.index("compact_bits")].rsplit("operation ", 1)[1].splitlines()[0]
        self.assertNotIn("ballot_any_order", of_the_rest)

    def test_of_two_releases_of_cub_the_faster_one_counts(self):
        def add_newest(results):
            results["context"]["cub_newest"] = "3.5.0"
            run_name = f"scan_i32/n:{N}/call/cub_newest"
            results["benchmarks"].append({**results["benchmarks"][0], "run_name": run_name, "name": run_name, "real_time": 550,
                                          "time_unit": "us"})
        code, text = self.changed(add_newest)
        self.assertEqual(code, 0, text)
        self.assertIn("A GPU, CUB 3.0.1, newest CUB 3.5.0, commit 0123456789ab", text)
        self.assertRegex(text, r"scan_i32 +2\^28.* 0\.90 +1\.10 +cub_newest")
        self.assertEqual(text.count("operation "), 2)  # a column, and no table of its own: one for call, one for graph
        row = next(row for row in report.load(self.file)[1] if (row.operation, row.n, row.mode) == ("scan_i32", N, "call"))
        self.assertAlmostEqual(row.ratio_to("cub"), 1.1)

    def test_own_thresholds_can_be_read(self):
        self.assertEqual(run(SAMPLE, "--check")[0], 1)  # the sample does not have all operations

    def test_a_baseline_tells_what_changed_beyond_the_noise(self):
        def of(operation, contender, n=N):
            return lambda run: run["run_name"].startswith(f"{operation}/n:{n}/call/{contender}/") and run["run_type"] == "iteration"

        def scale(results, which, *factors):
            for run, factor in zip(filter(which, results["benchmarks"]), factors):
                run["real_time"] *= factor

        def compared(change):
            self.changed(change)
            code, text = run(self.file, "--baseline", SAMPLE)
            self.assertEqual(code, 0, text)
            after = text[text.index("Since A GPU"):]
            return {tuple(line.split()[:3]): line.split()[-2:] for line in after.splitlines() if "2^" in line}

        sort, scan = ("sort_u32:uniform", "2^28", "call"), ("scan_i32", "2^28", "call")
        self.assertEqual(compared(lambda results: None)[sort], ["as", "before"])
        self.assertEqual(compared(lambda results: scale(results, of("sort_u32:uniform", "ballot"), 0.5, 0.5, 0.5))[sort], ["2.00", "faster"])
        self.assertEqual(compared(lambda results: scale(results, of("sort_u32:uniform", "ballot"), 2, 2, 2))[sort], ["0.50", "SLOWER"])
        # within 2 %, or the repetitions' ranges touch
        self.assertEqual(compared(lambda results: scale(results, of("sort_u32:uniform", "ballot"), 1.01, 1.01, 1.01))[sort], ["as", "before"])
        self.assertEqual(compared(lambda results: scale(results, of("sort_u32:uniform", "ballot"), 1.5, 1.5, 1))[sort], ["as", "before"])

        # a machine whose copy is twice as slow makes nothing slower
        def slower_machine(results):
            for contender in ("ballot", "copy"):
                scale(results, of("scan_i32", contender), 2, 2, 2)
        self.assertEqual(compared(slower_machine)[scan], ["as", "before"])

    def test_what_is_no_result_is_told(self):
        self.assertEqual(self.changed(lambda results: results["benchmarks"].clear())[0], 2)
        self.assertEqual(self.changed(lambda results: results.pop("benchmarks"))[0], 2)
        self.assertEqual(run(self.file.with_name("missing"))[0], 2)
        code, text = self.changed(
            lambda results: results["benchmarks"][0].update(error_occurred=True, error_message="wrong answer: item 7"))
        self.assertEqual(code, 2)
        self.assertIn("wrong answer: item 7", text)
        for nothing in (0, -1.5, float("nan")):
            code, text = self.changed(lambda results: results["benchmarks"][0].update(real_time=nothing))
            self.assertEqual(code, 2, text)
            self.assertIn(": no time: ", text)

    def test_a_missing_field_is_named_with_its_file(self):
        name = json.loads(SAMPLE.read_text())["benchmarks"][0]["run_name"]
        for key in ("run_name", "family_index", "real_time", "time_unit", "bytes_per_second", "items_per_second"):
            code, text = self.changed(lambda results: results["benchmarks"][0].pop(key))
            self.assertEqual(code, 2, text)
            place = "benchmarks[0]" if key == "run_name" else name
            self.assertEqual(text, f'report: {self.file}: {place}: the field "{key}" is missing\n')
        for key, value, said in (("real_time", "fast", 'the field "real_time" is no number'), ("time_unit", "h", "a unit of time"),
                                 ("run_name", "scan/n:many/call/cub", "no benchmark of ballot_bench"),
                                 ("run_name", f"scan/n:{N}/twice/cub", "no benchmark of ballot_bench")):
            code, text = self.changed(lambda results: results["benchmarks"][0].update({key: value}))
            self.assertEqual(code, 2, text)
            self.assertIn(str(self.file), text)
            self.assertIn(said, text)
        code, text = self.changed(lambda results: results["benchmarks"].insert(0, {"error_occurred": True}))
        self.assertEqual((code, text.count("failed in that run:\n  ")), (2, 1), text)

    def test_a_missing_field_of_a_threshold_is_named_with_its_file(self):
        for key in ("operation", "n", "at_least"):
            code, text = self.with_thresholds({name: value for name, value in
                                               {"operation": "scan_*", "n": N, "at_least": 1.0}.items() if name != key})
            self.assertEqual((code, text), (2, f'report: {self.file}: operations[0]: the field "{key}" is missing\n'))


class OfTheCommand(unittest.TestCase):
    """bench/command.py"""

    def table(self, results):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "results.json"
            file.write_text(results)
            done = subprocess.run([sys.executable, command.__file__, "--table", file], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr.replace(str(file), "FILE")

    def test_a_file_without_a_field_is_told(self):
        self.assertEqual(self.table("{}"), (1, "command.py: FILE: the field 'results' is missing\n"))
        self.assertEqual(self.table('{"results": [{"case": "sort"}]}'), (1, "command.py: FILE: the field 'programs' is missing\n"))
        self.assertRegex(self.table("[")[1], r"^command\.py: FILE: Expecting value[^\n]*\n$")

    def test_a_run_without_time_for_a_case_has_a_table(self):
        code, text = self.table('{"results": []}')
        self.assertEqual((code, text.strip()), (0, command.HEAD))

    def test_colons_in_names_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a:b.csv"
            file.write_text("x\n1\n")
            self.assertEqual(command.file_and_column(str(file)), (str(file), ""))
            self.assertEqual(command.file_and_column(f"{file}:x"), (str(file), "x"))
        self.assertEqual(command.file_and_column("cities.csv:population"), ("cities.csv", "population"))


if __name__ == "__main__":
    unittest.main()
