# SPDX-License-Identifier: Apache-2.0
"""Files of meshes for tests of ballot collide: OBJ, PLY, STL, glTF."""

import base64
import json
import struct
import subprocess

import command


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
    return gltf_of(*gltf_parts(*words, **options))


def gltf_of(scene, data):
    """Both in one file of bytes."""
    scene = {"buffers": [{"byteLength": len(data)}], **scene}
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
