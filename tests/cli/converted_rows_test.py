# SPDX-License-Identifier: Apache-2.0
"""--columns, and rows in another format: CSV, TSV, JSON Lines, .npy. Python's csv and json read what was written."""

import csv
import io
import json
import math
import os
import random
import struct

import command
from command import npy, npy_items, npy_of, pack


def csv_of(rows, delimiter=","):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def rows_of(data, delimiter=","):
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


def structures(data):
    length = int.from_bytes(data[8:10], "little")
    header = eval(data[10:10 + length].decode(), {})  # a dictionary of literals
    return header["descr"], header["shape"], data[10 + length:]


TEXTS = ["x", "y,z", 'q"q', "é", "", "multi\nline", "tab\tx", "\\ \x01", "😀"]


class ConvertedRowsTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        self.rows = [[str(i), rng.choice(TEXTS), repr(rng.uniform(-5, 5)), rng.choice(["", "1", "22"])] for i in range(3000)]
        self.table = self.file("in.csv", csv_of([["id", "t t", "f", "m"], *self.rows]))
        self.ordered = sorted(self.rows, key=lambda row: -float(row[2]))

    def written(self, name, source, *words):
        out = self.file(name)
        self.ballot("sort", source, *words, "-o", out)
        return out.read_bytes()

    def check_from(self, source, *words):
        words = ("--by", "f:desc", *words)
        got = rows_of(self.written("out.tsv", source, *words), "\t")
        self.assertEqual(got[0], ["id", "t t", "f", "m"])
        self.assertEqual([(r[0], r[1], float(r[2]), r[3]) for r in got[1:]], [(r[0], r[1], float(r[2]), r[3]) for r in self.ordered])
        objects = [json.loads(line) for line in self.written("out.jsonl", source, *words).splitlines()]
        self.assertEqual([(o["id"], o["t t"], o["f"], o["m"]) for o in objects],
                         [(int(r[0]), r[1] or None, float(r[2]), int(r[3]) if r[3] else None) for r in self.ordered])
        descr, shape, data = structures(self.written("out.npy", source, *words))
        longest = max(len(t.encode()) for t in TEXTS)
        self.assertEqual((descr, shape), ([("id", "<i8"), ("t t", f"|S{longest}"), ("f", "<f8"), ("m", "<f8")], (3000,)))
        for (i, t, f, m), row in zip(struct.iter_unpack(f"<q{longest}sdd", data), self.ordered):
            self.assertEqual((i, t.rstrip(b"\0").decode(), f), (int(row[0]), row[1], float(row[2])))
            self.assertTrue(math.isnan(m) if row[3] == "" else m == float(row[3]))
        got = rows_of(self.written("out2.csv", source, "--columns", "m,id", "--columns", "t t", *words))
        self.assertEqual(got, [["m", "id", "t t"]] + [[r[3], r[0], r[1]] for r in self.ordered])
        descr, shape, data = structures(self.written("out.npy", source, "--columns", "id:u16,f:f32", *words))
        self.assertEqual((descr, shape), ([("id", "<u2"), ("f", "<f4")], (3000,)))
        self.assertEqual([i for i, _ in struct.iter_unpack("<Hf", data)], [int(r[0]) for r in self.ordered])

    def test_from_csv_and_json(self):
        for words in ((), ("--memory", "256K")):
            self.check_from(self.table, *words)
            lines = self.file("in.jsonl", self.written("made.jsonl", self.table, "--by", "id"))
            self.check_from(lines, *words)

    def test_json_of_json_keeps_values(self):
        lines = b'{"b": [1, {"x": "\\u00e9"}], "a": 2.50, "c": null}\n\n{"a": 1e2, "b": "s"}\n{"a":-1}'
        out = self.ballot("sort", "-", "--format", "jsonl", "--by", "a", stdin=lines).stdout
        self.assertEqual(out, b'{"a":-1}\n{"b": [1, {"x": "\\u00e9"}], "a": 2.50, "c": null}\n{"a": 1e2, "b": "s"}\n')
        out = self.ballot("sort", "-", "--format", "jsonl", "--by", "a:desc", "--columns", "b,a", stdin=lines).stdout
        self.assertEqual(out, b'{"b":"s","a":1e2}\n{"b":[1, {"x": "\\u00e9"}],"a":2.50}\n{"a":-1}\n')
        out = self.ballot("compact", "-", "--format", "jsonl", "--where", 'b == "s"', stdin=lines).stdout
        self.assertEqual(out, b'{"a": 1e2, "b": "s"}\n')
        strings = b'{"a":"10"}\n{"a":"9"}\n{"a":"\\u0041"}\n'  # texts, though they read like numbers
        self.assertEqual(self.ballot("sort", "-", "--format", "jsonl", "--by", "a", stdin=strings).stdout, b'{"a":"10"}\n{"a":"9"}\n{"a":"\\u0041"}\n')
        self.assertEqual(self.ballot("sort", "-", "--format", "jsonl", "--by", "a", stdin='{"a":1,"a":5}\n{"a":3}\n').stdout, b'{"a":3}\n{"a":1,"a":5}\n')

    def test_columns_of_csv_are_copied(self):
        rows = 'a,b,c\n007,"x",NA\n 6 ,"y""z, ",1\n'
        out = self.ballot("sort", "-", "--format", "csv", "--by", "a", "--null", "NA", "--columns", "c,b,a,#1", stdin=rows).stdout
        self.assertEqual(out, b'c,b,a,a\n1,"y""z, ", 6 , 6 \nNA,"x",007,007\n')
        out = self.ballot("sort", "-", "--format", "csv", "--by", "a", "--output-format", "tsv", stdin='a,b\n2,"x,y"\n1,p\tq\n').stdout
        self.assertEqual(out, b'a\tb\n1\t"p\tq"\n2\t"x,y"\n')

    def test_numbers(self):
        values = [3.5, math.nan, 1.0, math.inf, -math.inf]
        source = self.file("v.npy", npy_of("f64", pack("f64", values)))
        self.assertEqual(self.ballot("sort", source, "--output-format", "csv").stdout, b"value\n-inf\n1\n3.5\ninf\nnan\n")
        out = self.ballot("sort", source, "--output-format", "jsonl").stdout
        self.assertEqual([json.loads(line)["value"] for line in out.splitlines()], [-math.inf, 1, 3.5, math.inf, None])
        self.ballot("compact", source, "--where", "value > 1", "-o", self.file("v.jsonl"))
        self.assertEqual(self.file("v.jsonl").read_bytes(), b'{"value":3.5}\n{"value":1e999}\n')
        self.assertEqual(self.ballot("sort", "-", "--output-format", "jsonl", "--dtype", "u64", stdin=f"{2**64 - 1}\n1\n").stdout, b'{"value":1}\n{"value":18446744073709551615}\n')
        matrix = self.file("m.npy", npy("'<i2'", (2, 3), pack("i16", [1, 2, 3, 0, 5, 6])))
        self.assertEqual(self.ballot("sort", matrix, "--by", "0", "--output-format", "csv").stdout, b"0,1,2\n0,5,6\n1,2,3\n")
        self.ballot("sort", matrix, "--by", "0", "--columns", "2,0", "-o", self.file("m2.npy"))
        self.assertEqual(npy_items("i16", self.file("m2.npy").read_bytes(), (2, 2)), pack("i16", [6, 0, 3, 1]))
        records = self.file("r.bin", pack("u16", [2, 7, 1, 9]))
        descr, _, data = structures(self.written("r.npy", records, "--record-bytes", "4", "--by", "0:u16", "--columns", "2:u16,0:2"))
        self.assertEqual((descr, data), ([("2:u16", "<u2"), ("0:2", "|S2")], pack("u16", [9, 1, 7, 2])))
        dates = self.file("d.npy", npy("[('d', '<M8[D]'), ('x', '>i4')]", (2,), struct.pack("<q", 9) + struct.pack(">i", 1) + struct.pack("<q", 3) + struct.pack(">i", 2)))
        descr, _, data = structures(self.written("d2.npy", dates, "--by", "d", "--columns", "x,d"))
        self.assertEqual((descr, data[:4]), ([("x", ">i4"), ("d", "<M8[D]")], struct.pack(">i", 2)))

    def test_a_name_or_a_field_that_is_empty(self):
        """Neither a field of the header nor a row gets lost."""
        source = self.file("in.jsonl", '{"":1,"a":2}\n')
        self.assertEqual(rows_of(self.ballot("sort", source, "--by", "a", "--output-format", "csv", "-q").stdout), [["", "a"], ["1", "2"]])
        source = self.file("in.csv", "a,b\n1,\n2,x\n")
        self.assertEqual(self.ballot("sort", source, "--by", "a", "--columns", "b", "-q").stdout, b'b\n""\nx\n')

    def test_types_are_those_of_the_input(self):
        """Whatever is written of it, and however much memory there is. Those that --top of compact leaves out are not read."""
        rows = [(i * 7919 % 20_011, i, "n/a" if i == 19_000 else i) for i in range(20_000)]
        source = self.file("in.csv", csv_of([("k", "i", "mixed"), *rows]))
        ordered = sorted(rows)
        for words in ((), ("--memory", "256K"), ("--memory", "256K", "--verify")):
            for more, expected in ((("--top", "3"), ordered[:3]), (("--unique",), ordered)):
                out = self.ballot("sort", source, "--by", "k", "--columns", "mixed,i", "--output-format", "jsonl", *more, *words).stdout
                self.assertEqual([json.loads(line) for line in out.splitlines()], [{"mixed": str(mixed), "i": i} for _, i, mixed in expected])
        for where in ("k >= 0", "k:i64 >= 0"):
            out = self.ballot("compact", source, "--where", where, "--top", "3", "--columns", "mixed", "--output-format", "jsonl").stdout
            self.assertEqual(out, b'{"mixed":0}\n{"mixed":1}\n{"mixed":2}\n')

    def test_numbers_of_json_beyond_f64(self):
        """They are infinities, as this program and others write them."""
        source = self.file("in.jsonl", '{"v":1e999,"w":"1e999"}\n{"v":2,"w":""}\n{"v":-1e999,"w":"x"}\n{"v":null,"w":"y"}\n')
        out = self.ballot("sort", source, "--by", "v", "--output-format", "csv").stdout
        self.assertEqual(rows_of(out), [["v", "w"], ["-inf", "x"], ["2", ""], ["inf", "1e999"], ["", "y"]])
        self.assertEqual(self.ballot("compact", source, "--where", "v > 1", "--columns", "v").stdout, b'{"v":1e999}\n{"v":2}\n')
        self.ballot("sort", source, "--by", "v:f32", "--columns", "v:f32", "-o", self.file("out.npy"))
        self.assertEqual(structures(self.file("out.npy").read_bytes())[2][:12], pack("f32", [-math.inf, 2, math.inf]))
        self.assert_refused("sort", self.file("w.jsonl", '{"v":1e39}\n'), "--by", "v:f32", says=["out of range for f32", "1e39"])
        self.assert_refused("sort", self.file("w.jsonl", '{"v":1e999}\n'), "--by", "v:i64", says=["not a number of type i64", "'inf'"])
        self.assert_refused("sort", self.file("w.csv", 'v\n1e999\n'), "--by", "v:f64", says="out of range for f64")

    def test_no_rows_keep_their_types(self):
        self.ballot("compact", self.table, "--where", "id < 0", "-o", self.file("none.npy"))
        descr, shape, data = structures(self.file("none.npy").read_bytes())
        self.assertEqual((descr, shape, data), ([("id", "<i8"), ("t t", "|S1"), ("f", "<f8"), ("m", "<i8")], (0,), b""))
        for kind, expected in (("tsv", b"id\tt t\tf\tm\n"), ("jsonl", b"")):
            self.assertEqual(self.ballot("compact", self.table, "--where", "id < 0", "--output-format", kind).stdout, expected)

    def refused(self, *words, says, expect):
        old = self.file("old", "old")
        self.assert_refused("sort", *words, says=says, expect=expect)
        self.assertEqual(old.read_text(), "old")

    def test_what_cannot_be(self):
        by = (self.table, "--by", "id")
        for words, says in (((*by, "--columns", "nope"), ["no column 'nope'", "id, t t"]),
                            ((*by, "--columns", "id,id", "-o", "x.npy"), "two columns 'id'"), ((*by, "--columns", "id", "--count"), "--count"),
                            ((*by, "--columns", "id", "--indices"), "--indices"), ((*by, "-o", "x.raw"), "the extension is .raw"),
                            ((self.file("r.bin", bytes(8)), "--record-bytes", "4", "--by", "0:4", "--columns", "0:2"), "no columns to choose"),
                            ((self.file("r.bin", bytes(8)), "--record-bytes", "4", "--by", "0:4", "-o", "x.csv"), "which columns")):
            self.refused(*words, says=says, expect=2)
        out = self.file("old.npy", "old")
        for words, says in (((*by, "--columns", "m:i64"), ["column 'm' has missing fields", "m:f64"]), ((*by, "--columns", "t t:i64"), "not a number of type i64")):
            self.assert_refused("sort", *words, "-o", out, says=says)
            self.assertEqual(out.read_text(), "old")
        huge = self.file("h.csv", f"a\n{2**60}\n\n5\n".replace("\n\n", '\n""\n'))
        self.assert_refused("sort", huge, "--by", "a", "-o", out, says=["beyond 2^53", "a:text"])
        latin = self.file("l.csv", b"a,b\n1,\xe9\n")
        self.assert_refused("sort", latin, "--by", "a", "-o", self.file("old.jsonl", "old"), says=["column 'b'", "not UTF-8"])
        late = self.file("l.jsonl", b"".join(b'{"a":%d}\n' % i for i in range(2000)) + b'{"a":1,"q":2}\n')
        self.assert_refused("sort", late, "--by", "a", "-o", self.file("old.csv", "old"), says=["'q'", "--columns"])

    def test_json_that_is_none(self):
        for line, says in ((b'{"a":}', "byte 6 of the line"), (b"[1]", "an object"), (b'{"a":"\xff"}', "not UTF-8"), (b'{"a":"\\ud800"}', "surrogate"), (b'{"a":1} x', "behind the object"),
                           (b'{"a":01}', "not a number"), (b'{"a":1.}', "digits are missing"), (b'{"a":"\\x"}', "escape"), (b'{"a":tru}', "no value"), (b'{"a":1', "'}' is missing"),
                           (b'{"a":' + b"[" * 600, "too deep"), (b'{"a":"\x01"}', "control character")):
            self.assert_refused("sort", self.file("in.jsonl", b'{"a":1}\n' + line + b"\n"), "--by", "a", says=["in.jsonl:2: ", says])
        self.assert_refused("sort", self.file("in.jsonl", b'{"a":1}\n'), "--by", "b", says=["no column 'b'", "the columns are a"], expect=2)

    def test_json_that_is_none_where_a_column_is_missing(self):
        """The member may be in the rows behind the error: that is what has to be said."""
        for text, says in ((b'{"a":NaN}\n', "in.jsonl:1: byte 6 of the line"), (b'\xef\xbb\xbf{"b":1,"a":01}\n', "in.jsonl:1: byte 14 of the line"), (b'\n{"b":1}\n{"b":2', "in.jsonl:3: byte 7 of the line")):
            source = self.file("in.jsonl", text)
            for words in (("sort", "--by", "a"), ("sort", "--by", "b", "--columns", "a"), ("compact", "--where", "a > 1"), ("compact", "--unique", "--by", "a")):
                if words[2] != "b" or b'"b"' in text:
                    self.assert_refused(words[0], source, *words[1:], says=says)
        # The last line that is looked at is cut, which is no error.
        source = self.file("in.jsonl", b'{"b":1}\n{"b":"%s"}\n' % (b"x" * 1_500_000))
        self.assert_refused("sort", source, "--by", "a", says=["no column 'a'", "the columns are b"], expect=2)

    def test_json_whose_first_row_is_long(self):
        text = '{"b":"' + "x" * 3_000_000 + '","a":2}\n{"a":1}\n'
        long_one, short_one = text.splitlines(keepends=True)
        self.assertEqual(self.ballot("sort", self.file("in.jsonl", text), "--by", "a", "-q").stdout.decode(), short_one + long_one)
        self.assertEqual(self.ballot("sort", "-", "--format", "jsonl", "--by", "a", "--memory", "256M", "-q", stdin=text).stdout.decode(), short_one + long_one)
        self.assert_refused("sort", self.folder / "in.jsonl", "--by", "a", "--memory", "16M", says="in.jsonl:1: this row is too long for --memory")

    def test_json_with_many_members(self):
        seconds = lambda: sum(os.times()[2:4])  # of this process's children
        text, before = "{" + ",".join(f'"{i:x}":{i}' for i in range(60_000)) + "}\n", seconds()
        self.assertEqual(self.ballot("sort", self.file("in.jsonl", text), "--by", "ea5f", "-q").stdout.decode(), text)
        self.assertLess(seconds() - before, 2)


if __name__ == "__main__":
    command.main()
