# SPDX-License-Identifier: Apache-2.0
"""A sort that is ended, or that finds a full disk, in each of its phases: reading, runs, merge, writing. A run is stopped
as soon as its files say that it is in a phase, so that each of them is met, however fast the machine is."""

import os
import random
import signal
import subprocess
import time

import command
from command import COMMAND, ENGINE, default_signals, limit_file_size
from new_files import are_without_names

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
MEMORY = 2 << 20
BYTES = 24 << 20


def new_sizes(pid, folder):
    """The sizes of the new files in the folder that the process has open."""
    folder, sizes = os.path.realpath(folder), []
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            try:
                if os.readlink(f"/proc/{pid}/fd/{descriptor}").startswith((f"{folder}/#", f"{folder}/.ballot-")):
                    sizes.append(os.stat(f"/proc/{pid}/fd/{descriptor}").st_size)
            except OSError:  # closed meanwhile
                pass
    except OSError:
        pass
    return sizes


def bytes_moved():
    """What this process and those for which it has waited have read and written. Only root may ask for another process."""
    with open("/proc/self/io") as account:
        return {name: int(count) for name, count in (line.split(": ") for line in account)}


class PhasesTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        if not are_without_names(self.folder):
            self.skipTest("the file system has no files without names")
        self.runs = self.file("runs")
        self.runs.mkdir()
        rng = random.Random(1)
        self.sources = {
            "column": (self.file("in.raw", rng.randbytes(BYTES)), ["--dtype", "u64"]),
            "records": (self.file("in.bin", rng.randbytes(BYTES // 100 * 100)), ["--record-bytes", 100, "--by", "0:10"]),
            "csv": (self.file("in.csv", "id,key\n" + "".join(f"{i},{rng.randrange(10**20) / 10**9}\n" for i in range(BYTES // 25))), ["--by", "key"]),
            "lines": (self.file("in.txt", "".join(f"{rng.randrange(10**30)} line\n" for _ in range(BYTES // 36))), ["--format", "lines"]),
        }
        self.before = self.names()

    def words(self, kind, in_runs):
        source, words = self.sources[kind]
        out = self.file("out" + source.suffix, "old")
        limit = ["--memory", MEMORY, "--runs-in", self.runs] if in_runs else []
        return out, [COMMAND, *map(str, ["sort", source, *words, "-o", out, *limit, "--engine", ENGINE])]

    def is_in(self, phase, pid, size):
        """Whether a stopped process is in that phase, by the sizes of its files."""
        out, runs = sum(new_sizes(pid, self.folder)), sum(new_sizes(pid, self.runs))
        return {"reading": out == 0 and runs == 0 and bool(new_sizes(pid, self.folder)), "runs": out == 0 and 0 < runs < size,
                "merge": 0 < out < size and runs >= size // 2, "writing": 0 < out < size and runs == 0}[phase]

    def stopped_in(self, phase, kind):
        """A run that has been stopped in the phase, and its output."""
        size = self.sources[kind][0].stat().st_size
        for _ in range(40):
            out, words = self.words(kind, phase in ("runs", "merge"))
            run = subprocess.Popen(words, stderr=subprocess.DEVNULL, preexec_fn=default_signals)
            self.addCleanup(run.wait)
            while run.poll() is None:
                if self.is_in(phase, run.pid, size):
                    run.send_signal(signal.SIGSTOP)
                    os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                    if self.is_in(phase, run.pid, size):
                        return out, run
                    run.send_signal(signal.SIGCONT)
                time.sleep(0.0002)
        return self.fail(f"no run was met in the phase {phase}")

    def check(self, phase, kinds=("column", "records", "csv", "lines")):
        for kind in kinds:
            for number in SIGNALS:
                out, run = self.stopped_in(phase, kind)
                run.send_signal(number)
                run.send_signal(signal.SIGCONT)
                self.assertEqual(run.wait(60), -number, (phase, kind))
                self.assertEqual(out.read_bytes(), b"old", (phase, kind, number))
                self.assertEqual(self.names(), sorted([*self.before, out.name]), (phase, kind, number))
                self.assertEqual(list(self.runs.iterdir()), [])
                out.unlink()

    def test_reading(self):
        self.check("reading")

    def test_runs(self):
        self.check("runs")

    def test_merge(self):
        self.check("merge")

    def test_writing(self):
        """A column is written in large pieces: it has to have several."""
        self.sources["large column"] = (self.file("large.raw", random.Random(2).randbytes(4 * BYTES)), ["--dtype", "u64"])
        self.before = self.names()
        self.check("writing", ("large column", "records", "csv", "lines"))

    def test_going_on(self):
        """What is stopped in the merge and goes on is as if nothing had been."""
        for kind in self.sources:
            out, run = self.stopped_in("merge", kind)
            run.send_signal(signal.SIGCONT)
            self.assertEqual(run.wait(60), 0)
            found = out.read_bytes()
            self.assertEqual(subprocess.run(self.words(kind, False)[1], stderr=subprocess.DEVNULL, check=True).returncode, 0)
            self.assertTrue(found == out.read_bytes(), kind)
            out.unlink()

    def test_it_is_read_and_written_twice(self):
        """The input once into runs, the runs once into the output: with 8/5 of the memory, and with 12 times as much."""
        # What a run moves however little it sorts: the program itself, and what an engine reads to begin.
        few = self.moved_by(self.file("few.raw", bytes(16)), ["--dtype", "u64"], self.file("few_out.raw"), MEMORY)
        for memory in (BYTES // 8 * 5, MEMORY):
            for kind, (source, words) in self.sources.items():
                out, size = self.file("out" + source.suffix), source.stat().st_size
                all_moved = self.moved_by(source, words, out, memory)
                moved = {name: count - few[name] for name, count in all_moved.items()}
                # The places in the runs where slices begin: many where the memory is little.
                beside = size // 8 if memory != MEMORY else size
                self.assertLess(moved["rchar"], 2 * size + beside, (kind, memory))
                self.assertLess(moved["wchar"], 2 * size + (1 << 20), (kind, memory))
                self.assertGreater(all_moved["rchar"], 2 * size - 1, (kind, memory))
                out.unlink()

    def moved_by(self, source, words, out, memory):
        """What a sort reads and writes."""
        before = bytes_moved()
        subprocess.run([COMMAND, *map(str, ["sort", source, *words, "-o", out, "--memory", memory, "--engine", ENGINE])],
                       stderr=subprocess.DEVNULL, check=True)
        return {name: count - before[name] for name, count in bytes_moved().items()}

    def small_disk(self, name, size):
        small = self.file(name)
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", small], capture_output=True, check=False).returncode:
            self.skipTest("no right to mount a file system")
        self.addCleanup(lambda: subprocess.run(["umount", small], check=True))
        return small

    def refused(self, kind, out, runs, says, **options):
        source, words = self.sources[kind]
        out.write_bytes(b"old")
        self.assert_refused("sort", source, *words, "-o", out, "--memory", MEMORY, "--runs-in", runs, says=says, **options)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual([path.name for path in out.parent.iterdir() if path.name.startswith(("#", ".ballot"))], [])
        self.assertEqual([path for path in runs.iterdir() if path != out], [])
        out.unlink()

    def test_a_disk_that_is_full_of_runs(self):
        small = self.small_disk("small", BYTES // 2)
        for kind, (source, _) in self.sources.items():
            self.refused(kind, self.file("out" + source.suffix), small, ["a temporary file in", "No space left on device"])

    def test_a_disk_that_becomes_full_in_the_merge(self):
        """It has room for the runs, and not for the output, too."""
        small = self.small_disk("small", BYTES // 2 * 3)
        for kind, (source, _) in self.sources.items():
            out = small / ("out" + source.suffix)
            self.refused(kind, out, small, [f"{out}: No space left on device"])

    def test_an_output_that_may_not_grow(self):
        for kind, (source, _) in self.sources.items():
            self.refused(kind, self.file("out" + source.suffix), self.runs, "File too large", preexec_fn=limit_file_size(BYTES // 10 * 9))

    def test_a_limit_that_is_too_small_for_a_row(self):
        """Both numbers are named."""
        source = self.file("long.bin", bytes(100_000))
        self.assert_refused("sort", source, "--record-bytes", 50_000, "--by", "0:4", "-o", self.file("out.bin"), "--memory", "64K",
                            says=["this row is too long for --memory", "of its 65536", "every row has 50000 bytes"])
        source = self.file("long.txt", "a\n" + "b" * 100_000 + "\n")
        self.assert_refused("sort", source, "--format", "lines", "-o", self.file("out.txt"), "--memory", "64K",
                            says=["long.txt:2: this row is too long for --memory", "of its 65536"])
        self.assertFalse(self.file("out.txt").exists())


if __name__ == "__main__":
    command.main()
