# SPDX-License-Identifier: Apache-2.0
"""Tables that are larger than the memory they may take: sorted in runs, and merged, into what a sort in memory makes."""

import csv
import io
import os
import random
import resource
import signal
import struct
import subprocess
import time

import command
from command import COMMAND, ENGINE, default_signals, limit_file_size, npy, open_terminal, pack

MEMORY = "64K"  # the least: runs of some hundred rows, and two of them merge at a time


def random_text(rng):
    words = ["", "a", "b, with a comma", 'say "so"', "two\nlines", "two\r\nlines", "prefix prefix " * 3, "zoë", " ", "\0", "\xff" * 9]
    return rng.choice(words) + rng.choice(["", "", "x", "y" * 20])


def random_rows(count, seed=1):
    """Few distinct keys, so that it shows whether equal rows stay in order; the last column says which row it is."""
    rng = random.Random(seed)
    return [[random_text(rng) if rng.random() < 0.9 else "",
             rng.choice(["", str(rng.randrange(-5, 5)), f" {rng.randrange(-2**63, 2**63)}"]),
             rng.choice(["", "nan", "-inf", "1e300", "-0", "0", repr(rng.gauss(0, 1))]),
             f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}" if rng.random() < 0.9 else "",
             str(rng.choice([2**64 - 1, 2**63, rng.randrange(9)])),
             str(i)] for i in range(count)]


def csv_text(rows, line_end="\n"):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=line_end)
    writer.writerow(["name", "key", "weight", "day", "big", "id"])
    writer.writerows(rows)
    return out.getvalue()


class SortTableRunsTest(command.CommandTest):
    def check(self, source, *words, memory=MEMORY, least_runs=2, **options):
        """In runs as in memory, byte for byte. Returns the result."""
        in_memory, in_runs = self.file("memory" + source.suffix), self.file("runs" + source.suffix)
        expected, _ = self.report("sort", source, *words, "-o", in_memory)
        self.assertNotIn("runs", expected)
        before = self.names()
        report, _ = self.report("sort", source, *words, "--memory", memory, "-o", in_runs, "--verify", **options)
        self.assertEqual(self.names(), sorted(before + [in_runs.name]))
        self.assertTrue(in_runs.read_bytes() == in_memory.read_bytes(), words)
        self.assertGreaterEqual(report.get("runs", 1), least_runs)
        # Several threads sort rows that are not verified, a batch or a slice each.
        unverified, _ = self.report("sort", source, *words, "--memory", memory, "-o", in_runs, **options)
        self.assertTrue(in_runs.read_bytes() == in_memory.read_bytes(), words)
        for found in (report, unverified):
            for fact in ("n", "n_out", "blank_lines"):
                self.assertEqual(found.get(fact), expected.get(fact), fact)
        for found in (report, unverified):
            self.assertEqual(found["columns"], expected["columns"])
        bytes_of = lambda r: round(r["throughput"]["bytes_per_second"] * r["seconds"]["total"])
        self.assertAlmostEqual(bytes_of(report), bytes_of(expected), delta=2)
        self.assertTrue(report["verified"])
        data = in_runs.read_bytes()
        in_memory.unlink()
        in_runs.unlink()
        return data

    def test_csv(self):
        keys = (["name"], ["name:desc"], ["key"], ["key:desc", "name"], ["weight", "big:desc", "name"], ["weight:desc"], ["day", "key"],
                ["big"], ["big:desc"], ["key:text", "day:desc"], ["weight:f64", "id:i32:desc"], ["day", "name:text:desc", "weight", "key"])
        for line_end in ("\n", "\r\n"):
            source = self.file("in.csv", csv_text(random_rows(3000), line_end))
            for by in keys:
                self.check(source, *(word for column in by for word in ("--by", column)))
            self.check(source, "--by", "day", "--by", "big", "--descending")

    def test_types_that_show_late(self):
        """What is in a column decides its type, wherever it is."""
        rng = random.Random(2)
        for first, last in ((["9", "10", "-1"], ["x"]), (["1", "-1"], [str(2**63)]), (["1", "2"], [str(2**64 - 1)]), (["1", "10", "9"], ["2.5"]),
                            ([""], [""]), ([""], ["7", "x"]), (["1", "9", "10"], [""]), (["1", "9"], ['""']), (["9", "10"], ['"1""0"'])):
            text = "k,id\n" + "".join(f"{rng.choice(first)},{i}\n" for i in range(4000)) + "".join(f"{k},{i}\n" for i, k in enumerate(last))
            self.check(self.file("in.csv", text), "--by", "k")
            self.check(self.file("in.csv", text), "--by", "k:desc")

    def test_types_that_show_late_to_several_threads(self):
        """Runs that were made under another type are made again, from a file and from a pipe."""
        rng = random.Random(13)
        kinds = ((["9", "10", "-1"], "x"), (["1", "2"], str(2**64 - 1)), (["1", "-9"], "2.5"), (["-1", "1"], str(2**63)), ([""], "7"), (["b", "9a"], "7"))
        for number, (first, last) in enumerate(kinds):
            for place in (150_000, 299_990, 300_000):
                rows = [f"{rng.choice(first)},{i}\n" for i in range(300_000)]
                rows.insert(place, f"{last},-1\n")
                text = "k,id\n" + "".join(rows)
                end = "8,-2" if (number + place // 10) % 2 else ""  # a last row without its end: for each place in half of the kinds
                self.check(self.file("in.csv", text + end), "--by", "k:desc", "--by", "id", memory="2M")
                expected = self.ballot("sort", self.file("in.csv"), "--by", "k", "-q").stdout
                self.assertTrue(self.ballot("sort", "-", "--format", "csv", "--by", "k", "--memory", "2M", "-q", stdin=text + end).stdout == expected)
        mixed = "k,id\n" + "".join(f"{rng.choice(first)},{i}\n" for first in (["5"], ["-5"], ["0.5"], ["x"]) for i in range(60_000))
        self.check(self.file("in.csv", mixed), "--by", "k", memory="2M")
        # Each shows only to who reads it as what the ones before it were.
        for kinds in ((5, -5, 2**63), (2**63, -5, 0.5), (5, 2**64 - 1, -5, "x")):
            text = "k,id\n" + "".join(f"{kind},{i}\n" for kind in kinds for i in range(60_000))
            self.check(self.file("in.csv", text), "--by", "k", "--by", "id:desc", memory="2M")

    def test_words_for_missing_values(self):
        rng = random.Random(12)
        text = "k,t,id\n" + "".join(f"{rng.choice(['NA', ' NA', '', str(rng.randrange(99))])},{rng.choice(['-', 'b', 'NA', ''])},{i}\n" for i in range(6000))
        source = self.file("in.csv", text)
        for by in (["k"], ["k:desc", "t"], ["t:desc", "k:i8"]):
            self.check(source, *(word for column in by for word in ("--by", column)), "--null", "NA", "--null", "-")

    def test_rows_travel_as_they_are(self):
        rng = random.Random(3)
        rows = [rng.choice(['"{0}",x', "{0},\"x\ny\"", ' {0},"a ""b"""', "{0},", "{0},\r", ""]).format(rng.randrange(50)) + rng.choice(["\n", "\r\n"])
                for _ in range(6000)]
        for front, second in (("\ufeffa,b\r\n", "b"), ('"a","b\nc"\n', "b\nc")):
            for last in ("7,z", "7,z\r", '"7","z"', "7,z\n", "7,z\n\n\r\n"):  # a last line without its end gets the header's
                source = self.file("in.csv", front + "".join(rows) + last)
                data = self.check(source, "--by", "a")
                self.assertTrue(data.startswith(front.encode()))
                self.check(source, "--by", second)

    def test_lines(self):
        rng = random.Random(4)
        lines = [bytes(rng.choices(b"ab\0\xff \r", k=rng.randrange(0, 9))) for _ in range(9000)]
        for text in (b"\n".join(lines), b"\n".join(lines) + b"\n", b"first\r\n" + b"\n".join(lines) + b"\na", b"a\r\n" * 9000 + b"a"):
            source = self.file("in.log", text)
            self.check(source, "--format", "lines")
            self.check(source, "--format", "lines", "--descending", "--unique")
        data = self.check(self.file("in.log", b"b\n" * 20_000 + b"a"), "--format", "lines")
        self.assertEqual(data, b"a\n" + b"b\n" * 20_000)

    def test_numbers_as_tables(self):
        rng = random.Random(5)
        text = "\ufeff\n" + "".join(rng.choice(["\n", " \r\n", "{}\n", " {}\r\n"]).format(rng.randrange(-900, 900)) for _ in range(20_000)) + "5"
        self.check(self.file("in.txt", text), "--unique")
        self.check(self.file("in.txt", text), "--by", "value:desc")
        self.check(self.file("in.raw", rng.randbytes(80_000)), "--dtype", "f32", "--top", "3000")

    def test_records(self):
        rng = random.Random(6)
        records = [bytes(rng.choices(b"\0\1\x80\xff", k=10)) + b" %087d" % i + struct.pack("<h", rng.randrange(-3, 3)) for i in range(4000)]
        source = self.file("in.bin", b"".join(records))
        self.assertEqual(self.check(source, "--record-bytes", "100", "--by", "0:10"), b"".join(sorted(records, key=lambda r: r[:10])))
        self.check(source, "--record-bytes", "100", "--by", "98:i16:desc", "--by", "2:3", "--by", "20:f64")
        self.check(source, "--record-bytes", "100", "--by", "0:100:desc")
        self.check(source, "--record-bytes", "1", "--by", "0:1", "--unique")

    def test_npy_and_sosd(self):
        """Files that say in front how many rows they have, also where that is known only in the end."""
        rng = random.Random(7)
        source = self.file("in.npy", npy("'<i4'", (9000, 3), pack("i32", [rng.randrange(30) for _ in range(27_000)])))
        self.check(source, "--by", "1:desc", "--by", "0")
        self.check(source, "--by", "1:desc", "--by", "0", "--unique")
        descr = "[('id', '<u2'), ('name', '|S5'), ('z', '<f8')]"
        items = [struct.pack("<H5sd", rng.randrange(9), rng.choice([b"", b"al", b"bob", b"bobby"]), rng.choice([float("nan"), 0.0, -0.0, 1.5])) for _ in range(9000)]
        source = self.file("in.npy", npy(descr, (9000,), b"".join(items)))
        self.check(source, "--by", "name", "--by", "z:desc")
        self.check(source, "--by", "z", "--top", "4321")
        source = self.file("books", struct.pack("<9001Q", 9000, *(rng.randrange(5000) for _ in range(9000))))
        self.check(source, "--format", "sosd")
        self.check(source, "--format", "sosd", "--unique", "--descending")

    def test_unique_top_count(self):
        source = self.file("in.csv", csv_text(random_rows(4000)))
        for words in (["--unique"], ["--top", "0"], ["--top", "1"], ["--top", "1234"], ["--top", "99999"], ["--unique", "--top", "7"]):
            for by in ("name", "day:desc", "id", "weight"):
                self.check(source, "--by", by, *words)
            for by in ("name", "id"):
                counted = [self.ballot("sort", source, "--by", by, *words, "--count", "-q", *memory).stdout for memory in ([], ["--memory", MEMORY])]
                self.assertEqual(*counted)

    def test_more_memory(self):
        """Merges of more than two runs, and of one pass; then no runs at all."""
        source = self.file("in.csv", csv_text(random_rows(30_000)))
        for memory, runs in (("300K", 20), ("1M", 5), ("4M", 2), ("64M", 1)):
            self.check(source, "--by", "day", "--by", "name:desc", memory=memory, least_runs=runs)

    def test_many_runs_in_few_files(self):
        """However many runs there are, the files that are open are few."""
        source = self.file("in.csv", csv_text(random_rows(40_000)))
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        self.check(source, "--by", "name", least_runs=100, preexec_fn=few if ENGINE == "cpu" else None)
        numbers = self.file("in.raw", random.Random(8).randbytes(1_000_000))
        report, _ = self.report("sort", numbers, "--dtype", "u8", "--memory", MEMORY, "-o", self.file("out.raw"), preexec_fn=few if ENGINE == "cpu" else None)
        self.assertGreater(report["runs"], 10)

    def test_pipes(self):
        """Where the types have to be found first, what came through a pipe is kept."""
        text = csv_text(random_rows(3000), "\r\n")
        source = self.file("in.csv", text)
        for by in (["--by", "weight", "--by", "key"], ["--by", "day:text"]):
            expected = self.ballot("sort", source, *by, "-q").stdout
            report, done = self.report("sort", "-", "--format", "csv", *by, "--memory", MEMORY, stdin=text)
            self.assertGreater(report["runs"], 1)
            self.assertTrue(done.stdout == expected)
            with open(source, "rb") as file:  # standard input as a file, of which something has been read already
                skipped = b"not a table\n"
                with open(self.file("more"), "wb") as more:
                    more.write(skipped + file.read())
            with open(self.file("more"), "rb", buffering=0) as file:
                file.read(len(skipped))
                self.assertTrue(self.ballot("sort", "-", "--format", "csv", *by, "--memory", MEMORY, stdin_file=file).stdout == expected)
        self.assertEqual(self.ballot("sort", "-", "--format", "csv", "--by", "a", "--memory", MEMORY, stdin="a\n2\n1").stdout, b"a\n1\n2\n")

    def test_rows_that_are_too_long(self):
        rows = "a,b\n" + "1,2\n" * 900 + "1," + "x" * 5000 + "\n"
        self.assert_refused("sort", self.file("in.csv", rows), "--by", "a", "--memory", MEMORY, says=["in.csv:902: this row is too long for --memory"])
        self.check(self.file("in.csv", rows * 1 + "7,8\n" * 2000), "--by", "a", memory="128K")
        open_quote = "a,b\n" + "1,2\n" * 900 + '1,"' + "x\n" * 50_000
        self.assert_refused("sort", self.file("in.csv", open_quote), "--by", "a", "--memory", MEMORY, 
                            says=["in.csv:902: this row is too long", "the quote that begins at", "in.csv:902, byte 3 of the line, is not closed by then"])
        self.assert_refused("sort", self.file("in.csv", "a" * 50_000), "--by", "a", "--memory", MEMORY, says="in.csv:1: the header is too long")
        self.assert_refused("sort", self.file("in.log", "\n" * 90 + "a" * 50_000), "--format", "lines", "--memory", MEMORY, says="in.log:91: this row is too long")
        self.assert_refused("sort", self.file("in.bin", bytes(99_000)), "--record-bytes", "9000", "--by", "0:9", "--memory", MEMORY, "-o", self.file("out.bin"),
                            says="in.bin: this row is too long")

    def test_rows_that_are_far_too_long(self):
        """What has been searched for an end is not searched again: 100 pieces of a row are read, and not 100 times half of them."""
        spent = lambda: sum(os.times()[2:4])  # by children, whatever else the machine does
        begin = spent()
        self.ballot("compact", self.zeros("in.log", b""), "--format", "lines", "--unique", "--count", "-q")
        once = spent() - begin
        begin = spent()
        for name, front, words in (("in.log", b"", ["--format", "lines"]), ("in.csv", b'a,b\n1,"', ["--by", "a"]), ("in.csv", b"a,b\n1,", ["--by", "a"])):
            self.assert_refused("sort", self.zeros(name, front), *words, "--memory", "2G", says="this row is too long for --memory: it has more than 134217")
        self.assertLess(spent() - begin, 10 * once + 0.5)  # three times once, or some 60 times

    def zeros(self, name, front):
        with open(self.file(name), "wb") as file:
            file.write(front)
            file.truncate(150 << 20)
        return self.file(name)

    def test_rows_nearly_too_long(self):
        """Then merges have few buffers, and large ones."""
        rng = random.Random(9)
        rows = [f"{rng.randrange(100)},{'x' * rng.choice([1, 1, 1, 3800])}\n" for _ in range(500)]
        self.check(self.file("in.csv", "a,b\n" + "".join(rows)), "--by", "a", least_runs=10)
        rows = [f"{rng.randrange(100)},{'x' * rng.choice([1, 1, 60_000])}\n" for _ in range(200)]
        self.check(self.file("in.csv", "a,b\n" + "".join(rows)), "--by", "a", memory="1M", least_runs=4)

    def test_input_that_is_bad_far_in(self):
        out = self.file("out.csv", "old")
        good = "a,b\n" + '1,"x\ny"\n' * 3000  # two lines a row
        for bad, words, says in (("1,2,3\n", ["--by", "a"], "in.csv:6002: 3 fields, the header has 2"), ('1,"2"x\n', ["--by", "a:i64"], "in.csv:6002: a quoted field goes on"),
                                 ("x,2\n", ["--by", "a:i64"], "in.csv:6002: column 'a': not a number of type i64: 'x'"), ('1,"2\n', ["--by", "a"], "in.csv:6002: the quote")):
            self.assert_refused("sort", self.file("in.csv", good + bad), *words, "--memory", MEMORY, "-o", out, says=says)
        self.assert_refused("sort", self.file("in.bin", bytes(100_001)), "--record-bytes", "2", "--by", "0:1", "--memory", MEMORY, "-o", self.file("o.bin"),
                            says="100001 bytes are not a whole number of rows of 2")
        self.assert_refused("sort", "-", "--record-bytes", "2", "--by", "0:1", "--memory", MEMORY, "-o", self.file("o.bin"), stdin=bytes(100_001),
                            says="100001 bytes are not a whole number of rows of 2")
        self.assert_refused("sort", self.file("in.npy", npy("'<i4'", (9000, 3), bytes(90_000))), "--by", "0", "--memory", MEMORY, "-o", self.file("o.npy"),
                            says="truncated: the header counts 9000 rows of 12 bytes")
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.names(), ["in.bin", "in.csv", "in.npy", "out.csv"])

    def test_no_room_for_runs(self):
        source, out = self.file("in.csv", csv_text(random_rows(3000))), self.file("out.csv", "old")
        words = ["sort", source, "--by", "name", "--memory", MEMORY, "-o", out]
        self.assert_refused(*words, says="a temporary file in", preexec_fn=limit_file_size(10_000))
        self.assert_refused(*words, "--runs-in", "/proc", says="a temporary file in /proc")
        self.assert_refused(*words, "--runs-in", self.file("nowhere"), says=["--runs-in", "not a directory"], expect=2)
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.names(), ["in.csv", "out.csv"])

    def test_what_it_is_not_for(self):
        source, out = self.file("in.csv", "a\n1\n"), self.file("out.npy")
        for words in (["--indices"], ["--argsort"]):
            for runs in (["--memory", "64K"], ["--runs-in", self.folder]):
                self.assert_refused("sort", source, "--by", "a", *words, *runs, "-o", out, says=["--memory and --runs-in", "--indices"], expect=2)
        self.assertEqual(self.names(), ["in.csv"])

    def test_memory_is_bounded(self):
        """What the program takes beyond what it takes for nothing is no more than it may."""
        if ENGINE != "cpu":
            self.skipTest("a GPU's driver takes memory of the host for itself")
        with open(COMMAND, "rb") as program:
            if b"__asan_init" in program.read():
                self.skipTest("the address sanitizer keeps memory that was given back")
        rng = random.Random(10)
        rows = [f"{rng.randrange(10**6)},\"{'x' * rng.randrange(30)}\"\"\"\n" for _ in range(20_000)]
        sources = {self.file("in.csv", "a,b\n" + "".join(rows) * 25): ["--by", "b", "--by", "a:desc"], self.file("short.csv", "a\n" + "1\n22\n3\n" * 300_000): ["--by", "a"],
                   self.file("in.bin", rng.randbytes(4_000_000) * 4): ["--record-bytes", "100", "--by", "0:10"],
                   self.file("long.csv", "a,b\n" + "".join(f"{rng.randrange(99)},{'x' * 200_000}\n" for _ in range(80))): ["--by", "a"]}

        def peak(*words):
            run = subprocess.Popen([COMMAND, "sort", *map(str, words), "-q", "--engine", ENGINE, "-o", self.file("out")])
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss * 1024

        nothing = peak(self.file("tiny.csv", "a\n2\n1\n"), "--by", "a")
        for source, words in sources.items():
            for memory in (4, 8):
                self.assertLess(peak(source, *words, "--memory", f"{memory}M") - nothing, memory << 20, (source, memory))
        # Twenty times the memory, where the program may take some more for itself.
        large = self.file("large.csv", "k,id\n")
        with open(large, "ab") as out:  # in parts: what this process has in memory counts for the one that it begins
            for _ in range(220):
                out.write("".join(f"{i * 2654435761 % 2**31},{i}\n" for i in range(10_000)).encode())
        self.assertLess(peak(large, "--by", "k", "--memory", "2M") - nothing, 8 << 20)

    def test_progress_is_for_terminals(self):
        source = self.file("in.csv", csv_text(random_rows(3000)))
        words = list(map(str, [COMMAND, "sort", source, "--by", "name", "--memory", MEMORY, "-o", self.file("out.csv"), "--engine", ENGINE]))
        outer, terminal = open_terminal(self)
        self.addCleanup(os.close, outer)
        subprocess.run(words, stderr=terminal, check=True)
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(outer, 1 << 16):
                shown += part
        except OSError:  # the end of a terminal
            pass
        for part in (b"sorting runs: ", b"runs into fewer: ", b"\r\x1b[K"):
            self.assertIn(part, shown)
        self.assertNotIn(b"\x1b", subprocess.run(words, stderr=subprocess.PIPE, check=True).stderr)

    def test_interrupted_at_any_moment(self):
        source = self.file("in.csv", csv_text(random_rows(5000)) + csv_text(random_rows(20_000)).split("\n", 1)[1])
        words = [COMMAND, "sort", source, "--by", "name", "--memory", MEMORY, "-o", self.file("out.csv", "old"), "--engine", ENGINE]
        begin = time.monotonic()
        subprocess.run([*words[:-3], self.file("whole.csv"), *words[-2:]], stderr=subprocess.DEVNULL, check=True)
        whole = time.monotonic() - begin
        complete = self.file("whole.csv").read_bytes()
        self.file("whole.csv").unlink()
        seen = set()
        for part in range(1, 12):
            run = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL, preexec_fn=default_signals)
            time.sleep(whole * part / 12)
            run.send_signal(signal.SIGINT if part % 2 else signal.SIGTERM)
            seen.add(run.wait(60))
            self.assertIn(self.file("out.csv").read_bytes(), (b"old", complete))
            self.assertEqual(self.names(), ["in.csv", "out.csv"])
            self.file("out.csv", "old")
        self.assertTrue(seen & {-signal.SIGINT, -signal.SIGTERM}, seen)


if __name__ == "__main__":
    command.main()
