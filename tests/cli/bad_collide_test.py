# SPDX-License-Identifier: Apache-2.0
"""ballot collide: files and command lines that it refuses, and what it says."""

import os
import pathlib
import re
import struct

import command
from command import npy, npy_of, pack
from mesh_files import glb, gltf, gltf_of, gltf_parts, has_gltf, obj, ply, stl


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
        for number in (b"1e999", b"-1e999"):
            self.refused("a.ply", good.replace(b"3 0 1 2", b"3 " + number + b" 1 2"), *radius, says=f"a.ply:15: '{number.decode()}' is too large")
            self.refused("a.ply", good.replace(b"3 0 1 2", number + b" 0 1 2"), *radius, says=f"a.ply:15: '{number.decode()}' is too large")
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
        # Each part is closed by its own word before the next begins.
        for old, new, says in ((b"    vertex 1.0", b"facet normal 0 0 1\n    vertex 1.0", "a.stl:5: a facet within a facet"),
                               (b"endfacet\n", b"", "a.stl:8: a facet within a facet"),
                               (b"facet normal 0 0 1\n", b"", "a.stl:2: a loop outside of a facet"),
                               (b"facet normal 0 0 1\n  outer loop\n", b"", "a.stl:2: a vertex outside of a facet"),
                               (b"  outer loop\n", b"", "a.stl:3: a vertex outside of a loop"),
                               (b"  outer loop\n", b"  outer loop\n  outer loop\n", "a.stl:4: a loop within a loop"),
                               (b"  outer loop\n", b"  outer\n", "a.stl:3: 'outer' without 'loop'"),
                               (b"  endloop\n", b"  endloop\n  outer loop\n", "a.stl:8: a facet of more than one loop"),
                               (b"  endloop\n", b"", "a.stl:7: endfacet within a loop"), (b"  endloop\n", b"  endloop\n  endloop\n", "a.stl:8: endloop, and no loop"),
                               (b"endfacet\n", b"endfacet\nendfacet\n", "a.stl:9: endfacet, and no facet"), (b"endfacet\n", b"endsolid\n", "a.stl:8: endsolid within a facet"),
                               (b"    vertex 1.0", b"endsolid\n    vertex 1.0", "a.stl:5: endsolid within a facet"), (b"    vertex 1.0", b"solid\n    vertex 1.0", "a.stl:5: a solid within a solid")):
            self.refused("a.stl", good.replace(old, new, 1), *radius, says=says)
        self.refused("a.stl", good + b"endsolid\n", *radius, says="endsolid, and no solid")
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
        views = [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12}, {"buffer": 0, "byteOffset": 48, "byteLength": 16}]

        def with_indices(**change):
            """Of the one face, with an accessor that has been changed; view 2 is 16 bytes that are all ones."""
            scene, data = gltf_parts(vertices, faces)
            positions, indices = scene["accessors"]
            indices = {name: value for name, value in {**indices, **change}.items() if value is not None}
            return gltf_of({**scene, "accessors": [positions, indices], "bufferViews": views}, data + b"\xff" * 16)

        sparse_of = lambda count: {"count": count, "indices": {"bufferView": 2, "componentType": 5125}, "values": {"bufferView": 1}}
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
                           (glb(vertices, faces, buffers=[{"byteLength": 10**9}]), ""),
                           (with_indices(bufferView=None), "accessor"),
                           (with_indices(sparse=sparse_of(3)), "accessor 1: sparse item 4294967295 of 3"), (with_indices(sparse=sparse_of(4)), "accessor 1 has 4 sparse items"),
                           # Item 0 is now the number of the vertex that the indices begin with, in view 2.
                           (with_indices(sparse={**sparse_of(1), "indices": {"bufferView": 1, "componentType": 5125}, "values": {"bufferView": 2}}), "accessor 1, item 0: vertex 4294967295 of 3")]:
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
                            (("--view", "0:0"), "are for pictures"), (("--every", 1), "are for pictures"), (("--frame-rate", 25), "are for pictures"),
                            (("--picture", "a.png", "--frame-rate", 25), "--frame-rate is for a film"), (("--frames", "film", "--frame-rate", 25), "--frame-rate is for a film"),
                            (("--picture", "a.png", "--every", 2), "--every is for several pictures"),
                            (("--picture", "a.png", "--frame-rate", 0), "--frame-rate 0")]:
            self.refused("a.npy", good, *words, says=says, expect=2)
        self.refused("a.npy", good, "--picture", self.folder / "nowhere" / "a.png", says="No such file")
        self.refused("a.npy", good, "--picture", self.folder / "a.npy" / "a.png", says="Not a directory")
        # A picture that is there stays if something fails later.
        picture = self.file("p.png", b"old")
        self.refused("a.npy", good, "--max-pairs", 0, "--picture", picture, says="--max-pairs 0", expect=2)
        self.refused("b.npy", npy_of("f32", pack("f32", [0, 0, 0, 1] * 10), (10, 4)), "--max-pairs", 44, "--picture", picture, says="45 colliding pairs")
        self.assertEqual(picture.read_bytes(), b"old")

    def test_frames_of_a_run_that_fails(self):
        """They stay as they were; a folder that was not there is not there."""
        rows = npy_of("f32", pack("f32", [0, 0, 0, 1] * 10), (10, 4))
        folder = self.file("film")
        words = ("--frames", folder, "--frame-size", 16, "--steps", 5)
        self.refused("a.npy", rows, "--max-pairs", 44, *words, says="45 colliding pairs")
        folder.mkdir()
        old = folder / "frame_000001.png"
        old.write_bytes(b"old")
        self.refused("a.npy", rows, "--max-pairs", 44, *words, says="45 colliding pairs")
        # More pairs in a later step: by then there are pictures.
        crowd = ("--particles", 200, "--radius", "0.04", "--seed", 3, "--dt", "0.05")
        first = self.report("collide", *crowd, "-o", self.file("x.npy"))[0]["pairs"]
        text = self.assert_refused("collide", *crowd, "--steps", 60, "--frames", folder, "--frame-size", 16, "--max-pairs", first, "-o", self.file("x.csv"),
                                   says=f"colliding pairs and there is room for {first}")
        self.assertNotIn("step 1 ", text)
        self.assertEqual([path.name for path in folder.iterdir()], ["frame_000001.png"])
        self.assertEqual(old.read_bytes(), b"old")
        self.assertFalse(self.file("x.csv").exists())
        # An engine that cannot be had.
        no_gpu = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        self.assert_refused("collide", "--particles", 5, "--radius", 1, "--frames", self.file("new"), engine="cuda", env=no_gpu, says="")
        self.assertFalse(self.file("new").exists())
        # Said at once, in a dry run as well.
        for words, says in (((self.file("nowhere") / "film",), "No such file"), ((self.file("a.npy"),), "Not a directory"), ((self.file("a.npy") / "film",), "Not a directory")):
            for dry in ((), ("--dry-run",)):
                self.refused("a.npy", rows, "--frames", *words, *dry, says=says)
        self.file("loose").symlink_to(self.file("nowhere"))
        self.refused("a.npy", rows, "--frames", self.file("loose"), says="No such file")

    def test_pairs_come_before_pictures(self):
        """What cannot be put in its place leaves the pairs written, and no picture without its pairs."""
        rows = self.file("a.npy", npy_of("f32", pack("f32", [0, 0, 0, 1] * 2), (2, 4)))
        out, picture, folder = self.file("out.csv", b"old"), self.file("p.png", b"old"), self.file("film")
        (folder / "frame_000001.png").mkdir(parents=True)
        self.assert_refused("collide", rows, "--frames", folder, "--picture", picture, "--frame-size", 16, "-o", out, says="frame_000001.png")
        self.assertEqual(out.read_bytes(), b"a,b\n0,1\n")
        # A pipe that nobody reads takes no pairs: then the picture stays.
        reader, writer = os.pipe()
        os.close(reader)
        picture.write_bytes(b"old")
        self.ballot("collide", rows, "--picture", picture, "--frame-size", 16, "-o", "-", stdout=writer, expect=None)
        os.close(writer)
        self.assertEqual(picture.read_bytes(), b"old")

    def test_npy(self):
        row = lambda *numbers: npy_of("f32", pack("f32", numbers * 2), (2, len(numbers)))
        self.refused("a.npy", row(0, 0, 0, -1), says="a.npy: row 0: radius -1")
        self.refused("a.npy", row(0, 0, 0, float("nan")), says="a.npy: row 0: radius nan")
        self.refused("a.npy", npy_of("f32", pack("f32", [0, 0, 0, 1, 0, float("nan"), 0, 1]), (2, 4)), says="a.npy: row 1: coordinate nan")
        self.refused("a.npy", row(0, 0), says="(2, 2)")
        self.refused("a.npy", npy_of("f32", b"\0" * 16), says="a.npy: the array has the shape (4)")
        for descr, size in (("<f8", 8), ("<i4", 4), ("<M8[s]", 8), ("|b1", 1), ("<U1", 4)):
            data = npy(repr(descr), (2, 4), b"\0" * 8 * size)
            self.refused("a.npy", data, says=f"a.npy: points are f32 or f16, and the items are of type '{descr}': save array.astype('f4')")
        self.refused("a.npy", row(0, 0, 0), says="--radius", expect=2)
        self.refused("a.npy", row(0, 0, 0, 1), "--radius", 1, says="radii of its own", expect=2)
        self.refused("a.npy", row(0, 0, 0, 1), "--of", "triangles", says="--of triangles", expect=2)

    def test_room(self):
        """What does not fit is an error that says how much room is needed, and that much is enough."""
        rows = npy_of("f32", pack("f32", [0, 0, 0, 1] * 10), (10, 4))
        self.refused("a.npy", rows, "--max-pairs", 44, says="step 1 has 45 colliding pairs and there is room for 44: use --max-pairs 45")
        self.refused("a.npy", rows, "--max-candidates", 44, says="step 1 has 45 candidate pairs and there is room for 44: use --max-candidates 45")
        self.ballot("collide", self.file("a.npy"), "--max-pairs", 45, "--max-candidates", 45)
        # With --exact they are the pairs of spheres, of which two here touch, and the triangles do not.
        apart = obj([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.8, 0.0), (0.8, 1.0, 0.0)] * 2, [(1, 2, 3), (4, 5, 6), (7, 8, 9)])
        exact = ("--of", "triangles", "--exact")
        self.refused("a.obj", apart, *exact, "--max-pairs", 2, says="step 1 has 3 pairs of triangles whose spheres collide and there is room for 2: use --max-pairs 3")
        self.assertEqual(self.ballot("collide", self.file("a.obj"), *exact, "--max-pairs", 3).stdout, b"a,b\n0,2\n")

    def test_command_line(self):
        out = ("-o", self.file("out.npy", b"old"))
        for words, says in [((), "nothing to collide"), (("--particles", 5), "--radius"), (("x.obj", "--particles", 5, "--radius", 1), ["a file", "--particles"]),
                            (("--particles", 5, "--radius", -1), "--radius -1"), (("--particles", 5, "--radius", "nan"), "--radius nan"), (("--particles", 5, "--radius", "1e30"), "at most 1e+18"),
                            (("--particles", 5, "--radius", 1, "--box", 0), "--box 0"), (("--particles", 5, "--radius", 1, "--steps", 0), "--steps 0"),
                            (("--particles", 5, "--radius", 1, "--of", "vertices"), "--of"), (("x.obj", "--box", 1), "--box"),
                            (("--particles", 5, "--radius", 1, "--format", "obj"), "--format is for files"),
                            (("--particles", 5, "--radius", 1, "--max-pairs", 0), "--max-pairs 0: a whole number of at least 1"), (("--particles", 5, "--radius", 1, "--frames", "x", "--frame-size", 0), "--frame-size 0"),
                            (("x.obj", "--of", "faces"), "--of faces"), ((self.file("x.fbx", b""), "--radius", 1), "--format"), (("x.obj", "--format", "fbx"), "'fbx'"),
                            (("--particles", 5, "--radius", 1, "--engine", "gpu"), "'gpu'")]:
            self.assert_refused("collide", *words, *out, says=says, expect=2, engine=None)
        self.assert_refused("collide", "--particles", 5, "--radius", 1, "-o", self.file("pairs.txt"), says=".npy or .csv", expect=2)
        for name in ("missing.obj", "missing.fbx"):
            self.assert_refused("collide", self.file(name), "--radius", 1, *out, says="No such file")
        self.assert_refused("collide", "--particles", 3 * 10**9, "--radius", 1, *out, says="--particles: 3000000000 objects")
        # Less than the largest number of objects, and more than most machines can hold.
        free = int(re.search(r"MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text(encoding="ascii"))[1])
        if free < 32 * 10**6:
            self.assert_refused("collide", "--particles", 2 * 10**9, "--radius", 1, *out, says=["2000000000 particles need about 64000 MB of memory", "MB are free"])
        self.assertEqual(self.file("out.npy").read_bytes(), b"old")


if __name__ == "__main__":
    command.main()
