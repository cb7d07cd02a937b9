# SPDX-License-Identifier: Apache-2.0
"""ballot sort over tables: CSV, lines, .npy, records and SOSD, against sorting in Python."""

import csv
import io
import math
import random
import struct

import command
from command import npy, npy_items, pack, unpack


def csv_text(header, rows, line_end="\n", delimiter=","):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end, delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def csv_rows(data, delimiter=","):
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


def last(is_late, key):
    """Empty fields and NaNs come last whatever the direction: a key that says so."""
    return (1,) if is_late else (0, key)


def descending_text(text):
    return tuple(-byte for byte in text.encode()) + (1,)  # a shorter one comes after what it begins


class SortTableTest(command.CommandTest):
    def sorted_csv(self, text, *words, **options):
        source = self.file("in.csv", text)
        self.ballot("sort", source, "-o", self.file("out.csv"), "--verify", *words, **options)
        return self.file("out.csv").read_bytes()

    def random_table(self, count, seed=5):
        rng = random.Random(seed)
        names = ["", "a", "b, with a comma", 'say "so"', "two\nlines", "prefix prefix prefix " * 3, "zoë", "prefix prefix", " "]
        return [[rng.choice(names) + rng.choice(["", "", "x", "y" * 20]) if rng.random() < 0.9 else "",
                 rng.choice(["", str(rng.randrange(-5, 5)), str(rng.randrange(-2**63, 2**63))]),
                 rng.choice(["", "nan", "-inf", "1e300", "0", repr(rng.gauss(0, 1))]),
                 str(i)] for i in range(count)]

    def test_random_tables(self):
        for count, line_end in ((0, "\n"), (1, "\n"), (2, "\r\n"), (37, "\n"), (3000, "\r\n")):
            rows = self.random_table(count)
            text = csv_text(["name", "key", "weight", "id"], rows, line_end)
            keys = {
                ("--by", "name"): lambda r: last(not r[0], r[0].encode()),
                ("--by", "name:desc"): lambda r: last(not r[0], descending_text(r[0])),
                ("--by", "key:desc"): lambda r: last(not r[1], -int(r[1] or 0)),
                ("--by", "weight"): lambda r: (2,) if not r[2] else last(math.isnan(float(r[2])), float(r[2])),
                ("--by", "weight:f32:desc"): lambda r: (2,) if not r[2] else last(math.isnan(float(r[2])), -as_f32(float(r[2]))),
                ("--by", "name:text:desc", "--by", "key:i64"): lambda r: (last(not r[0], descending_text(r[0])), last(not r[1], int(r[1] or 0))),
                ("--by", "key", "--by", "name", "--descending"): lambda r: (last(not r[1], -int(r[1] or 0)), last(not r[0], descending_text(r[0]))),
                ("--by", "weight", "--by", "name", "--by", "key"): lambda r: ((2,) if not r[2] else last(math.isnan(float(r[2])), float(r[2])), last(not r[0], r[0].encode()), last(not r[1], int(r[1] or 0))),
            }
            for words, key in keys.items():
                if "weight:f32:desc" in words and count:
                    words = tuple(w.replace("f32", "f64") for w in words)  # 1e300 is out of range for f32
                    key = lambda r: (2,) if not r[2] else last(math.isnan(float(r[2])), -float(r[2]))
                out = self.sorted_csv(text, *words)
                self.assertEqual(out.decode(), csv_text(["name", "key", "weight", "id"], sorted(rows, key=key), line_end), words)

    def test_rows_travel_as_they_are(self):
        text = '\ufeff"id", name ,"x"\r\n"2","a ""b""\r\nc",1\r\n1 ,"d",\r\n"10",e"f,"3"'
        out = self.sorted_csv(text, "--by", "id").decode()
        self.assertEqual(out, '\ufeff"id", name ,"x"\r\n1 ,"d",\r\n"2","a ""b""\r\nc",1\r\n"10",e"f,"3"\r\n')
        out = self.sorted_csv(text, "--by", " name ").decode()
        self.assertEqual(out, '\ufeff"id", name ,"x"\r\n"2","a ""b""\r\nc",1\r\n1 ,"d",\r\n"10",e"f,"3"\r\n')
        out = self.sorted_csv(text, "--by", "id:text").decode()
        self.assertEqual(out, '\ufeff"id", name ,"x"\r\n1 ,"d",\r\n"10",e"f,"3"\r\n"2","a ""b""\r\nc",1\r\n')

    def test_blank_lines_are_no_rows_and_are_counted(self):
        report, _ = self.report("sort", self.file("in.csv", "a,b\n2,x\n\n1,y\n\n\n"), "--by", "a", "-o", self.file("out.csv"))
        self.assertEqual(self.file("out.csv").read_text(), "a,b\n1,y\n2,x\n")
        self.assertEqual((report["n"], report["blank_lines"]), (2, 3))

    def test_other_delimiters(self):
        rows = [["b", "2"], ["a\tx", "1"]]
        self.file("in.tsv", csv_text(["n", "k"], rows, delimiter="\t"))
        self.ballot("sort", self.folder / "in.tsv", "--by", "k", "-o", self.file("out.tsv"))
        self.assertEqual(csv_rows(self.file("out.tsv").read_bytes(), "\t"), [["n", "k"], ["a\tx", "1"], ["b", "2"]])
        done = self.ballot("sort", "-", "--delimiter", ";", "--by", "k", "--quiet", stdin="n;k\nb;2\na;1\n")
        self.assertEqual(done.stdout, b"n;k\na;1\nb;2\n")

    def test_integers_of_64_bits_are_exact(self):
        for values in ([2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1, 2**53 + 1, 2**53], [2**64 - 1, 2**64 - 2, 2**63, 0]):
            text = "k,id\n" + "".join(f"{v},{i}\n" for i, v in enumerate(values)) + ",empty\n"
            for words, order in (((), sorted(values)), (("--descending",), sorted(values, reverse=True))):
                out = csv_rows(self.sorted_csv(text, "--by", "k", *words))[1:]
                self.assertEqual([r[0] for r in out], [str(v) for v in order] + [""])

    def test_an_empty_field_comes_after_the_last_number(self):
        # The largest number of the type has the largest key, and is no empty field.
        for dtype, extreme in (("u64", 2**64 - 1), ("i64", 2**63 - 1), ("u8", 255)):
            out = csv_rows(self.sorted_csv(f"k,id\n,a\n{extreme},b\n0,c\n,d\n", "--by", f"k:{dtype}"))
            self.assertEqual([r[1] for r in out[1:]], ["c", "b", "a", "d"])
        for dtype, extreme in (("u64", 0), ("i64", -2**63)):
            out = csv_rows(self.sorted_csv(f"k,id\n,a\n{extreme},b\n1,c\n,d\n", "--by", f"k:{dtype}:desc"))
            self.assertEqual([r[1] for r in out[1:]], ["c", "b", "a", "d"])

    def test_long_texts_with_common_beginnings(self):
        rng = random.Random(3)
        texts = ["https://example.org/" + "".join(rng.choices("ab", k=rng.randrange(0, 40))) for _ in range(4000)]
        text = csv_text(["url", "id"], [[t, str(i)] for i, t in enumerate(texts)])
        for words, reverse in (((), False), (("--descending",), True)):
            key = descending_text if reverse else str.encode
            expected = sorted(range(len(texts)), key=lambda i: key(texts[i]))
            self.assertEqual([int(r[1]) for r in csv_rows(self.sorted_csv(text, "--by", "url", *words))[1:]], expected)

    def test_texts_with_zeros_are_not_shorter_ones(self):
        for texts in ([b"a\0", b"a", b"a\0\0", b"ab"], [b"\xff" * 8, b"\xff" * 7, b"\xff" * 9]):
            data = b"t,id\n" + b"".join(t + b",%d\n" % i for i, t in enumerate(texts)) + b",x\n"
            out = self.sorted_csv(data, "--by", "t")
            self.assertEqual(out, b"t,id\n" + b"".join(texts[i] + b",%d\n" % i for i in sorted(range(len(texts)), key=texts.__getitem__)) + b",x\n")
            out = self.sorted_csv(data, "--by", "t:desc")
            order = sorted(range(len(texts)), key=lambda i: tuple(-b for b in texts[i]) + (1,))
            self.assertEqual(out, b"t,id\n" + b"".join(texts[i] + b",%d\n" % i for i in order) + b",x\n")

    def test_unique_top_count_indices(self):
        text = "k,v\n3,a\n1,b\n3,c\n2,d\n1,e\n"
        self.assertEqual(self.sorted_csv(text, "--by", "k", "--unique"), b"k,v\n1,b\n2,d\n3,a\n")
        self.assertEqual(self.sorted_csv(text, "--by", "k:desc", "--top", "2"), b"k,v\n3,a\n3,c\n")
        self.assertEqual(self.sorted_csv(text, "--by", "k", "--unique", "--top", "9"), b"k,v\n1,b\n2,d\n3,a\n")
        self.assertEqual(self.sorted_csv(text, "--by", "k", "--top", "0"), b"k,v\n")
        source = self.folder / "in.csv"
        self.assertEqual(self.ballot("sort", source, "--by", "k", "--unique", "--count", "-q").stdout, b"3\n")
        self.assertEqual(self.ballot("sort", source, "--by", "k", "--indices", "-q").stdout, b"1\n4\n3\n0\n2\n")
        self.ballot("sort", source, "--by", "k", "--indices", "-o", self.file("order.npy"))
        self.assertEqual(unpack("u64", npy_items("u64", self.file("order.npy").read_bytes())), [1, 4, 3, 0, 2])
        report, _ = self.report("sort", source, "--by", "k", "--unique", "-o", self.file("out.csv"), "--verify")
        self.assertEqual((report["n"], report["n_out"], report["verified"]), (5, 3, True))

    def test_columns_of_numbers_as_tables(self):
        self.assertEqual(self.ballot("sort", "-", "--unique", "-q", stdin="3\n\n1\n 3\n2").stdout, b"1\n2\n3\n")
        self.assertEqual(self.ballot("sort", "-", "--indices", "-q", stdin="3\n1\n2\n").stdout, b"1\n2\n0\n")
        data = pack("f64", [2.0, math.nan, -0.0, 0.0, -math.inf, -math.nan])
        source = self.file("in.raw", data)
        self.ballot("sort", source, "--dtype", "f64", "-o", self.file("all.raw"))
        for words in ((), ("--descending",)):
            self.ballot("sort", source, "--dtype", "f64", "-o", self.file("all.raw"), *words)
            self.ballot("sort", source, "--dtype", "f64", "--top", "5", "--verify", "-o", self.file("top.raw"), *words)
            self.assertEqual(self.file("top.raw").read_bytes(), self.file("all.raw").read_bytes()[:40])

    def test_lines(self):
        rng = random.Random(9)
        lines = [bytes(rng.choices(b"ab\0\xff \r", k=rng.randrange(0, 14))) for _ in range(3000)]
        source = self.file("in.log", b"\n".join(lines))
        self.ballot("sort", source, "--format", "lines", "-o", self.file("out.log"), "--verify")
        if not lines[-1]:
            lines.pop()  # what ends in a line end has no line behind it
        self.assertEqual(self.file("out.log").read_bytes(), b"".join(line + b"\n" for line in sorted(lines)))
        self.ballot("sort", source, "--format", "lines", "--unique", "--descending", "-o", self.file("out.log"), "--verify")
        self.assertEqual(self.file("out.log").read_bytes(), b"".join(line + b"\n" for line in sorted(set(lines), reverse=True)))

    def test_npy_of_two_dimensions(self):
        rng = random.Random(2)
        rows = [[rng.randrange(4), rng.randrange(4), i] for i in range(500)]
        source = self.file("in.npy", npy("'<i4'", (500, 3), pack("i32", sum(rows, []))))
        self.ballot("sort", source, "--by", "1:desc", "--by", "0", "-o", self.file("out.npy"), "--verify")
        expected = sum(sorted(rows, key=lambda r: (-r[1], r[0])), [])
        self.assertEqual(unpack("i32", npy_items("i32", self.file("out.npy").read_bytes(), (500, 3))), expected)
        self.ballot("sort", source, "--by", "1", "--top", "2", "-o", self.file("out.npy"))
        self.assertEqual(unpack("i32", npy_items("i32", self.file("out.npy").read_bytes(), (2, 3))), sum(sorted(rows, key=lambda r: r[1])[:2], []))

    def test_npy_of_structures(self):
        descr = "[('id', '<u2'), ('', '|V2'), ('at', '<f4', (2,)), ('name', '|S5'), ('ok', '|b1'), ('z', '<f8'), ('deep', [('a', '<i4'), ('b', '>i2')])]"
        layout = struct.Struct("<H2x2f5s?dih")
        items = [(3, 1.0, 2.0, b"bob", True, math.nan, 1, 2), (1, 0.0, 0.0, b"", False, -1.5, 3, 4), (2, 9.0, 9.0, b"al", True, 7.0, 5, 6), (9, 9.0, 9.0, b"bobby", False, -1.5, 5, 6)]
        source = self.file("in.npy", npy(descr, (4,), b"".join(layout.pack(*item) for item in items)))

        def order_by(*words):
            self.ballot("sort", source, *words, "-o", self.file("out.npy"), "--verify")
            data = self.file("out.npy").read_bytes()
            self.assertIn(descr.encode(), data)
            length = 10 + int.from_bytes(data[8:10], "little")
            return [layout.unpack_from(data, length + i * layout.size)[0] for i in range((len(data) - length) // layout.size)]

        self.assertEqual(order_by("--by", "id"), [1, 2, 3, 9])
        self.assertEqual(order_by("--by", "name"), [2, 3, 9, 1])
        self.assertEqual(order_by("--by", "name:desc"), [9, 3, 2, 1])
        self.assertEqual(order_by("--by", "z", "--by", "id:desc"), [9, 1, 2, 3])
        self.assertEqual(order_by("--by", "ok", "--by", "z:desc", "--top", "3"), [1, 9, 2])
        for column in ("at", "deep"):
            self.assert_refused("sort", source, "--by", column, says=f"column '{column}' cannot be compared", expect=2)

    def test_records(self):
        rng = random.Random(4)
        records = [bytes(rng.choices(b"\0\1\x80\xff", k=10)) + struct.pack("<fH", rng.choice([1.5, -2.0, math.nan]), i) for i in range(2000)]
        source = self.file("in.bin", b"".join(records))
        for words, key in ((("--by", "0:10"), lambda r: r[:10]), (("--by", "0:10:desc"), lambda r: tuple(-b for b in r[:10])), (("--by", "2:3", "--by", "14:u16:desc"), lambda r: (r[2:5], -struct.unpack_from("<H", r, 14)[0])),
                           (("--by", "0:16"), lambda r: r), (("--by", "10:f32"), lambda r: last(math.isnan(struct.unpack_from("<f", r, 10)[0]), struct.unpack_from("<f", r, 10)[0]))):
            self.ballot("sort", source, "--record-bytes", "16", *words, "-o", self.file("out.bin"), "--verify")
            self.assertEqual(self.file("out.bin").read_bytes(), b"".join(sorted(records, key=key)), words)
        wide = [bytes(rng.choices(b"ab", k=40)) for _ in range(500)]  # more bytes than keys: the rest is compared afterwards
        self.ballot("sort", self.file("in.bin", b"".join(wide)), "--record-bytes", "40", "--by", "0:40", "-o", self.file("out.bin"), "--verify")
        self.assertEqual(self.file("out.bin").read_bytes(), b"".join(sorted(wide)))

    def test_sosd(self):
        values = [5, 2**64 - 1, 0, 5, 7]
        source = self.file("books", struct.pack("<6Q", 5, *values))
        self.ballot("sort", source, "--format", "sosd", "-o", self.file("out"), "--verify")
        self.assertEqual(self.file("out").read_bytes(), struct.pack("<6Q", 5, *sorted(values)))
        self.ballot("sort", source, "--format", "sosd", "--unique", "-o", self.file("out"))
        self.assertEqual(self.file("out").read_bytes(), struct.pack("<5Q", 4, *sorted(set(values))))
        self.file("books32", struct.pack("<Q3I", 3, 9, 1, 8))
        self.ballot("sort", self.folder / "books32", "--format", "sosd", "--dtype", "u32", "-o", self.file("out"))
        self.assertEqual(self.file("out").read_bytes(), struct.pack("<Q3I", 3, 1, 8, 9))

    def test_words_for_missing_values(self):
        text = "k,id\n10,0\nNA,1\n9,2\nn/a,3\n,4\n-999,5\n"
        missing = ("--null", "NA", "--null", "n/a", "--null", "-999")
        self.assertEqual([r[1] for r in csv_rows(self.sorted_csv(text, "--by", "k", *missing))[1:]], ["2", "0", "1", "3", "4", "5"])
        self.assertEqual([r[1] for r in csv_rows(self.sorted_csv(text, "--by", "k:u8:desc", *missing))[1:]], ["0", "2", "1", "3", "4", "5"])
        self.assertEqual([r[1] for r in csv_rows(self.sorted_csv(text, "--by", "k:text", *missing))[1:]], ["0", "2", "1", "3", "4", "5"])
        self.assertEqual([r[0] for r in csv_rows(self.sorted_csv(text, "--by", "k:i64", *missing))[1:]], ["9", "10", "NA", "n/a", "", "-999"])  # as they were written
        self.assert_refused("sort", self.file("in.csv", text), "--by", "k:i64", "--null", "NA", says="in.csv:5: column 'k': not a number of type i64: 'n/a'")
        self.assert_refused("sort", self.file("in.log", text), "--format", "lines", "--null", "NA", says="--null is for CSV", expect=2)
        self.assert_refused("sort", self.file("in.csv", text), "--by", "k", "--null", "", says="--null: the value is empty", expect=2)

    def test_one_odd_field_makes_text_of_numbers_and_the_report_says_so(self):
        rows = "".join(f"{i},{i}\n" for i in range(100_000))
        source = self.file("in.csv", "k,id\n" + rows + "7?,odd\n" + rows)
        told = {"name": "k", "type": "text", "guessed": True, "mixed": True, "decided_by": {"line": 100_002, "value": "7?"}}
        for memory in ((), ("--memory", "1M"), ("--memory", "64K")):
            report, _ = self.report("sort", source, "--by", "k", "--by", "id:text:desc", *memory, "-o", self.file("out.csv"))
            self.assertEqual(report["columns"], [told, {"name": "id", "type": "text", "guessed": False, "mixed": False, "decided_by": None}])
            self.assertEqual("runs" in report, bool(memory))
        # A possible mistake is reported without a report, too.
        said = self.ballot("sort", source, "--by", "k", "-o", self.file("out.csv")).stderr.decode()
        self.assertTrue(said.startswith("ballot sort:  'k' is compared as text, because of '7?' in line 100002, although"), said)
        self.assertEqual(said.count("\n"), 1)
        said = self.ballot("sort", source, "--by", "k", "--report", "-o", self.file("out.csv")).stderr.decode()
        self.assertIn("\n  'k' is compared as text, because of '7?' in line 100002, although it also holds numbers", said)
        first_is_odd = self.file("in.csv", "k,v,w,x\n?,18446744073709551615,,-1\n" + "1,2,,18446744073709551615\n" * 200_000)
        for memory in ((), ("--memory", "1M")):
            report, _ = self.report("sort", first_is_odd, *(word for name in "kvwx" for word in ("--by", name)), *memory, "-o", self.file("out.csv"))
            self.assertEqual([(c["type"], c["mixed"], c["decided_by"] and c["decided_by"]["line"]) for c in report["columns"]],
                             [("text", True, 2), ("u64", False, 2), ("missing", False, None), ("f64", False, 3)], memory)
        said = self.ballot("sort", first_is_odd, "--by", "v", "--by", "w", "--by", "k:text", "--report", "-o", self.file("out.csv")).stderr.decode()
        self.assertIn("'v' is compared as u64, because of '18446744073709551615' in line 2\n", said)
        self.assertIn("'w' is compared as missing values: the column is empty\n", said)
        self.assertNotIn("'k' is", said)
        self.assertNotIn("columns", self.report("sort", self.file("in.raw", bytes(8)), "--dtype", "u64", "-o", self.file("out.raw"))[0])

    def test_columns_by_place(self):
        text = "a,b,a,#1\n1,5,4,8\n2,6,3,7\n"
        for by, first in (("#1", b"2,"), ("#3", b"2,"), ("#3:desc", b"1,"), ("#3:u8:desc", b"1,"), ("#2", b"1,"), ("#4:desc", b"1,")):
            self.assertEqual(self.sorted_csv(text, "--by", by).split(b"\n")[1][:2], first, by)  # "#1" is a name here: the fourth column
        self.assert_refused("sort", self.file("in.csv", text), "--by", "a", says=["there are two columns 'a': use #1 or #3", "a, b, a, #1"], expect=2)
        for by in ("#0", "#5", "#", "#x", "#-1", "#99999999999999999999"):
            self.assert_refused("sort", self.file("in.csv", text), "--by", by, says=f"no column '{by}'", expect=2)

    def test_column_names_with_colons(self):
        out = self.sorted_csv("a:desc,a\n1,5\n2,4\n", "--by", "a:desc")
        self.assertEqual(out, b"a:desc,a\n1,5\n2,4\n")
        out = self.sorted_csv("a:desc,a\n1,5\n2,4\n", "--by", "a:desc:desc")
        self.assertEqual(out, b"a:desc,a\n2,4\n1,5\n")
        out = self.sorted_csv("a,b\n10,x\n9,y\n", "--by", "a:text")
        self.assertEqual(out, b"a,b\n10,x\n9,y\n")


def as_f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


if __name__ == "__main__":
    command.main()
