# SPDX-License-Identifier: Apache-2.0
"""Sorts, scans and selections of arrays on NVIDIA GPUs: torch, CuPy, Numba, JAX, DLPack.

    import ballot, torch
    keys = torch.randint(0, 100, (1_000_000,), device="cuda")
    ballot.sort(keys)                                  # a tensor, by torch's allocator, on torch's current stream
    order = ballot.argsort(keys, descending=True)
    found = ballot.nonzero(keys > 90)                  # found.data, found.count: on the device, without a wait
    found.trim()                                       # waits, and is as long as there are

Results are arrays of the kind of the inputs; of arrays that only have DLPack or __cuda_array_interface__, they are torch's or CuPy's. Calls launch work on the
framework's current stream and return; none waits, so CUDA graphs of torch and CuPy can capture them. Inputs are not changed; those that are not contiguous are copied first (Numba's are
refused). NumPy arrays are copied to the GPU and back.

ballot.torch has operators for torch.compile and autograd, ballot.jax calls for jax.jit.
"""
from ._counted import Counted
from ._native import BallotError
from ._reductions import argmax, argmin, reduce, reduce_by_key, segmented_reduce
from ._scans import cumsum, segmented_cumsum
from ._searches import bincount, histogram, is_sorted, merge, merge_by_key, searchsorted, take, topk
from ._selections import compact, count_nonzero, multisplit, nonzero, run_length_encode, split, unique, unique_by_key
from ._sorts import argsort, segmented_argsort, segmented_sort, segmented_sort_by_key, sort, sort_by_key

__version__ = "0.1.0"
__all__ = ["BallotError", "Counted", "argmax", "argmin", "argsort", "bincount", "compact", "count_nonzero", "cumsum", "histogram", "is_sorted", "merge",
           "merge_by_key", "multisplit", "nonzero", "reduce", "reduce_by_key", "run_length_encode", "searchsorted", "segmented_argsort", "segmented_cumsum",
           "segmented_reduce", "segmented_sort", "segmented_sort_by_key", "sort", "sort_by_key", "split", "take", "topk", "unique", "unique_by_key"]
