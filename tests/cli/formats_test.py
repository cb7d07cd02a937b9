# SPDX-License-Identifier: Apache-2.0
"""raw, .npy and text, in and out, and how the format is found."""

import math
import os
import random
import struct

import command
from command import COMMAND, DTYPES, npy, npy_items, npy_of, open_terminal, pack, unpack


class FormatsTest(command.CommandTest):
    def test_every_type_in_every_format(self):
        for dtype in DTYPES:
            values = [3, 1, 2, 100, 0] if dtype[0] == "u" else [3, -1, 2, 100, 0] if dtype[0] == "i" else [3.5, -1.0, 2.25, 100.0, 0.0]
            data, expected = pack(dtype, values), pack(dtype, sorted(values))
            files = {"raw": self.file("in.raw", data), "npy": self.file("in.npy", npy_of(dtype, data)),
                     "txt": self.file("in.txt", "".join(f"{v!r}\n" for v in values))}
            for kind, path in files.items():
                for target in ("raw", "npy", "txt"):
                    out = self.file(f"out.{target}")
                    self.ballot("sort", path, "-o", out, "--dtype", dtype)
                    written = out.read_bytes()
                    if target == "npy":
                        written = npy_items(dtype, written)
                    elif target == "txt":
                        self.assertTrue(written.endswith(b"\n"))
                        parse = float if dtype[0] == "f" else int
                        written = pack(dtype, [parse(line) for line in written.split()])
                    self.assertEqual(written, expected, (dtype, kind, target))

    def test_npy_tells_its_type(self):
        self.ballot("sort", self.file("in.npy", npy_of("f32", pack("f32", [2, 1]))), "-o", self.file("out.npy"))
        self.assertEqual(npy_items("f32", self.file("out.npy").read_bytes()), pack("f32", [1, 2]))
        self.ballot("sort", self.file("in.npy"), "-o", self.file("order.npy"), "--argsort")
        self.assertEqual(npy_items("u64", self.file("order.npy").read_bytes()), pack("u64", [1, 0]))

    def test_npy_versions_and_spellings(self):
        for content in (npy("'<u2'", "(2,)", b"\2\0\1\0", version=2), npy("'<u2'", "(2,)", b"\2\0\1\0", version=3),
                        npy("'<u2'", "(2,)", b"\2\0\1\0", fortran=True), npy('"<u2"', "( 2 , )", b"\2\0\1\0"),
                        npy("'=u2'", "(2,)", b"\2\0\1\0")):
            self.ballot("sort", self.file("in.npy", content), "-o", self.file("out.raw"))
            self.assertEqual(self.file("out.raw").read_bytes(), b"\1\0\2\0")
        self.ballot("sort", self.file("in.npy", npy("'>u1'", "(2,)", b"\2\1")), "-o", self.file("out.raw"))  # one byte has no order
        self.assertEqual(self.file("out.raw").read_bytes(), b"\1\2")

    def test_format_follows_the_extension_and_options_say_it_elsewhere(self):
        raw = self.file("column", pack("u16", [2, 1]))
        self.ballot("sort", raw, "--format", "raw", "--dtype", "u16", "-o", self.file("sorted"))  # as the input's
        self.assertEqual(self.file("sorted").read_bytes(), pack("u16", [1, 2]))
        self.ballot("sort", raw, "--format", "raw", "--dtype", "u16", "-o", self.file("sorted.txt"))
        self.assertEqual(self.file("sorted.txt").read_bytes(), b"1\n2\n")
        done = self.ballot("sort", raw, "--format", "raw", "--dtype", "u16", "--output-format", "text")
        self.assertEqual(done.stdout, b"1\n2\n")
        done = self.ballot("sort", "-", "--output-format", "npy", "--dtype", "u8", stdin="2\n1\n")
        self.assertEqual(npy_items("u8", done.stdout), b"\1\2")
        self.ballot("sort", self.file("in.bin", b"\2\1"), "--dtype", "u8", "-o", self.file("out.dat"), "--output-format", "npy")
        self.assertEqual(npy_items("u8", self.file("out.dat").read_bytes()), b"\1\2")

    def test_names_that_say_another_format(self):
        numbers, table = self.file("in.bin", b"\2\1"), self.file("in.csv", "a\n2\n1\n")
        column, rows = ("sort", numbers, "--dtype", "u8"), ("sort", table, "--by", "a")
        lines, npy_rows = self.file("in.log", "b\na\n"), self.file("in.npy", npy_of("u8", b"\1\2"))
        records = ("sort", numbers, "--record-bytes", "1", "--by", "0:1")
        sosd = self.file("keys", bytes(8))
        for words, names in ((column, ("x.csv", "x.tsv", "x.sgy")), ((*column, "--output-format", "raw"), ("x.txt", "x.npy", "x.csv")),
                             ((*column, "--output-format", "text"), ("x.raw", "x.bin", "x.npy")), ((*column, "--output-format", "npy"), ("x.raw", "x.txt")),
                             ((*column, "--argsort"), ("x.csv",)), ((*column, "--argsort", "--output-format", "npy"), ("x.txt",)),
                             (rows, ("x.npy", "x.raw", "x.bin", "x.txt", "x.tsv", "x.segy")), ((*rows, "--delimiter", "tab"), ("x.txt",)),
                             ((*rows, "--count"), ("x.csv", "x.npy", "x.raw")), ((*rows, "--indices"), ("x.csv", "x.tsv")),
                             ((*rows, "--indices", "--output-format", "text"), ("x.npy", "x.raw")),
                             (("sort", lines, "--format", "lines"), ("x.csv", "x.npy", "x.raw")), (("sort", npy_rows, "--unique"), ("x.csv", "x.raw", "x.txt")),
                             (records, ("x.txt", "x.npy", "x.csv")), (("sort", sosd, "--format", "sosd"), ("x.raw", "x.npy")),
                             (("scan", numbers, "--dtype", "u8"), ("x.npy", "x.txt", "x.sgy", "x.csv")), (("scan", npy_rows), ("x.raw", "x.txt")),
                             (("collide", "--particles", "1", "--radius", "1"), ("x.txt", "x.raw")), (("bench",), ("x.npy", "x.csv")),
                             (("compact", table, "--unique", "--mask", self.file("m.csv")), ("x.csv",)), (("compact", table, "--unique", "--mask", self.file("m.txt")), ("x.csv",))):
            for name in names:
                self.assert_refused(*words, "-o", self.file(name), says="the extension", expect=2)
        self.assertEqual(self.names(), ["in.bin", "in.csv", "in.log", "in.npy", "keys"])
        for words, name in ((column, "x.txt"), (rows, "x"), (rows, "x.dat"), ((*rows, "--count"), "n.txt"), ((*rows, "--format", "lines"), "y.csv"), (records, "x.raw"),
                            (("sort", lines, "--format", "lines"), "x.txt"), (("compact", table, "--unique", "--mask", self.file("m.raw")), "x.csv")):
            if words == (*rows, "--format", "lines"):
                words = ("sort", table, "--format", "lines")  # as lines, and the name is the input's kind
            self.ballot(*words, "-o", self.file(name))

    def test_every_format_through_pipes(self):
        data = pack("i32", [3, -1, 2])
        self.assertEqual(self.ballot("sort", "-", "-o", "-", stdin="3\n-1\n2\n").stdout, b"-1\n2\n3\n")
        self.assertEqual(self.ballot("sort", "-", "--format", "raw", "--dtype", "i32", stdin=data).stdout, pack("i32", [-1, 2, 3]))
        done = self.ballot("sort", "-", "--format", "npy", stdin=npy_of("i32", data))
        self.assertEqual(npy_items("i32", done.stdout), pack("i32", [-1, 2, 3]))

    def test_standard_input_from_a_file_begins_where_it_stands(self):
        with open(self.file("in.raw", bytes([9, 9, 3, 1, 2])), "rb", buffering=0) as file:
            file.seek(2)
            done = self.ballot("sort", "-", "--format", "raw", "--dtype", "u8", stdin_file=file)
        self.assertEqual(done.stdout, bytes([1, 2, 3]))

    def test_text_is_tolerant_of_blanks_and_line_ends(self):
        for text in ("3\r\n1\r\n2\r\n", "3\n1\n2", "3\r\n1\n2\r", "  3\n\t1 \n 2\t\r\n", "\n3\n\n\n1\n   \n\r\n2\n\n", "+3\n01\n2\n",
                     "\ufeff3\n1\n2\n"):
            self.assertEqual(self.ballot("sort", "-", stdin=text).stdout, b"1\n2\n3\n", repr(text))
            self.assertEqual(self.ballot("sort", "-", "--dtype", "f32", stdin=text).stdout, b"1\n2\n3\n", repr(text))

    def test_blank_lines_are_no_items(self):
        report, done = self.report("sort", "-", "--argsort", stdin="\n7\n\n5\n")
        self.assertEqual((report["n"], report["blank_lines"]), (2, 2))
        self.assertEqual(done.stdout, b"1\n0\n")
        self.assertIn(b"1 blank line was skipped", self.ballot("sort", "-", "--report", stdin="7\n \n5").stderr)
        self.assertEqual(self.report("sort", "-", stdin="7\n5\n")[0]["blank_lines"], 0)

    def test_floats_read_back_as_they_were(self):
        generator = random.Random(5)
        for dtype, code, width in (("f64", "<d", 64), ("f32", "<f", 32)):
            values = [struct.unpack(code, generator.getrandbits(width).to_bytes(width // 8, "little"))[0] for _ in range(20000)]
            values = [v for v in values if not math.isnan(v)] + [0.1, 1e22, 5e-324 if width == 64 else 2.0**-149, float("inf"), -0.0]
            data = pack(dtype, values)
            self.ballot("sort", self.file("in.raw", data), "--dtype", dtype, "-o", self.file("a.txt"))
            self.ballot("sort", self.file("a.txt"), "--dtype", dtype, "-o", self.file("b.raw"))
            self.ballot("sort", self.file("in.raw"), "--dtype", dtype, "-o", self.file("c.raw"))
            self.assertEqual(self.file("b.raw").read_bytes(), self.file("c.raw").read_bytes())
        self.assertEqual(self.ballot("sort", "-", "--dtype", "f64", stdin="0.1\n100\n1e-7\n").stdout, b"1e-07\n0.1\n100\n")

    def test_text_larger_than_a_buffer(self):
        rng = random.Random(3)
        values = [rng.randrange(-10**9, 10**9) for _ in range(200_000)]
        text = "".join(f"{v}\r\n" if i % 3 else f" {v}\n" for i, v in enumerate(values))
        report, done = self.report("sort", self.file("in.txt", text[:-1]), "--verify")
        self.assertEqual(done.stdout.decode(), "".join(f"{v}\n" for v in sorted(values)))
        self.assertEqual(report["n"], len(values))

    def test_extremes_of_integers(self):
        for dtype, values in (("u64", [2**64 - 1, 0, 2**63]), ("i64", [-2**63, 2**63 - 1, 0]), ("i8", [-128, 127, 0])):
            done = self.ballot("sort", "-", "--dtype", dtype, stdin="".join(f"{v}\n" for v in values))
            self.assertEqual(list(map(int, done.stdout.split())), sorted(values))

    def test_no_items_at_all(self):
        for dtype in DTYPES:
            for words in (["sort"], ["sort", "--descending", "--bits", "0:3"], ["compact", "--where", "value > 1"]):
                for name, content in (("in.raw", b""), ("in.txt", b""), ("in.txt", b"\n\n"), ("in.npy", npy_of(dtype, b""))):
                    for verify in ([], ["--verify"]) if dtype in ("u8", "f64") else ([],):
                        report, _ = self.report(words[0], self.file(name, content), *words[1:], "--dtype", dtype, "-o",
                                                self.file("out.npy"), *verify)
                        self.assertEqual(report["n"], 0)
                        self.assertEqual(npy_items(dtype, self.file("out.npy").read_bytes()), b"")
            if dtype != "u8":
                continue
            self.ballot("sort", self.file("in.raw"), "--dtype", dtype, "-o", self.file("order.npy"), "--argsort", "--verify")
            self.assertEqual(npy_items("u64", self.file("order.npy").read_bytes()), b"")
            self.assertEqual(self.ballot("sort", "-", stdin="").stdout, b"")
            self.ballot("compact", self.file("in.raw"), "--dtype", dtype, "--flags", self.file("flags", b""), "-o", self.file("out.raw"))
            self.assertEqual(self.file("out.raw").read_bytes(), b"")

    def test_files_without_a_size(self):
        # Files under /proc say that they are empty and are not.
        with open("/proc/sys/kernel/pid_max", encoding="ascii") as file:
            expected = file.read()
        self.assertEqual(self.ballot("sort", "/proc/sys/kernel/pid_max", "--format", "text").stdout.decode(), expected)

    def test_a_terminal_gets_text_and_no_binary(self):
        for words, expected in (([], b"1\r\n2\r\n"), (["--output-format", "raw"], None), (["--output-format", "raw", "-o", "-"], b"")):
            ours, theirs = open_terminal(self)
            self.addCleanup(os.close, ours)
            done = self.ballot("sort", "-", "--quiet", *words, stdin="2\n1\n", stdout=theirs, expect=2 if expected is None else 0)
            os.close(theirs)
            if expected is None:
                self.assertIn(b"the result is binary", done.stderr)
            else:
                self.assertTrue(os.read(ours, 100).startswith(expected))


if __name__ == "__main__":
    command.main()
