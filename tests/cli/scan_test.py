# SPDX-License-Identifier: Apache-2.0
"""ballot scan: rows of arrays, columns and seismic traces, against sums by the definition in Python."""

import random
import struct
from fractions import Fraction

import command
from command import npy, npy_items, npy_of, pack, size_of, unpack


def sums(values):
    total, result = 0, []
    for value in values:
        total += value
        result.append(total)
    return result


def scanned(values, length, direction="forward", wrap=lambda x: x):
    result = []
    for begin in range(0, len(values), length):
        row = values[begin:begin + length]
        if direction != "backward":
            row = [wrap(x) for x in sums(row)]
        if direction != "forward":
            row = [wrap(x) for x in sums(row[::-1])[::-1]]
        result += row
    return result


def wrap_to(dtype):
    width = 8 * size_of(dtype)
    if dtype[0] == "u":
        return lambda x: x % (1 << width)
    return lambda x: (x + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


def ibm_bytes(value):
    """An IBM float of 4 bytes: sign, exponent of 16 in excess of 64, 24 bits of fraction. Exact for what is asked here."""
    if value == 0:
        return bytes(4)
    fraction, exponent = abs(Fraction(value)), 64
    while fraction >= 1:
        fraction, exponent = fraction / 16, exponent + 1
    while fraction < Fraction(1, 16):
        fraction, exponent = fraction * 16, exponent - 1
    digits = fraction * 2**24
    assert digits.denominator == 1 and 0 <= exponent < 128, value
    return struct.pack(">I", (value < 0) << 31 | exponent << 24 | digits.numerator)


def segy(traces, *, sample_format=5, text_headers=0, samples=None, lengths=None, fields=(), extra_headers=(), trailer=b""):
    """A file with something recognisable in every header. `fields`: (byte as the standard counts, code for struct, value);
    `lengths`: what traces say of their number of samples; `extra_headers`: of each trace, behind its own."""
    length = len(traces[0]) if traces else samples
    binary = bytearray(random.Random(3).randbytes(400))
    binary[296:300] = b"\1\2\3\4"  # byte 3297: the order of bytes
    binary[300:306] = bytes(6)  # byte 3501: revision 0; no flag
    for at, code, value in ((3221, "H", length), (3225, "h", sample_format), (3505, "h", text_headers), *fields):
        struct.pack_into(">" + code, binary, at - 3201, value)
    file = bytes(range(256)) * 12 + bytes(128) + bytes(binary) + b"t" * 3200 * text_headers
    for number, trace in enumerate(traces):
        header = bytearray([number % 256]) * 240
        struct.pack_into(">H", header, 114, lengths[number] if lengths else length)  # byte 115
        file += bytes(header) + b"".join(extra_headers)
        file += b"".join(map(ibm_bytes, trace)) if sample_format == 1 else struct.pack(f">{len(trace)}f", *trace)
    return file + trailer


REVISION_2 = [(3501, "B", 2), (3502, "B", 1), (3503, "H", 1), (3269, "I", 0), (3507, "i", 0), (3513, "Q", 0), (3521, "Q", 0), (3529, "i", 0)]


class ScanTest(command.CommandTest):
    def scan(self, name, content, *words):
        output = self.file("out" + name[name.rindex("."):])
        self.ballot("scan", self.file(name, content), "-o", output, *words)
        return output.read_bytes()

    def test_integers_of_every_type_wrap(self):
        for dtype in ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"):
            data = random.Random(1).randbytes(60 * size_of(dtype))
            values = unpack(dtype, data)
            for direction in ("forward", "backward", "both"):
                got = self.scan("in.npy", npy_of(dtype, data, (3, 20)), "--direction", direction, "--verify")
                self.assertEqual(unpack(dtype, npy_items(dtype, got, (3, 20))), scanned(values, 20, direction, wrap_to(dtype)), dtype)

    def test_shapes(self):
        for shape in ((24,), (1, 24), (24, 1), (2, 3, 4), (6, 4), (0,), (0, 5), (5, 0), ()):
            count = 1
            for n in shape:
                count *= n
            values = list(range(1, count + 1))
            got = self.scan("in.npy", npy_of("i32", pack("i32", values), shape), "--verify")
            self.assertEqual(unpack("i32", npy_items("i32", got, shape)), scanned(values, shape[-1] if shape else 1) if count else [])

    def test_fortran_order(self):
        column = npy("'<i4'", (3, 1), pack("i32", [1, 2, 3]), fortran=True)  # is in both orders
        self.assertEqual(npy_items("i32", self.scan("in.npy", column), (3, 1)), pack("i32", [1, 2, 3]))
        table = npy("'<i4'", (2, 2), pack("i32", [1, 2, 3, 4]), fortran=True)
        self.assertEqual(npy_items("i32", self.scan("in.npy", table), (2, 2)), pack("i32", [1, 4, 2, 6]))  # ((1, 3), (2, 4)), in C order

    def test_columns_in_rows(self):
        values = list(range(100))
        for length in (1, 7, 50, 100):
            data = pack("i16", values[:100 // length * length])
            got = self.scan("in.raw", data, "--dtype", "i16", "--length", length, "--direction", "both")
            self.assertEqual(unpack("i16", got), scanned(unpack("i16", data), length, "both", wrap_to("i16")))
        self.assertEqual(self.ballot("scan", "-", stdin="1\n2\n\n3\n4\n").stdout, b"1\n3\n6\n10\n")
        self.assertEqual(self.ballot("scan", "-", "--length", 2, stdin="1\n2\n3\n4\n").stdout, b"1\n3\n3\n7\n")
        self.assertEqual(self.ballot("scan", "-", stdin="").stdout, b"")

    def test_report(self):
        report, _ = self.report("scan", self.file("in.npy", npy_of("f64", pack("f64", [1.0] * 12), (3, 4))), "-o", self.file("o.npy"))
        self.assertEqual((report["n"], report["rows"], report["dtype"], report["command"]), (12, 3, "f64", "scan"))

    def test_long_rows_and_many_rows(self):
        generator = random.Random(4)
        for rows, length in ((1, 700_001), (3, 300_000), (5000, 100)):
            values = [generator.randrange(-1000, 1000) for _ in range(rows * length)]
            got = self.scan("in.npy", npy_of("i64", pack("i64", values), (rows, length)), "--direction", "both", "--verify")
            self.assertEqual(unpack("i64", npy_items("i64", got, (rows, length))), scanned(values, length, "both"))

    def test_float_accumulators(self):
        # 0.1 as f32, 20,000 times: floats lose bits on the way, pairs of floats and doubles do not.
        length = 20_000
        data = pack("f32", [0.1] * length)
        item = Fraction(unpack("f32", data)[0])
        exact = [float(item * (i + 1)) for i in range(length)]

        def worst(accumulator):
            got = unpack("f32", self.scan("in.raw", data, "--dtype", "f32", "--verify", "--accumulate", accumulator))
            return max(abs(a - b) / b for a, b in zip(got, exact))

        half_an_ulp = 2.0**-24
        self.assertLessEqual(worst("double"), half_an_ulp * 1.001)
        self.assertLessEqual(worst("double-float"), half_an_ulp * 1.001)
        self.assertLess(worst("float"), 20_000 * half_an_ulp)

    def test_special_floats(self):
        for dtype in ("f32", "f64"):
            values = [1.0, float("inf"), 1.0, float("-inf"), 1.0]
            for accumulator in (("float", "double-float", "double") if dtype == "f32" else ("double",)):
                got = unpack(dtype, self.scan("in.raw", pack(dtype, values), "--dtype", dtype, "--accumulate", accumulator, "--verify"))
                self.assertEqual(got[:3], [1.0, float("inf"), float("inf")])
                self.assertTrue(got[3] != got[3] and got[4] != got[4])

    def test_sums_that_overflow_on_the_way(self):
        for dtype, large in (("f32", 3e38), ("f64", 1.5e308)):
            for accumulator in (("float", "double-float", "double") if dtype == "f32" else ("double",)):
                for values in ([large, large, -large, -large], [-large, large, large, -large], [large, large, 1.0, -large], [1.0, large, large, -large, 1.0]):
                    for way in ("forward", "backward", "both"):
                        self.scan("in.raw", pack(dtype, values), "--dtype", dtype, "--accumulate", accumulator, "--direction", way, "--verify")
        # Sums of doubles come back.
        got = self.scan("in.raw", pack("f32", [3e38, 3e38, -3e38, -3e38]), "--dtype", "f32", "--accumulate", "double", "--verify")
        self.assertEqual(unpack("f32", got)[1::2], [float("inf"), 0.0])

    def test_seismic_sections(self):
        traces = [[float(t * 8 + s % 5) / 4 for s in range(50)] for t in range(7)]
        for sample_format in (1, 5):
            for text_headers in (0, 2):
                for direction in ("forward", "backward", "both"):
                    before = segy(traces, sample_format=sample_format, text_headers=text_headers)
                    after = segy([scanned(trace, 50, direction) for trace in traces], sample_format=sample_format, text_headers=text_headers)
                    for accumulator in ("float", "double-float", "double"):
                        got = self.scan("in.sgy", before, "--direction", direction, "--accumulate", accumulator, "--verify")
                        self.assertEqual(got, after, (sample_format, text_headers, direction, accumulator))
        self.assertEqual(self.scan("in.segy", segy([], samples=9)), segy([], samples=9))
        piped = self.ballot("scan", "-", "--format", "segy", stdin=segy(traces)).stdout
        self.assertEqual(piped, segy([scanned(trace, 50) for trace in traces]))

    def test_revision_2(self):
        """Its header has numbers of its own that say where traces and samples lie."""
        traces = [[float(t + s % 7) for s in range(30)] for t in range(5)]
        sums_of = [scanned(trace, 30) for trace in traces]
        extension = bytearray(b"e" * 232 + b"SEG00001")
        struct.pack_into(">H", extension, 156, 2)  # byte 157: so many additional headers
        for options in (dict(fields=[]),
                        dict(fields=[(3507, "i", 2)], extra_headers=(bytes(extension), b"x" * 240)),
                        dict(fields=[(3507, "i", 1)], extra_headers=(b"own" * 80,)),
                        dict(fields=[(3221, "H", 7), (3269, "I", 30)]),
                        dict(fields=[(3505, "h", -1), (3521, "Q", 3600)]),
                        dict(fields=[(3521, "Q", 3600 + 3200)], text_headers=1),
                        dict(fields=[(3529, "i", 2)], trailer=b"z" * 6400),
                        dict(fields=[(3513, "Q", 5)])):
            options["fields"] = REVISION_2 + options["fields"]
            got = self.scan("in.sgy", segy(traces, **options), "--verify")
            self.assertEqual(got, segy(sums_of, **options), options)

    def test_revision_2_that_is_not_read(self):
        extension = bytearray(b"e" * 232 + b"SEG00001")
        struct.pack_into(">H", extension, 156, 1)
        old = self.file("out.sgy", "old")
        for options, says in ((dict(fields=[(3507, "i", -1)]), "variable number of additional trace headers"),
                              (dict(fields=[(3507, "i", 2)], extra_headers=(bytes(extension), b"x" * 240)), "trace 0 has 1 additional headers (byte 3997)"),
                              (dict(fields=[(3507, "i", 3)]), "left over"),
                              (dict(fields=[(3269, "I", 31)]), "left over"),
                              (dict(fields=[(3505, "h", -1)]), "variable number of extended text headers"),
                              (dict(fields=[(3521, "Q", 3599)]), "within the headers"), (dict(fields=[(3521, "Q", 2**63)]), "truncated"),
                              (dict(fields=[(3529, "i", -1)]), "variable number of trailer records"), (dict(fields=[(3529, "i", 2**31 - 1)]), "truncated"),
                              (dict(fields=[(3513, "Q", 6)]), "the SEG-Y header says 6 traces"),
                              (dict(fields=[(3297, "I", 0x04030201)]), "little-endian"), (dict(fields=[(3297, "I", 0x02010403)]), "byte-swapped")):
            options["fields"] = REVISION_2 + options["fields"]
            content = segy([[1.0] * 30] * 5, **options)
            self.assert_refused("scan", self.file("in.sgy", content), "-o", old, says=["in.sgy: ", says])
            self.assert_refused("scan", self.file("in.sgy"), "-o", self.file("in.sgy"), says=says)
            self.assertEqual((old.read_bytes(), self.file("in.sgy").read_bytes()), (b"old", content))

    def test_traces_of_several_lengths(self):
        """Also where the size of the file happens to fit: 20 + 40 samples are twice 30."""
        content = segy([[1.0] * 30] * 2, lengths=[20, 40])
        self.assert_refused("scan", self.file("in.sgy", content), "-o", self.file("out.sgy"), says="trace 1 has 40 samples (byte 4075), others have 20")
        for options in (dict(lengths=[99, 0]), dict(lengths=[20, 40], fields=[(3501, "H", 0x100), (3503, "H", 1)])):  # cut; or said to be alike
            self.assertEqual(self.scan("in.sgy", segy([[1.0] * 30] * 2, **options)), segy([scanned([1.0] * 30, 30)] * 2, **options))

    def test_broken_sections(self):
        whole = segy([[1.0, 2.0]] * 3)

        def patched(at, data):
            return whole[:at] + data + whole[at + len(data):]

        old = self.file("out.sgy", "old")
        for content, says in ((whole[:-1], "left over"), (whole[:100], "truncated"), (b"", "truncated"),
                              (patched(3220, b"\0\0"), "0 samples"), (patched(3224, b"\0\x63"), "sample format 99"),
                              (patched(3224, b"\5\0"), "little-endian"), (patched(3224, b"\0\4"), "format 4 (with a gain each)"), (patched(3224, b"\0\3"), "left over"),
                              (patched(3504, b"\xff\xff"), "variable number"), (patched(3504, b"\0\7"), "truncated")):
            self.assert_refused("scan", self.file("in.sgy", content), "-o", old, says=["in.sgy", says])
            self.assertEqual(old.read_bytes(), b"old")
        infinite = segy([[3e38, 3e38]], sample_format=5)
        self.assertEqual(struct.unpack(">ff", self.scan("in.sgy", infinite)[-8:])[1], float("inf"))
        self.file("out.sgy", "old")
        ibm = bytearray(segy([[1.0, 1.0]], sample_format=1))
        ibm[-8:] = b"\x60\xff\xff\xff\x60\xff\xff\xff"  # about 3e38 each
        self.assert_refused("scan", self.file("in.sgy", bytes(ibm)), "-o", old, says=["sample 1 of trace 0", "IBM"])
        self.assertEqual(old.read_bytes(), b"old")

    def test_usage(self):
        numbers = self.file("in.raw", pack("f32", [1, 2, 3]))
        array = self.file("in.npy", npy_of("i32", pack("i32", [1, 2, 3])))
        out = self.file("out")
        for words, says in (((numbers,), "--dtype"), ((numbers, "--dtype", "f31"), "f31"), ((array, "--direction", "up"), "forward, backward, both"),
                            ((array, "--accumulate", "quad"), "float, double-float or double"), ((array, "--accumulate", "double"), "i32"),
                            ((array, "--length", 3), "--length is for raw and text"), ((array, "--format", "csv"), "unknown format"),
                            ((self.file("in.xyz", "1"),), "--format"), ((numbers, "--dtype", "f32", "--length", 0), "at least 1")):
            self.assert_refused("scan", *words, "-o", out, says=says, expect=2)
            self.assertFalse(out.exists())
        self.assert_refused("scan", numbers, "--dtype", "f32", "--length", 2, "-o", out, says="whole number of rows")
        self.assert_refused("scan", array, "--dtype", "f32", "-o", out, says="contradicts")


if __name__ == "__main__":
    command.main()
