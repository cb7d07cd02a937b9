# SPDX-License-Identifier: Apache-2.0
"""mpirun -n N ballot sort: the files that one process makes, for every type, bits, positions and records; and what is refused."""

import json
import os
import random
import shutil
import struct
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

    def launch(self, *words, variables=None):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **(variables or {}))
        environment.setdefault("OMPI_MCA_pml", "ob1")  # else Open MPI looks for fast networks: half of this test's time
        done = subprocess.run([MPIRUN, "--oversubscribe", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                              check=False, env=environment)
        done.text = done.stderr.decode()
        if ABSENT in done.text and variables is None and not any(word.startswith("BALLOT_MPI_PLUGIN") for word in map(str, words)):
            self.skipTest("this program has no plug-in for MPI")
        return done

    def run_several(self, *words, processes=PROCESSES, expect=0, variables=None, engine=command.ENGINE):
        done = self.launch("-n", processes, command.COMMAND, *words, "--engine", engine, variables=variables)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.text)
        return done

    def several(self, *words, **options):
        return self.run_several(*words, **options).text

    def pair(self, first, second):
        """Two processes that are not started alike: the words of each, from the program on, without the engine."""
        return self.launch(*("-n", 1, *first, "--engine", command.ENGINE, ":", "-n", 1, *second, "--engine", command.ENGINE))

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

    def test_times_that_are_none_beside_the_last_one(self):
        none, last = -1 << 63, (1 << 63) - 1
        for values in ([none, 5, last, 7], [5, 7, none, last, 3, none, last], [last, none, none + 1, 1, 2, 3, 4], [none], [none] * 5):
            source = self.file("in.npy", npy("'<M8[s]'", f"({len(values)},)", struct.pack(f"<{len(values)}q", *values)))
            self.check(source)
            self.check(source, "--descending")
            self.check(source, processes=2)
            twice = self.file("two.npy", npy("[('a', '<M8[s]'), ('b', '<M8[s]')]", f"({len(values)},)",
                                             b"".join(struct.pack("<2q", values[i % 3 % len(values)], values[-1 - i]) for i in range(len(values)))))
            self.check(twice, "--by", "a:desc", "--by", "b")

    def test_texts_of_numpy(self):
        words = ["common one", "common two", "", "common", "common two and more", "c", "common one", "zebra", "common\0x", "\x7f" * 24]
        bytes_of = b"".join(struct.pack("<24sI", word.encode(), i) for i, word in enumerate(words))
        wide_of = b"".join(word[:8].encode("utf-32-le").ljust(32, b"\0") + struct.pack("<I", i) for i, word in enumerate(words + ["\U0001f600 x", "\u00e4rger"]))
        for descr, data, count in (("'|S24'", bytes_of, len(words)), ("'<U8'", wide_of, len(words) + 2)):
            source = self.file("in.npy", npy(f"[('name', {descr}), ('i', '<u4')]", f"({count},)", data))
            self.check(source, "--by", "name")
            self.check(source, "--by", "name:desc", "--by", "i:desc")
        alone = self.file("in.npy", npy("'|S24'", f"({len(words)},)", b"".join(word.encode().ljust(24, b"\0") for word in words)))
        self.check(alone)

    def test_an_empty_file(self):
        self.check(self.file("in.raw", b""), "--dtype", "u32", suffix="raw")
        self.check(self.file("in.bin", b""), "--format", "records", "--record-bytes", 10, "--by", "0:4", suffix="bin")

    def test_many_keys(self):
        records = self.file("in.bin", bytes(i * i % 7 % 3 for i in range(20 * 200)))
        self.check(records, "--format", "records", "--record-bytes", 20, *(word for i in range(16) for word in ("--by", f"{i}:1")), suffix="bin")

    def test_report(self):
        records = self.file("in.bin", random.Random(9).randbytes(100 * 3000))
        words = ("sort", records, "--format", "records", "--record-bytes", 100, "--by", "0:10", "-o", self.file("out.bin"))
        told = json.loads(self.several(*words, "--json"))
        self.assertEqual(told["n"], 3000)
        self.assertGreater(told["throughput"]["bytes_per_second"], 0)
        self.assertGreater(told["seconds"]["compute" if command.ENGINE == "cpu" else "kernel"], 0)
        column = self.file("in.raw", random.Random(9).randbytes(4 * 3000))
        told = json.loads(self.several("sort", column, "--dtype", "u32", "-o", self.file("out.raw"), "--json"))
        self.assertGreater(told["seconds"]["compute" if command.ENGINE == "cpu" else "kernel"], 0)
        large = self.file("large.bin", bytes(17 << 20))
        words = ("sort", large, "--format", "records", "--record-bytes", 1 << 16, "--by", "0:1", "-o", self.file("out.bin"))
        self.assertIn("ballot sort: 272 rows", self.several(*words))  # not a small job

    @unittest.skipIf(command.ENGINE == "cuda", "a GPU is usable")
    def test_without_a_gpu_the_processors_sort(self):
        usable = json.loads(self.ballot("info", "--json").stdout)["cuda"]["usable"]
        if usable:
            self.skipTest("a GPU is usable")
        source = self.file("in.raw", random.Random(9).randbytes(4 * 300))
        told = json.loads(self.several("sort", source, "--dtype", "u32", "-o", self.file("out.raw"), "--json", engine="auto"))
        self.assertEqual(told["engine"], "cpu")
        self.assertIn("none of which has a usable GPU", told["engine_reason"])
        text = self.several("sort", source, "--dtype", "u32", "-o", self.file("out.raw"), engine="cuda", expect=1)
        self.assertIn("--engine cpu", text)

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

    def test_one_process_without_the_plug_in(self):
        words = (command.COMMAND, "sort", self.file("in.raw", bytes(40)), "--dtype", "u32", "-o", self.folder / "out.raw")
        done = self.pair(words, ("env", f"BALLOT_MPI_PLUGIN={self.folder / 'absent.so'}", *words))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("absent.so", done.text)
        self.assertEqual(self.names(), ["in.raw"])

    def test_processes_that_see_other_files(self):
        folders = self.folder / "short", self.folder / "long"
        for folder, size in zip(folders, (40, 80)):
            folder.mkdir()
            (folder / "in.raw").write_bytes(bytes(size))
        for more in (("--dtype", "u32"), ("--format", "records", "--record-bytes", "4", "--by", "0:4")):
            words = (command.COMMAND, "sort", "in.raw", *more, "-o", self.folder / "out.raw")
            for first, second in (folders, folders[::-1]):
                done = self.pair(("env", "-C", first, *words), ("env", "-C", second, *words))
                self.assertEqual(done.returncode, 1, done.text)
                self.assertIn("all processes have to see the same file", done.text)
                self.assertEqual(done.text.count("ballot: "), 1, done.text)
                self.assertEqual(self.names(), ["long", "short"])

    def test_a_plan_that_one_process_alone_cannot_make(self):
        source, other = self.file("in.raw", bytes(40)), self.folder / "other"
        other.mkdir()
        (self.folder / "results").mkdir()
        words = (command.COMMAND, "sort", source, "--dtype", "u32", "-o", "results/out.raw")
        done = self.pair(("env", "-C", self.folder, *words), ("env", "-C", other, *words))
        self.assertEqual(done.returncode, 1, done.text)
        self.assertIn("No such file", done.text)

    def test_processes_with_other_arguments(self):
        source, out = self.file("in.raw", bytes(range(200))), self.folder / "out.raw"
        second = self.file("second.raw", bytes(200))
        words = (command.COMMAND, "sort", source, "--dtype", "u32", "-o", out)
        for other in ((*words, "--descending"), (*words, "--verify"), (*words, "--dry-run"), (*words[:-1], self.folder / "second.out"),
                      (*words[:4], "i32", *words[5:]), (command.COMMAND, "sort", second, *words[3:])):
            for of_first, of_second in ((words, other), (other, words)):
                done = self.pair(of_first, of_second)
                self.assertEqual(done.returncode, 2, (other, done.text))
                self.assertIn("need the same arguments: process 1 has '", done.text)
                self.assertEqual(done.text.count("ballot: "), 1, done.text)
                self.assertEqual(self.names(), ["in.raw", "second.raw"])

    def test_arguments_that_one_process_alone_does_not_understand(self):
        source, out = self.file("in.raw", bytes(200)), self.folder / "out.raw"
        words = (command.COMMAND, "sort", source, "--dtype", "u32", "-o", out)
        for other, says in (((*words, "--unknown"), "--unknown"), ((*words, "--bits", ""), "the value is empty"), ((*words, "[a,b]"), "in brackets")):
            for first, second in ((words, other), (other, words)):
                done = self.pair(first, second)
                self.assertEqual(done.returncode, 2, (other, done.text))
                self.assertIn(says, done.text)
                self.assertEqual(self.names(), ["in.raw"])

    def test_other_commands_work_in_each_process_for_itself(self):
        names = [self.file(f"in{i}.raw", bytes(40)) for i in range(2)]
        words = [(command.COMMAND, "scan", name, "--dtype", "u32", "-o", name.with_suffix(".out")) for name in names]
        done = self.pair(*words)
        self.assertEqual(done.returncode, 0, done.text)
        self.assertEqual(self.names(), ["in0.out", "in0.raw", "in1.out", "in1.raw"])
        done = self.pair(words[0], (*words[1], "--unknown"))
        self.assertEqual(done.returncode, 2, done.text)
        self.assertIn("--unknown", done.text)

    def test_another_launcher(self):
        words = ("sort", self.file("in.raw", bytes(40)), "--dtype", "u32", "-o", self.folder / "out.raw")
        done = self.launch("-n", 2, "env", "OMPI_COMM_WORLD_SIZE=5", command.COMMAND, *words, "--engine", command.ENGINE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the launcher has started 5 processes", done.text)
        self.assertEqual(self.names(), ["in.raw"])

    @unittest.skipIf(command.ENGINE == "cuda", "CUDA needs room for addresses")
    def test_a_failure_of_one_process_ends_all(self):
        source = self.file("in.raw")
        with open(source, "wb") as file:
            file.truncate(1 << 27)
        words = (command.COMMAND, "sort", source, "--dtype", "u8", "-o", self.folder / "out.raw")
        done = self.pair(words, ("sh", "-c", 'ulimit -v 1500000; exec "$@"', "sh", *words))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ballot: out of memory", done.text)  # what the launcher says of it depends on its version, and on luck
        self.assertEqual(self.names(), ["in.raw"])


class PlanTest(ProcessesTest):
    def test_dry_run(self):
        source, out = self.file("in.raw", bytes(4000)), self.folder / "out.raw"
        for words in (("--dtype", "u32"), ("--format", "records", "--record-bytes", "10", "--by", "0:4")):
            done = self.run_several("sort", source, *words, "-o", out, "--dry-run", "--json")
            self.assertEqual(done.text, "")
            told = json.loads(done.stdout)  # one
            self.assertEqual((told["processes"], told["temporary_bytes"], told["inputs"][0]["n"]), (PROCESSES, 0, 1000 if words[0] == "--dtype" else 400))
            self.assertIn(f"of {PROCESSES} processes", told["engine_reason"])
            self.assertEqual(told["engine"], command.ENGINE)
            self.assertEqual(self.names(), ["in.raw"])
        self.assertIn("in each process", self.run_several("sort", source, "--dtype", "u32", "-o", out, "--dry-run").stdout.decode())

    def test_what_is_refused_is_refused_once_before_the_work_and_by_a_dry_run(self):
        source, out = self.file("in.raw", bytes(4000)), self.folder / "out.raw"
        column = ("sort", source, "--dtype", "u32", "-o", out)
        records = ("sort", source, "--format", "records", "--record-bytes", 40, "-o", out)
        fortran = self.file("turned.npy", npy("'<u4'", "(3, 2)", bytes(24), fortran=True))
        wide = self.file("wide.npy", npy("[('long', '|S40'), ('i', '<u4')]", "(20,)", bytes(44 * 20)))
        for words, says, expect in (
                ((*column, "--memory", "1G"), "--memory is not for sorts by several processes", 2),
                ((*column, "--runs-in", self.folder), "--runs-in is not for sorts by several processes", 2),
                ((*column, "--runs-in", self.folder / "absent"), "not a directory", 2),
                ((*column, "--bits", "0:99"), "--bits 0:99", 2),
                ((*column, "--unknown"), "--unknown", 2),
                ((*column, "--bits", ""), "the value is empty", 2),
                (("sort", source, "--dtype", "u32", "-o", "/dev/stdout"), "name the input, and the output by -o", 2),
                (("sort", source, "--dtype", "u32", "-o", "/dev/null"), "parts of a regular file", 1),
                (("sort", source, "--dtype", "u32", "-o", self.folder / "out.raw.gz"), "not compressed", 1),
                (("sort", source, "--dtype", "u32", "-o", self.folder / "no" / "out.raw"), "No such file", 1),
                (("sort", self.folder / "absent", "-o", out), "No such file", 1),
                (("sort", fortran, "--by", "0", "-o", self.folder / "out.npy"), "of no array of two dimensions in Fortran order", 1),
                (("sort", wide, "--by", "long", "-o", self.folder / "out.npy"), "at most 32 bytes", 2),
                ((*records, "--by", "0:40"), "at most 32 bytes", 2),
                ((*records, "--verify", *(word for i in range(17) for word in ("--by", f"{i}:1"))), "up to 16 words of keys", 2)):
            for dry in ((), ("--dry-run",)):
                before = self.names()
                done = self.run_several(*words, *dry, expect=expect)
                self.assertIn(says, done.text)
                self.assertEqual(done.text.count("ballot: "), 1, done.text)
                self.assertEqual(done.stdout, b"")
                self.assertEqual(self.names(), before)


if __name__ == "__main__":
    command.main()
