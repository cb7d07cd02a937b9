# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, for annotations."""
from __future__ import annotations

import sys
from typing import Any, Literal, TypeVar, Union

if sys.version_info >= (3, 11):
    from typing import TypeAlias
else:
    TypeAlias = Any

Array = TypeVar("Array")  # a tensor of torch, an array of CuPy, Numba, JAX, NumPy
Columns = TypeVar("Columns")  # one array, or a tuple of up to 16
Nans: TypeAlias = Literal["last", "first", "by_bits"]
Zeros: TypeAlias = Literal["apart", "equal"]
Index: TypeAlias = Literal["int64", "int32", "uint32", "uint64"]
Operator: TypeAlias = Literal["plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"]
Bits: TypeAlias = Union[tuple[int, int], None]


def type_name(dtype: Any) -> str | None:
    """The name of a type of torch, NumPy or Python's text: "int64" of torch.int64, numpy.int64, numpy.dtype("int64"), "int64"."""
    if dtype is None:
        return None
    if isinstance(dtype, type):
        return dtype.__name__.rstrip("_")  # numpy.bool_ of NumPy 1
    return str(dtype).rpartition(".")[2]
