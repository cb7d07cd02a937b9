# SPDX-License-Identifier: Apache-2.0
"""Selections by masks, runs and buckets. How many there are stays on the device: see Counted. The arguments go to _core in the order of the signatures."""
from __future__ import annotations

from . import _core
from ._counted import Counted
from ._types import Array, Columns, Index


def nonzero(mask: Array, *, index: Index = "int64") -> Counted[Array]:
    """The positions where the mask is set, ascending.

    mask      shape (n,): bool, uint8 or int8
    index     the type of the positions: int64, int32, uint32 or uint64. Those of 4 bytes are faster.
    Returns Counted, whose data has shape (n,). Does not wait; .trim() does.

    >>> ballot.nonzero(torch.tensor([True, False, True], device="cuda")).trim().tolist()
    [0, 2]
    """
    return _core.nonzero(mask, index)


def count_nonzero(mask: Array) -> Array:
    """How many of the mask are set: an int64 array of shape () on the device. mask: any shape; bool, uint8 or int8.

    >>> ballot.count_nonzero(torch.tensor([True, False, True], device="cuda")).item()
    2
    """
    return _core.count_nonzero(mask)


def compact(items: Columns, mask: object) -> Counted[Columns]:
    """The items whose mask is set, in their order: Counted, without a wait.

    items     an array of shape (n,), or a tuple of up to 16 of them, which are selected together
    mask      shape (n,): bool, uint8 or int8
    Returns Counted, whose data has room for all: shape (n,).

    >>> x, mask = torch.tensor([5, 6, 7], device="cuda"), torch.tensor([True, False, True], device="cuda")
    >>> ballot.compact(x, mask).trim().tolist()
    [5, 7]
    """
    return _core.compact(items, mask)


def split(items: Array, mask: Array) -> tuple[Array, Array]:
    """(the selected items and then the others, both in their order; how many are selected, on the device). Does not wait.

    items     shape (n,); the result has it, too
    mask      shape (n,): bool, uint8 or int8
    The count is an int64 array of shape (1,).

    >>> items, count = ballot.split(torch.tensor([5, 6, 7], device="cuda"), torch.tensor([False, True, True], device="cuda"))
    >>> items.tolist(), count.tolist()
    ([6, 7, 5], [2])
    """
    return _core.split(items, mask)


def unique(items: Array) -> Counted[Array]:
    """The first item of each run of equal neighbours: of sorted items, each value once. Shape (n,); Counted, without a wait.

    >>> ballot.unique(torch.tensor([1, 1, 2], device="cuda")).trim().tolist()
    [1, 2]
    """
    return _core.unique(items)


def unique_by_key(keys: Array, values: Array | tuple[Array, ...]) -> Counted[tuple[Array, ...]]:
    """The first item of each run of equal neighbours among the keys, and what stands beside it in the values: Counted of (keys, values, ...).

    keys      shape (n,)
    values    shape (n,), or a tuple of up to 16 such arrays

    >>> keys, values = ballot.unique_by_key(torch.tensor([1, 1, 2], device="cuda"), torch.tensor([7, 8, 9], device="cuda")).trim()
    >>> values.tolist()
    [7, 9]
    """
    return _core.unique_by_key(keys, values)


def run_length_encode(items: Array) -> Counted[tuple[Array, Array]]:
    """The first item of each run of equal neighbours, and how long the run is (int64): Counted of both, shape (n,), without a wait.

    >>> values, lengths = ballot.run_length_encode(torch.tensor([1, 1, 2], device="cuda")).trim()
    >>> lengths.tolist()
    [2, 1]
    """
    return _core.run_length_encode(items)


def multisplit(numbers: object, buckets: int, items: Columns) -> tuple[Columns, object]:
    """(items by bucket number, where each bucket begins). Stable.

    numbers   shape (n,): integers; items whose number is not one of 0 to buckets - 1 are left out
    buckets   1 to 256
    items     shape (n,), or a tuple of up to 16 such arrays
    The offsets are int64 of shape (buckets + 1,), the last one is how many items there are; those behind it are unspecified.

    >>> items, offsets = ballot.multisplit(torch.tensor([1, 0, 1], device="cuda"), 2, torch.tensor([5, 6, 7], device="cuda"))
    >>> items.tolist(), offsets.tolist()
    ([6, 5, 7], [0, 1, 3])
    """
    return _core.multisplit(numbers, buckets, items)
