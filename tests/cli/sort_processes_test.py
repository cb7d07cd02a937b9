# SPDX-License-Identifier: Apache-2.0
"""mpirun -n N ballot sort: the files that one process makes, for every type, bits, positions and records; and what is refused."""

import os
import random
import shutil
import subprocess
import unittest

import command
from command import DTYPES, npy, npy_of, size_of

MPIRUN = shutil.which("mpirun")
ABSENT = "needs MPI"
PROCESSES = int(os.environ.get("BALLOT_TEST_PROCESSES", "2" if command.ENGINE == "cuda" else "3"))


class ProcessesTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        if MPIRUN is None:
            self.skipTest("there is no mpirun")

    def several(self, *words, processes=PROCESSES, expect=0, variables=None, engine=command.ENGINE):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **(variables or {}))
        done = subprocess.run(
            [MPIRUN, "--oversubscribe", "-n", str(processes), command.COMMAND, *map(str, words), "--engine", engine],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False, env=environment)
        text = done.stderr.decode()
        if ABSENT in text and variables is None:
            self.skipTest("this program has no plug-in for MPI")
        if expect is not None:
            self.assertEqual(done.returncode, expect, text)
        return text

    def check(self, source, *words, suffix="npy", processes=PROCESSES):
        mine, reference = self.file("mine." + suffix), self.file("reference." + suffix)
        self.several("sort", source, "-o", mine, "--verify", *words, processes=processes)
        self.ballot("sort", source, "-o", reference, "--engine", "cpu", *words, engine=None)
        self.assertEqual(mine.read_bytes(), reference.read_bytes(), (words, processes))
        self.assertEqual([name for name in self.names() if name.startswith(".")], [])


class ResultTest(ProcessesTest):
    def test_every_type(self):
        for dtype in DTYPES:
            source = self.file("in.npy", npy_of(dtype, random.Random(4).randbytes(5_001 * size_of(dtype))))
            self.check(source)
            self.check(source, "--bits", "1:7", "--argsort", "--descending")

    def test_bits_and_positions(self):
        source = self.file("in.npy", npy_of("u32", random.Random(7).randbytes(4 * 20_000)))
        self.check(source, "--bits", "3:11")  # equal ones keep their order
        self.check(source, "--argsort")
        self.check(source, "--descending", suffix="raw")

    def test_skew(self):
        equal = self.file("in.raw", b"\x07\0\0\0" * 10_001)
        few = self.file("few.raw", b"".join(bytes([random.Random(i).randrange(3), 0, 0, 0]) for i in range(10_000)))
        for source in (equal, few):
            self.check(source, "--dtype", "u32", "--argsort", suffix="raw")
            self.check(source, "--dtype", "u32", suffix="raw")

    def test_few_items_or_none(self):
        for count in (0, 1, 2, 5):
            self.check(self.file("in.npy", npy_of("i16", random.Random(5).randbytes(2 * count))))

    @unittest.skipIf(command.ENGINE == "cuda", "as many as there are GPUs")
    def test_other_numbers_of_processes(self):
        source = self.file("in.npy", npy_of("f64", random.Random(8).randbytes(8 * 3001)))
        for processes in (2, 5):
            self.check(source, processes=processes)

    def test_records(self):
        records = self.file("in.bin", random.Random(9).randbytes(100 * 3000))
        self.check(records, "--format", "records", "--record-bytes", "100", "--by", "0:10", suffix="bin")
        few = self.file("few.bin", b"".join(random.Random(i % 7).randbytes(12) for i in range(500)))
        self.check(few, "--format", "records", "--record-bytes", "12", "--by", "0:2:desc", "--by", "5:6", suffix="bin")

    def test_fields(self):
        descr = "[('x', '<f4'), ('id', '<u8'), ('cell', '<i2')]"
        data = b"".join(random.Random(i % 50).randbytes(14) for i in range(2000))
        self.check(self.file("in.npy", npy(descr, (2000,), data)), "--by", "cell", "--by", "x:desc")

    def test_an_old_file_is_replaced(self):
        source = self.file("in.raw", random.Random(3).randbytes(4000))
        self.file("mine.raw", b"old")
        self.check(source, "--dtype", "u32", suffix="raw")
        self.several("sort", source, "--dtype", "u32", "-o", source)  # in place
        self.assertEqual(source.read_bytes(), self.file("mine.raw").read_bytes())


class RefusedTest(ProcessesTest):
    def refuse(self, *words, says, expect=2, **options):
        before = self.names()
        text = self.several(*words, expect=expect, **options)
        self.assertIn(says, text)
        self.assertEqual(text.count("ballot: "), 1, text)  # one process says it
        self.assertEqual(self.names(), before)

    def test_what_several_processes_do_not_do(self):
        source, out = self.file("in.raw", bytes(4000)), self.folder / "out.raw"
        column = ("sort", source, "--dtype", "u32", "-o", out)
        self.refuse(*column, "--memory", "1G", says="--memory is not for sorts by several processes")
        self.refuse("sort", source, "--dtype", "u32", "-o", "-", says="name the input, and the output by -o")
        self.refuse("sort", source, source, "--dtype", "u32", "-o", out, says="several processes sort one file")
        self.refuse("sort", source, "--dtype", "u32", "-o", self.folder / "out.txt", says="and not text")
        rows = self.file("in.csv", "a,b\n1,2\n")
        self.refuse("sort", rows, "--by", "a", "-o", self.folder / "out.csv", says="rows of one size")
        self.refuse("sort", source, "--format", "records", "--record-bytes", 10, "--by", "0:4", "--unique", "-o", out,
                    says="all rows as they are")

    def test_bad_files(self):
        out = self.folder / "out.raw"
        self.refuse("sort", self.folder / "absent.raw", "--dtype", "u32", "-o", out, says="No such file", expect=1)
        self.refuse("sort", self.file("odd.raw", bytes(4001)), "--dtype", "u32", "-o", out, says="whole number", expect=1)
        self.refuse("sort", self.file("in.npy", npy_of("u32", bytes(40))[:-1]), "-o", self.folder / "out.npy", says="truncated", expect=1)
        self.refuse("sort", self.file("in.raw", bytes(40)), "--dtype", "u32", "-o", self.folder / "no" / "out.raw", says="No such file",
                    expect=1)
        self.refuse("sort", self.file("in.raw", bytes(40)), "--dtype", "u32", "-o", self.folder / "out.raw.gz", says="not compressed",
                    expect=1)
        self.refuse("sort", self.file("in.bin", bytes(41)), "--format", "records", "--record-bytes", 10, "--by", "0:4", "-o", out,
                    says="whole number", expect=1)

    def test_without_the_plug_in(self):
        source, out = self.file("in.raw", bytes(40)), self.folder / "out.raw"
        text = self.several("sort", source, "--dtype", "u32", "-o", out, expect=2,
                            variables={"BALLOT_MPI_PLUGIN": str(self.folder / "absent.so")})
        self.assertIn("libopenmpi-dev", text)
        self.assertIn("there is no", text)
        self.assertEqual(self.names(), ["in.raw"])


if __name__ == "__main__":
    command.main()
