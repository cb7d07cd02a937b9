# SPDX-License-Identifier: Apache-2.0
"""Several files as one, CSV without a header, and encodings of text."""

import gzip
import os

import command
from command import npy, npy_items, npy_of, pack


class JoinedFilesTest(command.CommandTest):
    def test_tables(self):
        a, b = self.file("a.csv", "k,v\n3,x\n1,y"), self.file("b.csv.gz", gzip.compress(b"\xef\xbb\xbfk,v\r\n2,z\r\n"))
        self.assertEqual(self.ballot("sort", a, b, "--by", "k").stdout, b"k,v\n1,y\n2,z\r\n3,x\n")
        self.assertEqual(self.ballot("compact", a, b, "--where", "k != 3").stdout, b"k,v\n1,y\n2,z\r\n")
        self.assertEqual(self.ballot("sort", a, "-", "--format", "csv", "--by", "k", stdin="k,v\n0,w\n").stdout, b"k,v\n0,w\n1,y\n3,x\n")
        report, _ = self.report("sort", a, b, "--by", "k", "-o", self.file("out.csv"))
        self.assertEqual((report["n"], report["input"]), (3, f"{a} and 1 more"))

    def test_a_name_in_brackets_is_not_two_files(self):
        self.file("a", "1\n"), self.file("b", "2\n"), self.file("[a,b]", "3\n")
        for words in (("sort", "--format", "text"), ("compact", "--format", "text", "--where", "value > 0")):
            self.assert_refused(words[0], "[a,b]", *words[1:], cwd=self.folder, expect=2, says="./[a,b]")
        self.assertEqual(self.ballot("sort", self.file("[a,b]", "3\n"), "--format", "text").stdout, b"3\n")

    def test_larger_than_memory(self):
        files = []
        rows = [b"%d,%d\n" % (i * 7919 % 30_011, i) for i in range(30_000)]
        for part in range(3):
            files.append(self.file(f"{part}.csv", b"a,b\n" + b"".join(rows[part * 10_000:(part + 1) * 10_000])[:-1]))  # without the last line end
        expected = b"a,b\n" + b"".join(sorted(rows, key=lambda row: int(row.split(b",")[0])))
        for words in ((), ("--memory", "256K")):
            self.assertEqual(self.ballot("sort", *files, "--by", "a", *words).stdout, expected)
        numbers = [self.file(f"{part}.txt", b"".join(rows[part * 10_000:(part + 1) * 10_000]).replace(b",", b"")) for part in range(3)]
        merged = sorted(int(row.replace(b",", b"")) for row in rows)
        self.assertEqual(self.ballot("sort", *numbers, "--memory", "64K").stdout, b"".join(b"%d\n" % n for n in merged))

    def test_columns_and_fixed_rows(self):
        raw = [self.file(f"{i}.raw", pack("u16", [5 - i, i])) for i in range(3)]
        self.assertEqual(self.ballot("sort", *raw, "--dtype", "u16").stdout, pack("u16", [0, 1, 2, 3, 4, 5]))
        self.assertEqual(self.ballot("sort", *raw, "--dtype", "u16", "--argsort").stdout, pack("u64", [1, 3, 5, 4, 2, 0]))
        self.assertEqual(self.ballot("sort", *raw, "--record-bytes", "4", "--by", "0:u16").stdout, pack("u16", [3, 2, 4, 1, 5, 0]))
        columns = [self.file(f"{i}.npy", npy_of("i32", pack("i32", [i, -i]))) for i in range(3)]
        self.ballot("sort", *columns, "-o", self.file("out.npy"))
        self.assertEqual(npy_items("i32", self.file("out.npy").read_bytes()), pack("i32", [-2, -1, 0, 0, 1, 2]))
        tables = [self.file(f"t{i}.npy", npy("'<i4'", (i, 2), pack("i32", [i, 0] * i), fortran=i == 2)) for i in (1, 2)]
        self.ballot("sort", *tables, "--by", "0", "-o", self.file("out.npy"))
        self.assertEqual(npy_items("i32", self.file("out.npy").read_bytes(), (3, 2)), pack("i32", [0, 0, 1, 0, 2, 2]))
        sosd = [self.file(f"s{i}", (2).to_bytes(8, "little") + pack("u64", [9 - i, i])) for i in range(2)]
        self.assertEqual(self.ballot("sort", *sosd, "--format", "sosd").stdout, pack("u64", [4, 0, 1, 8, 9]))

    def test_lines(self):
        files = [self.file("a.log", "b\n\nd"), self.file("b.log", "\ufeffa\nc\n"), self.file("c.log", "")]
        self.assertEqual(self.ballot("sort", *files, "--format", "lines").stdout, b"\na\nb\nc\nd\n")

    def test_line_ends_between_files(self):
        """A last line without its end gets that of the first line, wherever it is."""
        lines = [self.file("empty.log", ""), self.file("a.log", b"b\r\nd"), self.file("b.log", b"a\r\nc")]
        self.assertEqual(self.ballot("sort", *lines, "--format", "lines").stdout, b"a\r\nb\r\nc\r\nd\r\n")
        long = [self.file("a.txt", b"x" * 100_000 + b"\r\ny"), self.file("b.txt", b"a\n")]
        self.assertEqual(self.ballot("sort", *long, "--format", "lines").stdout, b"a\n" + b"x" * 100_000 + b"\r\ny\r\n")
        again = self.file("c.log", b"a\r\nb\r\na")
        for words in ((), ("--verify",), ("--memory", "64K")):
            self.assertEqual(self.ballot("sort", again, "--format", "lines", "--unique", *words).stdout, b"a\r\nb\r\n")
        many = self.file("many.log", b"".join(b"%06d\r\n" % (i % 5000) for i in range(40_000)) + b"004999")
        for words in (("--memory", "128K"), ("--memory", "128K", "--verify")):
            self.assertEqual(self.ballot("sort", many, "--format", "lines", "--unique", *words).stdout, b"".join(b"%06d\r\n" % i for i in range(5000)))

    def refused(self, *words, says, expect=1):
        old = self.file("old.csv", "old")
        self.assert_refused("sort", *words, "-o", old, says=says, expect=expect)
        self.assertEqual(old.read_text(), "old")

    def test_files_that_do_not_fit(self):
        a = self.file("a.csv", "k,v\n3,x\n")
        self.refused(a, self.file("b.csv", "k,w\n1,x\n"), "--by", "k", says=["b.csv: its header is not that of", "a.csv", "column 2 is 'w', and 'v' there"])
        self.refused(a, self.file("b.csv", "k\n1\n"), "--by", "k", says=["b.csv", "column 2 is missing, and 'v' there"])
        self.refused(a, self.file("b.csv", "k,v,x\n"), "--by", "k", says=["column 3 is 'x', and missing there"])
        self.refused(a, self.file("b.csv", ""), "--by", "k", says="b.csv: empty")
        self.refused(a, self.file("gone.csv"), "--by", "k", says="gone.csv: No such file")
        self.refused(a, self.file("b.txt", "1\n"), "--by", "k", says="extensions differ", expect=2)
        self.refused("-", "-", "--format", "csv", "--by", "k", says="standard input is given twice", expect=2)
        self.refused(self.file("a.npy", npy_of("i32", b"")), self.file("b.npy", npy_of("f32", b"")), "--output-format", "csv", says=["b.npy", "f4", "i4"])
        raw = self.file("a.raw", b"\0" * 6)
        self.refused(raw, raw, "--dtype", "u32", "--output-format", "csv", says="6 bytes are not a whole number")

    def test_mistakes_are_in_their_file(self):
        a = self.file("a.csv", "k,v\n3,x\n2,y")
        b = self.file("b.csv", "k,v\n1,x\nz,x\n")
        self.refused(a, b, "--by", "k:i64", says="b.csv:3: column 'k'")
        self.refused(a, b, "--by", "k:i64", "--memory", "64K", says="b.csv:3: column 'k'")
        self.refused(self.file("c.csv", "k,v\n1\n"), b, "--by", "k", says="c.csv:2: 1 field")
        self.refused(a, self.file("c.csv", 'k,v\n1,"x\n'), "--by", "k", says="c.csv:2: ")
        self.assert_refused("sort", self.file("a.txt", "1\n2"), self.file("b.txt", "\n\nq\n"), says="b.txt:3: not a number")

    def test_quotes_that_a_file_leaves_open(self):
        """No row goes on in the next file."""
        header = b"k,v\n"
        rows = b"".join(b"%d,x\n" % i for i in range(20_000))
        for front in (b"", rows):
            line = 2 + front.count(b"\n")
            a, b = self.file("a.csv", header + front + b'0,"x\n'), self.file("b.csv", header + b'7,y"\n8,z\n')
            for words in ((), ("--memory", "256K")):
                self.refused(a, b, "--by", "k", *words, says=[f"a.csv:{line}: a quote in this row is not closed where the file ends", "b.csv"])
            old = self.file("old.csv", "old")
            self.assert_refused("compact", a, b, "--where", "k > 1", "-o", old, says=f"a.csv:{line}")
            self.assertEqual(old.read_text(), "old")
        a, b = self.file("a.csv", b'k,v\n0,"x\ny"'), self.file("b.csv", b'k,v\n7,"y\nz"\n')  # these are closed
        self.assertEqual(self.ballot("sort", a, b, "--by", "k:desc").stdout, b'k,v\n7,"y\nz"\n0,"x\ny"\n')

    def test_without_a_header(self):
        rows = self.file("in.csv", "3,x\n1,y\n")
        for by in ("#1", "1"):
            self.assertEqual(self.ballot("sort", rows, "--no-header", "--by", by).stdout, b"1,y\n3,x\n")
        self.assertEqual(self.ballot("compact", rows, "--no-header", "--where", '#2 == "x"').stdout, b"3,x\n")
        self.assertEqual(self.ballot("sort", rows, self.file("b.csv", "2,z"), "--no-header", "--by", "1:desc").stdout, b"3,x\n2,z\n1,y\n")
        self.assertEqual(self.ballot("sort", "-", "--format", "csv", "--no-header", "--by", "1", "--columns", "#2", stdin="\n\r\n3,x\r\n1,y").stdout, b"y\r\nx\r\n")
        self.assertEqual(self.ballot("sort", rows, "--no-header", "--by", "1", "--output-format", "jsonl").stdout, b'{"#1":1,"#2":"y"}\n{"#1":3,"#2":"x"}\n')
        self.assert_refused("sort", rows, "--no-header", "--by", "3", says=["no column '3'", "#1, #2"], expect=2)
        self.assert_refused("sort", "-", "--format", "csv", "--no-header", "--by", "1", stdin="", says="empty")
        self.assert_refused("sort", "-", "--format", "csv", "--no-header", "--by", "1", stdin="\n\n", says="blank")
        self.assert_refused("sort", rows, self.file("b.csv", "2,z,q\n"), "--no-header", "--by", "1", says=["b.csv", "column 3"])
        self.assert_refused("sort", self.file("in.txt", "1\n"), "--no-header", says="--no-header is for CSV", expect=2)

    def test_encodings(self):
        text = "k,v\n1,x\n2,y\n"
        for encoding, name in (("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"), ("utf-32-le", "UTF-32LE"), ("utf-32-be", "UTF-32BE")):
            wide = ("\ufeff" + text).encode(encoding)
            for words in (("--format", "csv", "--by", "k"), ("--format", "lines"), ("--format", "text"), ("--format", "jsonl", "--by", "k")):
                self.assert_refused("sort", "-", *words, stdin=wide, says=f"standard input: this is {name}")
        self.assert_refused("sort", self.file("in.csv", text.encode("utf-16-le")), "--by", "k", says=["in.csv: this is UTF-16LE", "iconv -f UTF-16LE -t UTF-8"])
        for words in (("--format", "lines"), ("--dtype", "f64"), ("--by", "value")):
            self.assertEqual(self.ballot("sort", "-", *words, stdin="\ufeff2\n1\n").stdout.replace(b"\xef\xbb\xbf", b""), b"1\n2\n")
        latin = b"k,v\n2,\xe9\n1,\xff\n"  # bytes that are not UTF-8 are copied
        self.assertEqual(self.ballot("sort", "-", "--format", "csv", "--by", "k", stdin=latin).stdout, b"k,v\n1,\xff\n2,\xe9\n")

    def test_pipes(self):
        read, write = os.pipe()
        os.write(write, b"k\n2\n")
        os.close(write)
        done = self.ballot("sort", f"/dev/fd/{read}", self.file("b.csv", "k\n1\n"), "--format", "csv", "--by", "k", pass_fds=(read,))
        os.close(read)
        self.assertEqual(done.stdout, b"k\n1\n2\n")


if __name__ == "__main__":
    command.main()
