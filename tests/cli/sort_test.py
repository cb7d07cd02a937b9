# SPDX-License-Identifier: Apache-2.0
"""ballot sort: every type, direction, bit range and size, against sorting by the definition in Python."""

import json
import random
import struct

import command
from command import DTYPES, bits_of, npy_items, npy_of, ordered_bits, pack, size_of, unpack, words_of

LARGE = 400_000  # several pieces of work for every thread


def special_items(dtype):
    if dtype == "f32":
        words = [0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
                 0xff800001, 0x7fffffff, 0xffffffff, 0x00000001, 0x80000001, 0x7f7fffff, 0xff7fffff]
        return struct.pack(f"<{len(words)}I", *words)
    if dtype == "f64":
        words = [0, 1 << 63, 0x3ff0 << 48, 0xbff0 << 48, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0xfff8 << 48, (0x7ff0 << 48) + 1,
                 (0xfff0 << 48) + 1, (1 << 63) - 1, (1 << 64) - 1, 1, (1 << 63) + 1]
        return struct.pack(f"<{len(words)}Q", *words)
    width = 8 * size_of(dtype)
    low, high = (0, (1 << width) - 1) if dtype[0] == "u" else (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    return pack(dtype, [low, high, low + 1, high - 1, 0, 1, (low + high) // 2])


def random_items(dtype, count, seed=1):
    special = special_items(dtype)
    random_part = random.Random(seed).randbytes(max(0, count * size_of(dtype) - len(special)))
    return (special + random_part)[:count * size_of(dtype)]


def few_distinct_items(dtype, count, seed=2):
    special = special_items(dtype)
    size = size_of(dtype)
    pieces = [special[i:i + size] for i in range(0, len(special), size)]
    return b"".join(random.Random(seed).choices(pieces, k=count))


def expected_order(dtype, data, descending=False, low=0, high=None):
    high = 8 * size_of(dtype) if high is None else high
    words = words_of(dtype, data)
    key_of = {word: bits_of(ordered_bits(dtype, word, descending), low, high) for word in set(words)}
    keys = [key_of[word] for word in words]
    return sorted(range(len(keys)), key=keys.__getitem__)


def items_in(dtype, data, order):
    words = words_of(dtype, data)
    return pack("u" + str(8 * size_of(dtype)), [words[i] for i in order])


class SortTest(command.CommandTest):
    def check(self, dtype, data, *words, **reference):
        source = self.file("in.raw", data)
        order = expected_order(dtype, data, **reference)
        self.ballot("sort", source, "--dtype", dtype, "-o", self.file("out.raw"), *words)
        self.assertEqual(self.file("out.raw").read_bytes(), items_in(dtype, data, order), (dtype, words))
        self.ballot("sort", source, "--dtype", dtype, "-o", self.file("order.npy"), "--argsort", *words)
        self.assertEqual(unpack("u64", npy_items("u64", self.file("order.npy").read_bytes())), order, (dtype, words))

    def test_every_type_both_ways(self):
        for dtype in DTYPES:
            for data in (random_items(dtype, 1000), few_distinct_items(dtype, 1000)):
                self.check(dtype, data)
                self.check(dtype, data, "--descending", descending=True)

    def test_sizes(self):
        for count in (0, 1, 2, 31, 32, 33, 4095, 4097):
            self.check("i16", random_items("i16", count))
            self.check("f64", random_items("f64", count), "--descending", descending=True)

    def test_many_items_are_stable(self):
        for dtype in ("u8", "i32", "f32", "u64"):
            self.check(dtype, few_distinct_items(dtype, LARGE))
        self.check("i16", random_items("i16", LARGE), "--descending", descending=True)

    def test_bits(self):
        for dtype in DTYPES:
            width = 8 * size_of(dtype)
            data = random_items(dtype, 3000)
            for low, high in ((0, 1), (0, width), (width - 1, width), (3, 8), (width // 2, width)):
                self.check(dtype, data, "--bits", f"{low}:{high}", low=low, high=high)
            self.check(dtype, data, "--bits", "1:7", "--descending", low=1, high=7, descending=True)
            self.check(dtype, data, "--bits", "4:", low=4)
            self.check(dtype, data, "--bits", ":5", high=5)

    def test_bits_of_many_items_are_stable(self):
        self.check("u32", random_items("u32", LARGE // 2), "--bits", "5:9", low=5, high=9)
        self.check("f64", random_items("f64", LARGE // 4), "--bits", "60:64", "--descending", low=60, high=64, descending=True)

    def test_nan_is_last_both_ways_and_zeros_are_told_apart(self):
        text = "nan\n1\n-inf\n0\n-0\ninf\n-nan\n-1\n"
        ascending = self.ballot("sort", "-", "--dtype", "f64", stdin=text).stdout
        self.assertEqual(ascending, b"-inf\n-1\n-0\n0\n1\ninf\nnan\n-nan\n")
        descending = self.ballot("sort", "-", "--dtype", "f32", "--descending", stdin=text).stdout
        self.assertEqual(descending, b"inf\n1\n0\n-0\n-1\n-inf\n-nan\nnan\n")

    def test_verify(self):
        for words in ([], ["--descending"], ["--argsort"], ["--bits", "3:11"], ["--argsort", "--bits", "3:11", "--descending"]):
            for dtype in ("i16", "f32", "u64"):
                data = few_distinct_items(dtype, 2000) + random_items(dtype, 3000)
                source = self.file("in.raw", data)
                report, _ = self.report("sort", source, "--dtype", dtype, "-o", self.file("out.raw"), "--verify", *words)
                self.assertIs(report["verified"], True)
        report, _ = self.report("sort", source, "--dtype", "u64", "-o", self.file("out.raw"), "--verify", "--argsort", stdin=b"")
        self.assertIs(report["verified"], True)

    def test_verify_of_many_items(self):
        for words in ([], ["--argsort"], ["--bits", "8:20"]):
            source = self.file("in.raw", random_items("f32", LARGE))
            report, _ = self.report("sort", source, "--dtype", "f32", "-o", "/dev/null", "--verify", *words)
            self.assertIs(report["verified"], True)

    def test_report(self):
        source = self.file("in.npy", npy_of("u32", random_items("u32", 5000)))
        report, _ = self.report("sort", source, "-o", self.file("out.npy"))
        self.assertEqual(set(report), {"command", "engine", "engine_reason", "device", "input", "output", "dtype", "n", "blank_lines", "seconds",
                                       "throughput", "used", "verified"})
        self.assertGreaterEqual(report["used"]["threads"], 1)
        self.assertGreater(report["used"]["processor_seconds"], 0)
        self.assertGreater(report["used"]["peak_memory_bytes"], 20000)
        self.assertEqual((report["command"], report["engine"], report["n"], report["dtype"], report["verified"]),
                         ("sort", command.ENGINE, 5000, "u32", None))
        self.assertEqual((report["input"], report["output"]), (str(source), str(self.file("out.npy"))))
        seconds = report["seconds"]
        self.assertEqual(set(seconds), {"read", "compute", "write", "verify", "total"} | ({"transfer", "kernel"} if command.ENGINE == "cuda" else set()))
        self.assertTrue(all(s >= 0 for s in seconds.values()), seconds)
        self.assertGreater(seconds["kernel" if command.ENGINE == "cuda" else "compute"], 0)
        self.assertEqual(seconds["verify"], 0)
        self.assertLessEqual(sum(seconds.values()) - seconds["total"], seconds["total"] + 1e-9)  # phases do not overlap
        self.assertAlmostEqual(report["throughput"]["items_per_second"] * seconds["total"], 5000, places=3)
        self.assertAlmostEqual(report["throughput"]["bytes_per_second"] * seconds["total"], 20000, places=3)
        self.assertTrue(report["device"])
        self.assertTrue(report["engine_reason"])

    def test_report_for_people(self):
        self.assertEqual(self.ballot("sort", "-", stdin="3\n2\n1\n").stderr, b"")  # a small job, and no terminal
        done = self.ballot("sort", "-", "--report", stdin="3\n2\n1\n")
        self.assertEqual(done.stdout, b"1\n2\n3\n")
        text = done.stderr.decode()
        for part in ("ballot sort: 3 i64 items", command.ENGINE, "read ", "kernel " if command.ENGINE == "cuda" else "compute ", "items/s"):
            self.assertIn(part, text)
        self.assertEqual(self.ballot("sort", "-", "--quiet", stdin="3\n2\n").stderr, b"")

    def test_auto_tells_its_reason(self):
        report, _ = self.report("sort", "-", stdin="1\n", engine="auto")
        info = json.loads(self.ballot("info", "--json").stdout)
        self.assertEqual((report["engine"], report["engine_reason"]), (info["auto"]["engine"], info["auto"]["reason"]))

    def test_input_larger_than_a_buffer_through_pipes(self):
        # More than the program takes at once, of a length that it cannot know before.
        data = random_items("u64", 2_200_000)
        report, done = self.report("sort", "-", "--format", "raw", "--dtype", "u64", "--verify", stdin=data)
        self.assertEqual(report["n"], 2_200_000)
        self.assertEqual(done.stdout, pack("u64", sorted(unpack("u64", data))))


if __name__ == "__main__":
    command.main()
