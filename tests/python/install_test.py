# SPDX-License-Identifier: Apache-2.0
"""The package as a wheel holds it, in an empty virtual environment: what its libraries need, that it imports, its calls, and what it says where there is no GPU.

  install_test.py PACKAGE LIBRARY READELF      PACKAGE: the folder of the build; LIBRARY: libballot, or the fake one
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

ALLOWED = re.compile(r"^(?:lib(?:c|m|dl|rt|pthread)\.so\.|ld-linux)")
PROGRAM = """
import sys, time
begin = time.perf_counter()
import ballot
took = time.perf_counter() - begin
assert ballot.__file__.startswith(sys.prefix), ballot.__file__
print(f"Python {sys.version.split()[0]}, import {took:.3f} s, {len(ballot.__all__)} names: {', '.join(ballot.__all__)}")

def says(call, *arguments):
    try:
        call(*arguments)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return "nothing"

class Array: pass
class Described:  # aligned addresses that are no memory: with a GPU they are refused, without one the launch is
    def describe(self, x, what): return 1 << 21, (1000,), "int32", 0, x
    def empty(self, shape, name, device, beside):
        made = Array()
        made.address = 1 << 24 if name == "uint8" else 1 << 22
        return made
    def address(self, x): return x.address
    def stream(self, x): return None
    def other_device(self, device): return None
from ballot import _core, _frameworks
_frameworks.by_type[Array] = _core.Framework("other", Described())
print("a list:", says(ballot.sort, [1]))
print("an array:", says(ballot.sort, Array()))
"""


def main():
    package, library, readelf = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=False, symlinks=True)
        (site,) = pathlib.Path(folder).glob("lib/python*/site-packages")
        shutil.copytree(package, site / "ballot", symlinks=False, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(library, site / "ballot" / "libballot.so")
        glibc = []
        for file in sorted((site / "ballot").glob("*.so")):
            text = subprocess.run([readelf, "-dW", "--dyn-syms", file], check=True, capture_output=True, text=True).stdout
            others = [name for name in re.findall(r"NEEDED.*\[(.*)\]", text) if not ALLOWED.match(name)]
            if others and "fake" not in library:
                wrong.append(f"{file.name} needs {others}")
            glibc += re.findall(r"GLIBC_([0-9.]+)", text)
            # Of CPython's stable ABI, whose names without an underscore it has in any case.
            private = set(re.findall(r"UND (_Py\w+)", text)) - {"_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_PyArg_ParseTuple_SizeT", "_PyObject_CallMethod_SizeT"}
            if private:
                wrong.append(f"{file.name} takes private symbols of Python: {sorted(private)}")
        print("glibc:", max(glibc, key=lambda version: [int(part) for part in version.split(".")]))
        done = subprocess.run([pathlib.Path(folder, "bin", "python"), "-I", "-c", PROGRAM], env={}, capture_output=True, text=True, cwd=folder)
        print(done.stdout + done.stderr)
        if done.returncode:
            wrong.append("the program failed")
        said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if line.startswith(("a list", "an array")))
        if not said.get("a list", "").startswith("TypeError: keys is a builtins.list, not an array"):
            wrong.append("a list is not refused")
        if "fake" not in library and not re.match(r"BallotError: .*(no |driver|device)|ValueError: .*keys", said.get("an array", "")):
            wrong.append("the missing GPU, or memory that is not there, is not named")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
