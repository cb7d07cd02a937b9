# SPDX-License-Identifier: Apache-2.0
"""Operators for torch: torch.ops.ballot.sort, argsort, cumsum, with what torch.compile and autograd need.

    from ballot import torch as ballot_torch
    values, order = ballot_torch.sort(keys)            # differentiable with respect to keys
    sums = ballot_torch.cumsum(x)                      # its gradient is the sum from the end
"""
import torch

from . import _scans, _sorts


@torch.library.custom_op("ballot::sort", mutates_args=())
def _sort(keys: torch.Tensor, descending: bool) -> tuple[torch.Tensor, torch.Tensor]:
    return _sorts.argsort(keys, descending=descending, return_keys=True)


@_sort.register_fake
def _(keys, descending):
    return torch.empty_like(keys, memory_format=torch.contiguous_format), torch.empty(keys.shape, dtype=torch.int64, device=keys.device)


def _sort_setup(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])


def _sort_backward(ctx, gradient, _):
    (order,) = ctx.saved_tensors
    return torch.empty_like(gradient).scatter_(-1, order, gradient), None


_sort.register_autograd(_sort_backward, setup_context=_sort_setup)


@torch.library.custom_op("ballot::cumsum", mutates_args=())
def _cumsum(items: torch.Tensor, reverse: bool) -> torch.Tensor:
    return _scans.cumsum(items, reverse=reverse)


@_cumsum.register_fake
def _(items, reverse):
    dtype = items.dtype
    if not dtype.is_floating_point:
        dtype = torch.uint64 if dtype in (torch.uint8, torch.uint16, torch.uint32, torch.uint64) else torch.int64
    return torch.empty(items.shape, dtype=dtype, device=items.device)


def _cumsum_setup(ctx, inputs, output):
    ctx.reverse = inputs[1]


def _cumsum_backward(ctx, gradient):
    return _cumsum(gradient.contiguous(), not ctx.reverse), None


_cumsum.register_autograd(_cumsum_backward, setup_context=_cumsum_setup)


def sort(keys, descending=False):
    """(sorted keys, their positions), along the last axis; as torch.sort(stable=True). Differentiable; NaNs come last in both directions."""
    return _sort(keys, descending)


def argsort(keys, descending=False):
    """The positions of the keys in sorted order, along the last axis."""
    return _sort(keys, descending)[1]


def cumsum(items, reverse=False):
    """Running sums along the last axis, from the end if `reverse`. Differentiable."""
    return _cumsum(items, reverse)
