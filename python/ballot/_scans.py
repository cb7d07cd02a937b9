# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums: of arrays, along the last axis, within segments."""
import ctypes
import functools

from . import _native as native
from ._frameworks import type_of
from ._work import Work, one_dimension, same_length

_OPERATORS = {"plus": native.PLUS, "minimum": native.MINIMUM, "maximum": native.MAXIMUM, "bit_and": native.BIT_AND, "bit_or": native.BIT_OR, "bit_xor": native.BIT_XOR}
_WIDE = {native.I8: native.I64, native.I16: native.I64, native.I32: native.I64, native.U8: native.U64, native.U16: native.U64, native.U32: native.U64}


def _sum_type(view, op, dtype):
    if dtype is not None:
        return type_of(str(dtype).rpartition(".")[2], "dtype")
    if op != "plus":
        return view.type
    return native.I64 if view.is_bool else _WIDE.get(view.type, view.type)


def _operator(op):
    if op not in _OPERATORS:
        raise ValueError(f"op is {op!r}: {', '.join(_OPERATORS)}")
    return _OPERATORS[op]


@functools.lru_cache(maxsize=4)
def _options(reverse, reproducible):
    return ctypes.pointer(native.ScanOptions(ctypes.sizeof(native.ScanOptions), None, reverse, reproducible))


def cumsum(items, *, op="plus", dtype=None, exclusive=False, reverse=False, reproducible=False):
    """Running sums of an array of one dimension, or along the last axis of one of more (those by plus, inclusive).

    op            plus, minimum, maximum, bit_and, bit_or or bit_xor
    dtype         the type of the sums; by default 64 bits for integers by plus, otherwise the items' type
    exclusive     without the item itself
    reverse       from the end
    reproducible  sums of floats have the same bits on every run and GPU
    """
    work = Work(items=items)
    view = work.views[0]
    code = _sum_type(view, op, dtype)
    out, argument = work.new(view.shape, code)
    library = native.library()
    if len(view.shape) > 1:
        if op != "plus" or exclusive or reproducible:
            raise ValueError("along rows there are inclusive sums by plus alone")
        if code != view.type:
            converted, converted_argument = work.new(view.shape, code)
            converted[...] = view.array
            source = converted_argument
        else:
            source = view.argument()
        if view.length:
            rows, length = view.length // view.shape[-1], view.shape[-1]
            work.run("batched_scan", library.scratch_bytes("batched_scan", code, 0, rows, length), source, argument, native.Batch(rows, length, 0, 0), int(bool(reverse)), 0)
        return work.give(out)
    options = _options(bool(reverse), bool(reproducible))
    size = library.scratch_bytes("scan", code, view.length)
    if exclusive:
        work.run("exclusive_scan", size, view.argument(), None, _operator(op), argument, options)
    else:
        work.run("inclusive_scan", size, view.argument(), _operator(op), argument, options)
    return work.give(out)


def segmented_cumsum(items, *, offsets=None, heads=None, op="plus", exclusive=False, reverse=False):
    """Running sums within segments, in the items' type.

    offsets   where segments begin: ascending integers of 4 or 8 bytes
    heads     or: bool or uint8, set at the first item of each segment
    """
    if (offsets is None) == (heads is None):
        raise ValueError("segments are given by offsets or by heads, by one of them")
    by_offsets = heads is None
    work = Work(items=items, **({"offsets": offsets} if by_offsets else {"heads": heads}))
    view, segments = work.views
    one_dimension(view, "items")
    one_dimension(segments, "offsets" if by_offsets else "heads")
    if not by_offsets:
        same_length(segments, "heads", view, "items")
    kind = native.SEGMENT_OFFSETS if by_offsets else native.HEAD_BYTES
    out, argument = work.new(view.shape, view.type)
    where = native.Segments(segments.argument(), kind, 0)
    size = native.library().scratch_bytes("segmented_scan", view.type, kind, view.length)
    if exclusive:
        work.run("segmented_exclusive_scan", size, view.argument(), where, None, _operator(op), argument, int(bool(reverse)))
    else:
        work.run("segmented_inclusive_scan", size, view.argument(), where, _operator(op), argument, int(bool(reverse)))
    return work.give(out)
