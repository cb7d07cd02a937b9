# SPDX-License-Identifier: Apache-2.0
"""Where libballot is, and its errors. _core loads it at the first call."""
from __future__ import annotations

import os
import pathlib
import struct
from typing import Any


class BallotError(RuntimeError):
    """CUDA refused a call, there is no GPU, or libballot is missing or of another version."""


def path() -> str:
    """What BALLOT_LIBRARY names, else the library in this package, else the system's."""
    named = os.environ.get("BALLOT_LIBRARY")
    here = pathlib.Path(__file__).parent / "libballot.so"
    return named or (str(here) if here.exists() else "libballot.so.0.1")


_FORMATS = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float16": "e", "float32": "f",
            "float64": "d"}


def packed(name: str, number: Any) -> bytes:
    """A number as an item of that type."""
    try:
        if name == "bfloat16":
            return _bfloat16(number)
        return struct.pack("=" + _FORMATS[name], number)
    except (struct.error, OverflowError) as problem:
        raise ValueError(f"{number!r} is no {name}: {problem}") from None


def _bfloat16(number: Any) -> bytes:
    """The upper half of a float32, rounded to even."""
    bits = int.from_bytes(struct.pack("=f", number), "little")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    if rounded & 0x7FFF == 0x7F80 and bits & 0x7FFFFFFF != 0x7F800000:
        raise OverflowError("it is too large")
    if bits & 0x7FFFFFFF > 0x7F800000:  # a NaN stays one: its low bits are not rounded up into the sign
        rounded = bits >> 16 | 0x40
    return struct.pack("=H", rounded)
