# SPDX-License-Identifier: Apache-2.0
"""Files that are read and written in many pieces, by several threads where there are cores."""

import os
import random
import signal
import subprocess
import time
import unittest

import command
from command import COMMAND, ENGINE, default_signals, limit_file_size, npy_items, npy_of

PIECE = 2 << 20    # what a thread reads at a time
CHUNK = 32 << 20   # what is written at a time
KEEP_ALL = ("--where", "value >= 0")


class LargeFilesTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(1)

    def items(self, size):
        return self.random.randbytes(size)

    def few_distinct_items(self, size):
        return self.items(size).translate(bytes(v % 16 for v in range(256)))

    def copy(self, source, out, *words, **options):
        """Every item is kept: a piece that is not where it belongs is noticed."""
        return self.ballot("compact", source, "--dtype", "u8", *KEEP_ALL, "-o", out, "--quiet", *words, **options)

    def in_memory(self, name):
        """A file of /dev/shm: they are written in another way than those of a disk."""
        path = f"/dev/shm/ballot-test-{os.getpid()}-{name}"
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        return path

    def assert_same(self, path, expected):
        with open(path, "rb") as file:
            self.assertTrue(file.read() == expected, f"{path} differs")

    def test_sizes_around_pieces(self):
        outs = [self.file("out.raw")] + ([self.in_memory("out.raw")] if os.access("/dev/shm", os.W_OK) else [])
        for size in (PIECE, 4 * PIECE, CHUNK, 2 * CHUNK):
            data = self.items(size + 1)
            for beyond in (-1, 0, 1) if size <= CHUNK else (1,):
                source = self.file("in.raw", data[:size + beyond])
                for out in outs:
                    self.copy(source, out, *(["--verify"] if beyond == 1 else []))
                    self.assert_same(out, data[:size + beyond])
        self.assertEqual(self.names(), ["in.raw", "out.raw"])

    def test_items_behind_a_header(self):
        data = self.items(CHUNK + 3 * PIECE + 8)
        source = self.file("in.npy", npy_of("u64", data))
        for out in [self.file("out.npy")] + ([self.in_memory("out.npy")] if os.access("/dev/shm", os.W_OK) else []):
            self.ballot("compact", source, *KEEP_ALL, "-o", out, "--quiet")
            with open(out, "rb") as file:
                self.assertTrue(npy_items("u64", file.read()) == data)

    def test_a_sort(self):
        data = self.few_distinct_items(5 * PIECE + 1)
        self.ballot("sort", self.file("in.raw", data), "--dtype", "u8", "-o", self.file("out.raw"), "--verify")
        self.assert_same(self.file("out.raw"), b"".join(bytes([v]) * data.count(v) for v in range(16)))

    def test_runs(self):
        data = self.few_distinct_items(12 * PIECE)
        self.ballot("sort", self.file("in.raw", data), "--dtype", "u8", "-o", self.file("out.raw"), "--verify", "--memory", 12 * PIECE)
        self.assert_same(self.file("out.raw"), b"".join(bytes([v]) * data.count(v) for v in range(16)))

    def test_pipes(self):
        data = self.items(5 * PIECE + 1)
        self.assertTrue(self.copy("-", "-", "--format", "raw", stdin=data).stdout == data)

    def test_standard_input_that_is_a_file_is_read_from_where_it_is_and_to_its_end(self):
        data = self.items(6 * PIECE)
        with open(self.file("in.raw", data), "rb") as source:
            os.lseek(source.fileno(), PIECE + 1, os.SEEK_SET)
            out = self.copy("-", "-", "--format", "raw", stdin_file=source).stdout
            self.assertTrue(out == data[PIECE + 1:])
            self.assertEqual(os.lseek(source.fileno(), 0, os.SEEK_CUR), len(data))

    def test_standard_output_that_is_a_file_is_continued(self):
        data = self.items(5 * PIECE)
        source, out = self.file("in.raw", data), self.file("log", "before\n")
        with open(out, "ab") as log:
            for _ in range(2):
                self.copy(source, "-", stdout=log)
        self.assert_same(out, b"before\n" + 2 * data)

    def assert_full(self, out, says, **options):
        out.write_bytes(b"old")
        source = self.file("in.raw", self.items(2 * CHUNK))
        self.assert_refused("compact", source, "--dtype", "u8", *KEEP_ALL, "-o", out, says=f"{out}: {says}", **options)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual([path.name for path in out.parent.iterdir() if path != source], [out.name])

    def test_a_file_that_may_not_grow(self):
        self.assert_full(self.file("out.raw"), "File too large", preexec_fn=limit_file_size(CHUNK + 3 * PIECE + 1))

    def test_a_file_system_that_becomes_full(self):
        small = self.folder / "small"
        small.mkdir()
        for size in (CHUNK // 2, CHUNK + CHUNK // 2):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", small], capture_output=True, check=False).returncode:
                raise unittest.SkipTest("no right to mount a file system")
            try:
                self.assert_full(small / "out.raw", "No space left on device")
            finally:
                subprocess.run(["umount", small], check=True)

    def test_interrupted_at_any_moment(self):
        data = self.items(CHUNK + 4 * PIECE)
        source, out = self.file("in.raw", data), self.file("out.raw")
        begin = time.monotonic()
        self.copy(source, out)
        duration = time.monotonic() - begin
        seen = set()
        for i in range(9):
            out.write_bytes(b"old")
            run = subprocess.Popen([COMMAND, "compact", source, "--dtype", "u8", *KEEP_ALL, "-o", out, "--quiet", "--engine", ENGINE],
                                   stderr=subprocess.PIPE, preexec_fn=default_signals)
            time.sleep(duration * i / 8)
            run.send_signal(signal.SIGTERM if i % 2 else signal.SIGINT)
            status = run.wait(60)
            self.assertEqual(run.stderr.read(), b"")
            run.stderr.close()
            seen.add(status)
            content = out.read_bytes()
            self.assertTrue(content == data if status == 0 else content in (b"old", data))
            self.assertEqual(self.names(), ["in.raw", "out.raw"])
        self.assertTrue(seen & {-signal.SIGINT, -signal.SIGTERM}, seen)


if __name__ == "__main__":
    command.main()
