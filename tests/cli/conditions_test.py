# SPDX-License-Identifier: Apache-2.0
"""Conditions: texts, lists, ranges and functions on tables, lines and columns, against Python; and what is wrong with one."""

import math
import random
import re

import command
from command import npy_items, npy_of, pack, unpack


def like(pattern, escape="\\"):
    """SQL's, as a regular expression."""
    out, i = "", 0
    while i < len(pattern):
        c = pattern[i]
        if c == escape and i + 1 < len(pattern):
            i += 1
            out += re.escape(pattern[i])
        else:
            out += {"%": ".*", "_": "."}.get(c, re.escape(c))
        i += 1
    compiled = re.compile(out, re.DOTALL)
    return lambda text: compiled.fullmatch(text) is not None


class ConditionsTest(command.CommandTest):
    @classmethod
    def setUpClass(cls):
        rng = random.Random(6)
        words = ["", "Anna", "anna", "ANNABEL", "Ännchen", "50%", "a_b", "a\\b", "it's", 'say "x"', "Zoë", "x,y", "new\nline", "ab" * 50, "日本語", "ß", "İ", "error: disk"]
        cls.rows = [(i, rng.choice([None, -7, 0, 3, 12, 2**53 + 1, -2**63, 2**63 - 1]), rng.choice([None, math.nan, 0.5, -2.25, 1e300, 7.0]), rng.choice(words), rng.choice(words)) for i in range(3000)]

        def field(value):
            if value is None:
                return ""
            text = repr(value) if not isinstance(value, str) else value
            return '"' + text.replace('"', '""') + '"' if isinstance(value, str) and re.search('[",\n]', text) else text
        cls.text = "i,k,f,s,t\n" + "".join(",".join(map(field, row)) + "\n" for row in cls.rows)

    def check(self, where, holds, *words):
        source = self.file("in.csv", self.text)
        expected = [row[0] for row in self.rows if holds(*row[1:])]
        for invert in ((), ("--invert",)):
            done = self.ballot("compact", source, "--where", where, "--indices", "-q", "--verify", *invert, *words)
            kept = [int(line) for line in done.stdout.split()]
            self.assertEqual(kept, [i for i in range(len(self.rows)) if i not in set(expected)] if invert else expected, where)
        self.assertTrue(expected, where)  # or the test says little

    def test_texts(self):
        for where, holds in {
                "s in ('Anna', \"it's\", 'x,y')": lambda k, f, s, t: s in ("Anna", "it's", "x,y"),
                "s NOT IN ('Anna', '', 'it''s')": lambda k, f, s, t: s not in ("Anna", "", "it's"),
                "s contains 'nn'": lambda k, f, s, t: "nn" in s,
                "s Contains t": lambda k, f, s, t: t in s,
                "not s contains t and t is not null": lambda k, f, s, t: t not in s and t != "",
                "s starts with 'An' or t ends with 'el'": lambda k, f, s, t: s.startswith("An") or t.endswith("el"),
                "s not starts with t": lambda k, f, s, t: not s.startswith(t),
                "lower(s) = 'anna'": lambda k, f, s, t: s.lower() == "anna",
                "upper(s) = upper(t) AND s <> t": lambda k, f, s, t: s.upper().replace("SS", "ß") == t.upper().replace("SS", "ß") and s != t,
                "upper(s) starts with 'ÄNN'": lambda k, f, s, t: s.upper().startswith("ÄNN"),
                "lower(upper(lower(s))) in ('anna', 'zoë')": lambda k, f, s, t: s.lower() in ("anna", "zoë"),
                "length(s) = 4": lambda k, f, s, t: len(s) == 4,
                "length(s) > length(t) and length(t) between 1 and 3": lambda k, f, s, t: len(s) > len(t) and 1 <= len(t) <= 3,
                "s between 'A' and 'a_b'": lambda k, f, s, t: b"A" <= s.encode() <= b"a_b",
                "s between t and 'x,y'": lambda k, f, s, t: t.encode() <= s.encode() <= b"x,y",
                "s is empty or t is missing": lambda k, f, s, t: s == "" or t == "",
                "s == \"say \\\"x\\\"\" or s == 'say \"x\"' or s == \"say \"\"x\"\"\"": lambda k, f, s, t: s == 'say "x"',
                "s is not null and (t like 'A%' or k > 5 and not f < 0)": lambda k, f, s, t: s != "" and (t.startswith("A") or (k is not None and k > 5 and not (f is not None and f < 0))),
                "text(k) ends with '7' and s > t": lambda k, f, s, t: k is not None and str(k).endswith("7") and s.encode() > t.encode()}.items():
            self.check(where, holds)

    def test_patterns(self):
        for pattern in ("A%", "%nn%", "_nna", "%", "", "_", "___", "a\\_b", "%\\%", "%n%n%", "%_%_%_%_%", "Z__", "%b", "ab%ab%ab", "%line", "_ew_line", "%ü%", "日_語", "%%a%%"):
            holds = like(pattern)
            if any(holds(row[3]) for row in self.rows):
                self.check(f"s like '{pattern}'", lambda k, f, s, t, holds=holds: holds(s))
            self.check(f"s not like '{pattern}' or s = ''", lambda k, f, s, t, holds=holds: not holds(s) or s == "")
        for where, pattern, escape in (("s like '50!%' escape '!'", "50!%", "!"), ("s LIKE 'a\\b' ESCAPE ''", "a\\b", None), ("s like 'a\\\\b'", "a\\\\b", "\\"), ("s like 'a\\\\b' escape '\\'", "a\\\\b", "\\")):
            holds = like(pattern, escape)
            self.check(where, lambda k, f, s, t, holds=holds: holds(s))
        for pattern in ("^A", "n+a$", "^.{4}$", "(?i)^anna", "^(Anna|50%)$", "[^\\x00-\\x7f]", "\\d", "'s", "^$", "\\\\", "(?s)new.line", "ab(ab)*$", "\\bdisk\\b"):
            python = re.compile(pattern)
            quote = '"' if "'" in pattern else "'"
            self.check(f"s matches {quote}{pattern}{quote}", lambda k, f, s, t, python=python: python.search(s) is not None)
        self.check("s matches 'it\\'s'", lambda k, f, s, t: s == "it's")

    def test_numbers(self):
        def fmod(a, b):
            return math.nan if a is None or b == 0 else math.fmod(a, b)

        def left(a, b):
            return None if a is None else int(math.copysign(1, a)) * (abs(a) % b)
        for where, holds in {
                "k in (3, 12, 9007199254740993, -9223372036854775808)": lambda k, f, s, t: k in (3, 12, 2**53 + 1, -2**63),
                "k not in (3, 9223372036854775806, 9007199254740992)": lambda k, f, s, t: k != 3,
                "k in (" + ", ".join(map(str, range(3, 200, 3))) + ", 9223372036854775807, 0.5)": lambda k, f, s, t: k in (3, 12, 2**63 - 1),
                "f in (0.5, 7, nan, -1)": lambda k, f, s, t: f in (0.5, 7),
                "f + 1 in (1.5, 8)": lambda k, f, s, t: f in (0.5, 7),
                "f in (" + ", ".join(str(x / 4) for x in range(-9, 60)) + ")": lambda k, f, s, t: f in (0.5, -2.25, 7),
                "k between -7 and 3": lambda k, f, s, t: k in (-7, 0, 3),
                "k not between 0 and 12.5": lambda k, f, s, t: k is None or k not in (0, 3, 12),
                "f between k - 1 and k + 1": lambda k, f, s, t: f is not None and k is not None and k - 1 <= f <= k + 1,
                "k % 10 = 7 or k % 10 = -8": lambda k, f, s, t: left(k, 10) in (7, -8),
                "k % 2 <> 0": lambda k, f, s, t: k is None or k % 2 != 0,
                "f % 2 < 0 or f % 0.3 = 0.2": lambda k, f, s, t: fmod(f, 2) < 0 or fmod(f, 0.3) == 0.2,
                "abs(k) = 7 or abs(f) > 2.2": lambda k, f, s, t: (k is not None and abs(k) == 7) or (f is not None and abs(f) > 2.2),
                "min(k, f) < 0": lambda k, f, s, t: min([x for x in (k, f) if x is not None and not math.isnan(x)], default=1) < 0,
                "max(k, f, 5) = 5": lambda k, f, s, t: max([float(x) for x in (k, f) if x is not None and not math.isnan(x)], default=0) <= 5,
                "k IS NULL AND f IS NOT MISSING": lambda k, f, s, t: k is None and f is not None,
                "NOT k = 3 AND NOT f <> 7": lambda k, f, s, t: k != 3 and f == 7,
                "Abs(MIN(k, 4)) % 3 == 1 || IsNan(f)": lambda k, f, s, t: fmod(abs(min(4 if k is None else float(k), 4)), 3) == 1 or f is None or math.isnan(f)}.items():
            self.check(where, holds)

    def test_hundreds_of_terms(self):
        rng = random.Random(2)
        for terms in (100, 2000):
            wanted = {(rng.randrange(-10, 20), rng.choice(["Anna", "anna", "x"])) for _ in range(terms)}
            self.check(" or ".join(f"k = {k} and s = '{s}'" for k, s in [(3, "Anna"), *wanted]), lambda k, f, s, t, wanted=wanted: (k, s) in wanted | {(3, "Anna")})
        self.check(" and ".join(["k > -100"] * 900), lambda k, f, s, t: k is not None and k > -100)
        self.check(" or ".join(f"s = 'w{i}'" for i in range(5000)) + " or s = 'Anna'", lambda k, f, s, t: s == "Anna")
        self.check("s in (" + ", ".join(f"'w{i}'" for i in range(10000)) + ", 'anna')", lambda k, f, s, t: s == "anna")
        self.check("1+(1+(1+(1+(1+(1+(1+(1+(1+k)))))))) > 10", lambda k, f, s, t: k is not None and k > 1)
        self.check("(" * 150 + "k = 3 or s = 'x'" + ")" * 150, lambda k, f, s, t: k == 3)
        self.check("not " * 100 + "k = 3", lambda k, f, s, t: k == 3)

    def test_lines(self):
        lines = [row[3].replace("\n", " ") for row in self.rows]
        source = self.file("in.txt", "".join(line + "\n" for line in lines))
        for where, holds in (("line contains 'nn'", lambda s: "nn" in s), ("line is empty or line like '%:%'", lambda s: s == "" or ":" in s), ("line in ('Anna', 'ß')", lambda s: s in ("Anna", "ß")),
                             ("line matches '^a' and length(line) > 4", lambda s: s.startswith("a") and len(s) > 4)):
            done = self.ballot("compact", source, "--format", "lines", "--where", where, "-q", "--verify")
            self.assertEqual(done.stdout.decode().split("\n")[:-1], [line for line in lines if holds(line)], where)

    def test_columns_of_numbers(self):
        values = [(i * 7919) % 5003 - 2000 for i in range(20000)]
        for dtype in ("i16", "i64", "f64"):
            source = self.file("in.raw", pack(dtype, values))
            for where, holds in (("value % 7 = 3", lambda v: math.fmod(v, 7) == 3), ("abs(value) < 100 or value in (1000, 2000)", lambda v: abs(v) < 100 or v in (1000, 2000)), ("value in (5, 7, 9)", lambda v: v in (5, 7, 9)),
                                 ("value between -5 and 5", lambda v: -5 <= v <= 5), ("max(value, 7) = 7 and value * value >= 4", lambda v: v <= 7 and v * v >= 4), ("value is not null and value = value", lambda v: True),
                                 (" or ".join(f"value = {i}" for i in range(500)), lambda v: 0 <= v < 500), ("value in (" + ",".join(map(str, range(-300, 3000, 3))) + ")", lambda v: -300 <= v < 3000 and v % 3 == 0)):
                for invert in ((), ("--invert",)):
                    out = self.ballot("compact", source, "--dtype", dtype, "--where", where, "-o", self.file("out.npy"), "--verify", *invert) and self.file("out.npy").read_bytes()
                    self.assertEqual(unpack(dtype, npy_items(dtype, out)), [v for v in values if holds(v) != bool(invert)], (dtype, where))
        done = self.ballot("compact", self.file("in.txt", "7\n\n14\n15\n"), "--where", "value % 7 = 0", "-o", self.file("out.npy"))
        self.assertEqual(npy_items("i64", self.file("out.npy").read_bytes()), pack("i64", [7, 14]), done.stderr)

    def test_records_and_rows(self):
        source = self.file("two.npy", npy_of("u16", pack("u16", [1, 9, 2, 8, 3, 7]), (3, 2)))
        self.assertEqual(self.ballot("compact", source, "--where", "`1` % 4 = 0 or `0` in (3)", "--count", "-q").stdout, b"2\n")
        self.assertEqual(self.ballot("compact", "-", "--record-bytes", 4, "--where", "`0:4` contains '1' and `0:2` in ('a1', 'b2')", "-q", "-o", "-", stdin=b"a1xxb1xxb2 1zzzz").stdout, b"a1xxb2 1")

    def test_seconds_before_1970(self):
        """A fraction goes on from its second, also where the second is negative, or -0."""
        source = self.file("in.csv", "t\n-1.5\n-1.2\n-0.5\n0.2\n")
        found = self.ballot("sort", source, "--by", "t:date(%s.%f):desc", "-q").stdout
        self.assertEqual(found, b"t\n0.2\n-0.5\n-1.2\n-1.5\n")
        found = self.ballot("compact", source, "--where", "t:date(%s.%f) < '1969-12-31 23:59:59.6'", "-q").stdout
        self.assertEqual(found, b"t\n-1.5\n-1.2\n-0.5\n")

    def test_mistakes_have_a_place(self):
        source = self.file("in.csv", self.text)
        old = self.file("out.csv", b"old")
        for where, says, column in (
                ("s matches '(a'", "not a regular expression: missing ): (a", 12), ("s matches 'ab[z-a]'", "invalid character class range: z-a", 15), ("s matches 'a**'", "bad repetition operator: **", 13),
                ("s matches '\\8'", "invalid escape sequence", 12), ("s matches t", "expected a pattern between quotes", 11), ("s like t", "expected a pattern between quotes", 8),
                ("s like 'x' escape 'ab'", "the escape character is more than one", 19), ("s like 'x' escape 5", "expected a character between quotes", 19), ("s in ()", "a list has constants only", 7),
                ("s in 'x'", "expected '(' here", 6), ("s in ('x'", "this parenthesis is never closed", 6), ("s in ('x', 5)", "the list has texts and numbers", 12), ("k in (5, 'x')", "the list has numbers and texts", 10),
                ("k in ('x')", "k holds numbers: the list has to be one of numbers", 7), ("s in (1)", "the list has to be one of texts", 7), ("s in (t)", "a list has constants only", 7), ("s between 'a'", "expected 'and' here", 14),
                ("s between 'a' and 5", "compare it with a text in quotes", 19), ("s not 5", "after this 'not'", 7), ("s starts 'x'", "expected 'with' here", 10), ("k contains '5'", "k holds numbers, but a text is needed here: text(k)", 1),
                ("lower(k) = 'x'", "k holds numbers, but a text is needed here", 7), ("abs(s) > 1", "s holds text", 5), ("length(k) > 1", "k holds numbers, but a text", 8), ("min(k) > 1", "takes two numbers or more", 6),
                ("s % 2 = 0", "s holds text", 1), ("sin(k) > 1", "unknown function 'sin': known are isnan, isempty", 1), ("k is 5", "expected 'null', 'missing' or 'empty'", 6), ("k + 1 is null", "only a column can be missing", 7),
                ("lower(s", "expected ')' here", 8), ("s contains", "something is missing here", 11), ("AND", "before 'AND'", 1), ("k > 1 OR", "something is missing here", 9), ("s:date(%d > 'x'", "this parenthesis is never closed", 7),
                ("s:date(%d-%Q) > 'x'", "has '%Q'", 11), ("isempty(lower(s))", "expected ')' here", 14), ("(k in (1)) + 1 > 2", "this is a condition, but a number is needed here", 1), ("s like 'a' like 'b'", "expected an operator", 12)):
            done = self.ballot("compact", source, "--where", where, "-o", old, expect=2)
            message, shown, caret, end = done.stderr.decode().split("\n")
            self.assertIn(says, message)
            self.assertEqual((shown, end), ("  " + where, ""))
            self.assertEqual((len(caret) - 2, message.rsplit("(column ", 1)[1]), (column, f"{column})"), where)
        numbers = self.file("in.txt", "1\n")
        for where, says in (("price in (1)", "unknown name 'price': the only column is value"), ("value contains 'x'", "value holds numbers"), ("text(value) = '1'", "the items are numbers"), ("value:i64 = 1", "--dtype says the type"),
                            ("value % 2", "this is not a condition"), ("value:date(%Y) > '1'", "the items are numbers")):
            self.assertIn(says, self.ballot("compact", numbers, "--where", where, expect=2).stderr.decode())
        self.assertEqual(old.read_bytes(), b"old")


if __name__ == "__main__":
    command.main()
