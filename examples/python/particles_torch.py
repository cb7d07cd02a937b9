# SPDX-License-Identifier: Apache-2.0
"""A step of a particle simulation with torch: the living particles are kept, and sorted by cell. How many live stays on the GPU, so no step waits for it.

Shapes never change: arrays keep their capacity, and cells of dead particles are a number behind all others.
"""
import sys

import torch

import ballot

CELLS = 64  # along an axis


def step(position, velocity, alive_until, time, dt=0.01):
    """position, velocity (n, 2); alive_until (n,): moves, drops the dead, sorts by cell. Returns them, the begin of each cell, and the count of the living."""
    position = (position + velocity * dt) % 1.0
    position = torch.where(position < 1.0, position, 0.0)  # of a tiny negative number the remainder is rounded to 1
    alive = alive_until > time
    columns = ballot.compact((position[:, 0].contiguous(), position[:, 1].contiguous(), velocity[:, 0].contiguous(), velocity[:, 1].contiguous(), alive_until), alive)
    x, y, u, v, until = columns.data
    is_there = torch.arange(len(x), device=x.device) < columns.count  # on the device, without a wait
    cells = (y * CELLS).to(torch.int32) * CELLS + (x * CELLS).to(torch.int32)
    cells = torch.where(is_there, cells, CELLS * CELLS).to(torch.int32)
    until = torch.where(is_there, until, -1.0)
    cells, order = ballot.argsort(cells, return_keys=True, index="int32", bits=(0, 13))
    begins = ballot.searchsorted(cells, torch.arange(CELLS * CELLS + 1, device=x.device, dtype=torch.int32), index="int32")
    items = torch.stack([x, y, u, v], 1)
    items = ballot.take(items, order)
    return items[:, :2], items[:, 2:], ballot.take(until, order), begins, columns.count


def main(device="cuda", n=10_000):
    torch.manual_seed(0)
    position, velocity = torch.rand(n, 2, device=device), torch.randn(n, 2, device=device)
    alive_until = torch.rand(n, device=device)
    expected = alive_until
    for i in range(3):
        position, velocity, alive_until, begins, count = step(position, velocity, alive_until, time=0.1 * i)
    # Only now, for the test: the count is read.
    living = int((expected > 0.2).sum())
    assert int(count) == living == int(begins[-1]), (int(count), living, int(begins[-1]))
    cells = (position[:living, 1] * CELLS).int() * CELLS + (position[:living, 0] * CELLS).int()
    assert bool((cells[1:] >= cells[:-1]).all())
    print(f"{living} of {n} particles live, the fullest cell has {int((begins[1:] - begins[:-1]).max())}")


if __name__ == "__main__":
    main(*sys.argv[1:])
