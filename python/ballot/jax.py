# SPDX-License-Identifier: Apache-2.0
"""Calls for JAX, inside jax.jit too, through XLA's foreign function interface: on its stream, in its memory.

    from ballot import jax as ballot_jax
    order = jax.jit(ballot_jax.argsort)(keys)
    kept, count = ballot_jax.compact(x, x > 0)         # as long as x: a shape that the compiler knows

Differentiable: sort, sort_with_order, sort_by_key, compact and topk, forward and in reverse, as often as wanted; cumsum by plus in reverse (jax.grad, jax.vjp). Positions
and counts have no gradient, and so argsort, nonzero and searchsorted have none. reduce_by_key is not differentiable.

Arrays have shape (n,); jax.vmap calls them one after the other. Positions and counts are int32, for jax.numpy has no 64 bits unless it is told to; with
jax_enable_x64 they are int64. Lengths are below 2^31. On a platform without a GPU XLA says that the call is not implemented there.
"""
from __future__ import annotations

import ctypes
import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy

from . import _core
from ._native import BallotError

_CALLS = ("sort", "argsort", "cumsum", "compact", "nonzero", "reduce_by_key", "topk", "searchsorted")
_OPERATORS = ("plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor")


_registered = False


def register(path=None, platform="CUDA"):
    """Makes the calls known to JAX; the first call does it. path: of libballot_jax.so, if it is not the package's."""
    global _registered
    path = path or pathlib.Path(__file__).parent / "libballot_jax.so"
    if not pathlib.Path(path).exists():
        raise BallotError(f"{path} is not there: this package was built without JAX's headers")
    handlers = ctypes.CDLL(str(path))
    handlers.ballot_jax_use.argtypes = [ctypes.c_void_p]
    handlers.ballot_jax_use(_core.library_address())
    for name in _CALLS:
        jax.ffi.register_ffi_target(f"ballot_{name}", jax.ffi.pycapsule(getattr(handlers, f"ballot_jax_{name}")), platform=platform)
    _registered = True
    return handlers


def _index_type():
    return jnp.int64 if jax.config.jax_enable_x64 else jnp.int32


def _arrays(*given):
    """As JAX takes them: NumPy's may have 64 bits that it cuts, and are not indexed by what is traced."""
    return tuple(map(jnp.asarray, given))


def _like(x, dtype=None, n=None):
    return jax.ShapeDtypeStruct(x.shape if n is None else (n,), dtype or x.dtype)


def _call(name, results, *arrays, **attributes):
    if not _registered:
        register()
    for array in arrays:
        if array.ndim != 1:
            raise ValueError(f"{name}: an array has {array.ndim} dimensions, one is needed (jax.vmap makes rows of it)")
        if array.shape[0] >= 1 << 31:
            raise ValueError(f"{name}: {array.shape[0]} items, less than 2^31 are needed")
        if array.dtype.name not in _core.TYPES and array.dtype.name != "bool":
            raise ValueError(f"{name}: items of type {array.dtype.name} are not supported: {', '.join(_core.TYPES)}, bool")
    return jax.ffi.ffi_call(f"ballot_{name}", results, vmap_method="sequential")(*arrays, **attributes)


def _operator(op):
    if op not in _OPERATORS:
        raise ValueError(f"op is {op!r}: {', '.join(_OPERATORS)}")
    return numpy.int32(_OPERATORS.index(op))


def _same_length(name, x, other_name, other):
    if x.shape != other.shape:
        raise ValueError(f"{name} has shape {x.shape}, {other_name} {other.shape}")


# Derivatives are those of a gather by the positions, which have none themselves: XLA differentiates it further.

def _gather(items, order):
    return jnp.asarray(items).at[order].get(unique_indices=True, mode="promise_in_bounds")


def _gathered(items, tangent, order):
    """(the items, their tangents), by positions that are all different."""
    return _gather(items, order), tangent if tangent.dtype == jax.dtypes.float0 else _gather(tangent, order)


def _none(x):
    """The tangent of integers."""
    return numpy.zeros(x.shape, jax.dtypes.float0)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _sort(keys, descending):
    return _call("sort", _like(keys), keys, descending=bool(descending), nans=numpy.int32(0))


@_sort.defjvp
def _sort_derivative(descending, primals, tangents):
    return _gathered(*primals, *tangents, argsort(*primals, descending))


def sort(keys, descending=False):
    """The keys in order, stable. NaNs come last in both directions. Differentiable."""
    return _sort(*_arrays(keys), descending)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _sort_with_order(keys, descending):
    return _call("argsort", (_like(keys), _like(keys, _index_type())), keys, descending=bool(descending), nans=numpy.int32(0))


@_sort_with_order.defjvp
def _sort_with_order_derivative(descending, primals, tangents):
    order = argsort(*primals, descending)
    ordered, tangent = _gathered(*primals, *tangents, order)
    return (ordered, order), (tangent, _none(order))


def sort_with_order(keys, descending=False):
    """(keys in order, their positions), stable. Differentiable with respect to keys."""
    return _sort_with_order(*_arrays(keys), descending)


def argsort(keys, descending=False):
    """The positions of the keys in sorted order, stable."""
    return sort_with_order(jax.lax.stop_gradient(keys), descending)[1]


def sort_by_key(keys, values, descending=False):
    """(keys in order, values in the order of their keys), stable. values: shape (n, ...). Differentiable with respect to both."""
    keys, values = _arrays(keys, values)
    if values.ndim == 0 or values.shape[:1] != keys.shape[:1]:
        raise ValueError(f"values has shape {values.shape}, keys {keys.shape}: the first axes are not of one length")
    ordered, order = sort_with_order(keys, descending)
    return ordered, values[order]


def _sums(call, items, op):
    if op != "plus" or jnp.issubdtype(items.dtype, jnp.floating):
        return items.dtype
    if not jax.config.jax_enable_x64:
        if items.dtype in (jnp.int32, jnp.uint32, jnp.uint8):
            return items.dtype if items.dtype != jnp.uint8 else jnp.uint32
        raise ValueError(f"{call}: sums of {items.dtype} have 64 bits, which jax_enable_x64 allows; int32, uint32, uint8 and floats have shorter ones")
    return jnp.uint64 if jnp.issubdtype(items.dtype, jnp.unsignedinteger) else jnp.int64


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2, 3))
def _cumsum(items, op, exclusive, reverse):
    return _call("cumsum", _like(items, _sums("cumsum", items, op)), items, op=_operator(op), exclusive=bool(exclusive), reverse=bool(reverse))


def _cumsum_forward(items, op, exclusive, reverse):
    if op != "plus":
        raise ValueError(f"cumsum by {op} has no gradient here")
    return _cumsum(items, op, exclusive, reverse), None


def _cumsum_backward(op, exclusive, reverse, _, gradient):
    return (_cumsum(gradient, op, exclusive, not reverse),)


_cumsum.defvjp(_cumsum_forward, _cumsum_backward)


def cumsum(items, op="plus", exclusive=False, reverse=False):
    """Running sums, or minimum, maximum, bit_and, bit_or, bit_xor. Integers have sums of 64 bits with jax_enable_x64, else int32 and uint32 have their own type. By plus
    differentiable in reverse; those of 16-bit floats are taken in 32 bits and rounded."""
    return _cumsum(*_arrays(items), op, exclusive, reverse)


@jax.custom_jvp
def _compact(items, mask):
    return _call("compact", (_like(items), _like(items, _index_type(), 1)), items, mask)


@_compact.defjvp
def _compact_derivative(primals, tangents):
    items, mask = primals
    positions, count = nonzero(mask)
    is_item = jnp.arange(items.shape[0]) < count
    at = jnp.where(is_item, positions, 0)  # those behind the last one are unspecified

    def kept(x):
        return jnp.where(is_item, jnp.asarray(x)[at], jnp.zeros((), x.dtype))

    tangent = tangents[0]
    return (kept(items), count), (tangent if tangent.dtype == jax.dtypes.float0 else kept(tangent), _none(count))


def compact(items, mask):
    """(the items whose mask is set, in their order, as long as the input; how many they are, shape (1,)). Items behind them are unspecified. Differentiable with respect to
    items."""
    items, mask = _arrays(items, mask)
    _same_length("mask", mask, "items", items)
    return _compact(items, mask)


def nonzero(mask):
    """(the positions where the mask is set, as long as the mask; how many they are, shape (1,)). Items behind them are unspecified."""
    (mask,) = _arrays(mask)
    return _call("nonzero", (_like(mask, _index_type()), _like(mask, _index_type(), 1)), mask)


def reduce_by_key(keys, values, op="plus"):
    """(the first key of each run of equal neighbours, the operator's result of its values, how many runs there are: shape (1,)). As long as the keys; sums as of cumsum."""
    keys, values = _arrays(keys, values)
    _same_length("values", values, "keys", keys)
    results = (_like(keys), _like(values, _sums("reduce_by_key", values, op)), _like(keys, _index_type(), 1))
    return _call("reduce_by_key", results, keys, values, op=_operator(op))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _topk(keys, k, largest):
    return _call("topk", (_like(keys, n=k), _like(keys, _index_type(), k)), keys, largest=bool(largest))


@_topk.defjvp
def _topk_derivative(k, largest, primals, tangents):
    order = _topk(*map(jax.lax.stop_gradient, primals), k, largest)[1]
    found, tangent = _gathered(*primals, *tangents, order)
    return (found, order), (tangent, _none(order))


def topk(keys, k, largest=True):
    """(the k largest keys, their positions), the largest first; or the smallest. Differentiable with respect to keys."""
    (keys,) = _arrays(keys)
    if keys.ndim != 1:
        raise ValueError(f"topk: keys has {keys.ndim} dimensions, one is needed (jax.vmap makes rows of it)")
    if not 0 <= k <= keys.shape[0]:
        raise ValueError(f"k is {k}, keys has {keys.shape[0]} items")
    if k == 0:
        return keys[:0], jnp.zeros(0, _index_type())
    return _topk(keys, k, largest)


def searchsorted(sorted, values, side="left"):
    """How many of the sorted items come before each value ('left'), or do not come after it ('right')."""
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}: left, right")
    sorted, values = _arrays(sorted, values)
    if sorted.dtype != values.dtype:
        raise ValueError(f"values has items of type {values.dtype}, sorted of type {sorted.dtype}")
    return _call("searchsorted", _like(values, _index_type()), jax.lax.stop_gradient(sorted), jax.lax.stop_gradient(values), right=side == "right")
