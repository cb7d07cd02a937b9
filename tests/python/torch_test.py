# SPDX-License-Identifier: Apache-2.0
"""With torch on a GPU: streams, graphs, non-contiguous tensors, devices, the allocator."""
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

    def test_long_orders(self):
        for n in ((1 << 22) - 1, 1 << 22, (1 << 22) + 4097):  # from 2^22 items on positions are sorted as 4 bytes and widened
            for dtype in (torch.int32, torch.int64, torch.float32, torch.uint8):
                x = torch.randint(0, 200, (n,), device="cuda").to(dtype) if dtype == torch.uint8 else torch.randint(-1 << 30, 1 << 30, (n,), device="cuda").to(dtype)
                expected = torch.sort(x, stable=True)
                keys, order = ballot.argsort(x, return_keys=True)
                self.assertTrue(torch.equal(keys, expected.values) and torch.equal(order, expected.indices))
                self.assertTrue(torch.equal(ballot.argsort(x), expected.indices))

    def test_long_rows(self):
        x = torch.randint(0, 1000, (5000, 1000), device="cuda", dtype=torch.int32)
        expected = torch.sort(x, stable=True)
        for index, dtype in (("int64", torch.int64), ("int32", torch.int32), ("uint32", torch.uint32)):
            keys, order = ballot.argsort(x, return_keys=True, index=index)
            self.assertTrue(torch.equal(keys, expected.values) and order.dtype == dtype and torch.equal(order.to(torch.int64), expected.indices))

    def test_rows_that_no_block_has_room_for(self):
        for rows, row in ((70, 5000), (64, 20_001), (300, 4609)):
            x = torch.randn(rows, row, device="cuda")
            for keys in (x, torch.randint(0, 50, x.shape, device="cuda"), x.double(), x.to(torch.bfloat16)):
                expected = torch.sort(keys, stable=True, descending=True)
                found, order = ballot.argsort(keys, return_keys=True, descending=True, zeros="equal")
                self.assertTrue(torch.equal(order, expected.indices) and torch.equal(found, expected.values))

    def test_sums_of_short_floats(self):
        for dtype in (torch.float16, torch.bfloat16):
            x = torch.rand(3, 20_000, device="cuda").to(dtype) / 100
            for items in (x, x[0]):
                sums = ballot.cumsum(items)
                self.assertEqual(sums.dtype, dtype)
                self.assertTrue(torch.allclose(sums.float(), torch.cumsum(items.float(), -1), rtol=0.01))

    def test_many_values_in_a_long_array(self):  # searched for in order
        items = torch.sort(torch.randint(-10**6, 10**6, (1 << 25,), device="cuda", dtype=torch.int32)).values
        values = torch.randint(-10**6 - 9, 10**6 + 9, (2, 300_000), device="cuda", dtype=torch.int32)
        for side in ("left", "right"):
            expected = torch.searchsorted(items, values, side=side)
            for index in ("int64", "int32", "uint64"):
                found = ballot.searchsorted(items, values, side=side, index=index)
                self.assertTrue(torch.equal(found.to(torch.int64), expected))
        self.assertTrue(torch.equal(ballot.searchsorted(items.flip(0), values, descending=True), items.numel() - torch.searchsorted(items, values, side="right")))

    def test_on_the_host(self):
        with self.assertRaisesRegex(ValueError, "keys is a tensor in the host's memory"):
            ballot.sort(torch.zeros(3))

    def test_on_another_device(self):
        if torch.cuda.device_count() < 2:
            self.skipTest("there is one GPU")
        x = torch.randint(0, 1000, (1000,), device="cuda:1", dtype=torch.int32)
        self.assertTrue(torch.equal(ballot.sort(x), torch.sort(x).values))
        with self.assertRaisesRegex(ValueError, "values is on device 0, keys on 1"):
            ballot.sort_by_key(x, x.to("cuda:0"))

    def test_scratch_goes_back(self):
        x = torch.randint(0, 1000, (1 << 20,), device="cuda", dtype=torch.int32)
        before = torch.cuda.memory_allocated()
        out = ballot.sort(x)
        self.assertEqual(torch.cuda.memory_allocated() - before, out.numel() * 4)


if __name__ == "__main__":
    if torch is None or not torch.cuda.is_available():
        print("not run: torch with a GPU is not here")
        sys.exit(77)
    import ballot
    unittest.main()
