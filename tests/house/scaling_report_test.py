#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests bench/scaling_report.py: its model gives the times that docs/scaling.md states, and its tables those of a result."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True
import scaling_report  # noqa: E402

PAGE = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")


def run(**changes):
    return {"name": "sort.u32", "keys": "uniform", "scaling": "weak", "items": 2 ** 29, "ranks": 2, "item_bytes": 4,
            "ms": 6.0, "one_gpu_ms": 3.6, "efficiency": 0.6, "Gitems_per_s": 89.5, "sent_bytes": 2 ** 29,
            "phases_ms": [["counted", 0.3], ["end", 5.9]], "exchange": "memory", **changes}


class ModelTest(unittest.TestCase):
    def test_two_gpus_as_the_page_says(self):
        for exchange in scaling_report.LINK_GB_PER_S:
            said = [float(ms) for ms in re.search(rf"\| the model, {exchange} \| ([^\n]*) \|", PAGE)[1].split(" | ")]
            for name, ms in zip(scaling_report.H200_PARTS, said, strict=True):
                self.assertAlmostEqual(scaling_report.model_ms(name, 2 ** 29, 2, exchange), ms, delta=0.01 * ms)

    def test_a_sort_beside_an_exchange_takes_longer(self):
        for name in scaling_report.H200_PARTS:
            for ranks in (2, 4, 8):
                copies, messages = (scaling_report.model_ms(name, 2 ** 28 * ranks, ranks, e) for e in ("copies", "messages"))
                self.assertGreater(messages, copies)

    def test_eight_gpus_as_the_page_says(self):
        copies, messages = map(float, re.search(r"\| sum \| ([\d.]+) \| ([\d.]+) \|", PAGE).groups())
        self.assertAlmostEqual(scaling_report.model_ms("sort.u32", 2 ** 31, 8, "copies"), copies, delta=0.05)
        self.assertAlmostEqual(scaling_report.model_ms("sort.u32", 2 ** 31, 8, "messages"), messages, delta=0.06)

    def test_one_gpu_sorts_as_measured(self):
        for name, parts in scaling_report.H200_PARTS.items():
            for power, ms in parts["sort"].items():
                self.assertAlmostEqual(scaling_report.model_ms(name, 2 ** power, 1, "copies"), ms)

    def test_more_gpus_take_longer_for_as_many_each_and_less_for_as_many_in_all(self):
        for name in scaling_report.H200_PARTS:
            weak = [scaling_report.model_ms(name, 2 ** 28 * ranks, ranks, "copies") for ranks in (1, 2, 4, 8)]
            strong = [scaling_report.model_ms(name, 2 ** 30, ranks, "copies") for ranks in (1, 2, 4, 8)]
            self.assertEqual(weak, sorted(weak))
            self.assertEqual(strong, sorted(strong, reverse=True))

    def test_other_calls_have_no_model(self):
        self.assertIsNone(scaling_report.model_ms("scan.u32", 2 ** 28, 2, "copies"))


class ReportTest(unittest.TestCase):
    def test_rows(self):
        text = scaling_report.report([
            run(), run(keys="zipf", ms=6.5), run(name="scan.u32", sent_bytes=0),
            run(scaling="strong", items=10 ** 9, one_gpu_ms=None, efficiency=None), run(exchange="nccl", ms=7.0)])
        memory, messages = text.split("By messages of NCCL.")
        self.assertIn("| 2^29 | 2 | uniform | 7 | 6.17 | 0.60 | 90 | 1.00 |", messages)
        self.assertIn("| 2^29 | 2 | uniform | 6 | 5.66 | 0.60 | 90 | 1.00 |", memory)
        self.assertNotIn("uniform | 7 |", memory)
        self.assertIn("| 2^29 | 2 | zipf | 6.5 |  | 0.60 | 90 | 1.00 |", text)  # the model is of uniform keys
        self.assertIn("`scan.u32`, as many items a GPU:", text)
        self.assertRegex(text, r"\| 1000000000 \| 2 \| uniform \| 6 \| [\d.]+ \|  \| 90 \|")
        self.assertIn("Steps of `sort.u32` on 2 GPUs at rank 0, ms: counted 0.30, end 5.90", text)

    def test_a_file_of_something_else_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "other.json"
            for content in ('{"grid": []}', "[1, 2]", "no JSON"):
                file.write_text(content, encoding="utf-8")
                done = subprocess.run([sys.executable, ROOT / "bench/scaling_report.py", file], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn("holds no results of ballot_bench_distributed", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
            file.write_text(json.dumps([run()]), encoding="utf-8")
            done = subprocess.run([sys.executable, ROOT / "bench/scaling_report.py", file], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
