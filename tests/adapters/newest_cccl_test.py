#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The adapters' tests compile with the newest CCCL, too: nvcc's host pass of all of them as one source, and what only_ballot_test.py
does. They run with the toolkit's.

  newest_cccl_test.py NVCC [VERSION FOLDER...]    CUB_VERSION and the folders that have its headers; without: exits with 77, "not run"
"""
import pathlib
import sys
import tempfile

import host_pass
import only_ballot_test

HERE = pathlib.Path(__file__).resolve().parent


def main():
    nvcc, *newest = sys.argv[1:]
    if not newest:
        print("not run: there are no headers of CCCL that are newer than the toolkit's (bench/newest_cccl.cmake)")
        return 77
    version, *folders = newest
    tests = [file for file in sorted(HERE.glob("*.cu")) if not file.name.startswith(("only_ballot", "choices"))]
    if len(tests) < 9:
        sys.exit(f"only {len(tests)} tests were found")
    options = [*host_pass.flags(folders), f"-I{HERE.parent}"]
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "tests.cu")
        lines = ["#include <cub/version.cuh>", f'static_assert(CUB_VERSION == {version}, "another CUB is found first");',
                 *(f'#include "{file}"' for file in tests)]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = host_pass.check(options, source, nvcc)
    if said:
        print(f"CUB {version}: the adapters' tests do not compile\n{host_pass.first_errors(said, 10)}", flush=True)
    else:
        print(f"CUB {version}: {len(tests)} tests compile", flush=True)
    wrong = only_ballot_test.mistakes(nvcc, folders) + only_ballot_test.mistakes_behind_replace_cub(nvcc, folders)
    for text in wrong:
        print(text)
    return 1 if said or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
