# SPDX-License-Identifier: Apache-2.0
"""--group-count against uniq -c and Python, and compact --top, with what it does not read."""

import itertools
import random
import struct
import subprocess

import command
from command import npy, npy_of, pack, unpack


def structures(data):
    """The header of an .npy, and what follows."""
    length = int.from_bytes(data[8:10], "little")
    return data[10:10 + length].decode().strip(), data[10 + length:]


class GroupCountTest(command.CommandTest):
    def test_lines_as_uniq_has_them(self):
        rng = random.Random(1)
        for lines in (["b", "a", "b", "", "b", ""], [rng.choice("abcdefgh") * rng.randrange(4) for _ in range(30000)], ["x"] * 100000, []):
            text = "".join(line + "\n" for line in lines)
            counted = subprocess.run("LC_ALL=C sort | uniq -c", shell=True, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
            for memory in ((), ("--memory", "64K")):
                self.assertEqual(self.ballot("sort", "-", "--format", "lines", "--group-count", "-q", "--verify", *memory, stdin=text).stdout, counted)
            runs = subprocess.run(["uniq", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
            self.assertEqual(self.ballot("compact", "-", "--format", "lines", "--group-count", "-q", "--verify", stdin=text).stdout, runs)
            self.assertEqual(self.ballot("sort", "-", "--format", "lines", "--group-count", "--count", "-q", stdin=text).stdout, b"%d\n" % len(set(lines)))
        self.assertEqual(self.ballot("sort", "-", "--format", "lines", "--group-count", "-q", stdin="b\na\nb").stdout, b"      1 a\n      2 b\n")
        self.assertEqual(self.ballot("sort", "-", "--format", "lines", "--group-count", "-q", stdin="b\r\nb\r\n").stdout, b"      2 b\r\n")

    def test_tables(self):
        source = self.file("in.csv", 'k,v\nb,1\n"a,x",2\nb,3\n,4\n"a,x",5\nb,6\n')
        self.assertEqual(self.ballot("sort", source, "--by", "k", "--group-count", "-q", "--verify").stdout, b'k,v,count\n"a,x",2,2\nb,1,3\n,4,1\n')
        self.assertEqual(self.ballot("sort", source, "--by", "k:desc", "--group-count", "--top", 2, "-q").stdout, b'k,v,count\nb,1,3\n"a,x",2,2\n')
        report, done = self.report("compact", source, "--by", "k", "--where", "v > 1", "--group-count", "--verify")
        self.assertEqual(done.stdout, b'k,v,count\n"a,x",2,1\nb,3,1\n,4,1\n"a,x",5,1\nb,6,1\n')
        self.assertEqual(report["n_out"], 5)
        self.assertEqual(self.ballot("compact", source, "--by", "k", "--where", "k = 'b'", "--group-count", "--count", "-q").stdout, b"1\n")
        taken = self.file("taken.tsv", "count\tcount2\r\n1\t2\r\n1\t2\r\n")
        self.assertEqual(self.ballot("compact", taken, "--group-count", "-q").stdout, b"count\tcount2\tcount3\r\n1\t2\t2\r\n")
        self.assertEqual(self.ballot("sort", self.file("none.csv", "a,b\n"), "--by", "a", "--group-count", "-q").stdout, b"a,b,count\n")
        counted = self.ballot("sort", source, "--by", "k", "--group-count", "-q").stdout
        self.assertEqual(self.ballot("sort", "-", "--format", "csv", "--by", "count:desc", "--top", 1, "-q", stdin=counted).stdout, b"k,v,count\nb,1,3\n")

    def test_columns_of_numbers(self):
        self.assertEqual(self.ballot("sort", "-", "--group-count", "-q", "--verify", stdin="3\n1\n3\n\n2\n3\n").stdout, b"1\t1\n2\t1\n3\t3\n")
        source = self.file("in.npy", npy_of("u16", pack("u16", [7, 5, 7, 7])))
        self.ballot("sort", source, "--group-count", "-o", self.file("out.npy"), "--verify")
        header, items = structures(self.file("out.npy").read_bytes())
        self.assertEqual(header, "{'descr': [('value', '<u2'), ('count', '<u8')], 'fortran_order': False, 'shape': (2,), }")
        self.assertEqual(items, struct.pack("<HQHQ", 5, 1, 7, 3))
        self.ballot("compact", self.file("two.npy", npy("'<i4'", (3, 2), pack("i32", [1, 2, 1, 2, 3, 4]))), "--group-count", "-o", self.file("out.npy"))
        header, items = structures(self.file("out.npy").read_bytes())
        self.assertIn("[('value', '<i4', (2,)), ('count', '<u8')]", header)
        self.assertEqual(items, struct.pack("<2iQ2iQ", 1, 2, 2, 3, 4, 1))
        self.ballot("sort", self.file("s.npy", npy("[('k', '<u4'), ('count', '<f4')]", (3,), struct.pack("<IfIfIf", 2, 0, 1, 0, 2, 1))), "--by", "k", "--group-count", "-o", self.file("out.npy"))
        header, items = structures(self.file("out.npy").read_bytes())
        self.assertIn("[('k', '<u4'), ('count', '<f4'), ('count2', '<u8')]", header)
        self.assertEqual(items, struct.pack("<IfQIfQ", 1, 0, 1, 2, 0, 2))
        self.ballot("sort", self.file("in.raw", pack("f64", [0.0, -0.0, 0.0])), "--dtype", "f64", "--group-count", "-o", self.file("out.raw"))
        self.assertEqual(self.file("out.raw").read_bytes(), struct.pack("<dQdQ", -0.0, 1, 0.0, 2))
        self.assertEqual(self.ballot("sort", "-", "--record-bytes", 2, "--by", "0:1", "--group-count", "-q", stdin=b"b1a2b3").stdout, struct.pack("<2sQ2sQ", b"a2", 1, b"b1", 2))

    def test_larger_than_memory(self):
        rng = random.Random(3)
        rows = [(rng.randrange(500), rng.choice(["x", "", "long" * 20])) for _ in range(40000)]
        source = self.file("in.csv", "k,s\n" + "".join(f"{k},{s}\n" for k, s in rows))
        for by, key in ((["k"], lambda row: row[0]), (["s:desc", "k:desc"], lambda row: (row[1] == "", {"x": 0, "long" * 20: 1}.get(row[1]), -row[0])), (["k:f64"], lambda row: row[0])):
            words = [word for column in by for word in ("--by", column)]
            groups = [list(group) for _, group in itertools.groupby(sorted(rows, key=key), key=key)]
            expected = "k,s,count\n" + "".join(f"{group[0][0]},{group[0][1]},{len(group)}\n" for group in groups)
            report, _ = self.report("sort", source, *words, "--group-count", "--memory", "512K", "--verify", "-o", self.file("out.csv"))
            self.assertGreater(report["runs"], 1)
            self.assertEqual(self.file("out.csv").read_text(), expected, by)
        self.ballot("sort", self.file("in.npy", npy_of("u32", pack("u32", [k for k, _ in rows]))), "--group-count", "--memory", "64K", "-o", self.file("out.npy"), "--verify")
        header, items = structures(self.file("out.npy").read_bytes())
        self.assertIn("(500,)", header)
        self.assertEqual(list(struct.iter_unpack("<IQ", items)), [(k, len(list(group))) for k, group in itertools.groupby(sorted(k for k, _ in rows))])
        self.assertEqual(self.names(), ["in.csv", "in.npy", "out.csv", "out.npy"])

    def test_contradictions(self):
        source = self.file("in.csv", "a\n1\n")
        for words, says in ((("sort", source, "--by", "a", "--group-count", "--unique"), "--group-count and --unique"), (("sort", source, "--by", "a", "--group-count", "--indices"), "--group-count and --indices"),
                            (("compact", source, "--group-count", "--mask", self.folder / "m"), "--group-count and --mask"),
                            (("sort", self.file("books", struct.pack("<2Q", 1, 5)), "--format", "sosd", "--group-count"), "no room for a count")):
            self.assert_refused(*words, says=says, expect=2)


class TopTest(command.CommandTest):
    def test_columns(self):
        values = [(i * 7919) % 100003 for i in range(200000)]
        source = self.file("in.raw", pack("u32", values))
        for where, keeps in (("value % 3 = 0", lambda v: v % 3 == 0), ("value > 50000", lambda v: v > 50000)):
            for top in (0, 1, 1000, 300000):
                out = self.ballot("compact", source, "--dtype", "u32", "--where", where, "--top", top, "-o", "-", "-q", "--verify").stdout
                self.assertEqual(unpack("u32", out), [v for v in values if keeps(v)][:top])
        flags = self.file("flags.raw", bytes(v % 2 for v in values))
        self.assertEqual(unpack("u32", self.ballot("compact", source, "--dtype", "u32", "--flags", flags, "--top", 70000, "-o", "-", "-q").stdout), [v for v in values if v % 2][:70000])
        self.assertEqual(self.ballot("compact", "-", "--top", 2, "-q", stdin="5\n\n4\n3\n").stdout, b"5\n4\n")

    def test_tables(self):
        text = "k,s\n" + "".join(f"{i % 1000},{'ab'[i % 2]}\n" for i in range(5000))
        source = self.file("in.csv", text)
        rows = text.split("\n")[1:-1]
        for words in (("k > 500",), ("k:i64 > 500",), ("k:i64 > 500", "--invert"), ("s:text = 'b'",)):
            every = self.ballot("compact", source, "--where", *words, "-q").stdout.split(b"\n")
            for top in (0, 1, 499, 3000):
                done = self.ballot("compact", source, "--where", *words, "--top", top, "-q", "--verify")
                self.assertEqual(done.stdout.split(b"\n")[:-1], every[:-1][:top + 1], words)
                numbers = self.ballot("compact", source, "--where", *words, "--top", top, "--indices", "-q").stdout.split()
                self.assertEqual([rows[int(i)].encode() for i in numbers], every[1:-1][:top])
        self.assertEqual(self.ballot("compact", source, "--where", "k:i64 > 500", "--top", 7, "--count", "-q").stdout, b"7\n")
        self.assertEqual(self.ballot("compact", source, "--unique", "--by", "s", "--where", "k % 2 = 0", "--top", 7, "-q").stdout, b"k,s\n0,a\n")
        self.ballot("compact", source, "--where", "k = 3", "--top", 1, "--mask", self.file("mask.raw"), "-q")
        self.assertEqual(self.file("mask.raw").read_bytes(), bytes(i == 3 for i in range(5000)))
        records = self.file("r.npy", npy("[('a', '<u2'), ('b', '|S2')]", (3,), b"\1\0xx\2\0yy\3\0zz"))
        self.ballot("compact", records, "--where", "b >= 'yy'", "--top", 1, "-o", self.file("out.npy"))
        self.assertTrue(self.file("out.npy").read_bytes().endswith(b"\n\2\0yy"))

    def test_what_follows_is_not_read(self):
        """From a pipe that never ends."""
        for words, first in ((("--format", "lines", "--where", "line starts with 'y'"), b"y\n" * 3), (("--format", "csv", "--where", "y:text = 'y'"), b"y\n" * 4), (("--format", "lines"), b"y\n" * 3),
                             (("--format", "raw", "--dtype", "u16", "--where", "value > 0", "-o", "-"), b"y\n" * 3)):
            with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
                done = self.ballot("compact", "-", *words, "--top", 3, "-q", stdin_file=endless.stdout)
                endless.stdout.close()
                endless.kill()
            self.assertEqual(done.stdout, first, words)
        # A column without a type depends on all of its fields.
        self.assertEqual(self.ballot("compact", self.file("in.csv", "k\n5\n10\nx\n"), "--where", "k > '1'", "--top", 2, "-q").stdout, b"k\n5\n10\n")


if __name__ == "__main__":
    command.main()
