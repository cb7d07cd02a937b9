# SPDX-License-Identifier: Apache-2.0
"""Operators for torch: torch.ops.ballot.*, with what torch.compile and autograd need.

    from ballot import torch as ballot_torch
    values, order = ballot_torch.sort(keys)            # differentiable with respect to keys
    sums = ballot_torch.cumsum(x)                      # its gradient is the sum from the end
    kept, count = ballot_torch.compact(x, x > 0)       # as long as x: a shape that the compiler knows

Sorts are torch.sort(stable=True), so -0 and +0 are equal, but for NaNs, which come last in both directions.
The functions of ballot itself take tensors, too, with less time on the host; autograd and the compiler do not see through them.
"""
from __future__ import annotations

import torch
from torch import Tensor

from . import _scans, _searches, _selections, _sorts

_UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)


def _new(like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    return torch.empty(like.shape, dtype=dtype or like.dtype, device=like.device)


def _count(like: Tensor) -> Tensor:
    return torch.empty((1,), dtype=torch.int64, device=like.device)


def _gradient_by(order: Tensor, gradient: Tensor) -> Tensor:
    """To where the items came from: the inverse of the gather along the last axis."""
    return torch.zeros_like(gradient, memory_format=torch.contiguous_format).scatter(-1, order, gradient)


# ---- sort ----

@torch.library.custom_op("ballot::sort", mutates_args=())
def _sort(keys: Tensor, descending: bool) -> tuple[Tensor, Tensor]:
    return _sorts.argsort(keys, descending=descending, zeros="equal", return_keys=True)


@_sort.register_fake
def _sort_fake(keys, descending):
    return _new(keys), _new(keys, torch.int64)


def _sort_setup(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _sort_backward(ctx, gradient, _):
    return _gradient_by(ctx.saved_tensors[0], gradient), None


_sort.register_autograd(_sort_backward, setup_context=_sort_setup)


def sort(keys: Tensor, descending: bool = False) -> tuple[Tensor, Tensor]:
    """(sorted keys, their int64 positions), of the keys' shape, along the last axis. Differentiable."""
    return _sort(keys, descending)


def argsort(keys: Tensor, descending: bool = False) -> Tensor:
    """The int64 positions of the keys in sorted order, along the last axis."""
    return _sort(keys, descending)[1]


# ---- sort_by_key ----

def _require_pairs(keys: Tensor, values: Tensor) -> None:
    for name, x in (("keys", keys), ("values", values)):
        if x.dim() != 1:
            raise ValueError(f"{name} has {x.dim()} dimensions, one is needed")
    # The compiler may not know the lengths.
    torch._check_value(values.shape[0] == keys.shape[0], lambda: f"values has {values.shape[0]} items, keys has {keys.shape[0]}")


@torch.library.custom_op("ballot::sort_by_key", mutates_args=())
def _sort_by_key(keys: Tensor, values: Tensor, descending: bool) -> tuple[Tensor, Tensor, Tensor]:
    _require_pairs(keys, values)
    sorted_keys, order = _sorts.argsort(keys, descending=descending, zeros="equal", return_keys=True)
    return sorted_keys, _searches.take(values, order), order  # torch takes no items of uint16, uint32 and uint64


@_sort_by_key.register_fake
def _sort_by_key_fake(keys, values, descending):
    _require_pairs(keys, values)
    return _new(keys), _new(values), _new(keys, torch.int64)


def _sort_by_key_setup(ctx, inputs, output):
    ctx.save_for_backward(output[2])
    ctx.mark_non_differentiable(output[2])


def _sort_by_key_backward(ctx, of_keys, of_values, _):
    # For integers torch hands in zeros, and it scatters none of uint16, uint32 and uint64.
    (order,) = ctx.saved_tensors
    of_keys, of_values = (_gradient_by(order, g) if needed else None for g, needed in zip((of_keys, of_values), ctx.needs_input_grad))
    return of_keys, of_values, None


_sort_by_key.register_autograd(_sort_by_key_backward, setup_context=_sort_by_key_setup)


def sort_by_key(keys: Tensor, values: Tensor, descending: bool = False) -> tuple[Tensor, Tensor]:
    """(keys in order, values in the order of their keys), both of shape (n,). Differentiable with respect to both."""
    return _sort_by_key(keys, values, descending)[:2]


# ---- cumsum ----

@torch.library.custom_op("ballot::cumsum", mutates_args=())
def _cumsum(items: Tensor, reverse: bool) -> Tensor:
    return _scans.cumsum(items, reverse=reverse)


@_cumsum.register_fake
def _cumsum_fake(items, reverse):
    if items.dtype.is_floating_point:
        return _new(items)
    return _new(items, torch.uint64 if items.dtype in _UNSIGNED else torch.int64)


def _cumsum_setup(ctx, inputs, output):
    ctx.reverse = inputs[1]


def _cumsum_backward(ctx, gradient):
    return _cumsum(gradient.contiguous(), not ctx.reverse), None


_cumsum.register_autograd(_cumsum_backward, setup_context=_cumsum_setup)


def cumsum(items: Tensor, reverse: bool = False) -> Tensor:
    """Running sums along the last axis, from the end if `reverse`; of the items' shape. Integers have sums of 64 bits. Differentiable."""
    return _cumsum(items, reverse)


# ---- compact, nonzero ----

@torch.library.custom_op("ballot::compact", mutates_args=())
def _compact(items: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    found = _selections.compact(items, mask)
    return found.data, found.count


@_compact.register_fake
def _compact_fake(items, mask):
    return _new(items), _count(items)


def _compact_setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[1])
    ctx.mark_non_differentiable(output[1])


def _compact_backward(ctx, gradient, _):
    # A selected item is at its rank, the number of selected ones before it. Items behind the last one have no gradient.
    mask = ctx.saved_tensors[0].to(torch.bool)
    ranks = torch.cumsum(mask, 0) - 1
    return torch.where(mask, gradient[ranks.clamp(min=0)], 0), None


_compact.register_autograd(_compact_backward, setup_context=_compact_setup)


def compact(items: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """(the items whose mask is set, in their order; how many they are: int64 of shape (1,)). Both inputs and the items have shape (n,); those behind the last one are
    unspecified. Differentiable with respect to items."""
    return _compact(items, mask)


@torch.library.custom_op("ballot::nonzero", mutates_args=())
def _nonzero(mask: Tensor) -> tuple[Tensor, Tensor]:
    found = _selections.nonzero(mask)
    return found.data, found.count


@_nonzero.register_fake
def _nonzero_fake(mask):
    return _new(mask, torch.int64), _count(mask)


def nonzero(mask: Tensor) -> tuple[Tensor, Tensor]:
    """(the positions where the mask is set, of shape (n,); how many they are: int64 of shape (1,)). Those behind the last one are unspecified."""
    return _nonzero(mask)
