#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C of docs/c.md: each ```c block, in a function with the names that it uses.

  snippet_test.py COMPILER SOURCE
"""
import pathlib
import re
import subprocess
import sys

DECLARATIONS = """#include <ballot.h>
#include <stdio.h>
void snippet(uint64_t n, float* d_keys, float* d_kept, float* d_sorted, uint32_t* d_count, struct CUstream_st* stream,
             void* scratch) {
"""


def main():
    compiler, source = sys.argv[1], pathlib.Path(sys.argv[2])
    blocks = re.findall(r"```c\n(.*?)```", (source / "docs/c.md").read_text(encoding="utf-8"), flags=re.S)
    failed = not blocks
    for block in blocks:
        failed |= subprocess.run([compiler, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                                  f"-I{source}/library/include", "-"], input=f"{DECLARATIONS}{block}}}\n", text=True,
                                 check=False).returncode != 0
    print(f"{len(blocks)} blocks")
    return failed


if __name__ == "__main__":
    sys.exit(main())
