#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in its first three lines.

  spdx.py [--root DIR]          names the files without the line, and leaves with 1 if there are any
  spdx.py --add [--root DIR]    adds it: in front, behind the line of #!

Source files are those of C++, CUDA, Python, shell and CMake that git has. Where no file has the line yet, none is asked for.
"""
import argparse
import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENT = {**dict.fromkeys((".cpp", ".hpp", ".cu", ".cuh", ".h"), "//"), **dict.fromkeys((".py", ".sh", ".cmake"), "#")}


def comment_of(file):
    """How a comment begins in this file; None where it is no source file."""
    if file.name == "CMakeLists.txt" or file.name.endswith(".cmake.in"):
        return "#"
    if file.suffix in COMMENT:
        return COMMENT[file.suffix]
    if file.suffix:
        return None
    with open(file, "rb") as stream:
        first = stream.readline()
    return "#" if first.startswith(b"#!") and any(word in first for word in (b"python", b"sh")) else None


def sources(root):
    names = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
    files = [root / name for name in names if name]
    return [file for file in files if file.is_file() and not file.is_symlink() and comment_of(file)]


def has_line(file):
    with open(file, encoding="utf-8") as stream:
        return any(LINE in stream.readline() for _ in range(3))


def add(file):
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    at = 1 if lines and lines[0].startswith("#!") else 0
    lines.insert(at, f"{comment_of(file)} {LINE}\n")
    with open(file, "w", encoding="utf-8", newline="") as stream:  # the file stays executable
        stream.writelines(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    if subprocess.run(["git", "-C", str(arguments.root), "rev-parse"], capture_output=True).returncode:
        print("not run: no git here, which says what belongs to the project")
        return 77
    files = sources(arguments.root)
    without = [file for file in files if not has_line(file)]
    if arguments.add:
        for file in without:
            add(file)
        print(f"spdx: {len(without)} of {len(files)} files have got the line")
        return 0
    if len(without) == len(files):
        print("spdx: no file has the line yet (--add)")
        return 0
    for file in without:
        print(f"{file.relative_to(arguments.root)}: no \"{LINE}\" in the first three lines (scripts/lib/spdx.py --add)")
    print(f"spdx: {len(files)} files, {len(without)} without the line")
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
