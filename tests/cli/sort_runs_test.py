# SPDX-License-Identifier: Apache-2.0
"""Columns that are larger than the memory they may take: sorted in runs, and merged."""

import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import command
from command import COMMAND, DTYPES, ENGINE, default_signals, limit_file_size, ordered_bits, pack, size_of, words_of
from new_files import are_without_names

MEMORY = 1 << 16  # the least: runs of some thousand items


def sorted_words(dtype, words, descending=False, bits=None):
    low, high = bits or (0, 8 * size_of(dtype))
    mask = (1 << (high - low)) - 1
    return sorted(words, key=lambda word: ordered_bits(dtype, word, descending) >> low & mask)  # stable


def group_of_memory(test, limit):
    """A control group below this process's own that may take so many bytes. Where none can be made, the test is skipped."""
    for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        _, controllers, group = line.split(":", 2)
        if "memory" in controllers.split(","):
            folder, name = pathlib.Path("/sys/fs/cgroup/memory" + group), "memory.limit_in_bytes"
        elif not controllers:
            folder, name = pathlib.Path("/sys/fs/cgroup" + group), "memory.max"
        else:
            continue
        made = folder / f"ballot-test-{os.getpid()}"
        try:
            made.mkdir()
            test.addCleanup(made.rmdir)
            if not (made / name).exists():
                continue
            (made / name).write_text(str(limit), encoding="ascii")
            return made
        except OSError:
            continue
    test.skipTest("no control group of less memory can be made here")


class SortRunsTest(command.CommandTest):
    def check(self, dtype, data, *words, descending=False, bits=None):
        """Returns how many runs it took."""
        source, out = self.file("in.raw", data), self.file("out.raw")
        report, _ = self.report("sort", source, "--dtype", dtype, "--memory", MEMORY, "-o", out, "--verify", *words)
        self.assertEqual(words_of(dtype, out.read_bytes()), sorted_words(dtype, words_of(dtype, data), descending, bits))
        self.assertEqual(report["n"], len(data) // size_of(dtype))
        self.assertTrue(report["verified"])
        self.assertEqual(self.names(), ["in.raw", "out.raw"])
        return report.get("runs", 1)

    def test_every_type(self):
        for dtype in DTYPES:
            items = 80_000 if ENGINE == "cuda" else 40_000  # a run is MEMORY / size_of(dtype) there, a third of it here
            data = random.Random(dtype).randbytes(items * size_of(dtype))
            self.assertGreater(self.check(dtype, data), 1)
            self.assertGreater(self.check(dtype, data, "--descending", descending=True), 1)

    def test_lengths_around_a_run(self):
        """Three bytes of memory an item on the CPU, one on a GPU."""
        item = 4 if ENGINE == "cuda" else 12
        for runs in (1, 2, 3):
            for beyond in (-1, 0, 1):
                items = runs * (MEMORY // item) + beyond
                data = random.Random(items).randbytes(4 * items)
                self.assertEqual(self.check("u32", data), runs + (beyond > 0))
        for items in (0, 1, 2):
            self.assertEqual(self.check("u32", bytes(4 * items)), 1)

    @unittest.skipIf(ENGINE == "cuda", "a GPU's driver takes more of the group's memory than the items")
    def test_memory_of_a_container(self):
        """Without --memory, what a control group leaves free counts, and not what the machine has."""
        group = group_of_memory(self, 80 << 20)
        source = self.file("in.raw", random.Random(7).randbytes(64 << 20))

        def enter():
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])  # each thread has buffers of its own
            (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")

        report, _ = self.report("sort", source, "--dtype", "u32", "-o", self.file("out.raw"), preexec_fn=enter)
        self.assertGreater(report.get("runs", 1), 1)
        self.assertEqual(self.file("out.raw").stat().st_size, 64 << 20)

    def test_is_stable(self):
        """By few bits most items are equal, and keep their order, within runs and across them."""
        items = 120_000 if ENGINE == "cuda" else 60_000
        data = pack("u32", [i << 4 | random.Random(i).randrange(3) for i in range(items)])
        self.assertGreater(self.check("u32", data, "--bits", "0:2", bits=(0, 2)), 5)

    def test_more_runs_than_are_read_at_once(self):
        """64 KiB of memory hold two buffers of the smallest size: two runs merge at a time, in several passes."""
        data = random.Random(3).randbytes(8 * 100_000)
        self.assertGreater(self.check("u64", data), 8)

    def test_pipes_and_text(self):
        numbers = [random.Random(5).randrange(-10**12, 10**12) for _ in range(30_000)]
        lines = "".join(f"{number}\n" for number in numbers)
        report, done = self.report("sort", "-", "--memory", "64K", stdin=lines)
        self.assertGreater(report["runs"], 1)
        self.assertEqual(done.stdout.decode(), "".join(f"{number}\n" for number in sorted(numbers)))
        report, done = self.report("sort", "-", "--memory", "64K", stdin="3\n1\n\n2\n")
        self.assertNotIn("runs", report)
        self.assertEqual((done.stdout, report["blank_lines"]), (b"1\n2\n3\n", 1))

    def test_npy(self):
        values = [random.Random(6).uniform(-1, 1) for _ in range(20_000)] + [float("nan"), float("-inf"), -0.0, 0.0]
        source, out = self.file("in.npy", command.npy_of("f64", pack("f64", values))), self.file("out.npy")
        report, _ = self.report("sort", source, "--memory", "64K", "-o", out)
        self.assertGreater(report["runs"], 1)
        self.assertEqual(words_of("f64", command.npy_items("f64", out.read_bytes())),
                         sorted_words("f64", words_of("f64", pack("f64", values))))

    def test_where_runs_are_kept(self):
        data = random.Random(7).randbytes(400_000)
        source, place = self.file("in.raw", data), self.file("runs")
        words = ["sort", source, "--dtype", "u8", "--memory", "64K"]
        self.assert_refused(*words, "-o", self.file("out.raw"), "--runs-in", place, says=["--runs-in", "not a directory"],
                            expect=2)
        place.mkdir()
        self.ballot(*words, "-o", self.file("out.raw"), "--runs-in", place)
        self.assertEqual(list(place.iterdir()), [])
        self.assertEqual(self.file("out.raw").read_bytes(), bytes(sorted(data)))

    def test_where_runs_are_kept_if_nothing_says_it(self):
        """Beside the file that is written, which a link may hide. In the folder of /dev/stdout there may be no room."""
        data = random.Random(8).randbytes(400_000)
        words = ["sort", self.file("in.raw", data), "--dtype", "u8", "--memory", "64K"]
        self.file("large").mkdir()
        self.file("link.raw").symlink_to("large/out.raw")
        forecast = json.loads(self.ballot(*words, "-o", self.file("link.raw"), "--dry-run", "--json").stdout)
        self.assertEqual(forecast["temporary_directory"], str(self.folder / "large"))
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with self.file("out.raw").open("wb") as output:
                self.ballot(*words, "-o", name, "-q", stdout=output)
            self.assertEqual(self.file("out.raw").read_bytes(), bytes(sorted(data)))

    def test_no_room_for_runs(self):
        source, out = self.file("in.raw", bytes(4_000_000)), self.file("out.raw", "old")
        self.assert_refused("sort", source, "--dtype", "u64", "--memory", "64K", "-o", out, says="a temporary file in",
                            preexec_fn=limit_file_size(10_000))
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.names(), ["in.raw", "out.raw"])

    def test_input_ends_badly(self):
        source, out = self.file("in.txt", "1\n" * 50_000 + "x\n"), self.file("out.txt", "old")
        self.assert_refused("sort", source, "--memory", "64K", "-o", out, says=["in.txt:50001", "x"])
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.names(), ["in.txt", "out.txt"])

    def test_what_it_is_not_for(self):
        raw = self.file("in.raw", bytes(8))
        self.assert_refused("sort", raw, "--dtype", "u64", "--argsort", "--memory", "64K", "-o", self.file("o.npy"),
                            says="--memory", expect=2)
        self.assert_refused("sort", raw, "--dtype", "u64", "--argsort", "--runs-in", self.folder, "-o", self.file("o.npy"),
                            says="--runs-in", expect=2)
        for size, says in (("0", "at least 65536"), ("63K", "at least 65536"), ("-1", "at least 65536"), ("much", "not a size"), ("1.5G", "not a size"), ("1X", "not a size"),
                           ("K", "not a size"), ("-", "not a size"), ("2E", "at most 1152921504606846976"), ("99999999999999999999", "at most"), ("16777216T", "at most")):
            self.assert_refused("sort", raw, "--dtype", "u64", "--memory", size, "-o", self.file("o.raw"), says=[f"--memory {size}: ", says], expect=2)
        for size in ("65536", "64K", "64kB", "1MiB", "1gi", "70000b", "1E"):
            self.ballot("sort", raw, "--dtype", "u64", "--memory", size, "-o", self.file("in.raw"))
        self.assertEqual(self.names(), ["in.raw"])

    def test_interrupted_at_any_moment(self):
        source = self.file("in.raw", random.Random(8).randbytes(16_000_000))
        words = [COMMAND, "sort", source, "--dtype", "u64", "--memory", "64K", "-o", self.file("out.raw", "old"), "--engine", ENGINE]
        begin = time.monotonic()
        subprocess.run([*words[:-3], self.file("whole.raw"), *words[-2:]], stderr=subprocess.DEVNULL, check=True)
        whole = time.monotonic() - begin
        sorted_keys = self.file("whole.raw").read_bytes()
        self.file("whole.raw").unlink()
        for part in range(1, 8):
            run = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL, preexec_fn=default_signals)
            time.sleep(whole * part / 8)
            run.send_signal(signal.SIGINT if part % 2 else signal.SIGKILL)
            ended = run.wait(60)
            if ended == -signal.SIGKILL:  # the runs have no names; the new output has one when it is complete, for a moment
                for name in set(self.names()) - {"in.raw", "out.raw"}:
                    if are_without_names(self.folder):
                        self.assertTrue(self.file(name).read_bytes() == sorted_keys, name)
                    os.unlink(self.file(name))
            self.assertEqual(self.names(), ["in.raw", "out.raw"])
            left = self.file("out.raw").read_bytes()
            self.assertTrue(left in (b"old", sorted_keys), f"neither the old file nor the new one, {len(left)} bytes")
            if ended == 0:
                self.assertEqual(left, sorted_keys)
            self.file("out.raw", "old")  # it was quicker, or interrupted when all was done


if __name__ == "__main__":
    command.main()
