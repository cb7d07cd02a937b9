#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call of the Python package costs the host above the launch: with a libballot that does nothing (target ballot_c_fake), on 1,000 items.

  PYTHONPATH=BUILD/python BALLOT_LIBRARY=BUILD/tests/python/libballot_c_fake.so bench/python_host_time.py [REPETITIONS]

With torch on a GPU: its tensors, allocator and stream. Without one, tensors on the CPU, and functions of Python's own in C in place of torch's for the stream, the
device and scratch. Beside it what torch takes for the results alone. The least of many repetitions, us.
"""
import sys
import timeit

import torch

import ballot
from ballot import _core, _frameworks

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cpu":
    parts = _frameworks.torch_parts()
    parts.on_device, parts.device = "is_cpu", lambda index: torch.device("cpu")
    parts.stream, parts.current_device = abs, torch.zeros(1).get_device
    parts.allocate, parts.release = max, abs  # the larger of the size and the stream is the address
    _frameworks.by_type[torch.Tensor] = _core.Framework("torch", parts)

x = torch.randint(0, 9, (1000,), dtype=torch.int32, device=DEVICE)
rows = x.reshape(10, 100)
mask, offsets = x > 4, torch.arange(0, 1000, 10, device=DEVICE)
shape, strides, options = (1000,), (1,), {"dtype": torch.int32, "device": x.device}


REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 200


def microseconds(function, number=2000, repeat=REPEATS):
    return min(timeit.repeat(function, number=number, repeat=repeat)) / number * 1e6


one = microseconds(lambda: torch.empty_strided(shape, strides, **options))
print(f"{DEVICE}: a result by torch.empty_strided takes {one:.2f}")
CALLS = {"sort": (1, lambda: ballot.sort(x)), "argsort": (1, lambda: ballot.argsort(x)), "argsort, keys": (2, lambda: ballot.argsort(x, return_keys=True)),
         "sort_by_key": (2, lambda: ballot.sort_by_key(x, x)), "sort of rows": (1, lambda: ballot.sort(rows)), "argsort of rows": (1, lambda: ballot.argsort(rows)), "segmented_sort": (1, lambda: ballot.segmented_sort(x, offsets)),
         "cumsum": (1, lambda: ballot.cumsum(x)), "reduce": (1, lambda: ballot.reduce(x)), "nonzero": (2, lambda: ballot.nonzero(mask)),
         "compact": (2, lambda: ballot.compact(x, mask)), "compact of 3": (4, lambda: ballot.compact((x, x, x), mask)), "unique": (2, lambda: ballot.unique(x)),
         "run_length_encode": (3, lambda: ballot.run_length_encode(x)), "reduce_by_key": (3, lambda: ballot.reduce_by_key(x, x)), "topk": (2, lambda: ballot.topk(x, 10)),
         "searchsorted": (1, lambda: ballot.searchsorted(x, x)), "merge": (1, lambda: ballot.merge(x, x)), "take": (1, lambda: ballot.take(x, offsets))}
print(f"{'call':20} {'all':>6} {'results':>8} {'beside them':>12}")
for name, (results, call) in CALLS.items():
    took = microseconds(call)
    print(f"{name:20} {took:6.2f} {results:8} {took - results * one:12.2f}")
