# SPDX-License-Identifier: Apache-2.0
"""ballot bench, with a stand-in for the program that measures, which needs a GPU: its arguments and results."""

import pathlib
import shutil
import stat
import unittest.mock

import command

BENCH = pathlib.Path(__file__).resolve().parent.parent.parent / "bench"
SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "house" / "bench_sample.json"

STAND_IN = """#!/bin/sh
printf '%s\\n' "$@" > "{folder}/asked"
for word; do case $word in --benchmark_out=*) out=${{word#*=}} ;; esac; done
echo "rubbish on standard output"
{then}
"""


class BenchTest(command.CommandTest):
    def install(self, then=f'cat "{SAMPLE}" > "$out"'):
        shutil.copy(command.COMMAND, self.folder / "ballot")
        for script in ("report.py", "grid_report.py", "plots.py", "page.py"):
            shutil.copy(BENCH / script, self.folder)
        program = self.file("ballot_bench", STAND_IN.format(folder=self.folder, then=then))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def bench(self, *words, expect=0):
        with unittest.mock.patch.object(command, "COMMAND", str(self.folder / "ballot")):
            return self.ballot("bench", *words, expect=expect, engine=None)

    def test_results_and_table(self):
        self.install()
        done = self.bench("--quick", "--sizes", "2^16,2^28", "--keys", "sorted", "--filter", "scan", "-o", self.file("out.json"))
        self.assertEqual(self.file("out.json").read_bytes(), SAMPLE.read_bytes())
        self.assertEqual(self.file("asked").read_text().split("\n")[:-2], [
            "--benchmark_out_format=json", "--quick", "--sizes=2^16,2^28", "--keys=sorted", "--benchmark_filter=scan"])
        self.assertIn(b"A GPU, CUB 3.0.1", done.stdout)
        self.assertNotIn(b"rubbish", done.stdout)

    def test_baseline(self):
        self.install()
        done = self.bench("-o", self.file("out.json"), "--baseline", SAMPLE)
        self.assertIn(b"as before", done.stdout)
        self.assertIn("out.json", self.names())

    def test_nothing_is_kept_of_a_run_that_failed(self):
        for then, code, says in (("exit 77", 1, b"no usable GPU"), ('echo "{" > "$out"; exit 1', 1, b"ended with 1"), ("kill -9 $$", 1, b"ended with 137"),
                                 ("exit 2", 2, b"options")):
            self.install(then)
            old = self.file("out.json", "old")
            done = self.bench("-o", old, expect=code)
            self.assertIn(says, done.stderr)
            self.assertEqual(old.read_bytes(), b"old")
            self.assertEqual([name for name in self.names() if name.startswith(".")], [])

    def test_results_that_could_not_be_read_again(self):
        """Are refused before anything is measured."""
        self.install()
        for output, says in (("-", b"--output -: the results go to a file"), (self.file("out.json.gz"), b"the results are not compressed: use "),
                             (self.file("out.json.zst"), b"the results are not compressed")):
            done = self.bench("-o", output, expect=2)
            self.assertIn(says, done.stderr)
        self.assertIn(b"not a regular file", self.bench("-o", "/dev/null", expect=1).stderr)
        self.assertNotIn("asked", self.names())

    def test_files_that_would_be_lost(self):
        """Or that are not there: refused before anything is measured."""
        self.install()
        old, results = self.file("old.json", SAMPLE.read_text()), self.file("out.json")
        self.file("link.json").symlink_to(old)
        for words, code, says in (
                (("-o", results, "--page", results), 2, b"it would replace the results of --output"),
                (("-o", results, "--page", f"{self.folder}/./out.json"), 2, b"it would replace the results of --output"),
                (("-o", results, "--page", "-"), 2, b"the page goes to a file"),
                (("-o", results, "--page", self.folder / "none" / "page.html"), 1, b"none"),
                (("-o", old, "--baseline", old), 2, b"--output would replace it"),
                (("-o", old, "--baseline", self.file("link.json")), 2, b"--output would replace it"),
                (("-o", results, "--page", old, "--baseline", old), 2, b"--page would replace it"),
                (("-o", results, "--baseline", self.file("gone.json")), 1, b"gone.json: No such file")):
            with self.subTest(words=words):
                self.assertIn(says, self.bench(*words, expect=code).stderr)
                self.assertNotIn("asked", self.names())
                self.assertFalse(results.exists())
        self.assertEqual(old.read_bytes(), SAMPLE.read_bytes())

    def test_without_the_program(self):
        shutil.copy(command.COMMAND, self.folder / "ballot")
        done = self.bench("-o", self.file("out.json"), expect=1)
        self.assertIn(b"BALLOT_BENCH=ON", done.stderr)
        self.assertFalse(self.file("out.json").exists())


if __name__ == "__main__":
    command.main()
