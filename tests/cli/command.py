# SPDX-License-Identifier: Apache-2.0
"""Runs the real program. The environment says which program and which engine (BALLOT_COMMAND, BALLOT_TEST_ENGINE)."""

import json
import os
import pathlib
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.environ["BALLOT_COMMAND"]
ENGINE = os.environ.get("BALLOT_TEST_ENGINE", "cpu")
SKIPPED = 77

# Type: (code for struct, .npy descr)
DTYPES = {
    "u8": ("B", "|u1"), "u16": ("H", "<u2"), "u32": ("I", "<u4"), "u64": ("Q", "<u8"),
    "i8": ("b", "|i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4"), "i64": ("q", "<i8"),
    "f32": ("f", "<f4"), "f64": ("d", "<f8"),
}


def size_of(dtype):
    return struct.calcsize("<" + DTYPES[dtype][0])


def pack(dtype, values):
    return struct.pack(f"<{len(values)}{DTYPES[dtype][0]}", *values)


def unpack(dtype, data):
    return list(struct.unpack(f"<{len(data) // size_of(dtype)}{DTYPES[dtype][0]}", data))


def words_of(dtype, data):
    """The items as unsigned integers of their width, so that a NaN equals itself."""
    return unpack("u" + str(8 * size_of(dtype)), data)


def npy(descr, shape, data, *, fortran=False, version=1):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(header).to_bytes(2 if version == 1 else 4, "little") + header + data


def npy_of(dtype, data, shape=None):
    return npy(repr(DTYPES[dtype][1]), shape or (len(data) // size_of(dtype),), data)


def npy_items(dtype, data, shape=None):
    """The data of an .npy as this program has to write it, byte for byte."""
    length = int.from_bytes(data[8:10], "little")
    items = data[10 + length:]
    expected = f"{{'descr': '{DTYPES[dtype][1]}', 'fortran_order': False, 'shape': {shape or (len(items) // size_of(dtype),)}, }}"
    header = data[10:10 + length].decode()
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + length) % 64 == 0, data[:10]
    assert header.rstrip() == expected and header.endswith("\n"), header
    return items


def ordered_bits(dtype, word, descending=False):
    """The definition, in other words than the program's: numbers in order, NaNs behind them in both directions."""
    width = 8 * size_of(dtype)
    top, every = 1 << (width - 1), (1 << width) - 1
    if dtype[0] == "u":
        ordered = word
    elif dtype[0] == "i":
        ordered = word ^ top
    else:
        infinity = 0x7f800000 if width == 32 else 0x7ff0000000000000
        magnitude = word & ~top
        negative = bool(word & top)
        if magnitude > infinity:  # NaN: those that the direction puts in front come after all others
            payload = magnitude - infinity - 1
            nans = top - infinity - 1
            in_front = negative != descending
            place = nans - 1 - payload if negative != descending else payload
            return 2 * (infinity + 1) + (nans + place if in_front else place)
        ordered = infinity - magnitude if negative else infinity + 1 + magnitude
        return 2 * infinity + 1 - ordered if descending else ordered
    return every - ordered if descending else ordered


def bits_of(ordered, low, high):
    return (ordered >> low) & ((1 << (high - low)) - 1)


class CommandTest(unittest.TestCase):
    longMessage = True
    maxDiff = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ballot-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, data=None):
        path = self.folder / name
        if data is not None:
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def ballot(self, *words, stdin=b"", expect=0, engine=ENGINE, **options):
        words = [COMMAND, *map(str, words)]
        if engine is not None and words[1] in ("sort", "compact", "scan", "collide"):
            words += ["--engine", engine]
        if not any(key in options for key in ("stdin_file", "stdout")):
            options.setdefault("stdout", subprocess.PIPE)
        source = {"stdin": options.pop("stdin_file")} if "stdin_file" in options else {"input": stdin.encode() if isinstance(stdin, str) else stdin}
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run(words, stderr=subprocess.PIPE, timeout=300, check=False, **source, **options)
        if expect is not None:
            self.assertEqual(done.returncode, expect, f"{words}\n{done.stderr.decode(errors='replace')}")
        return done

    def report(self, *words, **options):
        done = self.ballot(*words, "--json", **options)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        return json.loads(done.stderr), done

    def assert_refused(self, *words, says, expect=1, **options):
        """One line on standard error which says so, nothing on standard output."""
        done = self.ballot(*words, expect=expect, **options)
        text = done.stderr.decode(errors="replace")
        self.assertEqual(text.count("\n"), 1, text)
        self.assertTrue(text.startswith("ballot: "), text)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, text)
        self.assertEqual(done.stdout or b"", b"")
        return text


def open_terminal(test):
    """Both ends of a pseudo-terminal; where there are none, as in some sandboxes, the test is skipped."""
    try:
        return pty.openpty()
    except OSError as problem:
        test.skipTest(f"there are no pseudo-terminals here: {problem}")


def limit_file_size(limit):
    """For preexec_fn: as a full disk, but without one."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def default_signals():
    """For preexec_fn: a test runner in the background has SIGINT ignored, and its children would inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def main():
    if ENGINE == "cuda":
        info = json.loads(subprocess.run([COMMAND, "info", "--json"], stdout=subprocess.PIPE, check=True, timeout=300).stdout)
        if not info["cuda"]["usable"]:
            print(f"skipped: {info['cuda']['reason']}")
            sys.exit(SKIPPED)
    result = unittest.main(module="__main__", verbosity=1, exit=False).result
    for test, reason in result.skipped:
        print(f"not run: {test.id()}: {reason}")
    sys.exit(not result.wasSuccessful())
