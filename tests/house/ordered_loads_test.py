#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks in the machine code for sm_90 that tile states of 128 bits are loaded as a whole. ptxas may split such a load into two
narrower ones (simt/cuda/ordered.cuh), between which a state can be torn. "Not run", with 77, if there is no cuobjdump.

  ordered_loads_test.py NVCC
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    nvcc = sys.argv[1]
    beside = pathlib.Path(nvcc).resolve().parent / "cuobjdump"
    cuobjdump = str(beside) if beside.exists() else shutil.which("cuobjdump")
    if cuobjdump is None:
        print("not run: no cuobjdump")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/scans.cubin"
        subprocess.run([nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-cubin", f"-I{ROOT}/primitives", "-o", binary,
                        f"{ROOT}/tests/house/ordered_loads.cu"], check=True)
        code = subprocess.run([cuobjdump, "-sass", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    kernels = [kernel for kernel in code.split("Function : ") if kernel.startswith("_Z") and "scan_kernel" in kernel.split("\n")[0]]
    if len(kernels) < 2:
        sys.exit(f"{len(kernels)} scan kernels in the machine code, expected one for each of two types of sums")
    for kernel in kernels:
        loads = re.findall(r"\bLDG?\.E[\w.]*STRONG[\w.]*", kernel)
        if len(loads) < 2 or not all(".128." in load for load in loads):
            sys.exit(f"ordered loads that are not of 128 bits: {loads}")


main()
