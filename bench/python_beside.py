#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls of the Python package beside those of torch and CuPy that do the same, on one GPU, in one run.

  PYTHONPATH=BUILD/python BALLOT_LIBRARY=BUILD/library/libballot.so bench/python_beside.py
      [--json FILE] [--commit NAME] [--only PART...] [--repeats 15]

Times by events: the middle of so many calls, which take turns. "call": each begins on an idle GPU, so that what the
host needs counts where it is longer than the work. "queued": the GPU is busy meanwhile, and what is left is its own
time. Both in us; ratios: how many times as fast ballot is. PART: part of a row's name. Each answer is compared with the
other library's first.
"""
import argparse
import json
import statistics

import torch

import ballot

try:
    import cupy
except ImportError:
    cupy = None

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--json")
parser.add_argument("--commit", help="what is measured, for the JSON file")
parser.add_argument("--only", nargs="*", default=[])
parser.add_argument("--repeats", type=int, default=15)
options = parser.parse_args()
BUSY_CYCLES = 600_000  # some 0.3 ms, in which the host makes a call


def times(calls, queued):
    """The middle of the times of each call, in us."""
    for call in calls:
        call()
        call()
    taken = [[] for _ in calls]
    for _ in range(options.repeats):
        for call, mine in zip(calls, taken):
            torch.cuda.synchronize()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            if queued:
                torch.cuda._sleep(BUSY_CYCLES)
            begin.record()
            result = call()
            end.record()
            end.synchronize()
            del result
            mine.append(begin.elapsed_time(end) * 1e3)
    return [statistics.median(mine) for mine in taken]


def tensors(result):
    if isinstance(result, ballot.Counted):
        return [torch.as_tensor(result.trim(), device="cuda")]
    return [torch.as_tensor(x, device="cuda") for x in (result if isinstance(result, tuple) else (result,))]


def agree(name, ours, theirs, compare):
    for a, b in zip(tensors(ours), tensors(theirs)):
        # "close": sums in another order, of floats of one sign. "first": positions of equal keys are torch's choice.
        if not (torch.allclose(a, b, rtol=1e-4, atol=0) if compare == "close" else torch.equal(a, b)):
            raise SystemExit(f"{name}: the answers differ")
        if compare == "first":
            return


rows = []


def beside(name, n, theirs, ours, compare="equal"):
    if options.only and not any(part in name for part in options.only):
        return
    agree(name, ours(), theirs(), compare)
    row = {"call": name, "n": n}
    for way in ("call", "queued"):
        row[f"theirs_{way}"], row[f"ballot_{way}"] = times([theirs, ours], way == "queued")
    rows.append(row)
    print(f"{name:34} {n:>10}", end="")
    for way in ("call", "queued"):
        a, b = row[f"theirs_{way}"], row[f"ballot_{way}"]
        print(f"  {way} {a:9.1f} {b:9.1f} {a / b:5.2f}", end="")
    print(flush=True)


torch.manual_seed(1)
run = {"commit": options.commit, "gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
       "cupy": cupy.__version__ if cupy else None, "repeats": options.repeats, "rows": rows}
print(f"{run['gpu']}, torch {run['torch']}, CuPy {run['cupy']}; us: theirs, ballot, ratio", flush=True)
least, most = -2**31, 2**31 - 1
for n in (10**6, 10**8):
    x = torch.randint(least, most, (n,), dtype=torch.int32, device="cuda")
    beside("torch.sort i32", n, lambda: torch.sort(x), lambda: ballot.argsort(x, return_keys=True), "first")
    if cupy:
        c = cupy.asarray(x)
        beside("cupy.sort i32", n, lambda: cupy.sort(c), lambda: ballot.sort(c))
        beside("cupy.cumsum i32", n, lambda: cupy.cumsum(c), lambda: ballot.cumsum(c))
        del c
    mask = x > 0
    beside("torch.nonzero", n, lambda: torch.nonzero(mask).flatten(), lambda: ballot.nonzero(mask))
    beside("torch x[mask]", n, lambda: x[mask], lambda: ballot.compact(x, mask))
    del x, mask
    f = torch.rand(n, device="cuda")
    beside("torch.cumsum f32", n, lambda: torch.cumsum(f, 0), lambda: ballot.cumsum(f), "close")
    beside("torch.topk 1000 f32", n, lambda: torch.topk(f, 1000), lambda: ballot.topk(f, 1000), "first")
    g = f.view(-1, 1000)
    beside("torch.cumsum f32 rows of 1000", n, lambda: torch.cumsum(g, 1), lambda: ballot.cumsum(g), "close")
    for kind, short in (("f16", torch.float16), ("bf16", torch.bfloat16)):
        h = (f < 150 / n).to(short)  # sums up to 256, which both types have exactly
        beside(f"torch.cumsum {kind}", n, lambda: torch.cumsum(h, 0), lambda: ballot.cumsum(h))
        h = (f < 0.15).to(short).view(-1, 1000)
        beside(f"torch.cumsum {kind} rows of 1000", n, lambda: torch.cumsum(h, 1), lambda: ballot.cumsum(h))
        del h
    f.normal_()
    g = f.view(-1, 1000)
    beside("torch.sort f32 rows of 1000", n, lambda: torch.sort(g), lambda: ballot.argsort(g, return_keys=True),
           "first")
    ordered, wanted = torch.sort(f)[0], f[: n // 10].clone()
    beside("torch.searchsorted f32, n / 10", n, lambda: torch.searchsorted(ordered, wanted),
           lambda: ballot.searchsorted(ordered, wanted))
    del f, g, ordered, wanted
    for name, low, high in (("all bits", -2**63, 2**63 - 1), ("half range", -2**62, 2**62)):
        k = torch.randint(low, high, (n,), device="cuda")
        beside(f"torch.sort i64 {name}", n, lambda: torch.sort(k), lambda: ballot.argsort(k, return_keys=True),
               "first")
    k = k.view(-1, 1000)
    beside("torch.sort i64 rows of 1000", n, lambda: torch.sort(k), lambda: ballot.argsort(k, return_keys=True),
           "first")
    del k
    torch.cuda.empty_cache()
    if cupy:
        cupy.get_default_memory_pool().free_all_blocks()
if options.json:
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump(run, file, indent=1)
