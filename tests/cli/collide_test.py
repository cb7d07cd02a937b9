# SPDX-License-Identifier: Apache-2.0
"""ballot collide: spheres against all pairs by the definition in Python, meshes, steps in time, pictures."""

import base64
import itertools
import json
import os
import pathlib
import random
import re
import struct
import subprocess
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
    order = ">" if form == "binary_big_endian" else "<"
    body = b"".join(struct.pack(order + "fffB", *v, 7) for v in vertices)
    return header.encode() + body + b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) for f in faces)


def stl(facets, form="ascii"):
    """Facets of three corners."""
    if form == "ascii":
        lines = ["solid made by hand"]
        for facet in facets:
            lines += ["facet normal 0 0 1", "  outer loop", *("    vertex " + " ".join(map(repr, v)) for v in facet), "  endloop", "endfacet"]
        return ("\n".join(lines + ["endsolid made by hand"]) + "\n").encode()
    return b"solid".ljust(80) + struct.pack("<I", len(facets)) + b"".join(struct.pack("<12fH", 0, 0, 1, *[x for v in facet for x in v], 0) for facet in facets)


def gltf_parts(vertices, faces, *, nodes=({"mesh": 0},), roots=(0,), index_type=5125, mode=4, **change):
    """The JSON, without a place of its buffer, and the buffer."""
    places = b"".join(struct.pack("<3f", *v) for v in vertices)
    numbers = [i for f in faces for i in f]
    indices = struct.pack(f"<{len(numbers)}{ {5121: 'B', 5123: 'H', 5125: 'I'}[index_type]}", *numbers)
    data = places + indices
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(roots)}], "nodes": list(nodes),
             "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": mode}]}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(vertices), "type": "VEC3"},
                           {"bufferView": 1, "componentType": index_type, "count": len(numbers), "type": "SCALAR"}],
             "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": len(places)}, {"buffer": 0, "byteOffset": len(places), "byteLength": len(indices)}]}
    scene.update(change)
    return scene, data


def glb(*words, **options):
    scene, data = gltf_parts(*words, **options)
    scene.setdefault("buffers", [{"byteLength": len(data)}])
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(data), b"BIN\0") + data)


def gltf(*words, uri=None, **options):
    scene, data = gltf_parts(*words, **options)
    scene.setdefault("buffers", [{"byteLength": len(data), "uri": uri or "data:application/octet-stream;base64," + base64.b64encode(data).decode()}])
    return json.dumps(scene).encode()


def has_gltf():
    """Whether the program was built with tinygltf."""
    done = subprocess.run([command.COMMAND, "collide", "-", "--format", "glb", "--radius", "1"], input=b"", capture_output=True, check=False)
    return b"built without tinygltf" not in done.stderr


def webp_frames(data):
    """The size of a WebP, and the time each of its pictures is shown; [] if it is a single one. All pieces are there."""
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) == 8 + struct.unpack("<I", data[4:8])[0] and len(data) % 2 == 0
    at, size, times = 12, None, []
    while at < len(data):
        name, length = struct.unpack("<4sI", data[at:at + 8])
        piece = data[at + 8:at + 8 + length]
        assert len(piece) == length
        if name == b"VP8X":
            size = tuple(1 + int.from_bytes(piece[i:i + 3], "little") for i in (4, 7))
        if name == b"VP8 " and size is None:
            size = tuple(x & 0x3fff for x in struct.unpack("<HH", piece[6:10]))
        if name == b"ANMF":
            times.append(int.from_bytes(piece[12:15], "little"))
        at += 8 + length + length % 2
    return size, times


def png_pixels(data):
    """Rows of (red, green, blue) of an 8-bit RGB PNG."""
    width, height = png_size(data)
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for i in range(3 * width):
            left, up, corner = line[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows.append([tuple(line[i:i + 3]) for i in range(0, 3 * width, 3)])
        above = bytes(line)
    return rows


def is_orange(pixel):
    return pixel[0] > pixel[2] + 60


def is_blue(pixel):
    return pixel[2] > pixel[0] + 60


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
        self.refused("a.ply", good.replace(b"ascii", b"binary_middle"), *radius, says="a.ply:2: PLY format 'binary_middle'")
        self.refused("a.ply", good.replace(b"float x", b"half x"), *radius, says="a.ply:5: unknown type 'half'")
        self.refused("a.ply", good.replace(b"float z", b"float w"), *radius, says="vertices without x, y and z")
        self.refused("a.ply", good[:good.index(b"property")], *radius, says="end_header")
        self.refused("a.ply", b"solid x\n", *radius, says="a.ply:1: not a PLY file")
        self.refused("a.ply", b"", *radius, says="a.ply:0: the PLY header")
        good = ply([(0.0, 0.0, 0.0)] * 3, [(0, 1, 2)], "binary_little_endian")
        self.refused("a.ply", good[:-3], *radius, says="face 0, byte")
        self.refused("a.ply", good.replace(struct.pack("<f", 0) * 3, struct.pack("<fff", 0, float("nan"), 0), 1), *radius, says=["vertex 0, byte", "nan"])

    def test_stl(self):
        facet = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        good, radius = stl([facet, facet]), ("--radius", "1")
        self.refused("a.stl", good.replace(b"vertex 1.0 0.0", b"vertex nan 0.0", 1), *radius, says="a.stl:5: coordinate nan")
        self.refused("a.stl", good.replace(b"vertex 1.0 0.0", b"vertex 1e99 0.0", 1), *radius, says="a.stl:5: coordinate 1e99")
        self.refused("a.stl", good.replace(b"vertex 1.0 0.0", b"vertex one 0.0", 1), *radius, says="a.stl:5: 'one' is not a number")
        self.refused("a.stl", good.replace(b"vertex 1.0 0.0 0.0", b"vertex 1.0 0.0", 1), *radius, says="a.stl:5: a coordinate is missing")
        self.refused("a.stl", good.replace(b"    vertex 1.0 0.0 0.0\n", b"", 1), *radius, says="a.stl:7: a facet of 2 vertices")
        self.refused("a.stl", good.replace(b"  endloop\n", b"    vertex 1 2 3\n", 1), *radius, says="a.stl:7: a facet of more than 3")
        self.refused("a.stl", good[:good.index(b"endsolid")], *radius, says="the file ends before endsolid")
        self.refused("a.stl", good.replace(b"outer loop", b"inner loop", 1), *radius, says="a.stl:3: 'inner' in an STL file")
        self.refused("a.stl", good + b"facet\n", *radius, says="a facet outside of a solid")
        good = stl([facet, facet], "bytes")
        for data in (good[:-1], good[:100], good + b"\0", good[:80] + struct.pack("<I", 2**32 - 1) + good[84:]):
            self.refused("a.stl", data, *radius, says=["an STL file of", "this one has " + str(len(data))])
        self.refused("a.stl", b"", *radius, says="not an STL file")
        self.refused("a.stl", b"v 0 0 0\n", *radius, says="not an STL file")
        self.refused("a.stl", good[:96] + struct.pack("<f", float("nan")) + good[100:], *radius, says="a.stl: facet 0: coordinate nan")
        self.refused("a.stl", good, says="--radius", expect=2)

    def test_gltf(self):
        if not has_gltf():
            self.refused("a.glb", b"", "--radius", 1, says="libtinygltf-dev")
            return
        vertices, faces, radius = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(0, 1, 2)], ("--radius", "1")
        good = glb(vertices, faces)
        with_positions = lambda **change: glb(vertices, faces, accessors=[
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", **change}, {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"}])
        for data, says in [(b"", "not glTF"), (b"{}", "not glTF"), (b"glTF", "not glTF"), (good[:-20], "not glTF"), (b"[" * 3000, "more than 500 deep"),
                           (glb(vertices, [(0, 1, 3)]), "accessor 1, item 2: vertex 3 of 3"),
                           (glb([(0.0, float("nan"), 0.0), *vertices[1:]], faces), "accessor 0, item 0: coordinate nan"),
                           (glb([(0.0, 1e30, 0.0), *vertices[1:]], faces), "coordinate 1"),
                           (with_positions(count=4), "accessor 0 of 4 items ends behind its buffer"), (with_positions(count=2**31 - 1), "accessor 0 of 2147483647"),
                           (with_positions(type="VEC2"), "not of type VEC3"), (with_positions(bufferView=7), "buffer view 7 of 2"),
                           (with_positions(byteOffset=4), "ends behind its buffer"), (with_positions(byteOffset=2**40), ""),
                           (glb(vertices, faces, nodes=[{"mesh": 3}]), "mesh 3 of 1"), (glb(vertices, faces, roots=(5,)), "node 5 of 1"),
                           (glb(vertices, faces, nodes=[{"mesh": 0, "children": [0]}]), "node 0 is in the scene twice"),
                           (glb(vertices, [(0, 1)]), "no multiple of 3"), (glb(vertices, faces, scene=4), "scene 4 of 1"),
                           (glb(vertices, faces, extensionsRequired=["KHR_draco_mesh_compression"]), "requires 'KHR_draco_mesh_compression'"),
                           (glb(vertices, faces, buffers=[{"byteLength": 10**9}]), "")]:
            self.refused("a.glb", data, *radius, says=["a.glb: ", says])
        self.refused("a.gltf", gltf(vertices, faces, uri="missing.bin"), *radius, says="a.gltf: not glTF that can be read")

    def test_pictures(self):
        """What is wrong with a picture is said before any work, and the pairs stay as they were."""
        good = npy_of("f32", pack("f32", [0, 0, 0, 1] * 2), (2, 4))
        for words, says in [(("--picture", "a.jpg"), ".png or .webp"), (("--picture", "a.png", "--frame-size", "0x10"), "--frame-size 0"),
                            (("--picture", "a.png", "--frame-size", "9000x9000"), "--frame-size 9000"), (("--picture", "a.png", "--frame-size", "10x"), "--frame-size"),
                            (("--picture", "a.png", "--frame-size", "99999999999999999999"), "--frame-size 9999"),
                            (("--picture", "a.png", "--view", "30"), "--view 30"), (("--picture", "a.png", "--view", "0:91"), "-90 to 90"),
                            (("--picture", "a.png", "--view", "nan:0"), "--view nan:0"), (("--picture", "a.png", "--up", "w"), "--up w"),
                            (("--view", "0:0"), "are for pictures"), (("--picture", "a.png", "--frame-rate", 0), "--frame-rate 0")]:
            self.refused("a.npy", good, *words, says=says, expect=2)
        self.refused("a.npy", good, "--picture", self.folder / "nowhere" / "a.png", says="No such file")
        self.refused("a.npy", good, "--picture", self.folder / "a.npy" / "a.png", says="Not a directory")
        # A picture that is there stays if something fails later.
        picture = self.file("p.png", b"old")
        self.refused("a.npy", good, "--max-pairs", 0, "--picture", picture, says="--max-pairs 0", expect=2)
        self.refused("b.npy", npy_of("f32", pack("f32", [0, 0, 0, 1] * 10), (10, 4)), "--max-pairs", 44, "--picture", picture, says="45 colliding pairs")
        self.assertEqual(picture.read_bytes(), b"old")

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
                            (("--particles", 5, "--radius", 1, "--max-pairs", 0), "--max-pairs 0: a whole number of at least 1"), (("--particles", 5, "--radius", 1, "--frames", "x", "--frame-size", 0), "--frame-size 0"),
                            (("x.obj", "--of", "faces"), "--of faces"), (("x.fbx", "--radius", 1), "--format"), (("x.obj", "--format", "fbx"), "'fbx'"),
                            (("--particles", 5, "--radius", 1, "--engine", "gpu"), "'gpu'")]:
            self.assert_refused("collide", *words, *out, says=says, expect=2, engine=None)
        self.assert_refused("collide", "--particles", 5, "--radius", 1, "-o", self.file("pairs.txt"), says=".npy or .csv", expect=2)
        self.assert_refused("collide", self.file("missing.obj"), "--radius", 1, *out, says="No such file")
        self.assert_refused("collide", "--particles", 3 * 10**9, "--radius", 1, *out, says="--particles: 3000000000 objects")
        # Less than the largest number of objects, and more than most machines can hold.
        free = int(re.search(r"MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text(encoding="ascii"))[1])
        if free < 32 * 10**6:
            self.assert_refused("collide", "--particles", 2 * 10**9, "--radius", 1, *out, says=["2000000000 particles need about 64000 MB of memory", "MB are free"])
        self.assertEqual(self.file("out.npy").read_bytes(), b"old")


if __name__ == "__main__":
    command.main()
