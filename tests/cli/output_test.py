# SPDX-License-Identifier: Apache-2.0
"""Where the output goes: files are replaced whole, links followed, pipes and devices written to."""

import os
import stat
import subprocess
import threading

import command
from command import COMMAND, ENGINE
from new_files import names_for_all, new_file_of


class OutputTest(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.source = self.file("in.txt", "3\n1\n2\n")

    def sort_to(self, target, **options):
        return self.ballot("sort", self.source, "-o", target, "--quiet", **options)

    def mode(self, path):
        return stat.S_IMODE(os.stat(path).st_mode)

    def test_a_file_is_replaced_not_written_over(self):
        out = self.file("out.txt", "old")
        with open(out, "rb") as reader:
            self.sort_to(out)
            self.assertEqual(reader.read(), b"old")  # who had it open still sees the old one, all of it
        self.assertEqual(out.read_bytes(), b"1\n2\n3\n")
        self.assertEqual(self.names(), ["in.txt", "out.txt"])

    def test_the_input_may_be_the_output(self):
        self.sort_to(self.source)
        self.assertEqual(self.source.read_bytes(), b"1\n2\n3\n")
        self.assertEqual(self.names(), ["in.txt"])

    def test_a_name_without_a_folder(self):
        self.sort_to("out.txt", cwd=self.folder)
        self.assertEqual(self.file("out.txt").read_bytes(), b"1\n2\n3\n")
        self.assertEqual(self.names(), ["in.txt", "out.txt"])

    def test_the_longest_name_there_can_be(self):
        out = self.file("x" * 251 + ".txt")
        self.sort_to(out)
        self.assertEqual(out.read_bytes(), b"1\n2\n3\n")

    def test_everything_above_where_new_files_have_names(self):
        prepare = names_for_all(self)
        for name in ("out.txt", "x" * 251 + ".txt", "in.txt"):
            for old_mode in (None, 0o640):
                out = self.file(name, None if old_mode is None and name != "in.txt" else "3\n1\n2\n")
                if old_mode is not None:
                    out.chmod(old_mode)
                mode = self.mode(out) if out.exists() else 0o644
                self.sort_to(out, umask=0o022, preexec_fn=prepare)
                self.assertEqual((out.read_bytes(), self.mode(out)), (b"1\n2\n3\n", mode))
        self.assertEqual(len(self.names()), 3)

    def test_a_file_that_appears_meanwhile_is_replaced(self):
        out = self.file("out.txt")
        with subprocess.Popen([COMMAND, "sort", "-", "-o", out, "-q", "--engine", ENGINE], stdin=subprocess.PIPE) as run:
            run.stdin.write(b"20\n10\n")  # the first bytes say whether the input is compressed: before there is an output
            run.stdin.flush()
            while not new_file_of(run.pid, self.folder):
                self.assertIsNone(run.poll())
            out.write_text("old")
            run.communicate(b"1\n", timeout=60)
        self.assertEqual((run.returncode, out.read_text(), self.names()), (0, "1\n10\n20\n", ["in.txt", "out.txt"]))

    def test_mode_bits(self):
        for umask, expected in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            out = self.file(f"new-{umask}.txt")
            self.sort_to(out, umask=umask)
            self.assertEqual(self.mode(out), expected)
        for old_mode in (0o600, 0o640, 0o755, 0o666):
            out = self.file("old.txt", "old")
            out.chmod(old_mode)
            self.sort_to(out, umask=0o022)
            self.assertEqual(self.mode(out), old_mode)

    def test_the_owner_stays_where_that_is_allowed(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        out = self.file("out.txt", "old")
        os.chown(out, 12345, 12346)
        self.sort_to(out)
        self.assertEqual((os.stat(out).st_uid, os.stat(out).st_gid), (12345, 12346))

    def test_the_group_stays_where_that_is_allowed(self):
        """The owner of a file that others of its group may write is another one then. No other group gets its rights."""
        if os.geteuid() != 0:
            self.skipTest("only root can become others")
        self.folder.chmod(0o777)
        for groups, before, after in (([12346], 0o660, (12346, 0o660)), ([12346], 0o4664, (12346, 0o664)), ([], 0o6646, (65534, 0o646)), ([], 0o676, (65534, 0o666))):
            out = self.file("out.txt", "old")
            os.chown(out, 0, 12346)
            out.chmod(before)
            self.sort_to(out, user=65534, group=65534, extra_groups=groups)
            self.assertEqual((os.stat(out).st_uid, os.stat(out).st_gid, self.mode(out)), (65534, *after))
            out.unlink()

    def test_a_report_that_is_lost(self):
        """Who asks for it is told by the exit status."""
        for words, expected in ((("--json",), 1), (("--report",), 1), ((), 0), (("--quiet",), 0)):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([COMMAND, "sort", self.source, "-o", self.file("out.txt"), "--engine", ENGINE, *words], stderr=full, check=False, timeout=300)
            self.assertEqual((done.returncode, self.file("out.txt").read_bytes()), (expected, b"1\n2\n3\n"), words)

    def test_a_link_stays_and_what_it_names_is_replaced(self):
        (self.folder / "elsewhere").mkdir()
        target = self.file("elsewhere/real.txt", "old")
        target.chmod(0o640)
        os.symlink("elsewhere/real.txt", self.folder / "one")
        os.symlink(self.folder / "one", self.folder / "two")
        self.sort_to(self.folder / "two")
        self.assertTrue((self.folder / "one").is_symlink() and (self.folder / "two").is_symlink())
        self.assertFalse(target.is_symlink())
        self.assertEqual((target.read_bytes(), self.mode(target)), (b"1\n2\n3\n", 0o640))
        self.assertEqual(os.listdir(self.folder / "elsewhere"), ["real.txt"])

    def test_a_link_to_nothing_makes_what_it_names(self):
        (self.folder / "elsewhere").mkdir()
        os.symlink("elsewhere/new.txt", self.folder / "link")
        self.sort_to(self.folder / "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(self.file("elsewhere/new.txt").read_bytes(), b"1\n2\n3\n")

    def test_devices_and_pipes_are_written_to(self):
        self.sort_to("/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.assertEqual(self.sort_to(name).stdout, b"1\n2\n3\n", name)
        fifo = self.folder / "pipe"
        os.mkfifo(fifo)
        received = []
        reader = threading.Thread(target=lambda: received.append(fifo.read_bytes()))
        reader.start()
        self.sort_to(fifo)
        reader.join(60)
        self.assertEqual(received, [b"1\n2\n3\n"])
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

    def test_standard_output_that_is_a_file_is_continued(self):
        out = self.file("log", "before\n")
        for name in ("-", "/dev/stdout", "/dev/fd/1"):
            with open(out, "ab") as log:
                inode = os.fstat(log.fileno()).st_ino
                self.sort_to(name, stdout=log)
            self.assertEqual(os.stat(out).st_ino, inode)
        self.assertEqual(out.read_bytes(), b"before\n" + b"1\n2\n3\n" * 3)

    def test_a_reader_that_leaves_early_ends_the_run_quietly(self):
        big = self.file("big.txt", "1\n" * 2_000_000)
        with subprocess.Popen([COMMAND, "sort", big, "--engine", ENGINE], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.read(10)
            run.stdout.close()
            self.assertEqual(run.stderr.read(), b"")
            self.assertEqual(run.wait(60), -13)  # SIGPIPE, as for any other filter

    def test_failing_leaves_nothing_behind(self):
        out = self.file("out.txt", "old")
        self.assert_refused("sort", "-", "-o", out, stdin="1\nx\n", says="standard input:2")
        self.assert_refused("compact", self.source, "-o", out, "--flags", self.file("flags", b"\1"), says="1 flags")
        self.assert_refused("sort", "-", "-o", self.file("new.txt"), stdin="1\nx\n", says="standard input:2")
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(self.names(), ["flags", "in.txt", "out.txt"])


if __name__ == "__main__":
    command.main()
