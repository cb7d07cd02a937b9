# SPDX-License-Identifier: Apache-2.0
"""ballot collide: spheres against all pairs by the definition in Python, meshes, steps in time, pictures."""

import gzip
import itertools
import os
import random
import struct

import command
from command import npy_items, npy_of, pack, unpack
from mesh_files import glb, gltf, gltf_of, gltf_parts, has_gltf, obj, ply, stl
from picture_files import is_blue, is_orange, png_pixels, png_size, webp_frames


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


def hull_has_origin(a, b):
    """Whether 0 is in the convex hull of all differences, in whole numbers. By Caratheodory it then is in a simplex of some."""
    points = sorted({tuple(x - y for x, y in zip(p, q)) for p in a for q in b})
    cross = lambda p, q: (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])
    dot = lambda p, q: sum(x * y for x, y in zip(p, q))
    det = lambda p, q, r: dot(p, cross(q, r))
    less = lambda p, q: tuple(x - y for x, y in zip(p, q))
    none = (0, 0, 0)
    if none in points or any(cross(p, q) == none and dot(p, q) < 0 for p, q in itertools.combinations(points, 2)):
        return True
    for p, q, r in itertools.combinations(points, 3):
        normal = cross(less(q, p), less(r, p))
        if normal != none and dot(normal, p) == 0 and min(dot(cross(p, q), normal), dot(cross(q, r), normal), dot(cross(r, p), normal)) >= 0:
            return True
    for p, q, r, s in itertools.combinations(points, 4):
        volume = det(less(q, p), less(r, p), less(s, p))
        parts = (det(q, r, s), -det(p, r, s), det(p, q, s), -det(p, q, r))
        if volume != 0 and all(part * volume >= 0 for part in parts):
            return True
    return False


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

    def test_squares_below_the_smallest_float(self):
        """Distances whose squares are 0 in floats: such spheres touch, however many cells the grid could have between them."""
        for radius in (0.0, 1e-24, 1e-23):
            for step in (5e-24, 2e-23, 4e-23):
                rows = [(f32(i * step), 0.0, 0.0, f32(radius)) for i in (0, 1, 2, 5, 9)] + [(f32(1e-22), 0.0, 0.0, f32(radius)), (f32(5e-21), f32(1e-20), 0.0, f32(radius))]
                want = all_pairs(rows)
                self.assertEqual(self.collide(self.spheres(rows)), want, (radius, step))
        self.assertEqual(self.collide(self.file("p.npy", npy_of("f32", pack("f32", [0, 0, 0, 5e-24, 0, 0, 1e-22, 0, 0]), (3, 3))), "--radius", 0), [(0, 1)])

    def test_compressed_files(self):
        """By their names, as with the other commands: what comes in, and what goes out, with a level."""
        rows = self.spheres([(0, 0, 0, 1), (1, 0, 0, 1), (9, 0, 0, 1)])
        want = self.ballot("collide", rows).stdout
        packed = self.file("packed.npy.gz", gzip.compress(rows.read_bytes()))
        self.assertEqual(self.ballot("collide", packed).stdout, want)
        mesh = obj([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(1, 2, 3), (3, 2, 1)])
        self.assertEqual(self.ballot("collide", self.file("m.OBJ.gz", gzip.compress(mesh.encode())), "--of", "triangles").stdout, b"a,b\n0,1\n")
        for level in (1, 9):
            self.ballot("collide", packed, "-o", self.file("pairs.csv.gz"), "--compression-level", level)
            self.assertEqual(gzip.decompress(self.file("pairs.csv.gz").read_bytes()), want)
            self.ballot("collide", packed, "-o", self.file("pairs.npy.gz"), "--compression-level", level, "--verify")
            self.assertEqual(pairs_in(gzip.decompress(self.file("pairs.npy.gz").read_bytes())), [(0, 1)])
        if self.ballot("collide", packed, "-o", self.file("pairs.csv.zst"), "--compression-level", 19, expect=None).returncode == 0:
            self.assertEqual(self.file("pairs.csv.zst").read_bytes()[:4], b"\x28\xb5\x2f\xfd")
        self.assert_refused("collide", packed, "-o", self.file("pairs.txt.gz"), says=".npy or .csv", expect=2)

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
                           ("bytes.ply", ply(vertices, [(1, 2, 4)], "binary_little_endian")),
                           ("swapped.ply", ply(vertices, [(1, 2, 4)], "binary_big_endian"))]:
            self.assertEqual(self.collide(self.file(name, data), "--radius", "0.25"), [(2, 3)], name)
        self.assertEqual(self.collide("-", "--format", "obj", "--radius", "0.25", stdin=obj(vertices)), [(2, 3)])

    def test_triangles(self):
        corner = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (2.0, 2.0, 0.0), (50.0, 0.0, 0.0), (51.0, 0.0, 0.0), (50.0, 1.0, 0.0)]
        # The square in two halves, one sphere; far away another; the square as one face is two triangles.
        for name, data in [("two.obj", obj(corner, [(1, 2, 3), (2, 4, 3), (5, 6, 7)])), ("fan.obj", obj(corner, [(1, 2, 4, 3), (5, 6, 7)])),
                           ("two.ply", ply(corner, [(0, 1, 2), (1, 3, 2), (4, 5, 6)])),
                           ("fan.ply", ply(corner, [(0, 1, 3, 2), (4, 5, 6)], "binary_little_endian")),
                           ("swapped.ply", ply(corner, [(0, 1, 3, 2), (4, 5, 6)], "binary_big_endian")),
                           ("text.stl", stl([[corner[i] for i in f] for f in ((0, 1, 2), (1, 3, 2), (4, 5, 6))])),
                           ("BYTES.STL", stl([[corner[i] for i in f] for f in ((0, 1, 2), (1, 3, 2), (4, 5, 6))], "bytes"))]:
            path = self.file(name, data)
            self.assertEqual(self.collide(path, "--of", "triangles"), [(0, 1)], name)
            self.assertEqual(self.collide(path, "--of", "triangles", "--radius", "40"), [(0, 1), (0, 2), (1, 2)], name)

    def test_exact_triangles(self):
        """Against another formulation: the differences of their points, a convex hull, have the origin in them."""
        pick = random.Random(21)
        for spread, scale, shift in ((2, 1, 0), (3, 1, 0), (5, 1, 0), (2, 2.0**-20, 0), (3, 2.0**55, 0), (4, 1, 2**23), (6, 2.0**-149, 0)):
            point = lambda: tuple((shift + pick.randrange(-spread, spread + 1)) for _ in range(3))  # in units of scale
            triangles = [[point() for _ in range(3)] for _ in range(24)]
            triangles += [[a, b, a] for a, b in ((point(), point()) for _ in range(6))] + [[a] * 3 for a in (point() for _ in range(6))]
            triangles += [[(shift + pick.randrange(-spread, spread + 1), pick.randrange(-spread, spread + 1), 0) for _ in range(3)] for _ in range(8)]
            corners = [tuple(float(x) * scale for x in p) for t in triangles for p in t]
            path = self.file("soup.obj", obj(corners, [(3 * i + 1, 3 * i + 2, 3 * i + 3) for i in range(len(triangles))]))
            expected = [(a, b) for a, b in itertools.combinations(range(len(triangles)), 2) if hull_has_origin(triangles[a], triangles[b])]
            self.assertEqual(self.collide(path, "--of", "triangles", "--exact"), expected, (spread, scale, shift))
            self.assertNotEqual(self.collide(path, "--of", "triangles"), expected)
        # A common corner, where the squares of lengths are below the smallest float.
        s = 1.5243511419093702e-22
        tiny = [(0.0,) * 3, (s,) * 3, (s / 4, s / 2, s), (s,) * 3, (2 * s,) * 3, (1.25 * s, 1.5 * s, 2 * s)]
        for vertices in (tiny, [(x / 8, y / 8, z / 8) for x, y, z in tiny]):
            self.assertEqual(self.collide(self.file("tiny.obj", obj(vertices, [(1, 2, 3), (4, 5, 6)])), "--of", "triangles", "--exact"), [(0, 1)])
        # Nearly touching, by less than a sum in doubles can tell: 2^-80 beside 1, above, on and below the plane.
        tiny = 2.0**-80
        for height, meets in ((tiny, False), (0.0, True), (-tiny, True)):
            lower = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
            path = self.file("near.obj", obj(lower + [(tiny, tiny, height), (0.25, 0.25, 3.0), (0.5, 0.25, 3.0)], [(1, 2, 3), (4, 5, 6)]))
            self.assertEqual(self.collide(path, "--of", "triangles", "--exact"), [(0, 1)] if meets else [], height)
        path = self.file("near.obj", obj(lower, [(1, 2, 3)]))
        for words, says in ((["--exact"], "--exact is for triangles"), (["--of", "triangles", "--exact", "--radius", "1"], "--exact and --radius"),
                            (["--of", "triangles", "--exact", "--steps", "2"], "--exact is for the triangles of the file")):
            self.assert_refused("collide", path, *words, says=says, expect=2)
        self.assert_refused("collide", self.file("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "--of", "triangles", "--exact", says="nan.obj:1")

    def test_corners_of_stl_are_joined(self):
        """Equal corners are one vertex, numbered where they first come; -0 is 0."""
        a, b, c, d, e = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.1, 0.0, 0.0)
        for form in ("ascii", "bytes"):
            path = self.file("a.stl", stl([(a, b, c), (b, d, c), ((-0.0, 0.0, -0.0), e, b)], form))
            self.assertEqual(self.collide(path, "--radius", "0.06"), [(0, 4)], form)
            report, _ = self.report("collide", path, "--radius", "0.01")
            self.assertEqual(report["n"], 5)
        self.assertEqual(self.collide("-", "--format", "stl", "--radius", 1, stdin=stl([], "bytes")), [])
        self.assertEqual(self.collide(self.file("a.stl", "solid\nendsolid\nsolid\nendsolid\n"), "--radius", 1), [])

    def test_numbers_of_text_are_rounded_correctly(self):
        """The float nearest to what is written: libraries of scenes are now and then off by one."""
        pick = random.Random(8)
        vertices = [tuple(float(f"{pick.uniform(-50, 50):.{pick.randint(3, 9)}g}") for _ in range(3)) for _ in range(300)]
        rows = [(*map(f32, v), f32(3.0)) for v in vertices]
        want = all_pairs(rows)
        facets = [vertices[i:i + 3] for i in range(0, 300, 3)]
        for name, data in [("a.stl", stl(facets)), ("a.obj", obj(vertices)), ("a.ply", ply(vertices, []))]:
            self.assertEqual(self.collide(self.file(name, data), "--radius", 3), want, name)

    def test_gltf(self):
        if not has_gltf():
            self.skipTest("the program was built without tinygltf")
        vertices = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (9.0, 9.0, 9.0)]
        faces = [(0, 1, 3)]
        scene, data = gltf_parts(vertices, faces)
        self.file("a.bin", data)
        for name, data in [("a.glb", glb(vertices, faces)), ("b.gltf", gltf(vertices, faces)), ("c.gltf", gltf(vertices, faces, uri="a.bin")),
                           ("bytes.glb", glb(vertices, faces, index_type=5121)), ("strip.glb", glb(vertices, [(0, 1, 2, 3)], mode=5)),
                           ("points.glb", glb(vertices, [(0,), (1,)], mode=0))]:
            self.assertEqual(self.collide(self.file(name, data), "--radius", "0.25"), [(1, 2)], name)
        self.assertEqual(self.collide("-", "--format", "glb", "--radius", "0.25", stdin=glb(vertices, faces)), [(1, 2)])

    def test_sparse_indices_of_gltf(self):
        """Items of the accessor of indices that are replaced."""
        if not has_gltf():
            self.skipTest("the program was built without tinygltf")
        vertices = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (8.0, 0.0, 0.0), (9.0, 0.0, 0.0), (8.0, 1.0, 0.0)]
        scene, data = gltf_parts(vertices, [(0, 1, 2), (0, 1, 2)])
        places, values = struct.pack("<3B", 3, 4, 5), struct.pack("<3I", 3, 4, 5)
        views = scene["bufferViews"] + [{"buffer": 0, "byteOffset": len(data), "byteLength": 12}, {"buffer": 0, "byteOffset": len(data) + 12, "byteLength": 3}]
        sparse = {"count": 3, "indices": {"bufferView": 3, "componentType": 5121}, "values": {"bufferView": 2}}
        triangles = ("--of", "triangles", "--exact")
        self.assertEqual(self.collide(self.file("a.glb", gltf_of(scene, data)), *triangles), [(0, 1)])
        positions, indices = scene["accessors"]
        changed = {**scene, "bufferViews": views, "accessors": [positions, {**indices, "sparse": sparse}]}
        path = self.file("a.glb", gltf_of(changed, data + values + places))
        self.assertEqual(self.collide(path, *triangles), [])
        self.assertEqual(self.report("collide", path, *triangles, "-o", self.file("x.npy"))[0]["n"], 2)

    def test_nodes_of_gltf(self):
        """A mesh that two nodes place is there twice, each moved, turned and scaled by its node and those above."""
        if not has_gltf():
            self.skipTest("the program was built without tinygltf")
        half = 0.5 ** 0.5
        nodes = [{"mesh": 0, "translation": [10, 0, 0]},
                 {"children": [2], "translation": [10, 0, 0]},
                 {"mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 2, 2]}]  # a quarter around z: x becomes y
        vertices = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
        path = self.file("a.glb", glb(vertices, [(0, 1, 2)], nodes=nodes, roots=(0, 1)))
        # 0..2 at x = 10, 11, and y = 1; 3..5 at (10, 0), (10, 2), (8, 0)
        self.assertEqual(self.collide(path, "--radius", "0.01"), [(0, 3)])
        self.assertEqual(self.collide(path, "--radius", "0.5"), [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (2, 4)])
        turned = [{"mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1]}, {"mesh": 0, "translation": [5, 0, 0]}]
        path = self.file("a.glb", glb(vertices, [(0, 1, 2)], nodes=turned, roots=(0, 1)))
        self.assertEqual(self.collide(path, "--radius", "0.01"), [(0, 3), (1, 5)])

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
        done = self.ballot("collide", "--particles", 10, "--radius", 1, "--report")
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


    def test_picture(self):
        """Colliding spheres are orange, the others blue; the same picture on every run; the same triangles."""
        rows = [(-4, 0, 0, 1), (-3, 0, 0, 1), (4, 0, 0, 1)]
        picture = self.file("p.png")
        words = ("--picture", picture, "--frame-size", "160x90", "--view", "0:0")
        self.assertEqual(self.collide(self.spheres(rows), *words), [(0, 1)])
        first = picture.read_bytes()
        pixels = png_pixels(first)
        self.assertEqual((len(pixels[0]), len(pixels)), (160, 90))
        below = pixels[25:]  # the title has both colours
        where = {is_it: [x for row in below for x, pixel in enumerate(row) if is_it(pixel)] for is_it in (is_orange, is_blue)}
        self.assertGreater(len(where[is_orange]), len(where[is_blue]) // 2)
        self.assertGreater(len(where[is_blue]), 200)
        self.assertLess(max(where[is_orange]), min(where[is_blue]))  # they are on the left
        self.collide(self.spheres(rows), *words)
        self.assertEqual(picture.read_bytes(), first)
        turned = self.collide(self.spheres(rows), "--picture", picture, "--frame-size", "160x90", "--view", "180:0")
        self.assertEqual(turned, [(0, 1)])
        below = png_pixels(picture.read_bytes())[25:]
        self.assertGreater(min(x for row in below for x, pixel in enumerate(row) if is_orange(pixel)),
                           max(x for row in below for x, pixel in enumerate(row) if is_blue(pixel)))
        # Triangles as they are: the far one alone.
        corner = [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (2.0, 2.0, 0.0), (5.0, 0.0, 0.0), (6.0, 0.0, 0.0), (5.0, 1.0, 0.0)]
        path = self.file("t.obj", obj(corner, [(1, 2, 3), (2, 4, 3), (5, 6, 7)]))
        self.collide(path, "--of", "triangles", *words)
        below = png_pixels(picture.read_bytes())[25:]
        orange = sum(is_orange(pixel) for row in below for pixel in row)
        blue = sum(is_blue(pixel) for row in below for pixel in row)
        self.assertAlmostEqual(orange / blue, 8, delta=1.5)  # their areas
        for extreme in ([], [(0, 0, 0, 0)], [(1e17, 0, 0, 1e15), (-1e17, 1, 1, 0)], [(0, 0, 0, 1e-30)]):
            self.collide(self.spheres(extreme), *words)
            self.assertEqual(png_size(picture.read_bytes()), (160, 90))

    def test_films(self):
        film = self.file("film.webp")
        words = ("--particles", 60, "--radius", "0.1", "--frame-size", "64x48", "--picture", film)
        self.collide(*words)
        self.assertEqual(webp_frames(film.read_bytes()), ((64, 48), []))
        self.collide(*words, "--steps", 9, "--every", 4, "--frame-rate", 20)
        self.assertEqual(webp_frames(film.read_bytes()), ((64, 48), [50, 50, 50]))  # steps 1, 5, 9
        # Times are rounded as a whole: no rate runs too fast.
        for rate, times in ((30, [33, 34, 33, 33, 34, 33]), (24, [42, 41, 42, 42, 41, 42]), (999, [1] * 6), (1000, [1] * 6)):
            self.collide(*words, "--steps", 6, "--frame-rate", rate)
            self.assertEqual(webp_frames(film.read_bytes())[1], times, rate)
        still = self.file("last.png")
        self.collide("--particles", 60, "--radius", "0.1", "--steps", 9, "--frame-size", "64x48", "--picture", still)
        folder = self.file("frames")
        self.collide("--particles", 60, "--radius", "0.1", "--steps", 9, "--frame-size", "64x48", "--frames", folder, "--every", 9)
        self.assertEqual(still.read_bytes(), (folder / "frame_000009.png").read_bytes())

    def test_lists_of_pairs_grow(self):
        """More pairs than any guess by the number of objects: 1500 spheres in one place."""
        report, _ = self.report("collide", self.spheres([(0, 0, 0, 1)] * 1500), "-o", self.file("pairs.npy"), "--verify")
        self.assertEqual(report["pairs"], 1500 * 1499 // 2)
        self.assertEqual(report["verified"], True)
        # In steps, too, and with pictures: on the GPU the run begins again.
        pairs = self.collide(self.spheres([(0, 0, 0, 1)] * 1500), "--steps", 3, "--response", "--picture", self.file("x.png"), "--frame-size", 32)
        self.assertGreater(len(pairs), 1000)

    def test_comparison_with_thrust(self):
        words = ("collide", "--particles", 1000, "--radius", "0.05", "--compare", "-o", self.file("x.npy"))
        if command.ENGINE == "cuda":
            report, _ = self.report(*words)
            self.assertGreater(report["detection_seconds"], 0)
            self.assertGreater(report["thrust_detection_seconds"], 0)
            return
        self.assert_refused(*words, says="--compare is for the GPU", expect=2)
        # Where the CPU takes over, the report says that nothing was compared.
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        report, _ = self.report(*words, engine="auto", env=no_gpu)
        self.assertIn("no step on Thrust", report["comparison"])


if __name__ == "__main__":
    command.main()
