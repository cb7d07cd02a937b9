#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What libballot is as a file: its symbols are the calls of ballot.h and nothing else, its soname has the version, it needs
no CUDA runtime and no libstdc++, it is small enough; it loads without a GPU, and a call then gives a status.

  library_test.py LIBRARY ARCHIVE HEADER NM READELF
"""
import ctypes
import pathlib
import re
import subprocess
import sys
import time

MOST_BYTES = 60 << 20
ALLOWED = re.compile(r"^(?:lib(?:c|m|dl|rt|pthread)\.so\.|ld-linux)")


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_uint64), ("count", ctypes.c_void_p), ("type", ctypes.c_int32),
                ("count_type", ctypes.c_int32)]


class Exec(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("scratch", ctypes.c_void_p), ("scratch_bytes", ctypes.c_size_t)]


def text(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def defined(nm, file, *options):
    lines = text(nm, "--defined-only", "--extern-only", *options, file).splitlines()
    return {line.split()[-1] for line in lines if len(line.split()) == 3 and line.split()[1] in "TWVDBR"}


def main():
    library, archive, header, nm, readelf = sys.argv[1:]
    code = pathlib.Path(header).read_text(encoding="utf-8")
    calls = set(re.findall(r"BALLOT_API .*?\b(ballot_\w+)\(", re.sub(r"/\*.*?\*/", "", code, flags=re.S)))
    version = [int(re.search(rf"#define BALLOT_API_{part} (\d+)", code).group(1)) for part in ("MAJOR", "MINOR", "PATCH")]
    wrong = []

    found = {name for name in defined(nm, library, "-D")}
    if found != calls:
        wrong.append(f"symbols: missing {sorted(calls - found)}, not in the header {sorted(found - calls)}")
    missing = calls - defined(nm, archive)
    if missing:
        wrong.append(f"the archive lacks {sorted(missing)}")

    dynamic = text(readelf, "-d", library)
    soname = re.search(r"SONAME.*\[(.*)\]", dynamic).group(1)
    wanted = f"libballot.so.{version[0]}" + (f".{version[1]}" if version[0] == 0 else "")
    if soname != wanted:
        wrong.append(f"soname {soname}, not {wanted}")
    others = [name for name in re.findall(r"NEEDED.*\[(.*)\]", dynamic) if not ALLOWED.match(name)]
    if others:
        wrong.append(f"it needs {others}")
    size = pathlib.Path(library).stat().st_size
    if size > MOST_BYTES:
        wrong.append(f"{size} bytes, more than {MOST_BYTES}")

    root = str(pathlib.Path(header).resolve().parents[2]) + "/"
    if root.encode() in pathlib.Path(library).read_bytes():
        wrong.append(f"it names sources below {root}")

    begin = time.perf_counter()
    ballot = ctypes.CDLL(library)
    loaded = time.perf_counter() - begin
    ballot.ballot_last_error.restype = ctypes.c_char_p
    if ballot.ballot_version() != version[0] * 10000 + version[1] * 100 + version[2]:
        wrong.append("ballot_version() differs from the header")
    if ballot.ballot_check_header_version(ballot.ballot_version() + 10000) != 4:
        wrong.append("another major version is not refused")
    size_of_scratch = ctypes.c_size_t()
    ballot.ballot_sort_scratch_bytes(5, ctypes.c_uint64(1000), ctypes.byref(size_of_scratch))
    # Aligned addresses that are no memory: with a GPU they are refused, without one the launch is.
    sort = ballot.ballot_sort
    sort.argtypes = [Exec, Array, Array, ctypes.c_void_p]
    status = sort(Exec(None, 1 << 20, size_of_scratch.value), Array(1 << 21, 1000, None, 5, 0),
                  Array(1 << 22, 1000, None, 5, 0), None)
    print(f"{len(found)} symbols, {soname}, {size / 2**20:.1f} MiB, loaded in {loaded * 1000:.1f} ms; a call: status {status}, "
          f"{ballot.ballot_last_error().decode()}")
    if status not in (1, 3) or not ballot.ballot_last_error():
        wrong.append(f"a call gives status {status}")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
