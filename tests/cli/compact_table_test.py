# SPDX-License-Identifier: Apache-2.0
"""ballot compact over tables: conditions, flags, --unique and --mask, against filtering in Python."""

import math
import random
import struct

import command
from command import npy, npy_items, npy_of, pack, unpack

TEXT = "name,pop,north,Cost Total $,zip\n" \
       "Boston,675647,42.36,10,02101\n" \
       '"Salem, MA",44480,42.52,,01970\n' \
       ",,,5,00501\n" \
       "Zürich,9223372036854775807,47.37,1,08001\n" \
       "Nowhere,9223372036854775806,nan,0,99999"
ROWS = TEXT.split("\n")[1:]


class CompactTableTest(command.CommandTest):
    def kept(self, where, *words):
        source = self.file("in.csv", TEXT)
        self.ballot("compact", source, "--where", where, "-o", self.file("out.csv"), "--verify", *words)
        header, *rows = self.file("out.csv").read_text(encoding="utf-8").split("\n")[:-1]
        self.assertEqual(header, TEXT.split("\n", maxsplit=1)[0])
        return [ROWS.index(row) for row in rows]

    def test_conditions(self):
        for where, expected in {
                "pop > 50000": [0, 3, 4],
                "pop == 9223372036854775807": [3],
                "pop != 9223372036854775807": [0, 1, 2, 4],
                "pop > 9223372036854775806": [3],
                "50000 >= pop": [1],
                "isempty(pop)": [2],
                "isnan(pop)": [2],
                "isnan(north)": [2, 4],
                "not isempty(north) and isnan(north)": [4],
                "north - 42 < 0.5": [0],
                "-north > -42.4 or `Cost Total $` * 2 - 1 == 1": [0, 3],
                "pop / 2 >= 22240 and pop / (1 + 1) <= 22240": [1],
                "2 + 3 * 4 == 14": [0, 1, 2, 3, 4],
                "(2 + 3) * 4 == 14": [],
                "10 - 4 - 3 == 3 and 16 / 4 / 2 == 2": [0, 1, 2, 3, 4],
                'name == "Boston"': [0],
                "name == 'Salem, MA'": [1],
                'name < "S"': [0, 2, 4],
                'name != "Boston" and not isempty(name)': [1, 3, 4],
                'name == "Zürich"': [3],
                'name == ""': [2],
                'text(zip) == "00501"': [2],
                "zip == 501": [2],
                "text(pop) > text(zip)": [0, 1, 3],
                "pop > zip": [0, 1, 3, 4],
                "`Cost Total $` < north": [0, 3],
                "pop == pop": [0, 1, 3, 4],
                "pop > -1e30 or pop < 0x10": [0, 1, 3, 4],
                "north > inf or north < -inf": [],
        }.items():
            self.assertEqual(self.kept(where), expected, where)
            self.assertEqual(self.kept(where, "--invert"), [i for i in range(5) if i not in expected], where)

    def test_many_rows_in_little_memory(self):
        """A condition alone is evaluated while the file is read, whatever is written."""
        rng = random.Random(3)
        rows = []
        while sum(map(len, rows)) < 1 << 20:
            note = rng.choice(["", "plain", '"a, b"', '"says ""no"""', '"two\nlines"'])
            rows += [f"{rng.randrange(1000)},{note},{rng.choice(['', '0.5', '7'])}\n" for _ in range(100)]
        blocks = 64  # of the same rows; this program has to stay small: its memory counts as that of those it begins
        kept = [i for i, row in enumerate(rows) if int(row.split(",", 1)[0]) > 900 and ("two" in row or row.endswith(",7\n"))]
        source, out = self.file("in.csv", "k,note,x\n"), self.file("out.csv")
        with source.open("a") as file:
            for _ in range(blocks):
                file.write("".join(rows))
        expected = "k,note,x\n" + "".join(rows[i] for i in kept) * blocks
        words = ["compact", source, "--where", "k > 900 and (note contains 'two' or x == 7)"]
        report, _ = self.report(*words, "-o", out)
        self.assertEqual(out.read_text(), expected)
        self.assertEqual((report["n"], report["n_out"], report["blank_lines"]), (blocks * len(rows), blocks * len(kept), 0))
        if command.ENGINE == "cpu":
            self.assertLess(report["used"]["peak_memory_bytes"], source.stat().st_size)
        self.assertEqual(self.ballot(*words, "--quiet").stdout.decode(), expected)
        self.assertEqual(self.ballot(*words, "--quiet", "--indices").stdout.decode(), "".join(f"{block * len(rows) + i}\n" for block in range(blocks) for i in kept))
        self.assertEqual(self.ballot(*words, "--quiet", "--count").stdout.decode(), f"{blocks * len(kept)}\n")
        # The last row has errors that the first ones do not show: a number that is none, and a row too short.
        for last, says in (("word,,1\n", "k holds text"), ("1,2\n", f"in.csv:{blocks * ''.join(rows).count(chr(10)) + 2}: 2 fields, the header has 3")):
            with source.open("a") as file:
                file.write(last)
            done = self.ballot(*words, "-o", self.file("old.csv", "old"), expect=None)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr.decode())
            self.assertEqual(self.file("old.csv").read_text(), "old")
            with source.open("r+") as file:
                file.truncate(source.stat().st_size - len(last))

    def test_a_pipe_gets_each_row_once(self):
        """The types that the first rows show may not be those of all rows. Nothing of an attempt with them may be seen."""
        rows = "".join(f"{i},y\n" for i in range(100_000))
        for text in (rows + "0.5,half\n" + rows, "".join(",y\n" for _ in range(200_000)) + rows, rows + "18446744073709551615,z\n" + rows):
            source, out = self.file("in.csv", "k,s\n" + text), self.file("out.csv")
            for where in ("k > 10", "k != 10"):
                self.ballot("compact", source, "--where", where, "-o", out, "-q")
                self.assertEqual(self.ballot("compact", source, "--where", where, "-q").stdout, out.read_bytes(), where)

    def test_rows_that_are_appended_to_the_input(self):
        source = self.file("in.csv", "k,s\n" + "".join(f"x{i},y{i}\n" for i in range(100_000)))
        before = source.read_bytes()
        for words, where in (((), "s != ''"), (("--format", "lines"), "line != ''"), (("--columns", "k,s"), "s != ''")):
            source.write_bytes(before)
            with source.open("ab") as output:
                self.ballot("compact", source, *words, "--where", where, "-q", stdout=output, preexec_fn=command.limit_file_size(1 << 24))
            self.assertEqual(source.read_bytes(), before + before, words)

    def test_conditions_that_are_wrong(self):
        source = self.file("in.csv", TEXT)
        old = self.file("out.csv", b"old")
        for where, says, column in (
                ("pop > ", "something is missing here", 7),
                ("pops > 5", "no column 'pops': the columns are name, pop", 1),
                ('pop == "5"', "pop holds numbers: compare it with a number, or text(pop) with a text", 8),
                ("name > 5", "name holds text (" + str(source) + ":2: 'Boston'): compare it with a text in quotes", 8),
                ('pop > "north"', "is the column `north` meant?", 7),
                ("pop", "this is not a condition", 1),
                ("not pop", "pop holds numbers, but a condition is needed here", 5),
                ("pop > 1 and name", "name holds text", 13),
                ("name + 1 > 2", "name holds text", 1),
                ("(pop > 1) + 1 > 2", "this is a condition, but a number is needed here", 1),
                ("(pop > 1) > 2", "this is a condition: only numbers and texts can be compared", 1),
                ("isnan(name)", "name holds text", 7),
                ("isnan(pop > 1)", "expected ')' here", 11),
                ("isempty(1)", "no column '1'", 9),
                ("1 < pop < 2", "comparisons do not chain", 9),
                ("pop > 1 )", "this parenthesis was never opened", 9),
                ("(pop > 1", "this parenthesis is never closed", 1),
                ("name == 'x", "this quote is never closed", 9),
                ("`pop > 1", "this quote is never closed", 1),
                ("`` > 1", "the name of a column is missing", 1),
                ("pop & 1", "write '&&' or 'and'", 5),
                ("Cost Total $ > 1", "expected an operator", 6),
                ("$ > 1", "expected a column, a number or a text, not '$'", 1),
                ("", "the expression is empty", 1),
                ("'a' == 'b'", "one of them should be a column", 5),
                ("pop > 1e", "this is not a number", 7),
                ("and", "expected a column, a number or a text before 'and'", 1),
                ("(" * 300, "more than 200 levels", 201)):
            done = self.ballot("compact", source, "--where", where, "-o", old, expect=2)
            message, shown, caret, end = done.stderr.decode().split("\n")
            self.assertIn(says, message)
            self.assertTrue(message.startswith("ballot: --where: ") and end == "", done.stderr)
            self.assertEqual(shown, "  " + where)
            self.assertEqual((len(caret) - 2, message.rsplit("(column ", 1)[1]), (column, f"{column})"), where)
        self.assertEqual(old.read_bytes(), b"old")

    def test_what_is_left_can_be_filtered_again(self):
        """Whether a column has numbers in it must not decide whether a condition on it is one."""
        source = self.file("in.csv", "k,v\n1,7\n6,\n9,\n")
        first = self.ballot("compact", source, "--where", "k > 5", "-q").stdout
        self.assertEqual(first, b"k,v\n6,\n9,\n")
        for where, rows in (("v > 1", b""), ("v != 1", b"6,\n9,\n"), ("isempty(v) and k < 9", b"6,\n"), ("v == 'x'", b""), ("v + k > 1 or v < k", b"")):
            self.assertEqual(self.ballot("compact", "-", "--format", "csv", "--where", where, "-q", "--verify", stdin=first).stdout, b"k,v\n" + rows, where)
        nothing = self.ballot("compact", source, "--where", "k > 99", "-q").stdout
        self.assertEqual(self.ballot("compact", "-", "--format", "csv", "--where", "v > 1 or k == 'x'", "-q", stdin=nothing).stdout, b"k,v\n")

    def test_columns_of_a_type_that_is_said(self):
        source = self.file("in.csv", "k,the v\n1,7\n300,\n")
        for where, rows in (("k:i64 > 5", b"300,\n"), ("`the v`:f32 / 2 == 3.5", b"1,7\n"), ("k:text < '3'", b"1,7\n"), ("#1:u16 >= 300", b"300,\n"), ("isnan(#2:u8)", b"300,\n")):
            self.assertEqual(self.ballot("compact", source, "--where", where, "-q", "--verify").stdout, b"k,the v\n" + rows, where)
        self.assert_refused("compact", source, "--where", "k:u8 > 5", says="in.csv:3: column 'k': out of range for u8: '300'")
        for where, says in (("k:int > 5", "a type must follow the colon: u8, u16"), ("k:i64 > 'x'", "k holds numbers"), ("text(k:i64) == '1'", "contradict")):
            self.assertIn(says, self.ballot("compact", source, "--where", where, expect=2).stderr.decode())
        self.assertEqual(self.ballot("compact", self.file("in.npy", npy("[('i', '<i4')]", "(2,)", pack("i32", [5, 7]))), "--where", "i:i32 > 5", "--count", "-q").stdout, b"1\n")

    def test_words_for_missing_values(self):
        source = self.file("in.csv", 'k,s\n1,a\nNA,NA\n 3 ," - "\n-,NAN\n')
        for words, where, rows in ((["--null", "NA", "--null", "-"], "k < 5", '1,a\n 3 ," - "\n'), (["--null", "NA", "--null", "-"], "isnan(k) and k != 1", "NA,NA\n-,NAN\n"),
                                   (["--null", "NA"], "isempty(s)", "NA,NA\n"), (["--null", "NA", "--null", "-"], "isempty(s)", 'NA,NA\n 3 ," - "\n'),
                                   (["--null", "NA"], "s == 'NA'", ""), (["--null=-"], "k == 'NA'", "NA,NA\n")):
            self.assertEqual(self.ballot("compact", source, "--where", where, *words, "-q", "--verify").stdout.decode(), "k,s\n" + rows, where)
        self.assertEqual(self.ballot("compact", source, "--unique", "--by", "k:i64", "--null", "NA", "--null", "-", "-q", "--count").stdout, b"4\n")
        self.assert_refused("compact", self.file("in.txt", "1\n"), "--where", "value > 1", "--null", "NA", says="--null is for CSV", expect=2)

    def test_the_report_says_what_columns_are(self):
        source = self.file("in.csv", "k,s,v,w\n1,x,2.5,\noops,7,3,\n2,y,4,\n")
        report, done = self.report("compact", source, "--where", "k == 'oops' or s == '7' or v > 99 or w > 1 or text(v) == 'x'")
        self.assertEqual(report["columns"], [
            {"name": "k", "type": "text", "guessed": True, "mixed": True, "decided_by": {"line": 3, "value": "oops"}},
            {"name": "s", "type": "text", "guessed": True, "mixed": True, "decided_by": {"line": 2, "value": "x"}},
            {"name": "v", "type": "f64", "guessed": True, "mixed": False, "decided_by": {"line": 2, "value": "2.5"}},
            {"name": "w", "type": "missing", "guessed": True, "mixed": False, "decided_by": None},
            {"name": "v", "type": "text", "guessed": False, "mixed": False, "decided_by": None}])
        self.assertEqual(done.stdout, b"k,s,v,w\noops,7,3,\n")
        self.assertNotIn("columns", self.report("compact", source, "--unique", "-o", self.file("out.csv"))[0])

    def test_columns_by_place(self):
        source = self.file("twice.csv", "a,a,b\n1,5,x\n2,4,y\n3,3,z\n")
        for where, kept in (("#2 > 3 and #1 > 1", b"2,4,y\n"), ("`#2` < 4 or #3 == 'x'", b"1,5,x\n3,3,z\n"), ("text(#1) == '3'", b"3,3,z\n")):
            self.assertEqual(self.ballot("compact", source, "--where", where, "-q").stdout, b"a,a,b\n" + kept, where)
        self.assertIn(b"there are two columns 'a': use #1 or #2", self.ballot("compact", source, "--where", "a > 1", expect=2).stderr)
        self.assertIn(b"no column '#4'", self.ballot("compact", source, "--where", "#4 > 1", expect=2).stderr)

    def test_tables_of_three_dimensions(self):
        source = self.file("cube.npy", npy("'<u2'", (2, 2, 2), pack("u16", range(8))))
        for words in (("--where", "`0` > 1"), ("--unique",)):
            self.assert_refused("compact", source, *words, says="cube.npy: the array is 3-dimensional, shape (2, 2, 2): tables of 1 and 2 dimensions are read")

    def test_random_numbers(self):
        rng = random.Random(8)
        rows = [(rng.choice([-2**63, 2**63 - 1, rng.randrange(-10, 10)]), rng.choice([2**64 - 1, 2**63, rng.randrange(10)]),
                 rng.choice([0.5, math.nan, math.inf, rng.uniform(-9, 9)])) for _ in range(5000)]
        descr = "[('i', '<i8'), ('u', '<u8'), ('f', '<f8')]"
        source = self.file("in.npy", npy(descr, (len(rows),), b"".join(struct.pack("<qQd", *row) for row in rows)))
        for where, condition in {"i < u": lambda i, u, f: i < u, "u == i": lambda i, u, f: i == u, "i >= -9223372036854775808 and u > 9223372036854775807": lambda i, u, f: u > 2**63 - 1,
                                 "f * 2 - 1 > 0 or not f < 3": lambda i, u, f: f * 2 - 1 > 0 or not f < 3, "i + u * f != 0": lambda i, u, f: float(i) + float(u) * f != 0,
                                 "u != 1.5 and 3 > i": lambda i, u, f: i < 3}.items():
            self.ballot("compact", source, "--where", where, "-o", self.file("out.npy"), "--verify", "--mask", self.file("mask.npy"))
            expected = [condition(*row) for row in rows]
            self.assertEqual(npy_items("u8", self.file("mask.npy").read_bytes()), bytes(expected), where)
            out = self.file("out.npy").read_bytes()
            self.assertEqual(out[10 + int.from_bytes(out[8:10], "little"):], b"".join(struct.pack("<qQd", *row) for row, yes in zip(rows, expected) if yes))

    def test_mask_and_rows_are_replaced_together(self):
        source, mask = self.file("in.csv", "k\n1\n2\n"), self.file("m.raw", b"old")
        self.assert_refused("compact", source, "--where", "k > 1", "--mask", mask, "-o", "/dev/full", says="No space left")
        self.assertEqual(mask.read_bytes(), b"old")
        self.assert_refused("compact", source, "--where", "k > 1", "--mask", mask, "--indices", "-o", f"{self.folder}/./m.raw", says="both write", expect=2)
        self.assertEqual(mask.read_bytes(), b"old")

    def test_flags(self):
        source = self.file("in.csv", TEXT)
        flags = self.file("flags.raw", b"\1\0\0\2\0")
        self.assertEqual(self.ballot("compact", source, "--flags", flags, "--indices", "-q", "--verify").stdout, b"0\n3\n")
        self.assertEqual(self.ballot("compact", source, "--flags", flags, "--invert", "--count", "-q").stdout, b"3\n")
        out = self.file("out.csv", b"old")
        self.assert_refused("compact", source, "--flags", self.file("few.raw", b"\1"), "-o", out, says="few.raw: 1 flags for 5 items")
        self.assertEqual(out.read_bytes(), b"old")

    def test_unique(self):
        self.assertEqual(self.ballot("compact", "-", "--format", "lines", "--unique", "-q", "--verify", stdin="a\na\nb\na\na").stdout, b"a\nb\na\n")
        source = self.file("in.csv", "k,v\n1,a\n1,b\n2,b\n,b\n,c\n2,c\n")
        self.assertEqual(self.ballot("compact", source, "--unique", "--by", "k", "-q", "--verify").stdout, b"k,v\n1,a\n2,b\n,b\n2,c\n")
        self.assertEqual(self.ballot("compact", source, "--unique", "--by", "k", "--where", "isempty(k) or k == 2", "-q", "--verify").stdout, b"k,v\n2,b\n,b\n2,c\n")
        self.assertEqual(self.ballot("compact", source, "--unique", "-q", "--count").stdout, b"6\n")
        self.ballot("compact", self.file("in.raw", pack("u16", [1, 1, 2, 1])), "--dtype", "u16", "--unique", "-o", self.file("out.raw"))
        self.assertEqual(unpack("u16", self.file("out.raw").read_bytes()), [1, 2, 1])

    def test_columns_of_numbers(self):
        source = self.file("in.npy", npy_of("i32", pack("i32", [5, -1, 7])))
        self.ballot("compact", source, "--where", "value > 0", "--mask", self.file("mask.raw"), "-o", self.file("out.npy"))
        self.assertEqual(self.file("mask.raw").read_bytes(), b"\1\0\1")
        self.assertEqual(unpack("i32", npy_items("i32", self.file("out.npy").read_bytes())), [5, 7])
        self.assertEqual(self.ballot("compact", source, "--where", "value > 0", "--count", "-q").stdout, b"2\n")
        self.ballot("compact", self.file("two.npy", npy("'<u2'", (3, 2), pack("u16", [1, 9, 2, 8, 3, 7]))), "--where", "`1` < 9 and `0` + `1` == 10", "-o", self.file("out.npy"))
        self.assertEqual(unpack("u16", npy_items("u16", self.file("out.npy").read_bytes(), (2, 2))), [2, 8, 3, 7])
        self.ballot("compact", self.file("books", struct.pack("<4Q", 3, 5, 2**64 - 1, 7)), "--format", "sosd", "--where", "value < 18446744073709551615", "-o", self.file("out"))
        self.assertEqual(self.file("out").read_bytes(), struct.pack("<3Q", 2, 5, 7))

    def test_options_that_contradict(self):
        source = self.file("in.csv", TEXT)
        for words, says in (((), "--unique"), (("--where", "pop > 1", "--by", "pop"), ["--by", "--unique"]), (("--where", "pop > 1", "--mask", "-"), ["the rows and their mask", "standard output"]),
                            (("--unique", "--mask", self.folder / "no" / "mask"), "mask: No such file")):
            self.assert_refused("compact", source, *words, says=says, expect=1 if "No such" in says else 2)
        self.assertEqual(self.names(), ["in.csv"])


if __name__ == "__main__":
    command.main()
