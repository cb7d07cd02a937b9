# SPDX-License-Identifier: Apache-2.0
"""The k largest, histograms, sorted arrays, gathers. The arguments go to _core in the order of the signatures."""
from __future__ import annotations

from typing import Any, Literal

from . import _core
from ._types import Array, Index, Nans


def topk(keys: Array, k: int, *, largest: bool = True, nans: Nans = "last", sorted: bool = True, index: Index = "int64") -> tuple[Array, Array]:
    """(the k largest keys, their positions), along the last axis: shape (..., k). Of equal keys the first ones.

    keys      shape (..., n), of one dimension any k up to n; of more k up to 4096
    largest   False: the smallest
    nans      'last': selected where there are too few numbers; 'first' or 'by_bits', as of sort
    sorted    False: in the order of the keys' positions, which saves the sort
    index     the type of the positions: int64, int32, uint32 or uint64
    Does not wait.

    >>> keys, order = ballot.topk(torch.tensor([3, 1, 4, 1, 5], device="cuda"), 2)
    >>> keys.tolist(), order.tolist()
    ([5, 4], [4, 2])
    """
    return _core.topk(keys, k, largest, nans, sorted, index)


def searchsorted(sorted: Array, values: Array, *, side: Literal["left", "right"] = "left", descending: bool = False, nans: Nans = "last", index: Index = "int64") -> Array:
    """How many of the sorted items come before each value ('left'), or do not come after it ('right'): of the values' shape.

    sorted    shape (n,), sorted by sort's order of these options
    values    any shape, the type of `sorted`

    >>> ballot.searchsorted(torch.tensor([1, 3, 3], device="cuda"), torch.tensor([3, 0, 9], device="cuda"), side="right").tolist()
    [3, 0, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}: left, right")
    return _core.searchsorted(sorted, values, side == "right", descending, nans, index)


def is_sorted(keys: Array, *, descending: bool = False, nans: Nans = "last") -> Array:
    """1 if the keys are in sort's order of these options, else 0: an int64 array of shape () on the device. keys: shape (n,).

    >>> ballot.is_sorted(torch.tensor([1, 3, 3], device="cuda")).item()
    1
    """
    return _core.is_sorted(keys, descending, nans)


def merge(first: Array, second: Array, *, descending: bool = False, nans: Nans = "last") -> Array:
    """Two sorted arrays, shapes (n,) and (m,), as one of shape (n + m,). Stable: of equal keys those of `first` come first. Options as of sort.

    >>> ballot.merge(torch.tensor([1, 4], device="cuda"), torch.tensor([2, 9], device="cuda")).tolist()
    [1, 2, 4, 9]
    """
    return _core.merge(first, second, descending, nans)


def merge_by_key(first: Array, first_values: Array, second: Array, second_values: Array, *, descending: bool = False, nans: Nans = "last") -> tuple[Array, Array]:
    """As merge, and the values beside the keys: (keys, values), both of shape (n + m,).

    >>> keys, values = ballot.merge_by_key(*(torch.tensor(x, device="cuda") for x in ([1, 4], [10, 40], [2], [20])))
    >>> values.tolist()
    [10, 20, 40]
    """
    return _core.merge_by_key(first, first_values, second, second_values, descending, nans)


def bincount(numbers: Array, bins: int) -> Array:
    """How often each of 0 to bins - 1 is among the numbers: int64 of shape (bins,). Others are left out.

    numbers   integers or bool, any shape. The number of bins is the host's, so that nothing waits for the largest number.

    >>> ballot.bincount(torch.tensor([1, 0, 1, 7], device="cuda"), 3).tolist()
    [1, 2, 0]
    """
    return _core.bincount(numbers, bins)


def histogram(items: Array, bins: Any, *, range: tuple[Any, Any] | None = None) -> Array:
    """How many items each bin has: int64 of shape (bins,). Bins are half-open, the last one too; items outside and NaNs are left out.

    items     any shape; integers or floats of up to 64 bits
    bins      how many, of one width between the numbers (low, high) of `range`, which are of the items' type
              or shape (bins + 1,): the ascending borders, an array of the items' type

    >>> ballot.histogram(torch.tensor([0.5, 1.5, 1.75], device="cuda"), 2, range=(0, 2)).tolist()
    [1, 2]
    """
    if range is not None:
        low, high = range
        return _core.histogram_even(items, bins, low, high)
    if isinstance(bins, int):
        raise ValueError("bins is a number: range=(low, high) is needed, for nothing waits to look for the smallest and the largest item")
    return _core.histogram_levels(items, bins)


def take(items: Array, indices: Array) -> Array:
    """items[indices], along the first axis: of the shape of the indices and then items.shape[1:].

    items     shape (n, ...); rows of several dimensions have at most 16,777,215 bytes
    indices   integers of 4 or 8 bytes, any shape, 0 to n - 1. Where an index is negative or too large, the result is unspecified, and no memory outside is read.

    >>> ballot.take(torch.tensor([5, 6, 7], device="cuda"), torch.tensor([2, 0], device="cuda")).tolist()
    [7, 5]
    """
    return _core.take(items, indices)
