# SPDX-License-Identifier: Apache-2.0
"""A run that is ended from outside leaves the old output and nothing else."""

import os
import pathlib
import random
import signal
import subprocess
import time

import command
from command import COMMAND, ENGINE, default_signals
from new_files import are_without_names, names_for_all, new_file_of


class InterruptionTest(command.CommandTest):
    def start(self, *words, **options):
        return subprocess.Popen([COMMAND, *map(str, words), "--engine", ENGINE], stderr=subprocess.PIPE,
                                preexec_fn=options.pop("preexec_fn", default_signals), **options)

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def wait_for_new_file(self, run, folder=None):
        self.wait_until(lambda: new_file_of(run.pid, folder or self.folder))
        return new_file_of(run.pid, folder or self.folder)

    def bytes_without_names(self, run):
        """How much of the files that the run has in the folder, and that have no names there."""
        found = 0
        for opened in pathlib.Path(f"/proc/{run.pid}/fd").iterdir():
            try:
                target = os.readlink(opened)
                if target.startswith(f"{self.folder}/") and target.endswith(" (deleted)"):
                    found += os.stat(opened).st_size
            except FileNotFoundError:  # closed meanwhile
                pass
        return found

    def check_while_it_waits_for_input(self, ways, names_meanwhile, left=("out.txt",), prepare=lambda: None):
        def begin():
            default_signals()
            prepare()

        for words in (["sort"], ["compact", "--where", "value > 1"]):
            for number in ways:
                out = self.file("out.txt", "old")
                run = self.start(words[0], "-", *words[1:], "-o", out, stdin=subprocess.PIPE, preexec_fn=begin)
                run.stdin.write(b"1\n20\n30\n" * 100_000)
                run.stdin.flush()
                self.wait_for_new_file(run)
                self.assertEqual(len(self.names()), names_meanwhile)
                run.send_signal(number)
                self.assertEqual(run.wait(60), -number)  # a shell sees that it was interrupted
                self.assertEqual(run.stderr.read(), b"")
                run.stdin.close()
                run.stderr.close()
                self.assertEqual(out.read_text(), "old")
                self.assertEqual(self.names(), list(left))

    def test_while_it_waits_for_input(self):
        self.check_while_it_waits_for_input((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), 1 if are_without_names(self.folder) else 2)

    def test_where_new_files_have_names(self):
        self.check_while_it_waits_for_input((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), 2, prepare=names_for_all(self))

    def require_files_without_names(self):
        if not are_without_names(self.folder):
            self.skipTest("the file system has no files without names")

    def test_killed_while_it_waits_for_input(self):
        """What cannot be caught leaves nothing behind either."""
        self.require_files_without_names()
        self.check_while_it_waits_for_input((signal.SIGKILL,), 1)

    def test_killed_in_mid_work(self):
        self.require_files_without_names()
        source = self.file("in.raw", random.Random(2).randbytes(4_000_000))
        table = self.file("in.csv", "k,v\n" + "".join(f"{i % 977},{i}\n" for i in range(60_000)))
        film = self.file("film")
        for words, target, begun in ((["sort", source, "--dtype", "u64", "--memory", "64K"], "out.raw", lambda run: self.wait_for_new_file(run)),
                                     (["sort", table, "--by", "k", "--memory", "64K"], "out.csv", lambda run: self.wait_for_new_file(run)),
                                     (["collide", "--particles", 5000, "--radius", "0.01", "--steps", 100_000, "--frames", film], "pairs.npy",
                                      lambda run: self.wait_until(lambda: self.bytes_without_names(run) > 0))):
            out = self.file(target, "old")
            before = self.names()
            run = self.start(*words, "-o", out)
            begun(run)
            run.kill()
            self.assertEqual(run.wait(60), -signal.SIGKILL)
            run.stderr.close()
            self.assertEqual(out.read_text(), "old")
            self.assertEqual(self.names(), before)

    def test_killed_at_any_moment(self):
        """A new file gets its one name when it is complete: it is there as a whole or not at all."""
        self.require_files_without_names()
        source, out = self.file("in.raw", random.Random(3).randbytes(2_000_000)), self.file("out.raw")
        words = ["sort", source, "--dtype", "u64", "-o", out]
        begin = time.monotonic()
        self.ballot(*words)
        duration = time.monotonic() - begin
        complete = out.read_bytes()
        killed = 0
        for i in range(20):
            out.unlink(missing_ok=True)
            run = self.start(*words)
            time.sleep(duration * i / 16)
            run.kill()
            killed += run.wait(60) == -signal.SIGKILL
            run.stderr.close()
            self.assertIn(self.names(), (["in.raw"], ["in.raw", "out.raw"]))
            if out.exists():
                self.assertTrue(out.read_bytes() == complete)
        self.assertGreater(killed, 0)

    def test_between_pictures(self):
        """Two files are being written: the pairs at the end, and the pictures, which are kept until then."""
        out, film = self.file("pairs.npy", "old"), self.file("film")
        film.mkdir()
        old = film / "frame_000001.png"
        old.write_text("old")
        for _ in range(4):
            run = self.start("collide", "--particles", 5000, "--radius", "0.01", "--steps", 100_000, "--frames", film, "-o", out)
            self.wait_until(lambda: self.bytes_without_names(run) > 0)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(60), -signal.SIGINT)
            run.stderr.close()
            self.assertEqual(out.read_text(), "old")
            self.assertEqual(self.names(), ["film", "pairs.npy"])
            self.assertEqual([path.name for path in film.iterdir()], ["frame_000001.png"])
            self.assertEqual(old.read_text(), "old")

    def test_at_any_moment(self):
        source = self.file("in.raw", random.Random(1).randbytes(8_000_000))
        words = ["sort", source, "--dtype", "u64", "-o", self.file("out.txt"), "--argsort"]
        begin = time.monotonic()
        self.ballot(*words)
        duration = time.monotonic() - begin
        complete = self.file("out.txt").read_bytes()
        seen = set()
        for i in range(30):
            out = self.file("out.txt", "old")
            run = self.start(*words)
            time.sleep(duration * i / 25)
            run.send_signal(signal.SIGTERM if i % 2 else signal.SIGINT)
            status = run.wait(60)
            run.stderr.close()
            content = out.read_bytes()
            seen.add(status)
            self.assertIn(content, (b"old", complete))
            self.assertTrue(content == complete or status != 0)
            self.assertEqual(self.names(), ["in.raw", "out.txt"])
        self.assertTrue(seen & {-signal.SIGINT, -signal.SIGTERM}, seen)

    def give_first_bytes(self, run):
        """They say whether the input is compressed, and are read before the output is made."""
        run.stdin.write(b"30\n20\n")
        run.stdin.flush()

    def test_what_was_ignored_stays_ignored(self):
        out = self.file("out.txt", "old")
        run = self.start("sort", "-", "-o", out, stdin=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.give_first_bytes(run)
        self.wait_for_new_file(run)
        run.send_signal(signal.SIGHUP)  # as nohup has it
        run.communicate(b"1\n", timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(out.read_text(), "1\n20\n30\n")

    def test_new_names_cannot_be_foreseen_and_are_private_until_they_replace_a_private_file(self):
        prepare = names_for_all(self)
        out = self.file("out.txt", "old")
        out.chmod(0o600)
        names = set()
        for _ in range(3):
            run = self.start("sort", "-", "-o", out, stdin=subprocess.PIPE, preexec_fn=prepare)
            self.give_first_bytes(run)
            self.wait_for_new_file(run)
            (name,) = set(self.names()) - {"out.txt"}
            names.add(name)
            self.assertEqual(os.stat(self.folder / name).st_mode & 0o077, 0)
            run.communicate(b"1\n", timeout=60)
            self.assertEqual(run.returncode, 0)
            self.assertEqual((out.read_text(), self.names()), ("1\n20\n30\n", ["out.txt"]))
        self.assertEqual(len(names), 3)


if __name__ == "__main__":
    command.main()
