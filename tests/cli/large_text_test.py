# SPDX-License-Identifier: Apache-2.0
"""Columns of text that are parsed and written in many pieces, by several threads where there are cores."""

import os
import random
import struct
import subprocess

import command
from command import COMMAND, ENGINE

BLOCK = 4 << 20   # what is read at a time
PIECE = 1 << 12   # items that a thread writes at a time


class LargeTextTest(command.CommandTest):
    def numbers(self, count, seed=1):
        rng = random.Random(seed)
        return [rng.randrange(-10**12, 10**12) // 10**rng.randrange(12) for _ in range(count)]

    def copy(self, text, *words, name="in.txt"):
        """Every item is kept, in its place."""
        out = self.file("out.txt")
        report, _ = self.report("compact", self.file(name, text), "--where", "value >= -9000000000000000000", "-o", out, *words)
        return report, out.read_text()

    def test_many_pieces(self):
        numbers = self.numbers(1_500_000)
        plain = "".join(f"{number}\n" for number in numbers)
        self.assertGreater(len(plain), 2 * BLOCK)
        odd = random.Random(2)
        strange = "\ufeff" + "".join(odd.choice(("{}\n", "{}\r\n", " {}\n", "\t{} \r\n", "\n{}\n", " \r\n{}\n")).format(number) for number in numbers)
        for text in (plain, strange, strange[:-1]):
            report, found = self.copy(text)
            self.assertTrue(found == plain)
            self.assertEqual(report["n"], len(numbers))
            blanks = sum(not line.strip() for line in text.lstrip("\ufeff").splitlines())
            self.assertEqual(report["blank_lines"], blanks)
        done = self.ballot("sort", "-", stdin=strange)
        self.assertTrue(done.stdout == "".join(f"{number}\n" for number in sorted(numbers)).encode())

    def test_around_a_block(self):
        """A line ends just before, at and just behind the end of what is read at a time."""
        for beyond in range(-3, 4):
            text = "7\n" * (BLOCK // 2 - 8)
            text += "1" * 9 + " " * (BLOCK - len(text) - 10 + beyond) + "\n"
            self.assertEqual(len(text), BLOCK + beyond)
            for end in ("", "5", "5\n", "\r\n5\r\n"):
                report, found = self.copy(text + end)
                self.assertTrue(found == "7\n" * (BLOCK // 2 - 8) + "1" * 9 + "\n" + ("5\n" if "5" in end else ""), (beyond, end))

    def test_around_a_written_piece(self):
        for count in (PIECE - 1, PIECE, PIECE + 1, 32 * PIECE - 1, 32 * PIECE, 32 * PIECE + 1):
            numbers = self.numbers(count, count)
            self.assertTrue(self.copy("".join(f"{number}\n" for number in numbers))[1] == "".join(f"{number}\n" for number in numbers), count)

    def test_floats(self):
        rng = random.Random(3)
        values = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(200_000)]
        source, out = self.file("in.raw", struct.pack(f"<{len(values)}d", *values)), self.file("out.txt")
        self.ballot("compact", source, "--dtype", "f64", "--where", "isnan(value) or value >= -inf", "-o", out)
        back = self.file("back.raw")
        self.ballot("compact", out, "--dtype", "f64", "--where", "value >= -inf", "-o", back)
        self.assertTrue(back.read_bytes() == b"".join(struct.pack("<d", value) for value in values if value == value))

    def test_the_first_mistake_is_reported(self):
        lines = ["12"] * 1_000_000
        for bad in (0, 43_690, 700_000, 999_999):
            lines[bad] = "x12"
            lines[-1] = "y" if bad != 999_999 else "x12"
            out = self.file("out.txt", "old")
            self.assert_refused("sort", self.file("in.txt", "\n".join(lines) + "\n"), "-o", out, says=[f"in.txt:{bad + 1}: not a number", "'x12'"])
            self.assertEqual(out.read_text(), "old")
            lines[bad] = "12"

    def test_threads(self):
        """The report counts those that took part: one where there is one core, and never more than there are cores."""
        source = self.file("in.txt", "".join(f"{number}\n" for number in self.numbers(1_000_000)))
        cores = sorted(os.sched_getaffinity(0))
        for some in (cores[:1], cores):
            words = [COMMAND, "sort", source, "-o", self.file("out.txt"), "--json", "--engine", ENGINE]
            done = subprocess.run(list(map(str, words)), stderr=subprocess.PIPE, check=True, preexec_fn=lambda some=some: os.sched_setaffinity(0, some))
            threads = int(done.stderr.split(b'"threads":')[1].split(b",")[0].strip(b" }\n"))
            self.assertGreaterEqual(threads, min(2, len(some)))
            self.assertLessEqual(threads, len(some))


if __name__ == "__main__":
    command.main()
