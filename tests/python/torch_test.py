# SPDX-License-Identifier: Apache-2.0
"""With torch on a GPU: streams, graphs, non-contiguous tensors, operators for compile and autograd."""
import sys
import unittest

try:
    import torch
except ImportError:
    torch = None


class TorchTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_the_current_stream(self):
        x = torch.randint(0, 1000, (1 << 22,), device="cuda", dtype=torch.int32)
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            y = x + 1
            out = ballot.sort(y)
            self.assertFalse(stream.query())  # it did not wait
        stream.synchronize()
        self.assertTrue(torch.equal(out, torch.sort(x + 1).values))

    def test_graphs(self):
        x = torch.randint(0, 1000, (100_000,), device="cuda", dtype=torch.int32)
        mask = x > 500
        ballot.sort(x), ballot.compact(x, mask), ballot.cumsum(x)  # the library and its kernels are loaded
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = ballot.sort(x)
            found = ballot.compact(x, x > 500)
            sums = ballot.cumsum(x)
        for seed in range(3):
            x.copy_(torch.randint(0, 1000, x.shape, device="cuda", dtype=torch.int32))
            graph.replay()
            self.assertTrue(torch.equal(out, torch.sort(x).values))
            self.assertTrue(torch.equal(found.trim(), x[x > 500]))
            self.assertTrue(torch.equal(sums, torch.cumsum(x, 0)))

    def test_tensors_that_are_not_contiguous(self):
        x = torch.randn(100, 50, device="cuda").t()
        self.assertTrue(torch.equal(ballot.sort(x), torch.sort(x).values))

    def test_on_the_host(self):
        with self.assertRaisesRegex(ValueError, "keys is a tensor in the host's memory"):
            ballot.sort(torch.zeros(3))

    def test_gradients(self):
        x = torch.randn(7, 33, device="cuda", dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(lambda t: operators.sort(t)[0], (x,)))
        self.assertTrue(torch.autograd.gradcheck(lambda t: operators.cumsum(t), (x,)))
        self.assertTrue(torch.autograd.gradcheck(lambda t: operators.cumsum(t, reverse=True), (x,)))

    def test_operators(self):
        x = torch.randn(1000, device="cuda")
        torch.library.opcheck(torch.ops.ballot.sort, (x, False))
        torch.library.opcheck(torch.ops.ballot.cumsum, (x, True))
        values, order = operators.sort(x, descending=True)
        expected = torch.sort(x, descending=True, stable=True)
        self.assertTrue(torch.equal(values, expected.values) and torch.equal(order, expected.indices))

    def test_compile(self):
        function = torch.compile(lambda t: operators.cumsum(operators.sort(t * 2)[0]), fullgraph=True)
        x = torch.randint(0, 50, (1000,), device="cuda").double()
        self.assertTrue(torch.equal(function(x), torch.cumsum(torch.sort(x * 2).values, 0)))


if __name__ == "__main__":
    if torch is None or not torch.cuda.is_available():
        print("not run: torch with a GPU is not here")
        sys.exit(77)
    import ballot
    from ballot import torch as operators
    unittest.main()
