# SPDX-License-Identifier: Apache-2.0
"""gzip and zstd, in and out: by the extension, and by the first bytes; what is wrong with them; several members."""

import gzip
import random
import shutil
import struct
import subprocess
import threading
import zlib

import command
from command import npy_items, npy_of, pack, unpack

HAS_ZSTD_PROGRAM = shutil.which("zstd") is not None


class CompressedFilesTest(command.CommandTest):
    def zst(self, data):
        """By the program zstd where there is one, else as a frame of one raw block, or several."""
        if HAS_ZSTD_PROGRAM:
            return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout
        frame = b"\x28\xb5\x2f\xfd\x00\x58"  # no checksum, a window of 2 MiB
        pieces = [data[i:i + 100_000] for i in range(0, len(data), 100_000)] or [b""]
        for i, piece in enumerate(pieces):
            frame += ((len(piece) << 3) | (i == len(pieces) - 1)).to_bytes(3, "little") + piece
        return frame

    def unpacked(self, path):
        data = path.read_bytes()
        if path.suffix == ".gz":
            return gzip.decompress(data)
        self.assertEqual(data[:4], b"\x28\xb5\x2f\xfd")
        if HAS_ZSTD_PROGRAM:
            return subprocess.run(["zstd", "-qdc", path], stdout=subprocess.PIPE, check=True).stdout
        plain = self.file("plain")
        self.ballot("compact", path, "--format", "lines", "--unique", "--by", "line", "-o", plain, engine="cpu")
        return plain.read_bytes()

    def coded(self, kind, data):
        return gzip.compress(data) if kind == "gz" else self.zst(data)

    def test_every_format_in_and_out(self):
        values = [random.Random(1).randrange(2**32) for _ in range(70_000)]
        text = "".join(f"{v}\n" for v in values)
        ordered = sorted(values)
        inputs = {"raw": (pack("u32", values), ("--dtype", "u32"), pack("u32", ordered)),
                  "txt": (text.encode(), ("--dtype", "u32"), "".join(f"{v}\n" for v in ordered).encode()),
                  "npy": (npy_of("u32", pack("u32", values)), (), None),
                  "csv": (b"a,b\n" + b"".join(b"%d,x\n" % v for v in values), ("--by", "a"), b"a,b\n" + b"".join(b"%d,x\n" % v for v in ordered)),
                  "jsonl": (b"".join(b'{"a":%d}\n' % v for v in values), ("--by", "a"), b"".join(b'{"a":%d}\n' % v for v in ordered)),
                  "bin": (pack("u32", values), ("--record-bytes", "4", "--by", "0:u32"), pack("u32", ordered)),
                  "sosd": (struct.pack("<Q", len(values)) + pack("u32", values), ("--format", "sosd", "--dtype", "u32"), None)}
        for kind in ("gz", "zst"):
            for extension, (data, words, expected) in inputs.items():
                source = self.file(f"in.{extension}.{kind}", self.coded(kind, data))
                out = self.file(f"out.{extension}.{kind}")
                self.ballot("sort", source, *words, "-o", out)
                got = self.unpacked(out) if HAS_ZSTD_PROGRAM or kind == "gz" else None
                if got is None:
                    continue
                if extension == "npy":
                    self.assertEqual(npy_items("u32", got), pack("u32", ordered))
                elif extension == "sosd":
                    self.assertEqual(got, struct.pack("<Q", len(values)) + pack("u32", ordered))
                else:
                    self.assertEqual(got, expected, (extension, kind))

    def test_there_and_back(self):
        data = bytes(random.Random(2).choices(b"ab\n", k=3_000_000))
        self.file("in.txt", data)
        for kind in ("gz", "zst"):
            for level in ((), ("--compression-level", "1"), ("--compression-level", "9")):
                packed, plain = self.file(f"x.txt.{kind}"), self.file("y.txt")
                self.ballot("sort", self.file("in.txt"), "--format", "lines", *level, "-o", packed)
                self.ballot("sort", packed, "--format", "lines", "-o", plain)
                self.assertEqual(plain.read_bytes(), b"".join(sorted(data.splitlines(True)[:-1] + [data.splitlines()[-1] + b"\n"])))
        empty = self.file("empty.txt.gz")
        self.ballot("sort", self.file("none.txt", b""), "-o", empty)
        self.assertEqual(gzip.decompress(empty.read_bytes()), b"")

    def test_from_standard_input_and_by_first_bytes(self):
        for kind in ("gz", "zst"):
            packed = self.coded(kind, b"3\n1\n2\n")
            self.assertEqual(self.ballot("sort", "-", stdin=packed).stdout, b"1\n2\n3\n")
            self.assertEqual(self.ballot("sort", self.file("in.txt", packed)).stdout, b"1\n2\n3\n")
        looks_like_gzip = b"\x1f\x8b\x08\x00" + b"\0" * 4
        self.assertEqual(self.ballot("sort", self.file("in.raw", looks_like_gzip), "--dtype", "u32").stdout, b"\0" * 4 + looks_like_gzip[:4])

    def test_several_members_and_frames(self):
        for kind in ("gz", "zst"):
            parts = self.coded(kind, b"3\n") + self.coded(kind, b"") + self.coded(kind, b"1\n2\n")
            self.assertEqual(self.ballot("sort", self.file(f"in.txt.{kind}", parts)).stdout, b"1\n2\n3\n")
        skipped = b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
        self.assertEqual(self.ballot("sort", self.file("in.txt.zst", skipped + self.zst(b"1\n") + skipped)).stdout, b"1\n")
        self.assertEqual(self.ballot("sort", self.file("in.txt.gz", gzip.compress(b"2\n1\n") + bytes(600))).stdout, b"1\n2\n")

    def test_larger_than_memory(self):
        rows = [b"%d,%d\n" % (random.Random(i).randrange(10**6), i) for i in range(60_000)]
        table = b"a,b\n" + b"".join(rows)
        expected = b"a,b\n" + b"".join(sorted(rows, key=lambda row: int(row.split(b",")[0])))
        for kind in ("gz", "zst"):
            source = self.file(f"in.csv.{kind}", self.coded(kind, table))
            report, _ = self.report("sort", source, "--by", "a", "--memory", "512K", "-o", self.file("out.csv"))
            self.assertGreater(report["runs"], 1)
            self.assertEqual(self.file("out.csv").read_bytes(), expected)
            done = self.ballot("sort", "-", "--format", "csv", "--by", "a", "--memory", "512K", stdin=source.read_bytes())
            self.assertEqual(done.stdout, expected)

    def refused(self, name, content, says):
        old = self.file("out.txt", b"old")
        self.assert_refused("sort", self.file(name, content), "-o", old, says=[name, *says])
        self.assertEqual(old.read_bytes(), b"old")

    def test_wrong_files(self):
        text = b"".join(b"%d\n" % (i * 7919 % 100_003) for i in range(50_000))
        for kind, name in (("gz", "gzip"), ("zst", "zstd")):
            packed = self.coded(kind, text)
            for length in (len(packed) - 1, len(packed) - 5, len(packed) // 2, 12):
                self.refused(f"in.txt.{kind}", packed[:length], [f"truncated: the {name} data", f"after {length} bytes"])
            self.refused(f"in.txt.{kind}", b"1\n2\n", [f"the extension says {name}", "first bytes"])
            self.refused(f"in.txt.{kind}", b"", [f"the extension says {name}", "empty"])
            self.refused(f"in.txt.{kind}", packed + b"garbage", [f"not valid {name}", "near byte"])
        broken = bytearray(gzip.compress(text))
        broken[-6] ^= 1  # its CRC-32
        self.refused("in.txt.gz", bytes(broken), ["not valid gzip", "incorrect data check", "near byte"])
        self.refused("in.txt.gz", self.zst(text), ["the extension says gzip", "the content is zstd"])
        self.refused("in.txt.gz", gzip.compress(b"1\n") + b"\0\0x", ["behind the zeros"])
        if HAS_ZSTD_PROGRAM:
            broken = bytearray(self.zst(text))
            broken[len(broken) // 2] ^= 0xff
            self.refused("in.txt.zst", bytes(broken), ["not valid zstd"])

    def test_levels(self):
        source = self.file("in.txt", b"2\n1\n")
        for words, says in ((("-o", self.file("x.txt")), ".gz or .zst"), ((), ".gz or .zst"), (("-o", self.file("x.txt.gz")), "gzip has 1 to 9")):
            self.assert_refused("sort", source, "--compression-level", "10", *words, says=says, expect=2)
        self.ballot("sort", source, "--compression-level", "19", "-o", self.file("x.txt.zst"))

    def test_a_mistake_does_not_wait_for_the_rest_of_a_pipe(self):
        """The decoding thread waits for more when the run fails: it has to be told."""
        process = subprocess.Popen([command.COMMAND, "sort", "-", "--engine", "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        coder = zlib.compressobj(9, zlib.DEFLATED, 31)
        process.stdin.write(coder.compress(b"x\n" * 3_000_000) + coder.flush(zlib.Z_SYNC_FLUSH))
        process.stdin.flush()  # and the pipe stays open
        timer = threading.Timer(60, process.kill)
        timer.start()
        message = process.stderr.read()
        self.assertEqual(process.wait(), 1)
        timer.cancel()
        process.stdin.close()
        process.stdout.close()
        process.stderr.close()
        self.assertIn(b"standard input:1: not a number", message)

    def test_scan(self):
        self.ballot("scan", self.file("in.npy.gz", gzip.compress(npy_of("i32", pack("i32", [1, 2, 3])))), "-o", self.file("out.npy.gz"))
        self.assertEqual(unpack("i32", npy_items("i32", gzip.decompress(self.file("out.npy.gz").read_bytes()))), [1, 3, 6])


if __name__ == "__main__":
    command.main()
