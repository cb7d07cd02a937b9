# SPDX-License-Identifier: Apache-2.0
"""What --dry-run says about memory is about what the run then takes, and a dry run takes little itself."""

import json
import os
import random
import subprocess
import sys

import command
from command import COMMAND, ENGINE

MILLION = 10**6
# What a process has in memory counts for the one that it begins: a small one begins the program. On two processors: each thread
# has buffers of its own.
MEASURE = """import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(status, usage.ru_maxrss)"""


class DryRunMemoryTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        if ENGINE != "cpu":
            self.skipTest("a GPU's driver takes memory of the host for itself")
        with open(COMMAND, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("the address sanitizer keeps memory that was given back")
        self.nothing = self.peak("sort", self.file("tiny.csv", "a\n2\n1\n"), "--by", "a", "-o", self.file("out.csv"))

    def peak(self, *words):
        """Of the program, with itself."""
        words = [COMMAND, *map(str, words), "--quiet", "--engine", ENGINE]
        done = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, *words], stdout=subprocess.PIPE, check=True, timeout=300)
        status, peak = map(int, done.stdout.split()[-2:])
        self.assertEqual(status, 0, words)
        return peak * 1024

    def forecast(self, *words):
        return json.loads(self.ballot(*words, "--dry-run", "--json").stdout)

    def assert_about(self, *words, least=0.6, most=1.7):
        told, taken = self.forecast(*words)["memory_bytes"], self.peak(*words) - self.nothing
        self.assertTrue(least * taken <= told <= most * taken, f"{words}: {told / MILLION:.1f} MB are told, {taken / MILLION:.1f} MB are taken")

    def table(self, name="in.csv", rows=700_000):
        rng = random.Random(1)
        some = "".join(f"{rng.randrange(10**6)},{rng.randrange(10**9)},name{rng.randrange(10**6)}\n" for _ in range(20_000))
        return self.file(name, "k,v,t\n" + some * (rows // 20_000))

    def test_compact_of_a_column(self):
        words, bytes_ = self.file("words.raw", os.urandom(32 * MILLION)), self.file("bytes.raw", os.urandom(8 * MILLION))
        for path, dtype in ((words, "u32"), (bytes_, "u8")):
            # The third selects half of what is forecast. Pieces of 4 MiB are small beside what the program varies by.
            for options, most in ((["--where", "value > 5"], 2.5), (["--where", "value > 5", "--verify"], 1.7), (["--where", "value % 2 == 0"], 2), (["--where", "value % 2 < 2"], 1.7)):
                self.assert_about("compact", path, "--dtype", dtype, *options, "-o", self.file("out.raw"), most=most)
        self.assert_about("compact", words, "--dtype", "u32", "--where", "value > 5", "-o", self.file("out.npy"))
        for options in ([], ["--verify"]):
            self.assert_about("compact", bytes_, "--dtype", "u8", "--flags", bytes_, *options, "-o", self.file("out.raw"))
        # Piece by piece it does not grow with the input.
        large = self.file("large.raw", bytes(64 * MILLION))
        few = ("--dtype", "u32", "--where", "value < 5", "-o", self.file("out.raw"))
        self.assertEqual(self.forecast("compact", words, *few)["memory_bytes"], self.forecast("compact", large, *few)["memory_bytes"])
        self.assertLess(self.forecast("compact", large, *few)["memory_bytes"], 20 * MILLION)
        first = ("--dtype", "u32", "--where", "value % 2 == 0", "--top", "9", "-o", self.file("out.raw"))
        self.assertLess(self.forecast("compact", large, *first)["memory_bytes"], 2 * large.stat().st_size)

    def test_sort_of_a_column(self):
        path = self.file("in.raw", os.urandom(32 * MILLION))
        for options in ([], ["--verify"], ["--bits", "0:8"], ["--bits", "0:8", "--verify"], ["--bits", "0:8", "--verify", "--memory", "8M"], ["--memory", "8M"]):
            self.assert_about("sort", path, "--dtype", "u32", *options, "-o", self.file("out.raw"))

    def test_sort_of_a_table(self):
        path = self.table()
        for options in (["--by", "v"], ["--by", "v:i64"], ["--by", "v", "--by", "k"], ["--by", "t"], ["--by", "v:i64", "--indices"]):
            self.assert_about("sort", path, *options, "-o", self.file("out.csv" if "--indices" not in options else "out.txt"))

    def test_compact_of_a_table(self):
        path = self.table()
        for options in (["--unique"], ["--where", "v > 5", "--unique"], ["--where", "v:i64 > 5", "--top", "10"], ["--unique", "--by", "t"]):
            self.assert_about("compact", path, *options, "-o", self.file("out.csv"))

    def test_a_dry_run_reads_batches_where_the_run_does(self):
        path = self.table()
        for words in (("compact", path, "--where", "v > 5"), ("compact", path, "--where", "v > 5", "--indices"),
                      ("compact", path, "--where", "v:i64 > 5", "--top", "10"), ("sort", path, "--by", "v")):
            out = self.file("out.txt" if "--indices" in words else "out.csv")
            # As much as the run, or some batches of 8 MiB where only types are looked for.
            most = 30 * MILLION if words[0] == "sort" else self.forecast(*words, "-o", out)["memory_bytes"] + 8 * MILLION
            self.assertLess(self.peak(*words, "-o", out, "--dry-run") - self.nothing, most, words)

    def test_the_rows_behind_the_first_are_not_looked_at(self):
        path = self.table()
        with open(path, "a", encoding="utf-8") as out:
            out.write("1,2,\"not closed\n")
        told = self.forecast("compact", path, "--where", "v:i64 > 5", "--top", "10", "-o", self.file("out.csv"))
        self.assertEqual((told["n"], told["inputs"][0]["n"]), (None, None))
        self.assertIn("only when they are read", told["inputs"][0]["note"])
        few = self.file("few.csv", "v\n1\n2\n")
        self.assertEqual(self.forecast("compact", few, "--where", "v:i64 > 1", "--top", "1", "-o", self.file("out.csv"))["n"], 2)


if __name__ == "__main__":
    command.main()
