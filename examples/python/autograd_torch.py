# SPDX-License-Identifier: Apache-2.0
"""Gradients through sorts and sums: samples are moved until they have the quantiles of a distribution (the Wasserstein distance of one dimension)."""
import sys

import torch

from ballot import torch as ballot_torch


def distance(samples, wanted):
    """Of two sets of equally many samples. The gradient of each sample pulls it to the wanted one of its rank."""
    return (ballot_torch.sort(samples)[0] - ballot_torch.sort(wanted)[0]).square().mean()


def main(device="cuda", n=512):
    torch.manual_seed(0)
    samples = torch.rand(n, device=device).requires_grad_()
    wanted = torch.randn(n, device=device) * 2 + 5
    optimizer = torch.optim.SGD([samples], lr=0.2 * n)
    first = None
    for _ in range(30):
        optimizer.zero_grad()
        loss = distance(samples, wanted)
        loss.backward()
        optimizer.step()
        first = loss.item() if first is None else first
    assert loss.item() < first * 1e-3, (first, loss.item())
    print(f"distance {first:.3f} -> {loss.item():.6f}; mean {samples.mean().item():.2f}, deviation {samples.std().item():.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
