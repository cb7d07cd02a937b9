# SPDX-License-Identifier: Apache-2.0
"""Reductions: of arrays, along rows, of segments, of runs. The arguments go to _core in the order of the signatures.

Sums of floats have the same bits on every run. Types and operators are those of cumsum.
"""
from __future__ import annotations

from typing import Any

from . import _core
from ._counted import Counted
from ._types import Array, Operator, type_name


def reduce(items: Array, *, op: Operator = "plus", dtype: Any = None, axis: int | None = None) -> Array:
    """All items by the operator: an array of shape () on the device; or those of each row.

    items  any shape
    op     plus, minimum, maximum; of integers bit_and, bit_or, bit_xor
    dtype  the type of sums; by default 64 bits for integers by plus, otherwise the items' type
    axis   -1: along the last axis, which has to have items; the result has the shape of the others
    Does not wait.

    >>> ballot.reduce(torch.tensor([1, 2, 3], device="cuda")).item()
    6
    >>> ballot.reduce(torch.tensor([[1, 2], [3, 4]], device="cuda"), op="maximum", axis=-1).tolist()
    [2, 4]
    """
    if axis not in (None, -1):
        raise ValueError(f"axis is {axis!r}: None or -1")
    return _core.reduce(items, op, dtype if dtype is None else type_name(dtype), axis is not None)


def argmin(items: Array) -> Array:
    """The position of the first smallest item, NaNs last: an int64 array of shape () on the device. Of several dimensions: in the flattened array.

    >>> ballot.argmin(torch.tensor([3, 1, 1], device="cuda")).item()
    1
    """
    return _core.arg_extreme(items, False)


def argmax(items: Array) -> Array:
    """The position of the first largest item, NaNs last: an int64 array of shape () on the device. Of several dimensions: in the flattened array.

    >>> ballot.argmax(torch.tensor([3, 1, 3], device="cuda")).item()
    0
    """
    return _core.arg_extreme(items, True)


def segmented_reduce(items: Array, *, offsets: Array | None = None, heads: Array | None = None, op: Operator = "plus", dtype: Any = None) -> Any:
    """The items of each segment by the operator.

    items     shape (n,)
    offsets   shape (segments + 1,): ascending integers of 4 or 8 bytes; segment s ends where s + 1 begins. The result has shape (segments,); empty segments
              have the operator's identity.
    heads     or, shape (n,): bool or uint8, set at the first item of each segment. The result is Counted, of shape (n,).
    dtype     as of reduce

    >>> ballot.segmented_reduce(torch.tensor([1, 2, 3, 4], device="cuda"), offsets=torch.tensor([0, 2, 4], device="cuda")).tolist()
    [3, 7]
    """
    if (offsets is None) == (heads is None):
        raise ValueError("segments are given by offsets or by heads, by one of them")
    return _core.segmented_reduce(items, heads if offsets is None else offsets, offsets is None, op, dtype if dtype is None else type_name(dtype))


def reduce_by_key(keys: Array, values: Array, *, op: Operator = "plus", dtype: Any = None) -> Counted[tuple[Array, Array]]:
    """The first key of each run of equal neighbours, and the operator's result of the run's values: Counted of both, shape (n,), without a wait.

    keys     shape (n,): of sorted keys, each key once
    values   shape (n,)
    dtype    as of reduce

    >>> keys, sums = ballot.reduce_by_key(torch.tensor([1, 1, 2], device="cuda"), torch.tensor([5, 6, 7], device="cuda")).trim()
    >>> keys.tolist(), sums.tolist()
    ([1, 2], [11, 7])
    """
    return _core.reduce_by_key(keys, values, op, dtype if dtype is None else type_name(dtype))
