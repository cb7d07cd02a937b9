#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of bench/ that scripts/bench does not build still fit the headers: nvcc's host pass of their sources, without code.

  bench_programs_test.py NVCC [NAME...]     a NAME: a source, as small_sorts.cu
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "adapters"))
sys.dont_write_bytecode = True
import host_pass  # noqa: E402

BENCH = host_pass.ROOT / "bench"
# What cudax_sort.cu includes is in no release.
SOURCES = ["adapters.cu", "c_library.cu", "collide.cu", "small_sorts.cu", "tile_shapes.cu", "tile_shapes_scan.cu", "tile_shapes_selection.cu",
           "tile_shapes_sort.cu", "distributed/machine.cu", "distributed/selections.cu", "distributed/sorts.cu"]


def main():
    nvcc, *names = sys.argv[1:]
    options = [*host_pass.flags(), *(f"-I{host_pass.ROOT / folder}" for folder in ("bench", "library/include", "distributed", "apps"))]
    has_nccl = host_pass.has_header(options, "nccl.h", nvcc)
    wrong = 0
    for name in names or SOURCES:
        if name.startswith("distributed/") and not has_nccl:
            print(f"{name}: not compiled, there is no nccl.h")
            continue
        said = host_pass.check(options, BENCH / name, nvcc)
        if said:
            wrong += 1
            print(f"{name} does not compile:\n{host_pass.first_errors(said)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
