# SPDX-License-Identifier: Apache-2.0
"""ballot over tables that are none, and options that contradict them: one line that says what and where, and nothing lost."""

import os
import struct
import time

import command
from command import npy


class BadTableTest(command.CommandTest):
    def refused(self, name, content, *words, says, expect=1):
        """The old output stays and no other file appears."""
        path = self.file(name, content)
        out = self.file("out" + path.suffix, b"old")
        self.assert_refused("sort", path, *words, "-o", out, says=says, expect=expect)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(self.names(), sorted({out.name, name}))
        path.unlink()
        out.unlink()

    def test_csv_that_is_none(self):
        self.refused("in.csv", "a,b\n1,2\n3\n", "--by", "a", says="in.csv:3: 1 field, the header has 2")
        self.refused("in.csv", 'a,b\n"x\ny",2\n3,4,5\n', "--by", "a", says="in.csv:4: 3 fields, the header has 2")
        self.refused("in.csv", 'a,b\n1,2\n"3,4\n5,6\n', "--by", "a", says="in.csv:3: the quote that begins here is never closed")
        self.refused("in.csv", 'a,b\n1,"2"x\n', "--by", "a", says="in.csv:2: a quoted field goes on after its closing quote")
        self.refused("in.csv", 'a,b\n1,"2"\r3\n', "--by", "a", says="in.csv:2: a quoted field goes on")
        self.refused("in.csv", "", "--by", "a", says="in.csv: empty")
        self.refused("in.csv", "\ufeff", "--by", "a", says="in.csv: empty")
        self.refused("in.csv", "a,b\r1,2\r", "--by", "a", says="in.csv:1: lines end with CR alone")
        self.refused("in.csv", 'a,b\n1,2\n"x",y"z\n4,"5\n', "--by", "a", says="in.csv:4: the quote that begins here is never closed (byte 3 of the line)")
        self.refused("in.csv", 'a,"b\n1,2\n', "--by", "a", says="in.csv:1: the quote that begins here is never closed (byte 3 of the line)")

    def test_headers_without_an_end(self):
        """Something is no header long before it does not fit into memory; and where that shows, it shows at once."""
        seconds = lambda: time.process_time() + sum(os.times()[2:4])  # of this process and its children
        quote, before = 'a,"b\nc","d\n' + "1,2,3\n" * 4_000_000, seconds()
        for words in (("sort", "--by", "a"), ("sort", "--by", "a", "--memory", "8G"), ("compact", "--where", "a > 1")):
            self.assert_refused(words[0], self.file("in.csv", "a," * 12_000_000), *words[1:], says="in.csv:1: the header is too long: it has no end within 16777216 bytes")
            self.assert_refused(words[0], self.file("in.csv", quote), *words[1:],
                                says=["in.csv:1: the header is too long", "the quote that begins in line 2, byte 4 of the line, is not closed by then"])
        self.assertLess(seconds() - before, 12)
        text = ",".join(f"c{i}" for i in range(500_000)) + "\n" + "7," * 499_999 + "1\n"  # of several megabytes, and a header
        self.assertEqual(self.ballot("sort", self.file("in.csv", text), "--by", "c499999", "--memory", "256M", "-q").stdout.decode(), text)

    def test_columns_that_are_not_there(self):
        self.refused("in.csv", "a,b\n1,2\n", "--by", "c", says=["in.csv has no column 'c'", "the columns are a, b"], expect=2)
        self.refused("in.csv", "a,b,a\n1,2,3\n", "--by", "a", says=["two columns 'a'", "a, b, a"], expect=2)
        self.refused("in.csv", "a,b\n1,2\n", "--by", "a:desc:asc", says="contradicts", expect=2)
        self.refused("in.csv", "a,b\n1,2\n", "--by", "a:u32:f64", says="contradicts", expect=2)
        self.refused("in.csv", "a,b\n1,2\n", says=["--by COLUMN", "a, b"], expect=2)
        self.refused("in.bin", "abcd", "--record-bytes", "2", "--by", "1:2", says=["no column '1:2'", "OFFSET:LENGTH"], expect=2)
        self.refused("in.bin", "abcd", "--record-bytes", "2", "--by", "0:0", says="no column", expect=2)

    def test_messages_list_names_from_files(self):
        """In one line that is not too long, and that tells a terminal nothing."""
        names = [f"c{i}" for i in range(1000)]
        for name, content in (("in.csv", ",".join(names) + "\n"), ("in.jsonl", "{" + ",".join(f'"{n}":1' for n in names) + "}\n"),
                              ("in.npy", npy(str([(n, "<i1") for n in names]), (1,), b"\0" * 1000))):
            self.refused(name, content, "--by", "x", says="c38, c39 and 960 more\n", expect=2)
        for name, content in (("in.csv", "a\x1b[31m,b\n"), ("in.jsonl", '{"a\\u001b[31m":1,"b":2}\n')):
            self.refused(name, content, "--by", "x", says="the columns are a [31m, b\n", expect=2)
        self.refused("in.csv", "a" * 200 + ",b\n", "--by", "x", says="a" * 100 + "..., b\n", expect=2)
        self.refused("in.jsonl", "{}\n", "--by", "x", says="the columns are none\n", expect=2)

    def test_fields_of_another_type(self):
        self.refused("in.csv", "a,b\n1,2\n\nx,4\n", "--by", "a:u8", says="in.csv:4: column 'a': not a number of type u8: 'x'")
        self.refused("in.csv", "a\n255\n256\n", "--by", "a:u8", says="in.csv:3: column 'a': out of range for u8: '256'")
        self.refused("in.npy", npy("'<i4'", (1, 2), b"\0" * 8), "--by", "0:u8", says="has a fixed type: i32", expect=2)

    def test_files_of_another_size(self):
        self.refused("in.bin", "abcde", "--record-bytes", "2", "--by", "0:1", says="5 bytes are not a whole number of rows of 2")
        self.refused("in.sosd", struct.pack("<2Q", 3, 1), "--format", "sosd", says="truncated: the header counts 3 rows of 8 bytes, but 8 bytes are there")
        self.refused("in.sosd", struct.pack("<2Q", 2**63, 1), "--format", "sosd", says="truncated")
        self.refused("in.sosd", struct.pack("<3Q", 1, 1, 1), "--format", "sosd", says="8 bytes after the 1 rows")
        self.refused("in.sosd", b"\0\0", "--format", "sosd", says="begins with a count")
        words = ("--by", "0")
        self.refused("in.npy", npy("'<i4'", (2, 2), b"\0" * 12), *words, says="truncated: the header counts 2 rows of 8 bytes")
        self.refused("in.npy", npy("'<i4'", (2, 2), b"\0" * 12, fortran=True), *words, says="truncated: the header counts 2 rows of 8 bytes")
        self.refused("in.npy", npy("'<i4'", (2, 20000), b"\0" * 160000, fortran=True), *words, "--memory", "256K", says=["Fortran", "160000 bytes twice", "--memory"])
        self.refused("in.npy", npy("'<i4'", f"({2**40}, {2**40})", b""), *words, says="truncated")
        self.refused("in.npy", npy("'<i4'", f"(1, {2**40}, {2**40})", b""), *words, says="3-dimensional")
        self.refused("in.npy", npy("[('a', 'O')]", (1,), b"\0" * 8), *words, says="no plain bytes")
        self.refused("in.npy", npy("[('a', '<i4'", (1,), b"\0" * 8), *words, says="bad .npy header")
        self.refused("in.npy", npy("'<i4'", "()", b"\0" * 4), *words, says="0-dimensional")

    def test_options_that_contradict(self):
        csv_file = self.file("in.csv", "a\n1\n")
        for words, says in ((("--bits", "0:4", "--by", "a"), "--bits"), (("--by", "a", "--dtype", "u8"), "--by COLUMN:u8"), (("--by", "a", "-o", self.folder / "x.raw"), "the extension is .raw"),
                            (("--by", "a", "--output-format", "raw"), "csv, tsv, jsonl, npy"), (("--by", "a", "--indices", "--count"), ["--indices", "--count"]), (("--by", "a", "--delimiter", "ab"), "--delimiter"),
                            (("--by", "a", "--record-bytes", "3"), "contradicts"), (("--by", "a", "--format", "xml"), "unknown format 'xml'")):
            self.assert_refused("sort", csv_file, *words, says=says, expect=2)
        self.assert_refused("sort", csv_file, "--format", "records", says="needs --record-bytes", expect=2)
        self.assert_refused("sort", self.file("in.txt", "1\n"), "--by", "value", "--delimiter", ";", says="--delimiter is for CSV", expect=2)
        self.assert_refused("sort", self.file("in.jsonl", '{"v":1}\n'), "--by", "v", "--dtype", "u8", says="--by COLUMN:u8", expect=2)
        self.assertEqual(self.names(), ["in.csv", "in.jsonl", "in.txt"])


if __name__ == "__main__":
    command.main()
