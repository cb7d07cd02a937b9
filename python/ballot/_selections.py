# SPDX-License-Identifier: Apache-2.0
"""Selections by masks, and runs. How many there are stays on the device: see Counted."""
import ctypes

from . import _native as native
from ._work import Work, one_dimension, same_length


def _by_mask(view, name):
    if native.SIZES[view.type] != 1:
        raise TypeError(f"{name} has items of {native.SIZES[view.type]} bytes: bool or uint8 is needed")
    return native.Selector(array=view.argument(), kind=native.BY_BYTES)


def nonzero(mask, *, index="int64"):
    """The positions where the mask is set, ascending.

    mask      bool or uint8, of one dimension
    index     the type of the positions: int32, uint32, int64 or uint64
    Returns Counted, whose data has room for all. Does not wait; .trim() does.
    """
    from ._sorts import _index_type
    work = Work(mask=mask)
    view = work.views[0]
    one_dimension(view, "mask")
    code = _index_type(index)
    out, argument = work.new(view.shape, code)
    count, count_argument = work.count()
    items = native.Array(None, view.length, None, native.POSITIONS_U32 if view.length <= 1 << 32 else native.POSITIONS_U64, 0)
    work.run("compact_indices", native.library().scratch_bytes("compact_indices", code, view.length), items, _by_mask(view, "mask"), argument, count_argument)
    return work.counted(count, out)


def _columns(views):
    return (native.Array * len(views))(*(view.argument() for view in views))


def compact(items, mask):
    """The items whose mask is set, in their order: Counted, without a wait.

    items     an array of one dimension, or a tuple of up to 16 of equal length, which are selected together
    mask      bool or uint8, one an item
    """
    several = isinstance(items, tuple)
    columns = items if several else (items,)
    work = Work(**{f"items[{i}]" if several else "items": x for i, x in enumerate(columns)}, mask=mask)
    *views, flags = work.views
    for view in views:
        one_dimension(view, "items")
        same_length(flags, "mask", view, "items")
    outs = [work.new(view.shape, view.type) for view in views]
    count, count_argument = work.count()
    size = native.library().scratch_bytes("compact", len(views), tuple(view.type for view in views), flags.length)
    work.run("compact", size, len(views), _columns(views), _by_mask(flags, "mask"), (native.Array * len(outs))(*(a for _, a in outs)), count_argument)
    arrays = [work.framework.as_bool(out) if view.is_bool else out for (out, _), view in zip(outs, views)]
    result = work.counted(count, *arrays)
    if several and len(arrays) == 1:
        result.data = (result.data,)
    return result


def split(items, mask):
    """(the selected items and then the others, both in their order; how many are selected, on the device). Does not wait."""
    work = Work(items=items, mask=mask)
    view, flags = work.views
    one_dimension(view, "items")
    same_length(flags, "mask", view, "items")
    out, argument = work.new(view.shape, view.type)
    count, count_argument = work.count()
    size = native.library().scratch_bytes("split", 1, (view.type,), view.length)
    work.run("split", size, 1, ctypes.byref(view.argument()), _by_mask(flags, "mask"), ctypes.byref(argument), count_argument)
    return work.give(work.framework.as_bool(out) if view.is_bool else out, count)


def unique(items):
    """The first item of each run of equal neighbours: of sorted items, each value once. Counted, without a wait."""
    work = Work(items=items)
    view = work.views[0]
    one_dimension(view, "items")
    out, argument = work.new(view.shape, view.type)
    count, count_argument = work.count()
    work.run("unique", native.library().scratch_bytes("runs", view.type, native.NONE, view.length), view.argument(), argument, count_argument)
    return work.counted(count, work.framework.as_bool(out) if view.is_bool else out)


def run_length_encode(items):
    """The first item of each run of equal neighbours, and how long the run is (int64): Counted of both, without a wait."""
    work = Work(items=items)
    view = work.views[0]
    one_dimension(view, "items")
    values, values_argument = work.new(view.shape, view.type)
    lengths, lengths_argument = work.new(view.shape, native.I64)
    count, count_argument = work.count()
    work.run("run_length_encode", native.library().scratch_bytes("runs", view.type, native.I64, view.length), view.argument(), values_argument, lengths_argument,
             count_argument)
    return work.counted(count, work.framework.as_bool(values) if view.is_bool else values, lengths)
