# SPDX-License-Identifier: Apache-2.0
"""Sorts: of arrays, along the last axis, within segments. The arguments go to _core in the order of the signatures."""
from __future__ import annotations

from typing import Literal, overload

from . import _core
from ._types import Array, Bits, Index, Nans, Zeros


def sort(keys: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart") -> Array:
    """The keys in order, along the last axis. Stable.

    keys        any shape; integers of 8 to 64 bits, bool, float16, bfloat16, float32, float64; not changed
    descending  the largest first
    nans        'last' or 'first', in both directions, or 'by_bits' (totalOrder of IEEE 754)
    bits        (low, high): compare only these bits of the order; bit 0 is the least significant
    zeros       of floats: 'apart', -0 before +0; or 'equal', which keep their order, as torch.sort has it. Takes longer
    Returns a new array of the same kind, shape and type. Does not wait.

    >>> keys = torch.tensor([3, 1, 2], device="cuda")
    >>> ballot.sort(keys).tolist()
    [1, 2, 3]
    >>> ballot.sort(keys, descending=True).tolist()
    [3, 2, 1]
    """
    return _core.sort(keys, descending, nans, bits, zeros)


@overload
def argsort(keys: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart", index: Index = "int64", return_keys: Literal[False] = False) -> Array: ...
@overload
def argsort(keys: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart", index: Index = "int64", return_keys: Literal[True]) -> tuple[Array, Array]: ...
@overload
def argsort(keys: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart", index: Index = "int64", return_keys: bool) -> Array | tuple[Array, Array]: ...
def argsort(keys: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart", index: Index = "int64",
            return_keys: bool = False) -> Array | tuple[Array, Array]:
    """The positions of the keys in sorted order, along the last axis, of the keys' shape. Stable, so equal keys keep their order.

    index        the type of the positions: int64, int32, uint32 or uint64. Those of 4 bytes are faster.
    return_keys  also the sorted keys: (keys, positions), without a gather
    Otherwise as sort.

    >>> ballot.argsort(torch.tensor([3, 1, 2], device="cuda")).tolist()
    [1, 2, 0]
    """
    return _core.argsort(keys, descending, nans, bits, zeros, index, return_keys)


def sort_by_key(keys: Array, values: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart") -> tuple[Array, Array]:
    """(keys in order, values in the order of their keys). Stable.

    keys, values  shape (n,), both; values of any type that sort takes, not necessarily the keys'
    Options as of sort.

    >>> keys, values = ballot.sort_by_key(torch.tensor([3, 1, 2], device="cuda"), torch.tensor([0.3, 0.1, 0.2], device="cuda"))
    >>> keys.tolist()
    [1, 2, 3]
    """
    return _core.sort_by_key(keys, values, descending, nans, bits, zeros)


def segmented_sort(keys: Array, offsets: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart") -> Array:
    """Each segment in order: segment s begins at offsets[s] and ends where the next one begins, the last one at the end.

    keys        shape (n,)
    offsets     shape (segments,) or (segments + 1,) with the end as the last one: ascending integers of 4 or 8 bytes
    Otherwise as sort.

    >>> ballot.segmented_sort(torch.tensor([3, 1, 2, 0], device="cuda"), torch.tensor([0, 2], device="cuda")).tolist()
    [1, 3, 0, 2]
    """
    return _core.segmented_sort(keys, offsets, descending, nans, bits, zeros)


def segmented_argsort(keys: Array, offsets: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart", index: Index = "int64") -> tuple[Array, Array]:
    """(sorted keys, their positions in the whole array), each segment by itself: both of shape (n,). Options as of segmented_sort and argsort.

    >>> keys, order = ballot.segmented_argsort(torch.tensor([3, 1, 2, 0], device="cuda"), torch.tensor([0, 2], device="cuda"))
    >>> order.tolist()
    [1, 0, 3, 2]
    """
    return _core.segmented_argsort(keys, offsets, descending, nans, bits, zeros, index)


def segmented_sort_by_key(keys: Array, values: Array, offsets: Array, *, descending: bool = False, nans: Nans = "last", bits: Bits = None, zeros: Zeros = "apart") -> tuple[Array, Array]:
    """(keys, values) of each segment in the order of its keys; shapes as of sort_by_key, options and offsets as of segmented_sort.

    >>> keys, values = ballot.segmented_sort_by_key(*(torch.tensor(x, device="cuda") for x in ([3, 1, 2], [30, 10, 20], [0, 2])))
    >>> values.tolist()
    [10, 30, 20]
    """
    return _core.segmented_sort_by_key(keys, values, offsets, descending, nans, bits, zeros)
