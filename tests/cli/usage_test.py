# SPDX-License-Identifier: Apache-2.0
"""Command lines: their errors are reported in a line, with exit status 2; help, version, info."""

import json
import os
import pathlib
import re
import subprocess
import sys

import command
from command import COMMAND, npy_of


class UsageTest(command.CommandTest):
    def wrong(self, *words, says, **options):
        return self.assert_refused(*words, says=says, expect=2, engine=None, **options)

    def test_command_lines_that_are_wrong(self):
        source = self.file("in.txt", "1\n")
        self.wrong("sort", says="INPUT")
        self.wrong("shuffle", source, says="shuffle")
        self.wrong("sort", source, "--backwards", says=["--backwards", "see ballot sort --help"])
        self.assert_refused("sort", self.file("nowhere"), says="nowhere: No such file", engine=None)  # not that its name has no format
        self.wrong("sort", source, self.file("in.csv", "a\n"), says=["in.csv", "extensions differ"])
        self.assert_refused("sort", source, "compact", says="compact: No such file", engine=None)  # a command is one: this is an input
        self.wrong("sort", source, "-o", says="-o")
        self.wrong("sort", source, "--format", "xml", says=["unknown format 'xml'", "raw, npy, text, csv"])
        self.wrong("sort", source, "--output-format", "xml", says="unknown format 'xml'")
        self.wrong("sort", source, "--dtype", "f16", says=["unknown dtype 'f16'", "u8, u16", "f64"])
        self.wrong("sort", source, "--engine", "gpu", says=["unknown engine 'gpu'", "auto, cuda, cpu"])
        self.wrong("sort", source, "--json", "--quiet", says="--quiet")
        self.wrong("compact", source, says="--where and --flags")
        self.wrong("compact", source, "--where", "value > 1", "--flags", source, says="--where")
        self.wrong("compact", "-", "--flags", "-", says="standard input")
        rows = self.file("rows.csv", "a\n1\n")
        self.wrong("compact", rows, "--unique", "--invert", says="--invert goes with --where and --flags")
        self.wrong("compact", source, "--top", "1", "--invert", says="--invert goes with --where and --flags")
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            for other in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                self.wrong("compact", rows, "--where", "a > 0", "--mask", name, "-o", other, says="cannot both be written to standard output")
        for unfit in ("csv", "npy", "xml"):
            self.wrong("compact", rows, "--where", "a > 0", "--count", "--output-format", unfit, says=f"--output-format {unfit} and --count contradict")
        self.assertEqual(self.ballot("compact", rows, "--where", "a > 0", "--count", "--output-format", "text", "-q").stdout, b"1\n")
        self.wrong("sort", rows, "--by", "a", "--argsort", "--count", says="--argsort and --count contradict")
        self.wrong("sort", rows, "--by", "a", "--indices", "--count", says="--indices and --count contradict")
        self.wrong("sort", rows, "--by", "a", "--argsort", "--group-count", says="--group-count and --argsort contradict")
        self.wrong("sort", rows, "--by", "a", "--argsort", "--columns", "a", says="--columns and --argsort contradict")
        self.wrong("sort", self.file("column.dat", b"\0"), says=["column.dat", "--format"])
        self.wrong("sort", self.file("in.raw", b"\0"), says=["in.raw", "--dtype"])
        self.wrong("sort", "-", "--format", "raw", says="--dtype")
        self.assertEqual(subprocess.run([COMMAND], capture_output=True, check=False).returncode, 2)

    def test_whole_numbers(self):
        """Every option that is one says the same of what is none, and before anything else is looked at."""
        largest = 2**64 - 1
        options = {"sort": {"--top": (0, largest), "--record-bytes": (1, largest), "--gpus": (1, 128)}, "compact": {"--top": (0, largest), "--record-bytes": (1, largest)}, "scan": {"--length": (1, largest)},
                   "collide": {"--particles": (0, largest), "--clusters": (0, largest), "--seed": (0, largest), "--steps": (1, largest), "--every": (1, largest),
                               "--max-pairs": (1, largest), "--max-candidates": (1, largest), "--frame-rate": (1, 1000)}}
        for ranges in options.values():
            ranges["--compression-level"] = (1, 19)
        for name, ranges in options.items():
            numbers = {word for line in self.ballot("help", name, engine=None).stdout.decode().split("\n") for word in line.split()[:1]
                       if line.split()[1:2] in (["N"], ["K"], ["S"])}
            self.assertEqual(numbers, set(ranges), name)  # none was forgotten
            for option, (least, most) in ranges.items():
                for text, says in (("-5", f"at least {least}"), ("-99999999999999999999", f"at least {least}"), (str(most + 1), f"at most {most}"),
                                   ("99999999999999999999", f"at most {most}"), (str(least - 1), f"at least {least}"), ("x", "not a whole number"),
                                   ("1.5", "not a whole number"), ("0x10", "not a whole number"), ("1e3", "not a whole number"), (" 5", "not a whole number"), ("--5", None)):
                    self.wrong(name, self.file("missing"), f"{option}={text}", says=[f"{option} {text}: ", says] if says else option)
        self.assert_refused("sort", self.file("in.csv", "a\n1\n"), "--by", "a", "--top", "-5", says="--top -5: a whole number of at least 0 is needed", expect=2)

    def test_what_is_unknown_is_named_before_what_is_missing(self):
        for words in (["sort"], ["compact"], ["scan"], ["collide"], ["bench"], ["info"], []):
            self.wrong(*words, "--bogus", says="--bogus")
        for words, says in ((["sort"], "INPUT is missing"), (["sort", "--unique"], "INPUT is missing"), (["compact", "--where", "a > 1"], "INPUT is missing"),
                            (["scan"], "INPUT is missing"), (["bench"], "--output is missing")):
            self.wrong(*words, says=says)
        done = subprocess.run([COMMAND], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "ballot: which command? sort, compact, scan, collide, bench, info, help, manual, completion\n"))

    def test_values_that_are_empty(self):
        table = self.file("in.csv", "a\n1\n")
        for option in ("--output", "-o", "--format", "--output-format", "--dtype", "--engine", "--delimiter", "--bits", "--runs-in"):
            self.wrong("sort", table, "--by", "a", option, "", says=("--output" if option == "-o" else option) + ": the value is empty")
        for option in ("--mask", "--flags"):
            self.wrong("compact", table, option, "", says=option + ": the value is empty")
        for option in ("--frames", "--of"):
            self.wrong("collide", "--particles", "1", "--radius", "1", option, "", says=option + ": the value is empty")
        self.wrong("scan", table, "--direction", "", says="--direction: the value is empty")
        self.wrong("bench", "-o", "", says="--output: the value is empty")
        for name in ("sort", "compact", "scan", "collide"):
            self.wrong(name, "", says="the value is empty")
        self.assertEqual(self.ballot("sort", self.file("in.csv", "a,\n2,1\n1,2\n"), "--by", "", "-q").stdout, b"a,\n2,1\n1,2\n")  # a column without a name

    def test_help_in_words(self):
        for words in ([], ["sort"], ["compact"], ["scan"], ["collide"], ["bench"], ["info"], ["help"]):
            asked = subprocess.run([COMMAND, "help", *words], capture_output=True, text=True, check=True)
            self.assertEqual(asked.stderr, "")
            self.assertEqual(asked.stdout, subprocess.run([COMMAND, *words, "--help"], capture_output=True, text=True, check=True).stdout)
        self.wrong("help", "shuffle", says="unknown command 'shuffle'")
        self.assertEqual(self.ballot("-V", engine=None).stdout, self.ballot("--version", engine=None).stdout)

    def test_help_says_what_is_so(self):
        table_help = self.ballot("sort", "--help", engine=None).stdout.decode()
        formats = table_help[table_help.index("--format "):].split()[1].split("|")
        self.assertEqual(set(formats), {"raw", "npy", "text", "csv", "tsv", "jsonl", "lines", "records", "sosd", "arrow", "parquet"})
        for name in formats:
            done = self.ballot("sort", "-", "--format", name, stdin=bytes(8), expect=None)
            self.assertNotIn(b"unknown format", done.stderr)
        self.assertEqual(self.ballot("sort", "-", "--format", "records", "--record-bytes", 1, "--by", "0:1", "-q", stdin=b"ba").stdout, b"ab")
        # Of zeros: a column tells them apart, keys of rows do not.
        self.assertIn("-0 and 0 are equal", table_help)
        self.assertEqual(self.ballot("sort", "-", "--dtype", "f64", "-q", stdin="0\n-0\n").stdout, b"-0\n0\n")
        self.assertEqual(self.ballot("sort", "-", "--format", "csv", "--by", "a:f64", "-q", stdin="a\n0.0\n-0.0\n").stdout, b"a\n0.0\n-0.0\n")
        # The options of the program that measures.
        text = (pathlib.Path(__file__).parent.parent.parent / "bench" / "options.hpp").read_text()
        meant = " ".join(re.findall(r'"(.*?)(?:\\n)?"', text))
        said = " ".join(self.ballot("bench", "--help", engine=None).stdout.decode().split())
        for part in re.findall(r"[\w.]+:K|0\.\d+|uniform|sorted|reversed|constant|2\^\d+|10\^8|\d+ repetitions|all but 2\^24", meant):
            self.assertIn(part.replace("all but", "all sizes but"), said)

    def test_bits_that_are_wrong(self):
        source = self.file("in.npy", npy_of("u16", b"\0\0"))
        for bits in ("0:17", "16:16", "5:5", "6:5", "17:18", "0:999"):
            self.wrong("sort", source, "--bits", bits, says=["u16 has bits 0:16", bits])
        for bits in ("5", "a:b", "-1:5", "1:2:3", ":x", "0x1:5", "99999999999:5", "1 :2"):
            self.wrong("sort", source, f"--bits={bits}", says=["expected LO:HI", bits])

    def test_wrong_conditions_are_shown_with_the_place(self):
        source = self.file("in.txt", "1\n")
        done = self.ballot("compact", source, "--where", "value > 1 and price < 3", expect=2)
        self.assertEqual(done.stderr.decode(),
                         "ballot: --where: unknown name 'price': the only column is value (column 15)\n"
                         "  value > 1 and price < 3\n"
                         "                ^\n")
        self.assertEqual(done.stdout, b"")
        for where in ("", "value", "1 < value < 3", "value > 1 2", "(value > 1"):
            self.assertIn(b"--where: ", self.ballot("compact", source, "--where", where, expect=2).stderr)
        self.assertEqual(self.ballot("compact", source, "--where", " or ".join(["value > 0"] * 1000)).stdout, b"1\n")

    def test_conditions_may_begin_with_a_minus(self):
        source = self.file("in.txt", "-9\n1\n")
        self.assertEqual(self.ballot("compact", source, "--where", "-5 < value").stdout, b"1\n")
        self.assertEqual(self.ballot("compact", source, "--where=-5 < value").stdout, b"1\n")

    def test_nothing_is_touched_by_a_wrong_command_line(self):
        source, out = self.file("in.raw", b"\1\2"), self.file("out.raw", b"old")
        for words in (["sort", source, "--dtype", "u8", "--bits", "0:9"], ["compact", source, "--dtype", "u8", "--where", "x"],
                      ["sort", source, "--dtype", "u9"]):
            self.ballot(*words, "-o", out, expect=2)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(self.names(), ["in.raw", "out.raw"])

    def test_errors_as_json(self):
        done = self.ballot("sort", self.file("missing.txt"), "--json", expect=1)
        failure = json.loads(done.stderr)
        self.assertEqual(failure["command"], "sort")
        self.assertIn("No such file", failure["error"])
        self.assertIsNone(failure["verified"])
        done = self.ballot("sort", self.file("in.txt", "x\n"), "--json", "--dtype", "u99", expect=2)
        self.assertIn("u99", json.loads(done.stderr)["error"])

    def test_names_that_are_no_utf8_are_shown_all_the_same(self):
        name = os.fsencode(self.folder) + b"/\xff\xfe.txt"
        pathlib.Path(os.fsdecode(name)).write_bytes(b"2\n1\n")
        done = subprocess.run([COMMAND, "sort", name, "--json", "--engine", "cpu"], capture_output=True, check=True)
        self.assertEqual(done.stdout, b"1\n2\n")
        self.assertEqual(json.loads(done.stderr)["n"], 2)

    def test_help_and_version(self):
        for words, parts in (([], ["sort", "compact", "info"]),
                             (["sort"], ["--argsort", "--bits", "--descending", "--verify", "standard output", "Exit status", "NaN"]),
                             (["compact"], ["--where", "--flags", "--invert"])):
            done = subprocess.run([COMMAND, *words, "--help"], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            for part in parts:
                self.assertIn(part, done.stdout)
        done = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"^ballot \d+\.\d+\.\d+\n$")

    def test_what_cannot_be_printed_is_an_error(self):
        source = self.file("in.txt", "1\n")
        for words in (["--help"], ["--version"], ["help"], ["help", "sort"], ["sort", "--help"], ["info"], ["info", "--json"], ["manual", "sort"],
                      ["completion", "bash"], ["sort", source, "--dry-run"], ["sort", source, "--dry-run", "--json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([COMMAND, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, r'^ballot: .*(could not be written|No space left)|"error":"standard output: ', words)

    def test_info(self):
        info = json.loads(self.ballot("info", "--json").stdout)
        self.assertEqual(set(info), {"command", "version", "auto", "cuda", "cpu", "arrow"})
        self.assertNotEqual(info["arrow"]["library"] is None, info["arrow"]["reason"] is None)
        self.assertEqual(set(info["cuda"]), {"compiled", "usable", "reason", "toolkit", "runtime", "driver", "devices"})
        cuda = info["cuda"]
        self.assertEqual(info["auto"]["engine"], "cuda" if cuda["usable"] else "cpu")
        self.assertTrue(info["auto"]["reason"])
        if cuda["usable"]:
            self.assertIsNone(cuda["reason"])
            self.assertGreater(len(cuda["devices"]), 0)
            for device in cuda["devices"]:
                self.assertEqual(set(device), {"index", "name", "compute_capability", "memory_bytes", "free_bytes"})
                self.assertLessEqual(device["free_bytes"], device["memory_bytes"])
        else:
            self.assertEqual(info["auto"]["reason"], cuda["reason"])
        text = self.ballot("info").stdout.decode()
        self.assertIn(info["auto"]["reason"], text)
        self.assertIn(info["cpu"]["device"], text)
        self.assertIn(info["arrow"]["library"] or info["arrow"]["reason"], text)

    def test_without_a_gpu_cuda_fails_and_auto_says_why_not(self):
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        reason = json.loads(self.ballot("info", "--json", env=no_gpu).stdout)["cuda"]["reason"]
        self.assertTrue(reason)
        out = self.file("out.txt", "old")
        self.assert_refused("sort", "-", "-o", out, stdin="1\n", engine="cuda", env=no_gpu, says=reason)
        self.assertEqual(out.read_text(), "old")
        report, done = self.report("sort", "-", stdin="2\n1\n", engine="auto", env=no_gpu)
        self.assertEqual((done.stdout, report["engine"], report["engine_reason"]), (b"1\n2\n", "cpu", reason))

    def test_without_pseudo_terminals_only_what_needs_them_is_not_run(self):
        """A machine without them is made up: the two tests that need one are skipped and say why, and do not fail."""
        folder = pathlib.Path(__file__).parent
        for name, others in (("formats", "npy_tells"), ("sort_table_runs", "what_it_is_not_for")):
            lines = ["import errno, pty, runpy, sys", "def none(): raise OSError(errno.ENOENT, 'out of pty devices')", "pty.openpty = none",
                     f"sys.path.insert(0, {str(folder)!r})", f"runpy.run_path({str(folder / (name + '_test.py'))!r}, run_name='__main__')"]
            done = subprocess.run([sys.executable, "-c", "\n".join(lines), "-k", "terminal", "-k", others], capture_output=True, text=True, check=False,
                                  timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Ran 2 tests", done.stderr)
            self.assertIn("OK (skipped=1)", done.stderr)
            self.assertRegex(done.stdout, r"not run: .*terminal.*: there are no pseudo-terminals here: .*out of pty devices")


if __name__ == "__main__":
    command.main()
