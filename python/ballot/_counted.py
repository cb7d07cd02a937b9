# SPDX-License-Identifier: Apache-2.0
"""Results of which only the device knows how many there are."""
from __future__ import annotations

from typing import Any, Generic, TypeVar, cast

Data = TypeVar("Data")


class Counted(Generic[Data]):
    """A result whose number of items only the device knows.

    data     an array with room for the largest possible result, or a tuple of such arrays
    count    an int64 array of shape (1,) on the device: the number of items in data; the items after them are unspecified
    trim()   data with only these items; waits, because it reads the count from the device
    """

    __slots__ = ("data", "count")

    data: Data
    count: Any

    def __init__(self, data: Data, count: Any) -> None:
        self.data = data
        self.count = count

    def trim(self) -> Data:
        """`data` without the items behind the last one. Reads the count, and so waits for the device."""
        n = int(self.count[0])
        data: Any = self.data
        trimmed: Any = tuple(part[:n] for part in data) if isinstance(data, tuple) else data[:n]
        return cast(Data, trimmed)

    def __repr__(self) -> str:
        return f"Counted(data={self.data!r}, count={self.count!r})"
