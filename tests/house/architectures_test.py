#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles one binary for several GPUs: machine code for each of sm_75 to sm_100 that this nvcc knows, and PTX for later ones.
It must compile without a warning, and without spilled registers except in the shapes named here. Their PTX must not ask for
more threads of a multiprocessor than each GPU has that may run it, of which ptxas would warn there. If there is cuobjdump, the
code of all of them must be in the binary.

  architectures_test.py NVCC
"""
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = [75, 80, 90, 100]
PTX = 120
# The fewest threads of a multiprocessor among the GPUs that run PTX of sm_75, and of sm_80 and later: sm_86 and sm_120.
LEAST_THREADS = {75: 1024, 80: 1536}
# Bytes that a thread may store, as measured when the shape was chosen. It was the fastest on an H200 of those compared.
# Measured with nvcc 13; other versions spill more or less, and are not held to these numbers. Of the machine and the
# kernel's mangled name: radix_pass_kernel, threads, keys a thread; local_sort_kernel, warps, words a lane.
KNOWN_SPILLS = {
    ("sm_75", r"radix_pass_kernelIjNS1_8no_value.*ILi256ELi36E"): 12,
    ("sm_80", r"radix_pass_kernelIjNS1_8no_value.*ILi256ELi36E"): 20,
    # with a vote for a digit every 12 rows, faster for few distinct keys (H100: 303 to 266 us) than the 24 bytes without
    ("sm_90", r"radix_pass_kernelIjNS1_8no_value.*ILi256ELi36E"): 36,
    ("sm_100", r"radix_pass_kernelIjNS1_8no_value.*ILi256ELi36E"): 92,
    ("sm_100", r"radix_pass_kernelIjNS1_8no_value.*ILi256ELi16E"): 24,
    ("sm_90", r"local_sort_kernelImNS1_8no_value.*ILi12ELi13E"): 8,
    ("sm_100", r"local_sort_kernelIjNS1_8no_value.*ILi12ELi13E"): 20,
    ("sm_100", r"local_sort_kernelImNS1_8no_value.*ILi12ELi13E"): 64,
    # tiles that sum the aggregates of all others: the fastest of those compared, with fewer spills or more
    ("sm_80", r"partition_kernel.*aggregate_sum_offsets"): 16,
    # the same with tiles that may be shifted: as measured. H200, 2026-11-29, splits of 1,000 items into one output: 4 %
    # slower than before in a graph, of 65,537 and a million within noise
    ("sm_75", r"partition_kernel.*aggregate_sum_offsets"): 24,
    ("sm_90", r"partition_kernel.*aggregate_sum_offsets"): 28,
    # the same with the exchange within a cluster: as measured, not compared with other shapes
    ("sm_100", r"partition_kernel.*aggregate_sum_offsets"): 16,
    # rows of 1024 keys in the registers of a warp: as measured, not compared with other shapes
    ("sm_75", r"batched_top_k_rows_kernel.*held_row_shapeILi1ELi32E"): 52,
    ("sm_80", r"batched_top_k_rows_kernel.*held_row_shapeILi1ELi32E"): 40,
    ("sm_90", r"batched_top_k_rows_kernel.*held_row_shapeILi1ELi32E"): 40,
    # reproducible scans, since scans may be in a cluster and unaligned copies are unrolled: as measured; its cost is not
    # measured
    ("sm_90", r"scan_kernel.*tree_look_back"): 12,
    # since unaligned copies are unrolled: as measured. H200, 2026-11-29, up to 300,007 aligned sums in a graph: within
    # noise of before
    ("sm_90", r"scan_kernel.*EmNS0_5block10tile_shapeILi256ELi3ELi2E"): 4,
    # with the table of digits that others determine: as measured; its cost there is not measured
    ("sm_80", r"radix_histogram_kernelI"): 8,
    # histograms of 16-bit halves, the cut of top_k, short rows: as measured, not compared with other shapes
    ("sm_90", r"histogram_kernel"): 4,
    ("sm_100", r"histogram_kernel"): 32,
    **{(machine, r"partition_kernel.*cut_selector"): 24 for machine in ("sm_75", "sm_80", "sm_90", "sm_100")},
    **{(machine, r"top_k_block_sample_kernelIm"): 52 for machine in ("sm_75", "sm_80", "sm_90")},
    **{(machine, r"top_k_filter_kernelIm"): 16 for machine in ("sm_75", "sm_90")},
    ("sm_80", r"top_k_lists_kernelIm"): 12,
    ("sm_75", r"top_k_block_kernel"): 8,
    # the sweep of a multisplit: the fastest of those compared on an H100, whose code spills nothing
    ("sm_80", r"bucket_sweep_kernel"): 4,
    ("sm_100", r"bucket_sweep_kernel"): 16,
    **{(machine, r"batched_top_k_kernel"): 20 for machine in ("sm_75", "sm_80")},
    **{(machine, r"batched_top_k_kernel"): 8 for machine in ("sm_90", "sm_100")},
    # arrays that begin between two vectors, with code for each shift. H200, 2026-11-30: up to a tenth less time than with items
    # that are copied one by one (bench/results/README.md)
    ("sm_90", r"reduce_runs_kernelILb[01]ELb1E"): 16,
    ("sm_100", r"reduce_runs_kernelILb[01]ELb1E"): 4,
    # bounds for five blocks at once, chosen on sm_90, where this type spills nothing: not compared there
    ("sm_100", r"reduce_windows_kernel"): 28,
    # warps, words a lane: as measured, not compared with other shapes
    **{(machine, r"(segment_sort|remaining_tiles)_kernelIjmNS1_8no_value.*ILi12ELi13E"): 4 for machine in ("sm_75", "sm_80")},
    **{(machine, r"segment_sort_kernelIjmNS1_8no_value.*ILi19ELi9E"): 12 for machine in ("sm_75", "sm_80")},
    ("sm_90", r"segment_sort_kernelIjmNS1_8no_value.*ILi19ELi9E"): 72,
    ("sm_90", r"(segment_sort|remaining_tiles)_kernelIjmNS1_8no_value.*ILi12ELi13E"): 40,
    ("sm_100", r"(segment_sort|remaining_tiles)_kernelIjmNS1_8no_value.*ILi12ELi13E"): 60,
    # 32 keys a thread: faster than in twice as many registers (H200: 339 to 252 us)
    **{(machine, r"block_segment_kernelIj"): most for machine, most in (("sm_75", 32), ("sm_80", 4), ("sm_90", 48), ("sm_100", 24))},
}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def too_many_threads(ptx):
    """The kernels whose launch bounds ask for more threads of a multiprocessor than each GPU has that may run this PTX."""
    number = int(re.search(r"\n\.target sm_(\d+)", ptx)[1])
    least = LEAST_THREADS[max(first for first in LEAST_THREADS if first <= number)]
    wrong, bounded = [], 0
    for kernel, bounds in re.findall(r"\.entry (\w+)\([^)]*\)\s*((?:\.\w+ [^\n{]*\n)*)", ptx):
        blocks = re.search(r"\.minnctapersm (\d+)", bounds)
        if not blocks:
            continue
        bounded += 1
        threads = math.prod(map(int, re.search(r"\.maxntid ([\d, ]+)", bounds)[1].split(",")))
        if threads * int(blocks[1]) > least:
            wrong.append(f"compute_{number}: {kernel} asks for {blocks[1]} blocks of {threads} threads, more than {least}")
    if not bounded:
        wrong.append(f"compute_{number}: no kernel has launch bounds with a number of blocks")
    return wrong


def main():
    nvcc = sys.argv[1]
    known = {int(number) for number in re.findall(r"compute_(\d+)", output(nvcc, "--list-gpu-arch"))}
    machines = [number for number in MACHINES if number in known]
    codes = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in machines]
    if PTX in known:
        codes.append(f"-gencode=arch=compute_{PTX},code=compute_{PTX}")
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/several"
        made = subprocess.run(
            [nvcc, "-std=c++20", "-O3", *codes, "--threads", "0", "-Werror", "all-warnings", "-Wno-deprecated-gpu-targets",
             "-Xptxas", "-v", "--keep", "--keep-dir", folder,
             f"-I{ROOT}/primitives", f"-I{ROOT}/algorithms", "-o", binary, f"{ROOT}/tests/house/architectures.cu"],
            capture_output=True, text=True)
        account = re.compile(r"ptxas info|bytes stack frame|barriers|^\s*$")
        lines = (made.stdout + made.stderr).splitlines()
        words = "\n".join(line for line in lines if not account.search(line))
        if made.returncode or words:
            sys.exit(f"not compiled, or not without messages:\n{words}")
        spilled = re.findall(r"Compiling entry function '(\S+)' for '(\S+)'.*?(\d+) bytes spill stores", "\n".join(lines),
                             re.DOTALL)
        if not spilled:
            sys.exit("ptxas did not report spills")
        more = []
        for kernel, machine, stored in spilled:
            allowed = max((most for (where, name), most in KNOWN_SPILLS.items() if where == machine and re.search(name, kernel)),
                          default=0)
            if int(stored) > allowed:
                more.append(f"{machine}: {kernel} spills {stored} bytes, {allowed} are known")
        if more and "release 13." in output(nvcc, "--version"):
            sys.exit("\n".join(more))
        texts = [file.read_text(encoding="utf-8") for file in pathlib.Path(folder).glob("*.ptx")]
        if len(texts) < len(machines):
            sys.exit(f"nvcc kept the PTX of {len(texts)} architectures, not of {len(machines)}")
        wrong = [problem for text in texts for problem in too_many_threads(text)]
        if wrong:
            sys.exit("\n".join(wrong))
        tool = shutil.which("cuobjdump", path=str(pathlib.Path(nvcc).resolve().parent)) or shutil.which("cuobjdump")
        if tool is None:
            print(f"compiled for {machines} and PTX {PTX if PTX in known else None}; the binary was not checked: no cuobjdump")
            return
        found = set(map(int, re.findall(r"sm_(\d+)\S*\.cubin", output(tool, "--list-elf", binary))))
        ptx = set(map(int, re.findall(r"sm_(\d+)\S*\.ptx", output(tool, "--list-ptx", binary))))
        size = pathlib.Path(binary).stat().st_size
    if not found >= set(machines) or (PTX in known and PTX not in ptx):
        sys.exit(f"asked for {machines} and PTX {PTX}, found {sorted(found)} and {sorted(ptx)}")
    print(f"machine code for {machines}, PTX for {sorted(ptx)}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
