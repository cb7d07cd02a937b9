#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ballot.f90 has every call of ballot.h with as many arguments, every constant and every field, and options that know their size; and gfortran takes it.

  fortran_module_test.py FOLDER     of the two files. Exits with 77, "not run", where there is no gfortran: the rest is checked
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Fortran ignores case, and ballot_by_bytes is a function of the module.
RENAMED = {"ballot_by_bytes": "ballot_by_bytes_kind", "ballot_by_bits": "ballot_by_bits_kind"}


def main():
    folder = pathlib.Path(sys.argv[1])
    header = re.sub(r"/\*.*?\*/", "", (folder / "ballot.h").read_text(encoding="utf-8"), flags=re.S)
    module = (folder / "ballot.f90").read_text(encoding="utf-8")
    joined = re.sub(r"&\s*\n\s*&", "", module)
    wrong = []
    calls = re.findall(r"BALLOT_API .*?\b(ballot_\w+)\((.*?)\);", header, flags=re.S)
    for name, parameters in calls:
        wanted = 0 if parameters.strip() == "void" else parameters.count(",") + 1
        found = re.search(rf"function {name}\(([^)]*)\) bind\(c, name=\"{name}\"\)", joined)
        if not found:
            wrong.append(f"{name} is missing")
        elif len([a for a in found.group(1).split(",") if a.strip()]) != wanted:
            wrong.append(f"{name} has other arguments: {found.group(1)}")
    constants = [pair for body in re.findall(r"enum\s*\{(.*?)\}", header, flags=re.S)
                 for pair in re.findall(r"(BALLOT_\w+)\s*=\s*(\d+)", body)]
    constants += re.findall(r"#define (BALLOT_API_(?:MAJOR|MINOR|PATCH)) (\d+)", header)
    for name, value in constants:
        name = RENAMED.get(name.lower(), name)
        if not re.search(rf"parameter :: {name} = {value}\b", module, flags=re.I):
            wrong.append(f"{name} = {value} is missing")
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\}", header, flags=re.S):
        fields = re.findall(r"(\w+)\s*[,;]", body)
        found = re.search(rf"type, bind\(c\) :: {name}\n(.*?)end type", module, flags=re.S)
        if not found or re.findall(r":: (\w+)", found.group(1)) != fields:
            wrong.append(f"type {name} differs: {fields}")
        elif fields[0] == "size":  # of options: the default is the struct's size, which the library asks for
            widths = {"integer(c_size_t)": 8, "integer(c_int64_t)": 8, "type(c_ptr)": 8, "integer(c_int32_t)": 4}
            size = sum(widths[kind] for kind in re.findall(r"^\s*(\S+) ::", found.group(1), flags=re.M))
            if not re.search(rf":: size = {size}\b", found.group(1)):
                wrong.append(f"type {name} has {size} bytes, its size by default is another")
    for line in wrong:
        print(line)
    print(f"{len(calls)} calls, {len(constants)} constants, {len(wrong)} mistakes")
    if wrong or len(calls) < 40 or len(constants) < 40:
        return 1
    fortran = shutil.which("gfortran")
    if fortran is None:
        print("not run: there is no gfortran to compile the module")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run([fortran, "-std=f2008", "-Wall", "-Wextra", "-Werror", "-c", "-J", scratch, "-o",
                               f"{scratch}/ballot.o", str(folder / "ballot.f90")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
