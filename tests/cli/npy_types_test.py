# SPDX-License-Identifier: Apache-2.0
""".npy of types beyond plain numbers: any order of bytes, f16, times, booleans, texts; Fortran order; SEG-Y of integers."""

import math
import os
import random
import struct
import threading

import command
from command import npy, npy_of, pack, unpack

from scan_test import segy

NAT = -2**63


def items_of(data):
    length = int.from_bytes(data[8:10], "little")
    return data[10:10 + length].decode("latin-1"), data[10 + length:]


class NpyTypesTest(command.CommandTest):
    def run_on(self, verb, descr, items, *words, shape=None, fortran=False):
        source = self.file("in.npy", npy(repr(descr), shape or (len(items),), b"".join(items), fortran=fortran))
        self.ballot(verb, source, *words, "--verify", "-o", self.file("out.npy"))
        header, data = items_of(self.file("out.npy").read_bytes())
        self.assertIn(f"'descr': {descr!r}", header)
        size = len(items[0])
        return [data[i:i + size] for i in range(0, len(data), size)]

    def test_sorts_keep_the_type(self):
        rng = random.Random(3)
        numbers = [rng.randrange(-30000, 30000) for _ in range(3000)]
        for descr, code in ((">i2", ">h"), (">u4", ">I"), (">i8", ">q"), (">f4", ">f"), (">f8", ">d"), ("<f2", "<e"), (">f2", ">e"), ("|b1", "?")):
            values = [abs(n) for n in numbers] if code == ">I" else [n % 2 == 0 for n in numbers] if code == "?" else numbers
            items = [struct.pack(code, v) for v in values]
            ordered = sorted(items, key=lambda item: struct.unpack(code, item))
            self.assertEqual(self.run_on("sort", descr, items), ordered, descr)
            self.assertEqual(self.run_on("sort", descr, items, "--descending"), sorted(items, key=lambda item: struct.unpack(code, item), reverse=True), descr)

    def test_every_half(self):
        items = [struct.pack("<H", i) for i in random.Random(4).sample(range(65536), 65536)]
        got = [struct.unpack("<e", item)[0] for item in self.run_on("sort", "<f2", items)]
        self.assertTrue(all(math.isnan(x) for x in got[-2046:]) and not math.isnan(got[-2047]))
        self.assertEqual(got[:-2046], sorted(got[:-2046]))
        self.assertEqual(self.run_on("scan", "<f2", items, shape=(65536, 1)), items)  # read, widened, and written back: the same bits

    def test_times(self):
        values = [5, NAT, -7, 0, NAT, 2**62, -2**62]
        for descr, code in (("<M8[ns]", "<q"), (">M8[D]", ">q"), ("<m8[ms]", "<q")):
            items = [struct.pack(code, v) for v in values]
            for words, expected in (((), [-2**62, -7, 0, 5, 2**62, NAT, NAT]), (("--descending",), [2**62, 5, 0, -7, -2**62, NAT, NAT])):
                self.assertEqual([struct.unpack(code, item)[0] for item in self.run_on("sort", descr, items, *words)], expected)
            kept = self.run_on("compact", descr, items, "--where", "not isempty(value) and value >= 0")
            self.assertEqual([struct.unpack(code, item)[0] for item in kept], [5, 0, 2**62])
        for unit, a_day in (("D", 1), ("h", 24), ("m", 1440), ("s", 86400), ("us", 86400 * 10**6), ("ns", 86400 * 10**9)):
            items = [struct.pack("<q", v) for v in (a_day, a_day - 1, NAT, 2 * a_day, 19723 * a_day)]
            kept = self.run_on("compact", f"<M8[{unit}]", items, "--where", "value >= '1970-01-02' and value != '2024-01-01'")
            self.assertEqual(kept, [items[0], items[3]])

    def test_texts(self):
        words = ["b", "", "a", "aa", "z", "B"]
        items = [w.encode().ljust(3, b"\0") for w in words]
        self.assertEqual(self.run_on("sort", "|S3", items), sorted(items))  # an empty one first, as in NumPy
        words = ["é", "z", "😀", "", "\ud7ff", "\uffee", "a", "za"]
        for order in ("<", ">"):
            items = [w.encode("utf-32-le" if order == "<" else "utf-32-be").ljust(8, b"\0") for w in words]
            by_word = dict(zip(words, items))
            self.assertEqual(self.run_on("sort", f"{order}U2", items), [by_word[w] for w in sorted(words)])
            self.assertEqual(self.run_on("compact", f"{order}U2", items, "--where", 'value == "😀" or value == "é"'), [by_word["é"], by_word["😀"]])
        broken = npy("'<U1'", (1,), b"\xff\xff\xff\x7f")
        self.assert_refused("sort", self.file("in.npy", broken), says=["in.npy", "Unicode"])

    def test_names_of_fields(self):
        """Latin-1 in versions 1 and 2, UTF-8 in version 3; so NumPy reads and writes them."""
        rows = struct.pack("<4i", 2, 5, 1, 6)
        for name, version in (("größe", 1), ("größe", 2), ("größe", 3), ("大小", 3)):
            text = f"{{'descr': [('{name}', '<i4'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }}"
            header = (text + "\n").encode("utf-8" if version == 3 else "latin-1")
            source = self.file("in.npy", b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(2 if version == 1 else 4, "little") + header + rows)
            for words in ((), ("--columns", f"{name},b")):
                self.ballot("sort", source, "--by", name, *words, "-o", self.file("out.npy"))
                written = self.file("out.npy").read_bytes()
                oldest = 3 if name == "大小" else 1
                begin = 10 if oldest == 1 else 12
                length = int.from_bytes(written[8:begin], "little")
                self.assertEqual((written[6], (begin + length) % 64), (oldest, 0))
                self.assertEqual(written[begin:begin + length].decode("latin-1" if oldest == 1 else "utf-8").rstrip(), text)
                self.assertEqual(written[begin + length:], struct.pack("<4i", 1, 6, 2, 5))
            self.assertEqual(self.ballot("sort", source, "--by", name, "--output-format", "jsonl", "-q").stdout.decode(), f'{{"{name}":1,"b":6}}\n{{"{name}":2,"b":5}}\n')
        self.ballot("sort", self.file("in.csv", "größe,b\n2,5\n"), "--by", "b", "-o", self.file("out.npy"))
        self.assertIn("('größe', '<i8')", items_of(self.file("out.npy").read_bytes())[0])
        for names, says in (('"a\nb"', "line ends"), ("a\tb", "control characters"), (b"gr\xf6\xdfe", "not UTF-8")):
            content = names if isinstance(names, bytes) else names.encode()
            self.assert_refused("sort", self.file("in.csv", content + b",b\n1,2\n"), "--by", "b", "-o", self.file("no.npy"), says=says, expect=2)
        self.assert_refused("sort", self.file("in.csv", b"gr\xf6\xdfe,b\n1,2\n"), "--by", "b", "-o", self.file("no.jsonl"), says="not UTF-8, which JSON must be", expect=2)
        self.assert_refused("sort", self.file("in.npy", b"\x93NUMPY\3\0\3\0\0\0{\xff}"), says="bad .npy header: bytes that are not UTF-8")

    def test_from_a_pipe_with_a_name(self):
        rng = random.Random(8)
        data, pipe = npy_of("u32", rng.randbytes(4 * 1000)), self.file("pipe.npy")
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_bytes(data))
        writer.start()
        found = self.ballot("sort", pipe, "--output-format", "npy", "-q").stdout
        writer.join()
        self.assertEqual(found, self.ballot("sort", self.file("in.npy", data), "--output-format", "npy", "-q").stdout)

    def test_fortran_order(self):
        rows = [[random.Random(i).randrange(9), i, -i] for i in range(500)]
        by_columns = [pack("i32", [row[c]]) for c in range(3) for row in rows]
        got = self.run_on("sort", "<i4", by_columns, "--by", "0", shape=(500, 3), fortran=True)
        self.assertEqual(unpack("i32", b"".join(got)), [n for row in sorted(rows, key=lambda row: row[0]) for n in row])
        self.assertIn("'fortran_order': False", items_of(self.file("out.npy").read_bytes())[0])
        cube = [pack("i32", [100 * i + 10 * j + k]) for k in range(3) for j in range(4) for i in range(2)]
        got = unpack("i32", b"".join(self.run_on("scan", "<i4", cube, shape=(2, 4, 3), fortran=True)))
        self.assertEqual(got, [sum(100 * i + 10 * j + m for m in range(k + 1)) for i in range(2) for j in range(4) for k in range(3)])

    def test_scans(self):
        self.assertEqual(self.run_on("scan", ">i4", [struct.pack(">i", v) for v in (1, 2, -4)]), [struct.pack(">i", v) for v in (1, 3, -1)])
        self.assertEqual(self.run_on("scan", "<f2", [struct.pack("<e", v) for v in (1, 0.5, 2048)]), [struct.pack("<e", v) for v in (1, 1.5, 2050)])
        self.assertEqual(self.run_on("scan", "<m8[s]", [struct.pack("<q", v) for v in (1, 2, 3)]), [struct.pack("<q", v) for v in (1, 3, 6)])
        for descr, item, says in (("<m8[s]", struct.pack("<q", NAT), "item 0 is NaT"), ("<M8[s]", bytes(8), "points in time"), ("|b1", b"\1", "booleans"),
                                  ("<U1", bytes(4), "texts"), ("<c8", bytes(8), "not numbers")):
            self.assert_refused("scan", self.file("in.npy", npy(repr(descr), (1,), item)), "-o", self.file("no.npy"), says=["in.npy", says])
        self.assertFalse(self.file("no.npy").exists())

    def test_sections_of_integers(self):
        def packed(code, size, traces):
            return [[int(v).to_bytes(size, "big", signed=code == "i") for v in trace] for trace in traces]

        for number, code, size in ((2, "i", 4), (3, "i", 2), (8, "i", 1), (7, "i", 3), (9, "i", 8), (10, "u", 4), (11, "u", 2), (12, "u", 8), (15, "u", 3), (16, "u", 1)):
            top = 2 ** (8 * size - 1)
            values = [[1, 2, 5], [top - 1, 3, 7]] if code == "u" else [[1, -2, 5], [top - 3, 1, -7]]
            sums = [[sum(trace[:i + 1]) % 2 ** (8 * size) for i in range(3)] for trace in values]
            if code == "i":
                sums = [[s - 2 * top if s >= top else s for s in trace] for trace in sums]
            self.section(number, size, packed(code, size, values), packed(code, size, sums))
        wrapped = packed("u", 3, [[2**24 - 1, 2]])
        self.section(15, 3, wrapped, packed("u", 3, [[2**24 - 1, 1]]))
        doubles = [[struct.pack(">d", v) for v in (0.1, 0.2)]]
        self.section(6, 8, doubles, [[struct.pack(">d", 0.1), struct.pack(">d", 0.1 + 0.2)]])

    def section(self, number, size, samples, sums):
        whole = segy([[0.0] * len(samples[0])] * len(samples), sample_format=5)
        head = bytearray(whole[:3600])
        struct.pack_into(">h", head, 3224, number)
        step = 240 + 4 * len(samples[0])

        def file(rows):
            return bytes(head) + b"".join(whole[3600 + t * step:3600 + t * step + 240] + b"".join(row) for t, row in enumerate(rows))

        self.ballot("scan", self.file("in.sgy", file(samples)), "--verify", "-o", self.file("out.sgy"))
        self.assertEqual(self.file("out.sgy").read_bytes(), file(sums), number)
        self.assert_refused("scan", self.file("in.sgy", file(samples)[:-1]), says=["left over"])
        self.assertEqual(size, len(samples[0][0]))


if __name__ == "__main__":
    command.main()
