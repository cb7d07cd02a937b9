# SPDX-License-Identifier: Apache-2.0
"""Reads the pictures that ballot collide draws: PNG, films of WebP."""

import struct
import zlib


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
