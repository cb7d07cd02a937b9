# SPDX-License-Identifier: Apache-2.0
"""ballot compact: conditions and flags, against filtering in Python."""

import random
import struct

import command
from command import DTYPES, npy, npy_items, npy_of, pack, size_of, unpack

LARGE = 400_000


class CompactTest(command.CommandTest):
    def kept(self, dtype, data, *words, **options):
        source = self.file("in.raw", data)
        self.ballot("compact", source, "--dtype", dtype, "-o", self.file("out.raw"), *words, **options)
        return self.file("out.raw").read_bytes()

    def check_where(self, dtype, values, where, condition):
        data = pack(dtype, values)
        stored = unpack(dtype, data)  # floats as the type holds them
        self.assertEqual(self.kept(dtype, data, "--where", where), pack(dtype, [v for v in stored if condition(v)]), (dtype, where))
        self.assertEqual(self.kept(dtype, data, "--where", where, "--invert"), pack(dtype, [v for v in stored if not condition(v)]))

    def test_every_type(self):
        for dtype in DTYPES:
            values = [0, 1, 5, 10, 11, 12, 100, 127] + ([-1, -100] if dtype[0] != "u" else [])
            values = values * 100 if dtype[0] != "f" else [float(v) for v in values] * 99 + [0.5, 10.5, float("inf"), -float("inf")]
            self.check_where(dtype, values, "value > 10", lambda v: v > 10)
            self.check_where(dtype, values, "10.5 <= value", lambda v: v >= 10.5)
            self.check_where(dtype, values, "value == 12 or not (value < 100 and value >= -1)", lambda v: v == 12 or not -1 <= v < 100)
            self.check_where(dtype, values, "value < 1e30", lambda v: v < 1e30)
            self.check_where(dtype, values, "value != 5", lambda v: v != 5)

    def test_exact_constants(self):
        huge = [2**63 - 1, 2**63 - 2, 2**53, 2**53 + 1, -2**63]
        self.check_where("i64", huge, "value >= 9223372036854775807", lambda v: v >= 2**63 - 1)
        self.check_where("i64", huge, "value > 9007199254740992.5", lambda v: v >= 2**53 + 1)
        self.check_where("u64", [2**64 - 1, 2**64 - 2, 0], "value == 0xffffffffffffffff", lambda v: v == 2**64 - 1)
        self.check_where("f32", [0.1, 0.2, 0.3], "value > 0.1", lambda v: v > 0.1)
        self.check_where("f64", [2.0**53, 2.0**53 + 2], "value > 9007199254740993", lambda v: v > 2**53 + 1)

    def test_nan(self):
        items = [struct.pack("<f", v) for v in (float("nan"), 1, -float("nan"), 2)]
        for where, kept in (("isnan(value)", "x.x."), ("not isnan(value)", ".x.x"), ("value != 7", "xxxx"), ("value == nan", "...."),
                            ("value <= inf", ".x.x"), ("value >= 2 or value < 2", ".x.x"), ("not value < 1.5", "x.xx")):
            expected = b"".join(item for item, mark in zip(items, kept) if mark == "x")
            self.assertEqual(self.kept("f32", b"".join(items), "--where", where), expected, where)

    def test_sizes_and_shares(self):
        for count in (0, 1, 31, 32, 33, 5000, LARGE):
            values = [((i * 7919) % 1000) for i in range(count)]
            for limit in (-1, 0, 500, 999, 1000):
                self.check_where("i16", values, f"value > {limit}", lambda v, limit=limit: v > limit)

    def test_flags(self):
        for dtype in DTYPES:
            for count in (0, 1, 33, 5000):
                data = random.Random(count).randbytes(count * size_of(dtype))
                flags = bytes(random.Random(9).choices([0, 0, 1, 2, 255], k=count))
                size = size_of(dtype)
                kept = b"".join(data[i * size:(i + 1) * size] for i in range(count) if flags[i])
                others = b"".join(data[i * size:(i + 1) * size] for i in range(count) if not flags[i])
                raw = self.file("flags", flags)
                self.assertEqual(self.kept(dtype, data, "--flags", raw), kept)
                self.assertEqual(self.kept(dtype, data, "--flags", raw, "--invert"), others)
                for descr in ("'|u1'", "'|b1'"):
                    as_npy = self.file("flags.npy", npy(descr, f"({count},)", flags))
                    self.assertEqual(self.kept(dtype, data, "--flags", as_npy), kept)

    def test_many_flags(self):
        data = random.Random(1).randbytes(4 * LARGE)
        flags = random.Random(2).randbytes(LARGE).replace(b"\x07", b"\x00")
        words = unpack("u32", data)
        kept = self.kept("u32", data, "--flags", self.file("flags", flags), "--verify")
        self.assertEqual(kept, pack("u32", [w for w, f in zip(words, flags) if f]))

    def test_flags_from_standard_input(self):
        source = self.file("in.txt", "1\n2\n3\n")
        done = self.ballot("compact", source, "--flags", "-", stdin=b"\1\0\1")
        self.assertEqual(done.stdout, b"1\n3\n")

    def test_numbers_of_flags_that_do_not_fit(self):
        source = self.file("in.raw", b"\0" * 12)
        for flags in (b"", b"\1" * 2, b"\1" * 4):
            path = self.file("flags", flags)
            self.assert_refused("compact", source, "--dtype", "u32", "--flags", path, "-o", self.file("out.raw"),
                                says=[f"{path}: {len(flags)} flags for 3 items"])
        # Neither number is known before everything has been read.
        self.assert_refused("compact", "-", "--flags", path, stdin="1\n2\n3\n", says="4 flags for 3 items")
        self.assertFalse(self.file("out.raw").exists())
        self.assert_refused("compact", source, "--dtype", "u32", "--flags", self.file("f.npy", npy("'<i4'", "(3,)", b"\0" * 12)),
                            says="u1 or b1")

    def test_verify_and_report(self):
        source = self.file("in.npy", npy_of("i32", pack("i32", list(range(-500, 500)))))
        report, _ = self.report("compact", source, "--where", "value >= 0", "--verify", "-o", self.file("out.npy"))
        self.assertEqual((report["command"], report["engine"], report["n"], report["n_out"], report["dtype"], report["verified"]),
                         ("compact", command.ENGINE, 1000, 500, "i32", True))
        self.assertEqual(unpack("i32", npy_items("i32", self.file("out.npy").read_bytes())), list(range(500)))
        flags = self.file("flags", bytes([1, 0]) * 500)
        report, _ = self.report("compact", source, "--flags", flags, "--invert", "--verify", "-o", self.file("out.npy"))
        self.assertEqual((report["n_out"], report["verified"]), (500, True))
        self.assertIn("500 kept", self.ballot("compact", source, "--flags", flags, "-o", "/dev/null", "--report").stderr.decode())

    def test_a_long_condition(self):
        where = " or ".join(f"value == {i}" for i in range(0, 60, 2))
        self.check_where("u8", list(range(256)), where, lambda v: v < 60 and v % 2 == 0)

    def test_large_input_through_pipes(self):
        values = [(i * 7919) % 100_000 for i in range(2_500_000)]
        report, done = self.report("compact", "-", "--format", "raw", "--dtype", "u32", "--where", "value < 50000", "--verify",
                                   stdin=pack("u32", values))
        self.assertEqual(done.stdout, pack("u32", [v for v in values if v < 50000]))
        self.assertIs(report["verified"], True)


if __name__ == "__main__":
    command.main()
