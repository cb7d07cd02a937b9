#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles all public headers in one source, as host code of the emulator: no two of them may define one name.

  headers_together_test.py COMPILER
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    headers = sorted(header.name for tree in ("primitives", "algorithms") for header in (ROOT / tree / "ballot").glob("*.cuh"))
    if len(headers) < 25:
        sys.exit(f"only {len(headers)} public headers were found")
    for order in (headers, headers[::-1]):
        source = "".join(f"#include <ballot/{header}>\n" for header in order)
        done = subprocess.run(
            [sys.argv[1], "-DBALLOT_EMULATED=1", "-std=gnu++20", "-Wall", "-Wno-unknown-pragmas", "-fsyntax-only",
             *(f"-I{ROOT / tree}" for tree in ("primitives", "algorithms", "emulator")), "-x", "c++", "-"],
            input=source, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit("public headers do not compile together:\n" + "\n".join(done.stderr.splitlines()[:30]))
    print(f"{len(headers)} headers compile together, in either order")


if __name__ == "__main__":
    main()
