# SPDX-License-Identifier: Apache-2.0
"""Input and output that cannot be: one line that says what and where, exit status 1, and nothing lost."""

import os
import resource
import shutil
import subprocess
import unittest

import command
from command import limit_file_size, npy, npy_of


class BadInputTest(command.CommandTest):
    def refused(self, name, content, *words, says, **options):
        """The old output stays, no other file appears, and the message names the file."""
        path = self.file(name, content)
        out = self.file("out.raw", b"old")
        text = self.assert_refused("sort", path, *words, "-o", out, says=says, **options)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(self.names(), sorted({"out.raw", name}))
        path.unlink()
        return text

    def test_missing_and_unreadable_files(self):
        missing = self.file("missing.txt")
        self.assert_refused("sort", missing, says=f"{missing}: No such file or directory")
        self.assert_refused("compact", self.file("in.txt", "1\n"), "--flags", missing, says=f"{missing}: No such file or directory")
        self.assert_refused("sort", self.folder, "--format", "text", says=f"{self.folder}: Is a directory")
        self.assert_refused("sort", self.file("in.txt") / "x.txt", says="Not a directory")
        done = self.ballot("sort", missing, "--json", expect=1)
        self.assertIn(b'"error":"', done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_raw_that_is_no_whole_number_of_items(self):
        text = self.refused("in.raw", b"\0" * 10, "--dtype", "u32", says=["10 bytes", "u32", "4 bytes each"])
        self.assertIn("in.raw: ", text)
        self.assert_refused("sort", "-", "--format", "raw", "--dtype", "u32", stdin=b"\0" * 10, says=["standard input: 10 bytes", "u32"])

    def test_dtype_that_contradicts_the_file(self):
        self.refused("in.npy", npy_of("u32", b"\0" * 8), "--dtype", "i32", says=["in.npy: ", "--dtype i32", "u32"])

    def test_truncated_npy(self):
        whole = npy_of("u32", b"\0" * 40)
        self.refused("in.npy", whole[:-3], says=["in.npy: truncated", "10 u32 items are 40 bytes, 37 are there"])
        for length in (0, 5, 7, 9, 20, len(whole) - 41):
            self.refused("in.npy", whole[:length], says="npy")
        self.assert_refused("sort", "-", "--format", "npy", stdin=whole[:-3], says="standard input: truncated")

    def test_npy_with_more_behind_it(self):
        whole = npy_of("u32", b"\0" * 40)
        self.refused("in.npy", whole + b"x", says="1 bytes after the 10 items")
        self.assert_refused("sort", "-", "--format", "npy", stdin=whole + whole, says="more data after the 10 items")

    def test_npy_that_is_not_a_column(self):
        self.refused("in.npy", npy("'<f8'", "(2, 3)", b"\0" * 48, fortran=True), says=["2-dimensional", "(2, 3)", "Fortran", "1-dimensional"])
        self.refused("in.npy", npy("'<f8'", "(2, 3)", b"\0" * 48), says=["2-dimensional", "1-dimensional"])
        self.refused("in.npy", npy("'>f8'", "(2, 3)", b"\0" * 48), says=["2-dimensional", "1-dimensional"])  # not that it is a pipe
        self.refused("in.npy", npy("'<f8'", "()", b"\0" * 8), says="0-dimensional")
        self.assert_refused("sort", "-", "--format", "npy", stdin=npy("'>f8'", "(1,)", b"\0" * 8), says=["'>f8'", "not from a pipe"])
        self.refused("in.npy", npy("[('a', '<f4'), ('b', '<i4')]", "(1,)", b"\0" * 8), says="structured")
        self.refused("in.npy", npy("'|O'", "(1,)", b"\0" * 8), says="objects")
        for descr in ("'<c16'", "''", "'<u16'", "'<f16'", "'<V3'"):
            self.refused("in.npy", npy(descr, "(1,)", b"\0" * 16), says="not one of the types")

    def test_npy_that_is_nonsense(self):
        self.refused("in.npy", "1\n2\n3\n4\n5\n", says="in.npy: not an .npy file")
        self.refused("in.npy", b"\x93NUMPY\x09\x00" + b"\0" * 100, says="version 9.0")
        self.refused("in.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", says="4294967295 bytes")
        self.refused("in.npy", npy("'<f8'", "(99999999999999999999999,)", b""), says="bad .npy header")
        self.refused("in.npy", npy("'<f8'", "(4611686018427387904,)", b""), says="bad .npy header")
        self.refused("in.npy", npy("'<f8'", "(100000000000,)", b""), says="truncated")

    def test_text_that_is_no_number(self):
        text = self.refused("in.txt", "1\n2\nthree\n4\n", says="in.txt:3: not a number of type i64: 'three'")
        self.assertNotIn("f64", text)
        self.refused("in.txt", "1\r\n\r\n2 3\r\n", says="in.txt:3: not a number of type i64: '2 3'")
        self.refused("in.txt", "1.5\n", says=["in.txt:1: ", "'1.5'", "--dtype f64"])
        self.refused("in.txt", "1\n" * 300_000 + "x" * 1000 + "\n", says=["in.txt:300001: ", "'" + "x" * 40 + "...'"])
        self.refused("in.txt", b"1\n\x00\x1b[31m\n", says="'\\x00\\x1b[31m'")
        self.refused("in.txt", "1,5\n", "--dtype", "f64", says="not a number of type f64: '1,5'")
        self.refused("in.txt", "0x10\n", says="'0x10'")
        self.refused("in.txt", "1\r2\n", says="'1\\x0d2'")  # a carriage return alone ends no line
        self.assert_refused("sort", "-", stdin="1\nnope", says="standard input:2: not a number of type i64: 'nope'")

    def test_text_that_does_not_fit_the_type(self):
        for dtype, number in (("u8", "256"), ("u8", "-1"), ("i8", "128"), ("i8", "-129"), ("u32", "4294967296"), ("i64", "-9223372036854775809"),
                              ("u64", "18446744073709551616"), ("u64", "-1"), ("f32", "1e39"), ("f64", "-1e309")):
            self.refused("in.txt", f"0\n{number}\n", "--dtype", dtype, says=f"in.txt:2: out of range for {dtype}: '{number}'")
        self.refused("in.txt", "9223372036854775808\n", says="--dtype u64")

    def test_a_line_without_end(self):
        self.refused("in.txt", "1\n" + " " * (3 << 20), says="in.txt:2: a line of more than")

    def test_output_that_cannot_be_written(self):
        source = self.file("in.txt", "2\n1\n")
        self.assert_refused("sort", source, "-o", self.folder / "no" / "out.txt", says=["out.txt: No such file"])
        self.assert_refused("sort", source, "-o", self.folder, says="Is a directory")
        self.assert_refused("sort", source, "-o", str(self.file("new.txt")) + "/", says="new.txt/: ")
        self.assert_refused("sort", source, "-o", self.file("x" * 300 + ".txt"), says="File name too long")
        os.symlink("loop", self.folder / "loop")
        self.assert_refused("sort", source, "-o", self.folder / "loop", says="Too many levels of symbolic links")
        self.assertEqual(self.names(), ["in.txt", "loop"])

    def test_output_that_may_not_be_written(self):
        # Root may do everything: another user has to try, on a program that it can reach.
        program = shutil.copy(command.COMMAND, self.folder / "ballot")
        (self.folder / "ours").mkdir()
        old = self.file("ours/old.txt", "old")
        self.folder.chmod(0o755)
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

        def attempt(target, folder_mode, file_mode):
            (self.folder / "ours").chmod(folder_mode)
            old.chmod(file_mode)
            done = subprocess.run([program, "sort", "-", "-o", self.folder / "ours" / target, "--engine", "cpu"], input=b"2\n1\n",
                                  capture_output=True, check=False, timeout=60, **options)
            (self.folder / "ours").chmod(0o755)
            self.assertEqual((done.returncode, done.stderr.decode()), (1, f"ballot: {self.folder / 'ours' / target}: Permission denied\n"))
            self.assertEqual(os.listdir(self.folder / "ours"), ["old.txt"])
            self.assertEqual(old.read_text(), "old")

        attempt("new.txt", 0o555, 0o666)
        attempt("old.txt", 0o555, 0o666)
        attempt("old.txt", 0o777, 0o444)  # renaming would work: write protection is to be respected all the same

    def test_full_disk(self):
        source = self.file("in.raw", b"\1" * 100_000)
        self.assert_refused("sort", source, "--dtype", "u8", "-o", "/dev/full", says="/dev/full: No space left on device")
        with open("/dev/full", "wb") as full:
            done = self.ballot("sort", source, "--dtype", "u8", stdout=full, expect=1)
        self.assertIn(b"standard output: No space left on device", done.stderr)
        for name in ("out.raw", "out.txt", "out.npy"):
            old = self.file(name, b"old")
            self.assert_refused("sort", source, "--dtype", "u8", "-o", old, says=f"{old}: File too large",
                                preexec_fn=limit_file_size(50_000))
            self.assertEqual(old.read_bytes(), b"old")
        self.assertEqual(self.names(), ["in.raw", "out.npy", "out.raw", "out.txt"])

    def test_full_file_system(self):
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], capture_output=True, check=False).returncode:
            raise unittest.SkipTest("no right to mount a file system")
        try:
            old = small / "out.raw"
            old.write_bytes(b"old")
            source = self.file("in.raw", b"\1" * 1_000_000)
            self.assert_refused("sort", source, "--dtype", "u8", "-o", old, says=f"{old}: No space left on device")
            self.assertEqual([p.name for p in small.iterdir()], ["out.raw"])
            self.assertEqual(old.read_bytes(), b"old")
        finally:
            subprocess.run(["umount", small], check=True)

    def test_input_that_does_not_fit_into_memory(self):
        huge = self.file("huge.raw")
        with open(huge, "wb") as file:
            file.truncate(64 << 30)  # a hole: it takes no space
        self.assert_refused("sort", huge, "--dtype", "u8", "-o", self.file("out.raw"), says="out of memory", engine="cpu",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        self.assertEqual(self.names(), ["huge.raw"])


if __name__ == "__main__":
    command.main()
