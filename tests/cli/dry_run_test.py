# SPDX-License-Identifier: Apache-2.0
"""--dry-run: the run then does as it says, and it writes nothing. When reports are printed, and in which colours."""

import json
import os
import shutil
import subprocess

import command
from command import COMMAND, ENGINE, npy_of, open_terminal, pack


class DryRunTest(command.CommandTest):
    def forecast(self, *words, **options):
        """The JSON; the folder is as it was, and nothing was said on standard error."""
        before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.folder.iterdir() if path.is_file()}
        done = self.ballot(*words, "--dry-run", "--json", **options)
        self.assertEqual(done.stderr, b"")
        self.assertEqual({path: (path.stat().st_mtime_ns, path.read_bytes()) for path in self.folder.iterdir() if path.is_file()}, before)
        told = json.loads(done.stdout)
        self.assertEqual((told["command"], told["dry_run"], told["engine"]), (words[0], True, ENGINE))
        self.assertTrue(told["engine_reason"] and told["device"])
        return told

    def test_sort_of_a_column(self):
        path, out = self.file("in.npy", npy_of("u32", pack("u32", range(1000)))), self.file("out.npy", b"old")
        told = self.forecast("sort", path, "-o", out)
        self.assertEqual(told["inputs"], [{"path": str(path), "format": "npy", "bytes": path.stat().st_size, "n": 1000, "content": "u32 items", "note": None}])
        self.assertEqual(told["outputs"], [{"path": str(out), "content": "u32 items, npy", "replaces_bytes": 3}])
        self.assertEqual(told["temporary_bytes"], 0)
        self.assertGreaterEqual(told["memory_bytes"], 4000)
        told = self.forecast("sort", path, "--argsort", "-o", self.file("order.raw"))
        self.assertEqual(told["outputs"], [{"path": str(self.file("order.raw")), "content": "positions, u64, raw", "replaces_bytes": None}])
        self.assertEqual(self.forecast("sort", self.file("a.txt", "1\n2\n"))["inputs"][0]["n"], None)

    def test_compact_of_a_text_takes_no_memory_for_all_of_it(self):
        path = self.file("in.csv", "k,v\n" + "12345,abcdefgh\n" * 4_000_000)
        told = self.forecast("compact", path, "--where", "k > 1", "-o", self.file("out.csv"))
        whole = self.forecast("compact", path, "--where", "k > 1", "--unique", "-o", self.file("out.csv"))
        self.assertGreater(whole["memory_bytes"], path.stat().st_size)
        if ENGINE == "cpu" and os.cpu_count() <= 16:
            self.assertLess(told["memory_bytes"], path.stat().st_size)

    def test_runs_are_told_if_and_only_if_there_are_some(self):
        path = self.file("in.raw", os.urandom(1 << 20))
        for memory, some in (("64K", True), ("256K", True), ("64M", False)):
            told = self.forecast("sort", path, "--dtype", "u32", "--memory", memory, "-o", self.file("out.raw"))
            self.assertEqual(told["temporary_bytes"], 1 << 20 if some else 0, memory)
            report, _ = self.report("sort", path, "--dtype", "u32", "--memory", memory, "-o", self.file("out.raw"))
            self.assertEqual("runs" in report, some, memory)
            self.assertEqual(told["temporary_directory"], str(self.folder))
            self.file("out.raw").unlink()

    def test_columns_have_the_types_that_the_run_gives_them(self):
        lines = ["name,amount,code,empty,given"] + [f"n{i},{i}.5,{i},,{i}" for i in range(2000)]
        lines[1500] = "n,NA,12?,,7"
        path = self.file("in.csv", "\n".join(lines) + "\n")
        words = ("sort", path, "--by", "name", "--by", "amount:desc", "--by", "code", "--by", "empty", "--by", "given:f64", "--null", "NA")
        for memory in ((), ("--memory", "64K")):
            told = self.forecast(*words, *memory, "-o", self.file("out.csv"))
            report, _ = self.report(*words, *memory, "-o", self.file("out.csv"))
            self.assertEqual(told["columns"], report["columns"])
            self.assertEqual((told["columns"][2]["type"], told["columns"][2]["decided_by"]), ("text", {"line": 1501, "value": "12?"}))
            self.assertEqual(told["inputs"][0]["n"], report["n"])
            self.assertEqual(told["temporary_bytes"] != 0, "runs" in report, memory)
            self.file("out.csv").unlink()
        words = ("compact", path, "--where", "amount > 3 and code == '7'", "--null", "NA", "--mask", self.file("mask.npy"))
        told = self.forecast(*words, "-o", self.file("out.csv"))
        report, _ = self.report(*words, "-o", self.file("out.csv"))
        self.assertEqual(told["columns"], report["columns"])
        self.assertEqual([out["content"] for out in told["outputs"]], ["rows, CSV, as they are written in the input", "a byte for each row"])
        told = self.forecast("compact", path, "--unique", "--by", "code", "--count")
        self.assertEqual((told["columns"][0]["type"], told["outputs"][0]["content"]), ("text", "the number of rows"))

    def test_compact_of_a_column_and_scan(self):
        path = self.file("in.npy", npy_of("f32", pack("f32", range(12)), (3, 4)))
        told = self.forecast("scan", path, "--direction", "both", "-o", self.file("out.npy"))
        self.assertEqual((told["inputs"][0]["n"], told["inputs"][0]["content"]), (12, "f32 items in 3 rows of 4"))
        column = self.file("c.raw", bytes(100))
        told = self.forecast("compact", column, "--dtype", "u8", "--flags", column, "-o", self.file("out.raw"))
        self.assertEqual([read["content"] for read in told["inputs"]], ["u8 items", "flags, a byte each"])

    def test_collide(self):
        path = self.file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        told = self.forecast("collide", path, "--of", "triangles", "--picture", self.file("p.png"), "-o", self.file("pairs.npy"))
        self.assertEqual((told["inputs"][0]["format"], told["inputs"][0]["n"], told["inputs"][0]["content"]), ("OBJ", 1, "triangles"))
        self.assertEqual([out["content"] for out in told["outputs"]], ["pairs, u32, npy", "a picture, 960 x 640 pixels"])
        told = self.forecast("collide", "--particles", 10, "--radius", 1, "--steps", 9, "--every", 4, "--picture", self.file("f.webp"), "--frames", self.file("film"))
        self.assertEqual([out["content"] for out in told["outputs"]],
                         ["pairs, CSV", "a film of 3 pictures, 960 x 640 pixels", "a folder of 3 pictures, 960 x 640 pixels"])
        self.assertFalse(self.file("film").exists())
        # As many pictures as the run then writes.
        for steps in (1, 2, 3, 4, 5, 9, 10):
            for every in (1, 2, 4, 9, 20):
                words = ("collide", "--particles", 10, "--radius", 1, "--steps", steps, "--every", every, "--frames", self.file("film"), "--frame-size", 8)
                told = self.forecast(*words)["outputs"][1]["content"]
                self.ballot(*words)
                self.assertEqual(told.split()[:4], ["a", "folder", "of", str(len(list(self.file("film").iterdir())))], (steps, every))
                shutil.rmtree(self.file("film"))

    def test_standard_input_is_not_read(self):
        reader, writer = os.pipe()
        os.write(writer, b"3\n2\n")
        told = self.forecast("sort", "-", stdin_file=reader)
        self.assertIn("not read", told["inputs"][0]["note"])
        os.close(writer)
        self.assertEqual(os.read(reader, 100), b"3\n2\n")
        os.close(reader)

    def test_what_would_fail_fails(self):
        good = self.file("a.csv", "a,b\n1,2\n")
        for words, says, code in [(("sort", self.file("missing.npy")), "No such file", 1), (("sort", good, "--by", "c"), "no column 'c'", 2),
                                  (("sort", good), "--by", 2), (("sort", good, "--by", "a", "-o", self.folder / "nowhere" / "x.csv"), "No such file", 1),
                                  (("compact", good, "--where", "c > 1"), "c", 2), (("collide", self.file("a.stl", b"x"), "--radius", 1), "not an STL", 1),
                                  (("sort", self.file("a.npy", b"no"), "-o", "-"), "a.npy", 1), (("scan", self.file("b.segy", b"no"), "-o", "-"), "b.segy", 1)]:
            done = self.ballot(*words, "--dry-run", expect=code)
            self.assertIn(says.encode(), done.stderr)
            self.assertEqual(done.stdout, b"")

    def test_files_are_counted_each_and_in_all(self):
        first, second = self.file("p.raw", bytes(40)), self.file("q.raw", bytes(20))
        for words in (("sort", first, second, "--dtype", "u32"), ("compact", first, second, "--dtype", "u32", "--where", "value == 0")):
            told = self.forecast(*words, "-o", self.file("out.raw"))
            self.assertEqual(([read["n"] for read in told["inputs"]], told["n"]), ([10, 5], 15))
        self.assertIn("in all   15 u32 items", self.ballot(*words, "-o", self.file("out.raw"), "--dry-run").stdout.decode())
        texts = [self.file(name, "1\n2\n") for name in ("a.txt", "b.txt")]
        told = self.forecast("sort", *texts)
        self.assertEqual(([read["n"] for read in told["inputs"]], told["n"]), ([None, None], None))
        # Rows of tables are counted together.
        tables = [self.file(name, "a,b\n1,2\n3,4\n" + more) for name, more in (("a.csv", ""), ("b.csv", "5,6\n"))]
        for words in (("sort", *tables, "--by", "a"), ("compact", *tables, "--where", "a > 1"), ("compact", *tables, "--unique")):
            told = self.forecast(*words, "-o", self.file("out.csv"))
            self.assertEqual(([read["n"] for read in told["inputs"]], told["n"]), ([None, None], 5), words)
        self.assertIn("in all   5 rows", self.ballot(*words, "--dry-run").stdout.decode())
        self.assertEqual(self.forecast("sort", tables[1], "--by", "a")["n"], 3)

    def test_rows_that_are_too_long_for_the_run(self):
        for length, code in ((5000, 1), (3000, 0)):
            path = self.file("in.csv", "a,b\n1,2\n3," + "x" * length + "\n" + "1,2\n" * 50_000)
            words = ("sort", path, "--by", "a", "--memory", "64K", "-o", self.file("out.csv"))
            says = [self.ballot(*words, *more, expect=code).stderr for more in ((), ("--dry-run",))]
            self.assertEqual(b"in.csv:3: this row is too long for --memory" in says[0], code == 1)
            self.assertEqual(says[0], says[1])

    def test_folders_that_may_not_be_written_to(self):
        # Root may do everything: another user has to try, on a program that it can reach.
        program = shutil.copy(COMMAND, self.folder / "ballot")
        ours, theirs = self.folder / "ours", self.folder / "theirs"
        for folder in (ours, theirs):
            folder.mkdir()
            folder.chmod(0o777)
        self.folder.chmod(0o755)
        old = self.file("ours/old.raw", b"old")
        old.chmod(0o666)
        os.symlink("ours/old.raw", self.folder / "link")
        ours.chmod(0o555)
        path = self.file("in.raw", os.urandom(1 << 20))
        path.chmod(0o644)
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        out = theirs / "out.raw"
        for words, says in ((("-o", old), f"{old}: Permission denied"), (("-o", self.folder / "link"), f"{self.folder / 'link'}: Permission denied"),
                            (("-o", ours / "new.raw"), f"{ours / 'new.raw'}: Permission denied"), (("-o", out), None),
                            (("-o", out, "--memory", "64K", "--runs-in", ours), f"a temporary file in {ours}: Permission denied"),
                            (("-o", out, "--memory", "64K", "--runs-in", theirs), None), (("-o", out, "--memory", "64M", "--runs-in", ours), None)):
            for more in (["--dry-run"], []):
                done = subprocess.run([program, "sort", path, "--dtype", "u32", "--engine", "cpu", "--quiet", *words, *more], capture_output=True, check=False, timeout=60, **options)
                self.assertEqual((done.returncode, done.stderr.decode()), (1, f"ballot: {says}\n") if says else (0, ""), (words, more))
        self.assertEqual(old.read_bytes(), b"old")
        self.assertFalse((ours / "new.raw").exists())
        ours.chmod(0o755)

    def test_in_words(self):
        text = self.ballot("sort", self.file("a.csv", "a,b\n1,x\n"), "--by", "a", "--by", "b:desc", "--top", 3, "--dry-run").stdout.decode()
        for part in ("nothing is written", "read     ", "CSV: 1 rows", "'a' as i64", "'b' as text, because of 'x' in line 2", "engine   " + ENGINE,
                     "the first 3 rows", "runs     none: it fits into memory", "standard output: rows"):
            self.assertIn(part, text)


class ReportTest(command.CommandTest):
    def said(self, *words, **options):
        return self.ballot(*words, **options).stderr.decode()

    def test_small_jobs_are_silent_and_large_ones_are_not(self):
        small, large = self.file("s.raw", bytes((16 << 20) - 1)), self.file("l.raw", bytes(16 << 20))
        words = ("--dtype", "u8", "-o", "/dev/null")
        self.assertEqual(self.said("sort", small, *words), "")
        self.assertIn("ballot sort: 16,777,215 u8 items", self.said("sort", small, *words, "--report"))
        self.assertIn("ballot sort: 16,777,216 u8 items", self.said("sort", large, *words))
        self.assertEqual(self.said("sort", large, *words, "--quiet"), "")
        self.assertEqual(self.said("collide", "--particles", 10, "--radius", 1), "")
        self.assertIn("10 objects", self.said("collide", "--particles", 10, "--radius", 1, "--report"))
        for other in ("--json", "--quiet"):
            self.ballot("sort", small, *words, "--report", other, expect=2)

    def on_a_terminal(self, *words, stdin=b"2\n1\n", **environment):
        ours, theirs = open_terminal(self)
        known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        done = subprocess.run([COMMAND, *words, "--engine", ENGINE], input=stdin, stdout=subprocess.DEVNULL, stderr=theirs, check=False, env={**known, "TERM": "xterm", **environment})
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:
            pass
        os.close(ours)
        return done.returncode, text.decode()

    def test_a_terminal_gets_reports_and_colours(self):
        code, text = self.on_a_terminal("sort", "-", "--verify")
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mballot sort:\x1b[0m 2 i64 items", text)
        self.assertIn("\x1b[32mverified\x1b[0m", text)
        self.assertEqual(self.on_a_terminal("sort", "-", "--quiet"), (0, ""))
        code, text = self.on_a_terminal("sort", "-", stdin=b"x\n")
        self.assertEqual(code, 1)
        self.assertIn("\x1b[1;31mballot:\x1b[0m standard input:1:", text)

    def test_colours_can_be_turned_off(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            code, text = self.on_a_terminal("sort", "-", "--verify", **environment)
            self.assertEqual(code, 0)
            self.assertIn("ballot sort: 2 i64 items", text)
            self.assertNotIn("\x1b[1m", text)
        self.assertIn("\x1b[1m", self.on_a_terminal("sort", "-", NO_COLOR="")[1])  # empty: not set


if __name__ == "__main__":
    command.main()
