# SPDX-License-Identifier: Apache-2.0
"""ballot collide: spheres against all pairs by the definition in Python, meshes, steps in time, pictures."""

import random
import struct
import zlib

import command
from command import npy_items, npy_of, pack, unpack


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def touch(p, q):
    """In floats, each operation rounded. Doubles hold sums and products of floats with room to spare, so that rounding twice
    does no harm."""
    square = 0.0
    for axis in range(3):
        away = f32(q[axis] - p[axis])
        square = f32(square + f32(away * away))
    reach = f32(p[3] + q[3])
    return square <= f32(reach * reach)


def all_pairs(spheres):
    return [(a, b) for a in range(len(spheres)) for b in range(a + 1, len(spheres)) if touch(spheres[a], spheres[b])]


def pairs_in(data):
    length = int.from_bytes(data[8:10], "little")
    numbers = unpack("u32", data[10 + length:])
    npy_items("u32", data, (len(numbers) // 2, 2))
    return list(zip(numbers[::2], numbers[1::2]))


def obj(vertices, faces=()):
    lines = ["# a comment", "vn 0 0 1"] + ["v " + " ".join(map(repr, v)) for v in vertices]
    return "\n".join(lines + ["f " + " ".join(map(str, f)) for f in faces]) + "\n"


def ply(vertices, faces, form="ascii"):
    header = (f"ply\nformat {form} 1.0\ncomment made by hand\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\n"
              f"property float z\nproperty uchar red\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    if form == "ascii":
        body = "".join(f"{x!r} {y!r} {z!r} 7\n" for x, y, z in vertices)
        body += "".join(f"{len(f)} {' '.join(map(str, f))}\n" for f in faces)
        return (header + body).encode()
    body = b"".join(struct.pack("<fffB", *v, 7) for v in vertices)
    return header.encode() + body + b"".join(struct.pack(f"<B{len(f)}i", len(f), *f) for f in faces)


def png_size(data):
    """Width and height of a PNG whose pieces and pixels are all there."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels, size, last = 8, b"", None, None
    while at < len(data):
        length, last = struct.unpack(">I4s", data[at:at + 8])
        piece = data[at + 8:at + 8 + length]
        assert zlib.crc32(last + piece) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if last == b"IHDR":
            size = struct.unpack(">II", piece[:8])
            assert piece[8:10] == b"\x08\x02"  # 8 bits, RGB
        if last == b"IDAT":
            pixels += piece
        at += 12 + length
    assert last == b"IEND" and len(zlib.decompress(pixels)) == size[1] * (1 + 3 * size[0])
    return size


class CollideTest(command.CommandTest):
    def collide(self, *words, **options):
        output = self.file("pairs.npy")
        self.ballot("collide", *words, "-o", output, "--verify", **options)
        return pairs_in(output.read_bytes())

    def spheres(self, rows):
        return self.file("spheres.npy", npy_of("f32", pack("f32", [x for row in rows for x in row]), (len(rows), 4)))

    def test_by_hand(self):
        for rows, want in [
            ([], []),
            ([(1, 2, 3, 1)], []),
            ([(0, 0, 0, 0.5), (1, 0, 0, 0.5)], [(0, 1)]),  # touching
            ([(0, 0, 0, 0.5), (f32(1.0000002), 0, 0, 0.5)], []),  # by a hair not
            ([(0, 0, 0, 1), (1, 1, 0, 1)], [(0, 1)]),
            ([(-0.4, -0.4, -0.4, 0.5), (0.4, -0.4, -0.4, 0.5), (0.4, 0.4, 0.4, 0.5), (-9, -9, -9, 0.5)], [(0, 1)]),
            ([(-1, 0, 0, 1), (1, 0, 0, 1), (0, -1, 0, 1), (0, 1, 0, 1), (0, 0, -9, 0)], [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
            ([(5, 5, 5, 0)] * 4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),  # in one place, without size
            ([(0, 0, 0, 10), (9, 0, 0, 0), (11, 0, 0, 0), (0, 10, 0, 0)], [(0, 1), (0, 3)]),  # of several sizes
            ([(1e17, 0, 0, 1e16), (1.1e17, 0, 0, 1e16), (-1e17, 0, 0, 1)], [(0, 1)]),
        ]:
            rows = [tuple(map(f32, row)) for row in rows]
            self.assertEqual(self.collide(self.spheres(rows)), want, rows)
            self.assertEqual(all_pairs(rows), want, rows)

    def test_every_neighbouring_cell(self):
        """A sphere at the corner of its cell touches one in each of the 26 cells around, on both sides of 0."""
        for centre in ((0, 0, 0), (-3, 2, -1), (4, 4, 4)):
            rows = [(*centre, 0.5), (-8, -8, -8, 0.5), (8, 8, 8, 0.5)]
            for x in (-0.55, 0, 0.55):
                for y in (-0.55, 0, 0.55):
                    for z in (-0.55, 0, 0.55):
                        rows.append((centre[0] + x, centre[1] + y, centre[2] + z, 0.5))
            rows = [tuple(map(f32, row)) for row in rows]
            self.assertEqual(self.collide(self.spheres(rows)), all_pairs(rows))

    def test_random_scenes(self):
        for seed, (count, extent, radius) in enumerate([(200, 4, 0.5), (300, 100, 1), (250, 1e-3, 1e-4), (300, 1e6, 1e5), (150, 0.1, 1)]):
            pick = random.Random(seed)
            rows = [tuple(f32(pick.uniform(-extent, extent)) for _ in range(3)) + (f32(pick.uniform(0, radius)),) for _ in range(count)]
            if seed == 3:
                rows = [(x, y, f32(1e6), r) for x, y, _, r in rows]
            self.assertEqual(self.collide(self.spheres(rows)), all_pairs(rows), seed)

    def test_points_with_one_radius(self):
        points = [(0, 0, 0), (1, 0, 0), (3, 0, 0)]
        path = self.file("points.npy", npy_of("f32", pack("f32", [x for p in points for x in p]), (3, 3)))
        self.assertEqual(self.collide(path, "--radius", "0.5"), [(0, 1)])
        self.assertEqual(self.collide(path, "--radius", "1.0"), [(0, 1), (1, 2)])

    def test_meshes_keep_the_numbers_of_the_file(self):
        vertices = [(9.0, 9.0, 9.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-5.5, 2.0, 0.0)]
        quad = (2, 3, 5)  # in OBJ's numbers, from 1; vertices 0 and 5 are in no face, 2 and 3 in one place
        for name, data in [("mesh.obj", obj(vertices, [quad, (-5, "4/1/1", "-2//3")])),
                           ("crlf.obj", obj(vertices, [quad]).replace("\n", "\r\n")),
                           ("colours.obj", obj([(*v, 0.5, 0.5, 0.5) for v in vertices])),
                           ("mesh.ply", ply(vertices, [(1, 2, 4), (1, 3, 4)])),
                           ("bytes.ply", ply(vertices, [(1, 2, 4)], "binary_little_endian"))]:
            self.assertEqual(self.collide(self.file(name, data), "--radius", "0.25"), [(2, 3)], name)
        self.assertEqual(self.collide("-", "--format", "obj", "--radius", "0.25", stdin=obj(vertices)), [(2, 3)])

    def test_triangles(self):
        corner = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (2.0, 2.0, 0.0), (50.0, 0.0, 0.0), (51.0, 0.0, 0.0), (50.0, 1.0, 0.0)]
        # The square in two halves, one sphere; far away another; the square as one face is two triangles.
        for name, data in [("two.obj", obj(corner, [(1, 2, 3), (2, 4, 3), (5, 6, 7)])), ("fan.obj", obj(corner, [(1, 2, 4, 3), (5, 6, 7)])),
                           ("two.ply", ply(corner, [(0, 1, 2), (1, 3, 2), (4, 5, 6)])),
                           ("fan.ply", ply(corner, [(0, 1, 3, 2), (4, 5, 6)], "binary_little_endian"))]:
            path = self.file(name, data)
            self.assertEqual(self.collide(path, "--of", "triangles"), [(0, 1)], name)
            self.assertEqual(self.collide(path, "--of", "triangles", "--radius", "40"), [(0, 1), (0, 2), (1, 2)], name)

    def test_csv(self):
        path = self.spheres([(0, 0, 0, 1), (1, 0, 0, 1), (9, 0, 0, 1)])
        self.assertEqual(self.ballot("collide", path).stdout, b"a,b\n0,1\n")
        out = self.file("pairs.csv")
        self.ballot("collide", path, "-o", out)
        self.assertEqual(out.read_bytes(), b"a,b\n0,1\n")
        self.assertEqual(self.ballot("collide", self.spheres([])).stdout, b"a,b\n")

    def test_particles_are_the_same_for_the_same_seed(self):
        words = ("--particles", 3000, "--radius", "0.02")
        one = self.collide(*words, "--seed", 5)
        self.assertTrue(one)
        self.assertEqual(one, self.collide(*words, "--seed", 5))
        self.assertNotEqual(one, self.collide(*words, "--seed", 6))
        self.assertGreater(len(self.collide(*words, "--clusters", 4, "--max-candidates", 10**7, "--max-pairs", 10**7)), len(one))
        self.assertEqual(self.collide("--particles", 0, "--radius", 1), [])

    def test_report(self):
        report, _ = self.report("collide", "--particles", 1000, "--radius", "0.05", "--steps", 3, "-o", self.file("pairs.npy"), "--verify")
        pairs = pairs_in(self.file("pairs.npy").read_bytes())
        self.assertEqual((report["command"], report["n"], report["steps"], report["pairs"], report["verified"]), ("collide", 1000, 3, len(pairs), True))
        self.assertGreaterEqual(report["candidates"], report["pairs"])
        self.assertGreater(report["cells"], 100)
        for name in ("seconds_per_step", "move_seconds", "cells_seconds", "tests_seconds", "compaction_seconds"):
            self.assertGreaterEqual(report[name], 0)
        done = self.ballot("collide", "--particles", 10, "--radius", 1)
        self.assertIn(b"10 objects", done.stderr)
        self.assertIn(b"45 colliding pairs", done.stderr)
        self.assertRegex(done.stderr, rb"\n  [0-9.]+ k?objects/s\n$")  # objects have no bytes that were read a second
        self.assertEqual(set(report["throughput"]), {"items_per_second"})
        self.assertEqual({"transfer", "kernel"} & set(report["seconds"]), {"transfer", "kernel"} if command.ENGINE == "cuda" else set())
        self.assertGreater(report["seconds"]["kernel" if command.ENGINE == "cuda" else "compute"], 0)
        self.assertEqual(b"kernel" in done.stderr, command.ENGINE == "cuda")

    def test_both_engines_write_the_same(self):
        """On the cpu: run twice, so that the order of sums of pushes is put to the test."""
        for words in (("--steps", 1), ("--steps", 20), ("--steps", 20, "--response"), ("--steps", 12, "--response", "--clusters", 3)):
            words = ("--particles", 2000, "--radius", "0.02", "--seed", 9, *words)
            here, there = self.file("here.npy"), self.file("there.npy")
            self.ballot("collide", *words, "-o", here, "--verify")
            self.ballot("collide", *words, "-o", there, engine="cpu")
            self.assertEqual(here.read_bytes(), there.read_bytes(), words)

    def test_steps(self):
        """Two spheres that fly at each other meet; with a response they part again, and walls send them back."""
        rows = [(-4, 0, 0, 1), (4, 0, 0, 1), (0, 9, 0, 1), (0, -9, 0, 1)]
        path = self.spheres(rows)
        self.assertEqual(self.collide(path, "--steps", 50), [])  # nothing moves without --speed
        counts = {}
        for response in ((), ("--response",)):
            counts[response] = [len(self.collide("--particles", 40, "--radius", "0.08", "--steps", steps, "--dt", "0.02", *response)) for steps in (1, 30, 200)]
        self.assertEqual(counts[()][0], counts[("--response",)][0])
        self.assertNotEqual(counts[()], counts[("--response",)])
        lines = [(0, 0, 0, 0.6), (1, 0, 0, 0.6), (5, 5, 5, 0.1), (-5, -5, -5, 0.1)]  # an overlap is pushed away, step by step
        self.assertEqual(self.collide(self.spheres(lines), "--steps", 1, "--response"), [(0, 1)])
        report, _ = self.report("collide", self.spheres([(0, 0, 0, 0.6), (1, 0, 0, 0.6), (5, 5, 5, 0.1), (-5, -5, -5, 0.1)]), "--steps", 100, "--response", "-o", self.file("x.npy"))
        self.assertEqual(report["steps"], 100)

    def test_frames(self):
        film = self.file("film")
        self.collide("--particles", 500, "--radius", "0.03", "--steps", 10, "--frames", film, "--every", 4, "--frame-size", 90)
        names = sorted(path.name for path in film.iterdir())
        self.assertEqual(names, ["frame_000001.png", "frame_000005.png", "frame_000009.png", "frame_000010.png"])
        pictures = [(film / name).read_bytes() for name in names]
        for picture in pictures:
            self.assertEqual(png_size(picture), (90, 90))
        self.assertEqual(len(set(pictures)), 4)
        # Into a folder that is there, over pictures that are there; a scene of nothing is a picture too.
        self.collide(self.spheres([]), "--frames", film, "--frame-size", 7)
        self.assertEqual(png_size((film / names[0]).read_bytes()), (7, 7))
        self.assert_refused("collide", self.spheres([]), "--frames", self.file("pairs.npy"), "-o", self.file("x.npy"), says="pairs.npy")


class BadCollideTest(command.CommandTest):
    def refused(self, name, data, *words, says, expect=1):
        path = self.file(name, data)
        out = self.file("out.npy", b"old")
        before = self.names()
        self.assert_refused("collide", path, *words, "-o", out, says=says, expect=expect)
        self.assertEqual(out.read_bytes(), b"old")
        self.assertEqual(self.names(), before)

    def test_obj(self):
        good = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
        radius = ("--radius", "1")
        self.refused("a.obj", good + "v 0 nan 0\n", *radius, says="a.obj:4: coordinate nan")
        self.refused("a.obj", good + "v 0 inf 0\n", *radius, says="a.obj:4: coordinate inf")
        self.refused("a.obj", good + "v 0 1e30 0\n", *radius, says="a.obj:4: coordinate 1e30")
        self.refused("a.obj", good + "v 0 1e99 0\n", *radius, says="a.obj:4: coordinate 1e99")
        self.refused("a.obj", "v 0 1,5 0\n" + good, *radius, says="a.obj:1: '1,5' is not a number")
        self.refused("a.obj", good + "\nv 0 1\n", *radius, says="a.obj:5: a coordinate is missing")
        self.refused("a.obj", good + "f 1 2 4\n", *radius, says="a.obj:4: vertex 4 of 3")
        self.refused("a.obj", good + "f 1 2 0\n", *radius, says="a.obj:4: vertex 0 of 3")
        self.refused("a.obj", good + "f 1 2 -4\n", *radius, says="a.obj:4: vertex -4 of 3")
        self.refused("a.obj", good + "f 1 2\n", *radius, says="a.obj:4: a face of 2")
        self.refused("a.obj", good + "f 1 2 x\n", *radius, says="a.obj:4: 'x'")
        self.refused("a.obj", good + "f 1 2 \\\n3\n", *radius, says="a.obj:4: a line that continues")
        self.refused("a.obj", good, "--of", "triangles", says="a.obj: --of triangles, and the file has no faces")
        self.refused("a.obj", good, says="--radius", expect=2)

    def test_ply(self):
        good = ply([(0.0, 0.0, 0.0)] * 3, [(0, 1, 2)])
        radius = ("--radius", "1")
        self.refused("a.ply", good.replace(b"0.0 0.0 0.0 7", b"0.0 nan 0.0 7", 1), *radius, says="a.ply:12: coordinate nan")
        self.refused("a.ply", good.replace(b"3 0 1 2", b"3 0 1 3"), *radius, says="a.ply:15: vertex 3 of 3")
        self.refused("a.ply", good.replace(b"3 0 1 2", b"2 0 1"), *radius, says="a.ply:15: a face of 2")
        self.refused("a.ply", good.replace(b"3 0 1 2", b"3 0 1"), *radius, says="a.ply:15: a number is missing")
        self.refused("a.ply", good.replace(b"3 0 1 2\n", b""), *radius, says="a.ply:15: the file ends before face 0")
        self.refused("a.ply", good.replace(b"ascii", b"binary_big_endian"), *radius, says="a.ply:2: PLY format 'binary_big_endian'")
        self.refused("a.ply", good.replace(b"float x", b"half x"), *radius, says="a.ply:5: unknown type 'half'")
        self.refused("a.ply", good.replace(b"float z", b"float w"), *radius, says="vertices without x, y and z")
        self.refused("a.ply", good[:good.index(b"property")], *radius, says="end_header")
        self.refused("a.ply", b"solid x\n", *radius, says="a.ply:1: not a PLY file")
        self.refused("a.ply", b"", *radius, says="a.ply:0: the PLY header")
        good = ply([(0.0, 0.0, 0.0)] * 3, [(0, 1, 2)], "binary_little_endian")
        self.refused("a.ply", good[:-3], *radius, says="face 0, byte")
        self.refused("a.ply", good.replace(struct.pack("<f", 0) * 3, struct.pack("<fff", 0, float("nan"), 0), 1), *radius, says=["vertex 0, byte", "nan"])

    def test_npy(self):
        row = lambda *numbers: npy_of("f32", pack("f32", numbers * 2), (2, len(numbers)))
        self.refused("a.npy", row(0, 0, 0, -1), says="a.npy: row 0: radius -1")
        self.refused("a.npy", row(0, 0, 0, float("nan")), says="a.npy: row 0: radius nan")
        self.refused("a.npy", npy_of("f32", pack("f32", [0, 0, 0, 1, 0, float("nan"), 0, 1]), (2, 4)), says="a.npy: row 1: coordinate nan")
        self.refused("a.npy", row(0, 0), says="(2, 2)")
        self.refused("a.npy", npy_of("f32", b"\0" * 16), says="a.npy: the array has the shape (4)")
        self.refused("a.npy", npy_of("f64", b"\0" * 64, (2, 4)), says="a.npy")
        self.refused("a.npy", row(0, 0, 0), says="--radius", expect=2)
        self.refused("a.npy", row(0, 0, 0, 1), "--radius", 1, says="radii of its own", expect=2)
        self.refused("a.npy", row(0, 0, 0, 1), "--of", "triangles", says="--of triangles", expect=2)

    def test_room(self):
        """What does not fit is an error that says how much room is needed, and that much is enough."""
        rows = npy_of("f32", pack("f32", [0, 0, 0, 1] * 10), (10, 4))
        self.refused("a.npy", rows, "--max-pairs", 44, says="step 1 has 45 colliding pairs and there is room for 44: use --max-pairs 45")
        self.refused("a.npy", rows, "--max-candidates", 44, says="step 1 has 45 candidate pairs and there is room for 44: use --max-candidates 45")
        self.ballot("collide", self.file("a.npy"), "--max-pairs", 45, "--max-candidates", 45)

    def test_command_line(self):
        out = ("-o", self.file("out.npy", b"old"))
        for words, says in [((), "nothing to collide"), (("--particles", 5), "--radius"), (("x.obj", "--particles", 5, "--radius", 1), ["a file", "--particles"]),
                            (("--particles", 5, "--radius", -1), "--radius -1"), (("--particles", 5, "--radius", "nan"), "--radius nan"),
                            (("--particles", 5, "--radius", 1, "--box", 0), "--box 0"), (("--particles", 5, "--radius", 1, "--steps", 0), "--steps 0"),
                            (("--particles", 5, "--radius", 1, "--of", "vertices"), "--of"), (("x.obj", "--box", 1), "--box"),
                            (("--particles", 5, "--radius", 1, "--max-pairs", 0), "--max-pairs 0: a whole number of at least 1"), (("--particles", 5, "--radius", 1, "--frame-size", 0), "--frame-size 0"),
                            (("x.obj", "--of", "faces"), "--of faces"), (("x.stl", "--radius", 1), "--format"), (("x.obj", "--format", "stl"), "'stl'"),
                            (("--particles", 5, "--radius", 1, "--engine", "gpu"), "'gpu'")]:
            self.assert_refused("collide", *words, *out, says=says, expect=2, engine=None)
        self.assert_refused("collide", "--particles", 5, "--radius", 1, "-o", self.file("pairs.txt"), says=".npy or .csv", expect=2)
        self.assert_refused("collide", self.file("missing.obj"), "--radius", 1, *out, says="No such file")
        self.assert_refused("collide", "--particles", 3 * 10**9, "--radius", 1, *out, says="--particles: 3000000000 objects")
        self.assertEqual(self.file("out.npy").read_bytes(), b"old")


if __name__ == "__main__":
    command.main()
