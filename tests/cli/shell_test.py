# SPDX-License-Identifier: Apache-2.0
"""What the command prints about itself for others: completion for shells, and manual pages."""

import re
import shutil
import subprocess
import unittest

import command
from command import COMMAND


def printed(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^ballot-([a-z]+)\(1\)", re.sub(r"\\f[BIR]", "", printed("manual")).replace("\\-", "-"), re.M)


def options(name):
    """The long options in the help of a command."""
    return set(re.findall(r"^ *(?:-\w,)?(--[a-z-]+)", printed(name, "--help"), re.M))


class ShellTest(command.CommandTest):
    def test_there_are_commands(self):
        self.assertEqual(set(commands()), {"sort", "compact", "scan", "collide", "bench", "info", "help", "manual", "completion"})
        self.assertIn("--by", options("sort"))

    def complete(self, *words):
        """What bash offers for the last word."""
        script = printed("completion", "bash") + f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}; _ballot; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("ballot", "so"), ["sort"])
        for name in commands():
            self.assertIn(name, self.complete("ballot", ""))
            self.assertLessEqual(options(name), set(self.complete("ballot", name, "-")), name)
        self.assertEqual(self.complete("ballot", "sort", "x", "--engine", "c"), ["cuda", "cpu"])
        self.assertEqual(self.complete("ballot", "sort", "--dtype", "f"), ["f32", "f64"])
        self.assertEqual(self.complete("ballot", "completion", "z"), ["zsh"])
        self.file("numbers.txt", "1\n")
        self.assertEqual(self.complete("ballot", "sort", "num"), ["numbers.txt"])
        self.assertEqual(self.complete("ballot", "sort", "--output", "num"), ["numbers.txt"])
        self.assertEqual(self.complete("ballot", "sort", "--top", "num"), [])

    def test_zsh_and_fish(self):
        for shell in ("zsh", "fish"):
            script = printed("completion", shell)
            for name in commands():
                for option in options(name):
                    self.assertIn(option if shell == "zsh" else f"-l {option[2:]} ", script, (shell, name))
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.file(shell, script)], check=True)

    def test_other_shells(self):
        self.assert_refused("completion", "csh", says=["unknown shell 'csh'", "bash, zsh, fish"], expect=2, engine=None)
        self.assert_refused("completion", says="SHELL is missing", expect=2, engine=None)
        self.assert_refused("manual", "shuffle", says="unknown command 'shuffle'", expect=2, engine=None)

    def test_manual_pages(self):
        for name in ("", *commands()):
            page = printed("manual", *([name] if name else []))
            self.assertTrue(page.startswith(".TH BALLOT"), name)
            plain = page.replace("\\-", "-")
            for option in options(name) if name else {"--version"}:
                self.assertIn(option, plain)
            self.assertFalse(re.search(r"^'(?!\\)", page, re.M))
            for heading in re.findall(r"^\.SH (.*)$", plain, re.M):
                self.assertRegex(heading, r"^.{1,60}(?<!\.)$", name)  # no sentence
        self.assertIn("Exit status", printed("manual", "sort"))

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_manual_pages_have_no_mistakes_of_roff(self):
        for name in ("", *commands()):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=printed("manual", *([name] if name else [])), capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", name)


if __name__ == "__main__":
    command.main()
