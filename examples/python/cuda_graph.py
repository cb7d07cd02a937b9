# SPDX-License-Identifier: Apache-2.0
"""A CUDA graph of torch: a selection, a sort and a search are captured once, and replayed with other data."""
import torch

import ballot


def main(n=100_000):
    values = torch.rand(n, device="cuda")
    threshold = torch.tensor(0.5, device="cuda")

    def work():
        chosen = ballot.compact(values, values > threshold)
        # Behind the last chosen value there may be anything; infinity sorts behind all.
        there = torch.arange(n, device="cuda") < chosen.count
        return chosen.count, ballot.sort(torch.where(there, chosen.data, torch.inf))

    work()  # loads the library and its kernels, which cannot be captured
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        count, ordered = work()
    for limit in (0.25, 0.75, 0.5):
        values.uniform_()
        threshold.fill_(limit)
        graph.replay()
        expected = torch.sort(values[values > limit]).values
        assert torch.equal(ordered[:int(count)], expected)
        print(f"above {limit}: {int(count)} of {n}, the smallest is {ordered[0].item():.4f}")


if __name__ == "__main__":
    main()
