# SPDX-License-Identifier: Apache-2.0
"""ballot sort --gpus N: the files that the CPU engine makes, for every type, bits, positions and rows; and what is refused."""

import json
import os
import random
import subprocess

import command
from command import DTYPES, npy_of, size_of

ABSENT = "Install NCCL"


def gpus():
    info = json.loads(subprocess.run([command.COMMAND, "info", "--json"], stdout=subprocess.PIPE, check=True, timeout=300).stdout)
    return len(info["cuda"].get("devices", []))


class RefusedTest(command.CommandTest):
    def test_what_does_not_go_together(self):
        source = self.file("in.npy", npy_of("u32", bytes(40)))
        self.assert_refused("sort", source, "-o", self.file("out.npy"), "--gpus", 2, "--engine", "cpu", expect=2, engine=None,
                            says="--gpus and --engine cpu do not go together")
        self.assert_refused("sort", source, "-o", self.file("out.npy"), "--gpus", 0, expect=2, engine=None, says="--gpus 0")
        self.assertEqual(self.names(), ["in.npy"])

    def test_more_than_there_are_or_no_nccl(self):
        source = self.file("in.npy", npy_of("u32", bytes(40)))
        text = self.assert_refused("sort", source, "-o", self.file("out.npy"), "--gpus", 99, engine=None, says="--gpus")
        self.assertTrue("GPUs here" in text or ABSENT in text or "cuda engine" in text, text)
        self.assertEqual(self.names(), ["in.npy"])


class SeveralGpusTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        if command.ENGINE != "cuda":
            self.skipTest("needs GPUs")
        self.gpus = min(gpus(), 2)
        done = self.ballot("sort", "-", "--gpus", self.gpus, stdin="2\n1\n", expect=None)
        if ABSENT in done.stderr.decode():
            self.skipTest("this program has no NCCL")

    def check(self, source, *words, suffix="npy"):
        mine, reference = self.file("mine." + suffix), self.file("reference." + suffix)
        self.ballot("sort", source, "-o", mine, "--gpus", self.gpus, "--verify", *words)
        self.ballot("sort", source, "-o", reference, "--engine", "cpu", *words, engine=None)
        self.assertEqual(mine.read_bytes(), reference.read_bytes(), words)

    def test_every_type(self):
        for dtype in DTYPES:
            source = self.file("in.npy", npy_of(dtype, random.Random(4).randbytes(50_001 * size_of(dtype))))
            self.check(source)
            self.check(source, "--descending")
            self.check(source, "--argsort")
            self.check(source, "--bits", "1:7", "--argsort", "--descending")

    def test_few_items_or_none(self):
        for count in (0, 1, 2, 3):
            self.check(self.file("in.npy", npy_of("i16", random.Random(5).randbytes(2 * count))))

    def test_raw_and_text_and_runs(self):
        raw = self.file("in.raw", random.Random(6).randbytes(1 << 20))
        self.check(raw, "--dtype", "u64", suffix="raw")
        self.check(raw, "--dtype", "f32", "--memory", "256K", suffix="raw")
        self.check(self.file("in.txt", "".join(f"{(i * 7919) % 1000}\n" for i in range(3000))), suffix="txt")

    def test_rows(self):
        rows = [(random.Random(i).choice(("x", "y", "zebra")), (i * 7919) % 500, i) for i in range(4000)]
        table = self.file("in.csv", "name,number,row\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        self.check(table, "--by", "name", "--by", "number:desc", suffix="csv")
        records = self.file("in.bin", os.urandom(100 * 3000))
        self.check(records, "--format", "records", "--record-bytes", "100", "--by", "0:10", suffix="bin")


if __name__ == "__main__":
    command.main()
