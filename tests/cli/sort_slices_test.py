# SPDX-License-Identifier: Apache-2.0
"""Tables and columns several times as large as their memory, which is large enough that runs are merged in slices."""

import os
import random
import signal
import subprocess
import time

import command
from command import COMMAND, ENGINE, default_signals, pack, unpack

MEMORY = 3 << 20
ROWS = 150_000


def keys_of(kind, rng):
    return {"random": lambda i: rng.randrange(10**9), "few": lambda i: rng.randrange(4), "one": lambda i: 7,
            "sorted": lambda i: i, "falling": lambda i: -i}[kind]


class SortSlicesTest(command.CommandTest):
    def check(self, source, *words):
        """In slices as in memory, byte for byte; returns the number of runs."""
        expected, found = self.file("memory" + source.suffix), self.file("slices" + source.suffix)
        self.report("sort", source, *words, "-o", expected)
        report, _ = self.report("sort", source, *words, "--memory", MEMORY, "-o", found)
        self.assertTrue(expected.read_bytes() == found.read_bytes(), (source, words))
        self.assertEqual(self.names(), sorted({source.name, expected.name, found.name}))
        expected.unlink()
        found.unlink()
        return report["runs"]

    def test_tables(self):
        for kind in ("random", "few", "one", "sorted", "falling"):
            rng = random.Random(kind)
            key = keys_of(kind, rng)
            rows = [f'{key(i)},"row ""{i}"",{"x" * rng.randrange(30)}"' for i in range(ROWS)]
            end = "\n" if kind != "few" else ""  # the last row may lack its line end
            source = self.file("in.csv", "key,text\n" + "\n".join(rows) + end)
            for words in ([], ["--verify"], ["--unique", "--verify"], ["--top", "20000"]):
                self.assertGreater(self.check(source, "--by", "key", *words), 3)
            self.assertGreater(self.check(source, "--by", "text:desc"), 3)

    def test_lines(self):
        rng = random.Random(1)
        lines = ["prefix of all lines " + "ab"[rng.randrange(2)] * rng.randrange(25) for _ in range(2 * ROWS)]
        source = self.file("in.txt", "\r\n".join(lines))
        for words in ([], ["--unique"], ["--descending", "--verify"]):
            self.assertGreater(self.check(source, "--format", "lines", *words), 3)

    def test_records(self):
        source = self.file("in.bin", random.Random(2).randbytes(100 * ROWS))
        for key in ("0:10", "3:1", "96:u32"):
            self.assertGreater(self.check(source, "--record-bytes", 100, "--by", key), 3)

    def test_columns(self):
        for kind in ("random", "few", "one", "sorted", "falling"):
            key = keys_of(kind, random.Random(kind))
            items = [key(i) for i in range(1_000_000)]
            source, out = self.file("in.raw", pack("i32", items)), self.file("out.raw")
            report, _ = self.report("sort", source, "--dtype", "i32", "--memory", MEMORY, "-o", out, "--verify")
            self.assertTrue(unpack("i32", out.read_bytes()) == sorted(items), kind)
            self.assertGreater(report["runs"], 1)

    def test_interrupted_at_any_moment(self):
        rng = random.Random(3)
        source = self.file("in.csv", "key\n" + "".join(f"{rng.randrange(10**9)}\n" for _ in range(3 * ROWS)))
        words = [COMMAND, "sort", source, "--by", "key:i64", "--memory", MEMORY, "-o", self.file("out.csv", "old"), "--engine", ENGINE]
        begin = time.monotonic()
        subprocess.run([*map(str, words[:-3]), self.file("whole.csv"), *words[-2:]], stderr=subprocess.DEVNULL, check=True)
        whole = time.monotonic() - begin
        complete = self.file("whole.csv").read_bytes()
        self.file("whole.csv").unlink()
        for part in range(1, 10):
            run = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL, preexec_fn=default_signals)
            time.sleep(whole * part / 10)
            run.send_signal(signal.SIGINT if part % 2 else signal.SIGTERM)
            run.wait(60)
            self.assertIn(self.file("out.csv").read_bytes(), (b"old", complete))
            self.assertEqual(self.names(), ["in.csv", "out.csv"])
            self.file("out.csv", "old")


if __name__ == "__main__":
    command.main()
