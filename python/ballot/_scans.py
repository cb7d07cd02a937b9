# SPDX-License-Identifier: Apache-2.0
"""Running sums: of arrays, along the last axis, within segments. The arguments go to _core in the order of the signatures."""
from __future__ import annotations

from typing import Any

from . import _core
from ._types import Array, Operator, type_name


def cumsum(items: Array, *, op: Operator = "plus", dtype: Any = None, exclusive: bool = False, reverse: bool = False, reproducible: bool = False) -> Array:
    """Running sums along the last axis, of the items' shape. Of several dimensions: those by plus, inclusive.

    items         integers of 8 to 64 bits, bool, float16, bfloat16, float32, float64
    op            plus, minimum, maximum; of integers bit_and, bit_or, bit_xor
    dtype         the type of the sums; by default 64 bits for integers by plus, otherwise the items' type. By plus it may be 64 bits for integers of up to 32,
                  32 for uint8 and bool, float64 for float32, float32 for 16-bit floats. Sums of 16-bit floats are taken in 32 bits and rounded
    exclusive     without the item itself
    reverse       from the end
    reproducible  sums of floats have the same bits on every run and GPU
    Does not wait.

    >>> ballot.cumsum(torch.tensor([1, 2, 3], device="cuda")).tolist()
    [1, 3, 6]
    >>> ballot.cumsum(torch.tensor([1, 2, 3], device="cuda"), exclusive=True).tolist()
    [0, 1, 3]
    """
    return _core.cumsum(items, op, dtype if dtype is None else type_name(dtype), exclusive, reverse, reproducible)


def segmented_cumsum(items: Array, *, offsets: Array | None = None, heads: Array | None = None, op: Operator = "plus", exclusive: bool = False, reverse: bool = False) -> Array:
    """Running sums within segments, of shape (n,), in the items' type; those of bool by plus are int64.

    items     shape (n,)
    offsets   shape (segments,): where segments begin, ascending integers of 4 or 8 bytes
    heads     or, shape (n,): bool or uint8, set at the first item of each segment

    >>> ballot.segmented_cumsum(torch.tensor([1, 2, 3, 4], device="cuda"), offsets=torch.tensor([0, 2], device="cuda")).tolist()
    [1, 3, 3, 7]
    """
    if (offsets is None) == (heads is None):
        raise ValueError("segments are given by offsets or by heads, by one of them")
    return _core.segmented_cumsum(items, heads if offsets is None else offsets, offsets is None, op, exclusive, reverse)
