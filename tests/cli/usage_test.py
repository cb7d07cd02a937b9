"""Command lines: what is wrong with them is said in a line, with exit status 2; help, version, info."""

import json
import os
import pathlib
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
        self.wrong("sort", source, "--backwards", says="--backwards")
        self.wrong("sort", source, "another", says="another")
        self.wrong("sort", source, "-o", says="-o")
        self.wrong("sort", source, "--format", "xml", says=["unknown format 'xml'", "raw, npy, text, csv"])
        self.wrong("sort", source, "--output-format", "csv", says="unknown format 'csv'")
        self.wrong("sort", source, "--dtype", "f16", says=["unknown dtype 'f16'", "u8, u16", "f64"])
        self.wrong("sort", source, "--engine", "gpu", says=["unknown engine 'gpu'", "auto, cuda, cpu"])
        self.wrong("sort", source, "--json", "--quiet", says="--quiet")
        self.wrong("compact", source, says="--where and --flags")
        self.wrong("compact", source, "--where", "value > 1", "--flags", source, says="--where")
        self.wrong("compact", "-", "--flags", "-", says="standard input")
        self.wrong("sort", self.file("column.dat", b"\0"), says=["column.dat", "--format"])
        self.wrong("sort", self.file("in.raw", b"\0"), says=["in.raw", "--dtype"])
        self.wrong("sort", "-", "--format", "raw", says="--dtype")
        self.assertEqual(subprocess.run([COMMAND], capture_output=True, check=False).returncode, 2)

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
                         "ballot: --where: unknown name 'price': known are value, isnan, inf, nan, and, or, not (column 15)\n"
                         "  value > 1 and price < 3\n"
                         "                ^\n")
        self.assertEqual(done.stdout, b"")
        for where in ("", "value", "1 < value < 3", "value > 1 2", "(value > 1"):
            self.assertIn(b"--where: ", self.ballot("compact", source, "--where", where, expect=2).stderr)
        self.assertIn(b"too long", self.ballot("compact", source, "--where", " or ".join(["value > 1"] * 100), expect=2).stderr)

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

    def test_info(self):
        info = json.loads(self.ballot("info", "--json").stdout)
        self.assertEqual(set(info), {"command", "version", "auto", "cuda", "cpu"})
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
