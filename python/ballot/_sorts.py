# SPDX-License-Identifier: Apache-2.0
"""Sorts: of arrays, along the last axis, within segments."""
import ctypes
import functools

from . import _native as native
from ._work import Work, one_dimension, same_length

_NANS = {"last": 0, "first": 1, "by_bits": 2}
_INDICES = {"int32": native.I32, "uint32": native.U32, "int64": native.I64, "uint64": native.U64}


@functools.lru_cache(maxsize=256)
def _options(descending, nans, bits):
    if nans not in _NANS:
        raise ValueError(f"nans is {nans!r}: 'last', 'first' or 'by_bits'")
    low, high = (0, 0) if bits is None else bits
    if bits is not None and high == low:
        raise ValueError(f"bits ({low}, {high}) are none: nothing would be sorted by them")
    return ctypes.pointer(native.SortOptions(ctypes.sizeof(native.SortOptions), int(bool(descending)), _NANS[nans], low, high))


def _index_type(index):
    if index not in _INDICES:
        raise ValueError(f"index is {index!r}: {', '.join(_INDICES)}")
    return _INDICES[index]


def _row_offsets(work, view):
    """The begins of rows along the last axis, for arrays of several dimensions."""
    length = view.shape[-1]
    return work.framework.arange(0, view.length, max(length, 1), work.first), length


def sort(keys, *, descending=False, nans="last", bits=None):
    """The keys in order, along the last axis. Stable.

    keys        an array of integers or floats on the GPU, of any shape; not changed
    descending  the largest first
    nans        'last' or 'first', in both directions, or 'by_bits' (totalOrder of IEEE 754); -0 comes before +0
    bits        (low, high): compare only these bits of the order; bit 0 is the least significant
    Returns a new array of the same kind, shape and type. Does not wait.
    """
    work = Work(keys=keys)
    view = work.views[0]
    out, argument = work.new(view.shape, view.type)
    options = _options(bool(descending), nans, bits if bits is None else tuple(bits))
    library = native.library()
    if len(view.shape) > 1:
        if view.length:
            offsets, _ = _row_offsets(work, view)
            begins = work.framework.view(offsets, "offsets").argument()
            work.run("segmented_sort", library.scratch_bytes("segmented_sort", view.type, native.NONE, view.length), view.argument(), begins, argument, options)
    else:
        work.run("sort", library.scratch_bytes("sort", view.type, view.length), view.argument(), argument, options)
    return work.give(work.framework.as_bool(out) if view.is_bool else out)


def argsort(keys, *, descending=False, nans="last", bits=None, index="int64", return_keys=False):
    """The positions of the keys in sorted order, along the last axis. Stable, so equal keys keep their order.

    index        the type of the positions: int32, uint32, int64 or uint64
    return_keys  also the sorted keys: (keys, positions), without a gather
    Otherwise as sort.
    """
    work = Work(keys=keys)
    view = work.views[0]
    code = _index_type(index)
    order, argument = work.new(view.shape, code)
    sorted_keys, keys_argument = work.new(view.shape, view.type) if return_keys else (None, native.Array())
    options = _options(bool(descending), nans, bits if bits is None else tuple(bits))
    library = native.library()
    if len(view.shape) > 1:
        if view.length:
            if not return_keys:
                sorted_keys, keys_argument = work.new(view.shape, view.type)
            offsets, length = _row_offsets(work, view)
            begins = work.framework.view(offsets, "offsets").argument()
            work.run("segmented_argsort", library.scratch_bytes("segmented_sort", view.type, code, view.length), view.argument(), begins, keys_argument, argument, options)
            order %= length  # from positions in the whole array to positions in the row
    elif return_keys:
        work.run("argsort", library.scratch_bytes("sort_pairs", view.type, code, view.length), view.argument(), keys_argument, argument, options)
    else:
        work.run("argsort", library.scratch_bytes("argsort", view.type, code, view.length), view.argument(), keys_argument, argument, options)
    if not return_keys:
        return work.give(order)
    return work.give(work.framework.as_bool(sorted_keys) if view.is_bool else sorted_keys, order)


def sort_by_key(keys, values, *, descending=False, nans="last", bits=None):
    """(keys in order, values in the order of their keys). One dimension, equal lengths, values of any type. Stable; options as of sort."""
    work = Work(keys=keys, values=values)
    k, v = work.views
    one_dimension(k, "keys")
    one_dimension(v, "values")
    same_length(v, "values", k, "keys")
    out, argument = work.new(k.shape, k.type)
    values_out, values_argument = work.new(v.shape, v.type)
    work.run("sort_pairs", native.library().scratch_bytes("sort_pairs", k.type, v.type, k.length), k.argument(), v.argument(), argument, values_argument,
             _options(bool(descending), nans, bits if bits is None else tuple(bits)))
    return work.give(work.framework.as_bool(out) if k.is_bool else out, work.framework.as_bool(values_out) if v.is_bool else values_out)


def segmented_sort(keys, offsets, *, descending=False, nans="last", bits=None):
    """Each segment in order: segment s begins at offsets[s] and ends where the next one begins, the last one at the end.

    offsets     ascending integers of 4 or 8 bytes, with or without the end as the last one
    Otherwise as sort, of one dimension.
    """
    work = Work(keys=keys, offsets=offsets)
    k, begins = work.views
    one_dimension(k, "keys")
    one_dimension(begins, "offsets")
    out, argument = work.new(k.shape, k.type)
    work.run("segmented_sort", native.library().scratch_bytes("segmented_sort", k.type, native.NONE, k.length), k.argument(), begins.argument(), argument,
             _options(bool(descending), nans, bits if bits is None else tuple(bits)))
    return work.give(work.framework.as_bool(out) if k.is_bool else out)


def segmented_argsort(keys, offsets, *, descending=False, nans="last", bits=None, index="int64"):
    """(sorted keys, their positions in the whole array), each segment by itself. Options as of segmented_sort and argsort."""
    work = Work(keys=keys, offsets=offsets)
    k, begins = work.views
    one_dimension(k, "keys")
    one_dimension(begins, "offsets")
    code = _index_type(index)
    out, argument = work.new(k.shape, k.type)
    order, order_argument = work.new(k.shape, code)
    work.run("segmented_argsort", native.library().scratch_bytes("segmented_sort", k.type, code, k.length), k.argument(), begins.argument(), argument, order_argument,
             _options(bool(descending), nans, bits if bits is None else tuple(bits)))
    return work.give(work.framework.as_bool(out) if k.is_bool else out, order)
