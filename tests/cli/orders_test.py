# SPDX-License-Identifier: Apache-2.0
"""Orders of texts and dates: against GNU sort, Python's datetime and locale, in memory and in runs."""

import datetime
import functools
import locale
import os
import random
import re
import shutil
import subprocess
import sys

import command
from command import npy, pack

NAMES = ["file9.txt", "file10.txt", "file010.txt", "File10.txt", "file10", "file10a", "file10.tar.gz", "a-1.2.3.tar.gz", "a-1.10.tar.gz", "a-1.2~rc1.tar.gz", "a-1.2.tar.gz",
         "", ".", "..", ".a", ".b1", "a.", "a..b", "~", "a~", "a", "a0", "a00", "a0b", "00", "0", "1", "01", "abc", "ab~c", "ab1", "ab-1", "ab_1", "Zz", "zz", "é1", "É1", "x.9", "x.10", "x.y10.z",
         "v1.0", "v1.0-beta", "v1.0.0", "1e5", "99999999999999999999999999", "100000000000000000000000000", "0" * 300 + "5", "9" * 300, "9" * 255, "9" * 254, "a" + "1" * 600]


def gnu_sort(words, lines):
    return subprocess.run(["sort", "-s", *words], input="".join(line + "\n" for line in lines).encode(), stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout.decode().split("\n")[:-1]


def natural_key(text):
    return [(chr(0x30), int(part)) if part.isdigit() else (part,) for part in re.findall(r"[0-9]+|[^0-9]", text)]


class OrdersTest(command.CommandTest):
    def sorted_lines(self, lines, by, *words):
        source = self.file("in.txt", "".join(line + "\n" for line in lines))
        return self.ballot("sort", source, "--format", "lines", "--by", by, "-q", "--verify", *words).stdout.decode().split("\n")[:-1]

    def random_names(self, seed, count):
        rng = random.Random(seed)
        return ["".join(rng.choice("aB0019.~-_.zip ") for _ in range(rng.randrange(12))) + rng.choice(["", ".gz", ".tar.xz", "1", "~", rng.choice(NAMES)]) for _ in range(count)]

    def test_version_order_is_that_of_sort(self):
        # Releases of coreutils before 9.2 and later ones differ in names that are nothing but suffixes.
        random_names = [name for name in self.random_names(1, 20000) if not re.match(r"\.[A-Za-z~]", name)]
        for lines in (NAMES, list(reversed(NAMES)), random_names):
            self.assertEqual(self.sorted_lines(lines, "line:version"), gnu_sort(["-V"], lines))
            self.assertEqual(self.sorted_lines(lines, "line:version:desc"), gnu_sort(["-V", "-r"], lines))
        self.assertEqual(self.sorted_lines(NAMES, "line:version", "--unique"), gnu_sort(["-V", "-u"], NAMES))

    def test_order_without_case_is_that_of_sort(self):
        for lines in (NAMES, self.random_names(2, 20000)):
            ascii_only = [line for line in lines if line.isascii()]
            self.assertEqual(self.sorted_lines(ascii_only, "line:nocase"), gnu_sort(["-f"], ascii_only))
            self.assertEqual(self.sorted_lines(ascii_only, "line:nocase", "--unique"), gnu_sort(["-f", "-u"], ascii_only))
        self.assertEqual(self.sorted_lines(["ärger", "Zoo", "Ärger", "zoo", "ÄRGER"], "line:nocase"), ["Zoo", "zoo", "ärger", "Ärger", "ÄRGER"])
        self.assertEqual(self.sorted_lines(["b10", "B9", "a", "b9"], "line:natural:nocase"), ["a", "B9", "b9", "b10"])
        self.assertEqual(self.sorted_lines(["b10", "B9", "a", "b9"], "line:nocase:version:desc"), ["b10", "B9", "b9", "a"])

    def test_natural_order(self):
        names = [name for name in NAMES if name.isascii()] + self.random_names(3, 5000)

        def compare(a, b):
            a, b = natural_key(a), natural_key(b)
            return (a > b) - (a < b)
        self.assertEqual(self.sorted_lines(names, "line:natural"), sorted(names, key=functools.cmp_to_key(compare)))
        self.assertEqual(self.sorted_lines(["a10", "a9", "a09", "a1b"], "line:natural:desc"), ["a10", "a9", "a09", "a1b"])

    def test_locales(self):
        known = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, check=False).stdout.decode().split() if shutil.which("locale") else ["C"]
        lines = [line for line in NAMES if line]
        for name in [name for name in ("C", "C.utf8", "en_US.utf8", "de_DE.utf8") if name in known]:
            locale.setlocale(locale.LC_ALL, name)
            expected = sorted(lines, key=functools.cmp_to_key(locale.strcoll))
            self.assertEqual(self.sorted_lines(lines, f"line:locale({name})"), expected)
            done = self.ballot("sort", self.file("in.txt"), "--format", "lines", "--by", "line:locale", "-q", env={**os.environ, "LC_ALL": name})
            self.assertEqual(done.stdout.decode().split("\n")[:-1], expected)
        locale.setlocale(locale.LC_ALL, "C")
        done = self.ballot("sort", self.file("in.txt"), "--format", "lines", "--by", "line:locale(xx_YY)", expect=2)
        self.assertIn(b"--by line:locale(xx_YY): the locale 'xx_YY' is not installed", done.stderr)

    def test_a_real_collation(self):
        """A locale whose order is not that of bytes, made for the test: letters before case and accents. Without
        punctuation: there glibc's strcoll and strxfrm differ from each other."""
        if not shutil.which("localedef"):
            self.skipTest("no localedef")
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.folder / "de_DE.UTF-8"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        # It leaves with 1 where it warns, and where it has nothing to make a locale of (Debian's package locales).
        if not (self.folder / "de_DE.UTF-8" / "LC_COLLATE").is_file():
            self.skipTest(f"localedef: {made.stdout.decode()}")
        env = {**os.environ, "LOCPATH": str(self.folder), "LC_ALL": "de_DE.UTF-8"}
        lines = ["Zebra", "\u00c4pfel", "apfel", "Apfel", "\u00e4pfel", "zebra", "Ofen", "\u00d6fen", "ofen", "Stra\u00dfe", "Strasse", "strasse", "", "10", "9"]
        rng = random.Random(4)
        lines += ["".join(rng.choice("aA\u00e4\u00c4bBo\u00f6z1") for _ in range(rng.randrange(6))) for _ in range(3000)]
        source = self.file("in.txt", "\n".join(lines) + "\n")
        script = "import functools, locale, sys; locale.setlocale(locale.LC_ALL, ''); sys.stdout.buffer.write(''.join(sorted(open(sys.argv[1], encoding='utf-8', newline='\\n'), key=functools.cmp_to_key(lambda a, b: locale.strcoll(a[:-1], b[:-1])))).encode())"
        expected = subprocess.run([sys.executable, "-c", script, source], env=env, stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")[:-1]
        self.assertNotEqual(expected, sorted(lines))
        words = ["sort", source, "--format", "lines", "-q", "--verify"]
        for by in ("line:locale", "line:locale(de_DE.UTF-8)"):
            for memory in ([], ["--memory", "64K"]):
                found = self.ballot(*words, "--by", by, *memory, env=env).stdout.decode().split("\n")[:-1]
                self.assertEqual(found, expected, (by, memory))
        found = self.ballot(*words, "--by", "line:locale:desc", env=env).stdout.decode().split("\n")[:-1]
        self.assertEqual(sorted(found), sorted(expected))
        self.assertEqual(found[0], expected[-1])

    def test_columns(self):
        source = self.file("in.csv", 'n,f\n1,"x10"\n2,\n3,x9\n4,X9\n5,"x""9"\n')
        for by, order in ((["f:natural"], [4, 5, 3, 1, 2]), (["f:natural:desc"], [1, 3, 5, 4, 2]), (["f:natural:nocase"], [5, 3, 4, 1, 2]),
                          (["f:nocase", "n:desc"], [5, 1, 4, 3, 2]), (["f:version:desc", "n"], [3, 1, 5, 4, 2])):
            words = [word for column in by for word in ("--by", column)]
            out = self.ballot("sort", source, *words, "-q", "--verify").stdout.decode().split("\n")[1:-1]
            if by[0].startswith("f:version"):
                texts = {1: "x10", 3: "x9", 4: "X9", 5: 'x"9'}
                by_text = {text: n for n, text in texts.items()}
                order = [by_text[text] for text in reversed(gnu_sort(["-V"], texts.values()))] + [2]
            self.assertEqual([int(line.split(",")[0]) for line in out], order, by)
        report, _ = self.report("sort", source, "--by", "f:natural:nocase", "-o", self.file("out.csv"))
        self.assertEqual(report["columns"], [{"name": "f", "type": "text, natural, nocase", "guessed": False, "mixed": False, "decided_by": None}])
        self.assertEqual(self.ballot("compact", source, "--unique", "--by", "f:nocase", "-q", "--count", "--verify").stdout, b"4\n")

    def test_records_and_structures(self):
        data = b"b10 b9  B9  a\0\0\0"
        self.assertEqual(self.ballot("sort", "-", "--record-bytes", 4, "--by", "0:4:natural", "-q", "--verify", stdin=data).stdout, b"B9  a\0\0\0b9  b10 ")
        self.assertEqual(self.ballot("sort", "-", "--record-bytes", 4, "--by", "0:4:nocase", "-q", "--verify", stdin=data).stdout, b"a\0\0\0b10 b9  B9  ")
        source = self.file("in.npy", npy("[('s', '|S4'), ('k', '<u4')]", (3,), b"x10\0" + pack("u32", [1]) + b"x9\0\0" + pack("u32", [2]) + b"\0\0\0\0" + pack("u32", [3])))
        self.assertEqual(self.ballot("sort", source, "--by", "s:natural", "--argsort", "--output-format", "text", "-q").stdout, b"1\n0\n2\n")

    def test_wrong_orders(self):
        source = self.file("in.csv", "k,d\n1,2024-01-01\n")
        for by, says in (("k:natural:version", "'natural' contradicts another order"), ("k:nocase:nocase", "twice"), ("k:i64:natural", "the order 'natural' is one of texts"),
                         ("d:date(%F):natural", "the order 'natural' is one of texts"), ("d:date(%Q)", "has '%Q': known are %Y"), ("d:date()", "a format of dates is empty"),
                         ("d:date(%F):date(%F)", "contradicts"), ("d:dates(%F)", "has no column"), ("d:date(100%)", "a percent sign at its end")):
            self.assert_refused("sort", source, "--by", by, says=[f"--by {by}", says], expect=2)

    FORMATS = ["%Y-%m-%d", "%d.%m.%Y", "%b %d %Y", "%B %d, %Y %H:%M", "%m/%d/%y", "%Y%m%d%H%M%S", "%d/%b/%Y:%H:%M:%S %z", "%Y-%j", "%a, %d %b %Y %I:%M:%S %p", "%Y-%m-%dT%H:%M:%S.%f%z", "%H:%M:%S"]

    def test_dates_are_those_of_python(self):
        rng = random.Random(4)
        for form in self.FORMATS:
            days = [datetime.datetime(1999, 1, 1) + datetime.timedelta(seconds=rng.randrange(10**9), microseconds=rng.randrange(10**6)) for _ in range(300)]
            zones = [datetime.timezone(datetime.timedelta(minutes=rng.choice([0, 120, -330]))) for _ in days]
            texts = [day.replace(tzinfo=zone).strftime(form) if "%z" in form else day.strftime(form) for day, zone in zip(days, zones)]
            parsed = [datetime.datetime.strptime(text, form) for text in texts]
            source = self.file("in.csv", "n,d\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(texts)))
            for words in ((), (":desc",)):
                expected = sorted(range(len(texts)), key=parsed.__getitem__, reverse=bool(words))
                if words:  # stable
                    expected = sorted(range(len(texts)), key=lambda i: (-parsed[i].timestamp(), i))
                done = self.ballot("sort", source, "--by", f"d:date({form}){''.join(words)}", "-q", "--verify")
                self.assertEqual([int(line.split(",")[0]) for line in done.stdout.decode().split("\n")[1:-1]], expected, form)
            pivot = rng.choice(texts)
            limit = datetime.datetime.strptime(pivot, form)
            for symbol, holds in (("<", lambda d: d < limit), (">=", lambda d: d >= limit), ("==", lambda d: d == limit)):
                done = self.ballot("compact", source, "--where", f"d:date({form}) {symbol} '{pivot}'", "-q", "--verify")
                self.assertEqual([int(line.split(",")[0]) for line in done.stdout.decode().split("\n")[1:-1]], [i for i, day in enumerate(parsed) if holds(day)], (form, symbol))

    def test_dates_that_are_none(self):
        for form, text in (("%Y-%m-%d", "2023-02-29"), ("%Y-%m-%d", "2023-13-01"), ("%Y-%m-%d", "23-1-1"), ("%Y-%m-%d", "2023-01-01x"), ("%b %d", "Foo 3"), ("%H:%M", "24:00"), ("%Y-%j", "2023-366"),
                           ("%H:%M:%S.%f", "1:2:3.1234567891"), ("%I %p", "13 PM"), ("%z", "+2"), ("%d %m", "12"), ("%Y", "١٩٩٩")):
            source = self.file("in.csv", f'd,e\n,\n"{text}",\n')
            self.assert_refused("sort", source, "--by", f"d:date({form})", says=["in.csv:3: column 'd': not a date of the format", form])
            done = self.ballot("sort", source, "--by", f"d:date({form})", "--null", text, "-q")
            self.assertEqual(done.stdout.decode(), f'd,e\n,\n"{text}",\n')
            self.assert_refused("compact", source, "--where", f"d:date({form}) > '2024-01-01'", says="in.csv:3: column 'd'")
        self.assert_refused("sort", self.file("in.csv", "d\n1066-10-14.5\n"), "--by", "d:date(%F.%f)", says=["out of range", "1678 to 2261"])
        self.assertEqual(self.ballot("sort", self.file("in.csv", "d\n1918-11-11\n1066-10-14\n"), "--by", "d:date(%F)", "-q").stdout, b"d\n1066-10-14\n1918-11-11\n")

    def test_dates_in_conditions(self):
        source = self.file("in.csv", "n,d,e\n1,31.12.2023 23:59,01.01.2024 00:00\n2, 01.01.2024 00:00 ,\n3,,01.01.2024 00:00\n4,29.02.2024 12:00,01.03.2024 00:00\n")
        form = "date(%d.%m.%Y %H:%M)"
        for where, kept in ((f"d:{form} < '2024-01-01'", [1]), (f"d:{form} >= '01.01.2024 00:00'", [2, 4]), (f"d:{form} between '2024-01-01' and '2024-02-29 11:59:59'", [2]),
                            (f"d:{form} in ('2024-02-29T12:00', '31.12.2023 23:59')", [1, 4]), (f"d:{form} is null", [3]), (f"d:{form} != '2024-01-01'", [1, 3, 4]), (f"d:{form} < e:{form}", [1, 4]),
                            (f"'2024-01-01' = e:{form}", [1, 3]), (f"#2:{form} > '2024-01-01 00:00:00+01:00'", [1, 2, 4]), (f"isempty(e:{form}) or n = 4", [2, 4])):
            done = self.ballot("compact", source, "--where", where, "-q", "--verify")
            self.assertEqual([int(line.split(",")[0]) for line in done.stdout.decode().split("\n")[1:-1]], kept, where)
        for where, says in ((f"d:{form} > 5", "d holds dates: compare it with a date in quotes"), (f"d:{form} > '2024'", "this is no date"), (f"d:{form} + 1 > 2", "d holds dates, but a number is needed"),
                            (f"d:{form} > '2024-01-01 00:00:00.5'", "this is no date"), (f"d:{form} < e:date(%d.%m.%Y %H:%M %f)", "in.csv"), ("d:date(%d > '1'", "this parenthesis is never closed")):
            self.assertIn(says, self.ballot("compact", source, "--where", where, expect=None).stderr.decode(), where)

    def test_larger_than_memory(self):
        rng = random.Random(5)
        rows = [(rng.choice(["File", "file", "v"]) + str(rng.randrange(3000)) + rng.choice(["", ".txt", "~"]), datetime.date(2000, 1, 1) + datetime.timedelta(days=rng.randrange(9000)), i) for i in range(20000)]
        text = "name,day,n\n" + "".join(f"{name},{day:%d %b %Y},{i}\n" for name, day, i in rows)
        source = self.file("in.csv", text)
        for by in (["name:version"], ["name:natural:nocase:desc", "day:date(%d %b %Y)"], ["day:date(%d %b %Y):desc", "name:nocase"], ["name:locale(C)"]):
            words = [word for column in by for word in ("--by", column)]
            whole = self.ballot("sort", source, *words, "-q").stdout
            for extra in ((), ("--unique",), ("--top", "100"), ("--group-count",)):
                expected = whole if not extra else self.ballot("sort", source, *words, *extra, "-q").stdout
                report, _ = self.report("sort", source, *words, *extra, "--memory", "1M", "-o", self.file("out.csv"), "--verify")
                self.assertGreater(report["runs"], 1)
                self.assertEqual(self.file("out.csv").read_bytes(), expected, (by, extra))
        by_day = sorted(rows, key=lambda row: -row[1].toordinal())
        self.ballot("sort", source, "--by", "day:date(%d %b %Y):desc", "--memory", "1M", "-o", self.file("out.csv"), "-q")
        self.assertEqual(self.file("out.csv").read_text().split("\n")[1:-1], [f"{name},{day:%d %b %Y},{i}" for name, day, i in by_day])
        bad = text + "x,32 Jan 2000,5\n"
        self.assert_refused("sort", self.file("bad.csv", bad), "--by", "day:date(%d %b %Y)", "--memory", "1M", "-o", self.file("out.csv"), says="bad.csv:20002: column 'day': not a date")


if __name__ == "__main__":
    command.main()
