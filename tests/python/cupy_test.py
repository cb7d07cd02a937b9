# SPDX-License-Identifier: Apache-2.0
"""With CuPy on a GPU: its streams, and CUDA graphs, whose memory nothing else gets while the results live."""
import sys
import unittest

import numpy

try:
    import cupy
except ImportError:
    cupy = None

RANDOM = numpy.random.default_rng(7)


def items(n):
    return RANDOM.integers(0, 1000, n).astype("int32")


class CupyTest(unittest.TestCase):
    def test_streams(self):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            x = cupy.asarray(items(100_000))
            found = ballot.sort(x)
            stream.synchronize()
        self.assertTrue((cupy.asnumpy(found) == numpy.sort(cupy.asnumpy(x))).all())

    def test_graphs(self):
        n = 1 << 20
        with cupy.cuda.Stream(non_blocking=True) as stream:
            x = cupy.asarray(items(n))
            rows = cupy.empty((1024, 2048), dtype="int32")[:, ::2]  # copied by each call

            def work():
                order = ballot.argsort(x, return_keys=True)
                return order, ballot.compact(x, x > 500), ballot.cumsum(rows), ballot.run_length_encode(order[0])

            def check(results, given):
                (ordered, positions), kept, sums, (values, lengths) = results[0], results[1], results[2], results[3].data
                stream.synchronize()
                self.assertTrue((cupy.asnumpy(ordered) == numpy.sort(given)).all())
                self.assertTrue((cupy.asnumpy(positions) == numpy.argsort(given, kind="stable")).all())
                self.assertTrue((cupy.asnumpy(kept.trim()) == given[given > 500]).all())
                wanted = numpy.cumsum(given.reshape(1024, 1024), axis=1, dtype="int64")
                self.assertTrue((cupy.asnumpy(sums) == wanted).all())
                distinct, counts = numpy.unique(given, return_counts=True)
                self.assertTrue((cupy.asnumpy(values)[: len(distinct)] == distinct).all())
                self.assertTrue((cupy.asnumpy(lengths)[: len(distinct)] == counts).all())

            rows[...] = x.reshape(1024, 1024)
            work()  # loads kernels, and leaves memory in the pool: a capture cannot allocate
            work()
            stream.synchronize()
            stream.begin_capture()
            results = work()
            graph = stream.end_capture()
            # Free memory goes to others: if the graph had given its scratch back, they would share it.
            others = [cupy.full(size, 7, dtype="uint8") for size in [1 << bits for bits in range(9, 25)] * 8]
            for _ in range(3):
                given = items(n)
                x.set(given)
                rows[...] = x.reshape(1024, 1024)
                graph.launch(stream)
                check(results, given)
            for other in others:
                self.assertTrue(bool((other == 7).all()))


if __name__ == "__main__":
    if cupy is None:
        print("not run: CuPy is not here")
        sys.exit(77)
    try:
        if cupy.cuda.runtime.getDeviceCount() == 0:
            raise RuntimeError("no device")
    except Exception as problem:  # CuPy's own, without a driver
        print(f"not run: CuPy finds no GPU: {problem}")
        sys.exit(77)
    import ballot
    unittest.main()
