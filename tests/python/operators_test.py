# SPDX-License-Identifier: Apache-2.0
"""The operators of ballot.torch: schemas, fake implementations, gradients, torch.compile. On the GPU, or with BALLOT_TEST_EMULATED on the CPU."""
import os
import sys
import unittest

try:
    import torch
except ImportError:
    print("not run: torch is not here")
    sys.exit(77)
EMULATED = bool(os.environ.get("BALLOT_TEST_EMULATED"))
if not EMULATED and not torch.cuda.is_available():
    print("not run: torch has no GPU here")
    sys.exit(77)
if EMULATED:
    import emulated
    SCRATCH = emulated.use_torch()
import ballot
from ballot import torch as operators

DEVICE = "cpu" if EMULATED else "cuda"


class OperatorsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def numbers(self, *shape, requires_grad=False):
        return torch.randn(*shape, device=DEVICE, dtype=torch.float64, requires_grad=requires_grad)

    def mask(self, n):
        return torch.rand(n, device=DEVICE) > 0.4

    def test_gradients(self):
        rows, x, y = (self.numbers(*shape, requires_grad=True) for shape in ((3, 33), (40,), (40,)))
        mask = self.mask(40)
        count = int(mask.sum())
        for function, inputs in ((lambda t: operators.sort(t)[0], (rows,)), (lambda t: operators.sort(t, descending=True)[0], (x,)), (operators.cumsum, (rows,)),
                                 (lambda t: operators.cumsum(t, reverse=True), (x,)), (lambda k, v: operators.sort_by_key(k, v), (x, y)),
                                 (lambda t: operators.compact(t, mask)[0][:count], (x,))):
            self.assertTrue(torch.autograd.gradcheck(function, inputs))

    def test_gradients_beside_integers(self):
        x = self.numbers(40)
        for name in ("uint8", "uint16", "uint32", "uint64", "int32", "int64", "bool"):
            with self.subTest(type=name):
                integers = (torch.arange(40, device=DEVICE) % 7).to(getattr(torch, name))
                values, keys = x.clone().requires_grad_(), x.clone().requires_grad_()
                (operators.sort_by_key(integers, values)[1] * torch.arange(40, device=DEVICE)).sum().backward()
                (operators.sort_by_key(keys, integers)[0] * torch.arange(40, device=DEVICE)).sum().backward()
                for order, gradient in ((operators.argsort(integers), values.grad), (operators.argsort(x), keys.grad)):
                    self.assertTrue(torch.equal(gradient[order], torch.arange(40, device=DEVICE, dtype=torch.float64)))

    def test_schemas_and_fakes(self):
        x, rows, mask = self.numbers(1000), self.numbers(5, 7), self.mask(1000)
        for operator, arguments in ((torch.ops.ballot.sort, (x, False)), (torch.ops.ballot.sort, (rows, True)), (torch.ops.ballot.sort_by_key, (x, x * 2, False)),
                                    (torch.ops.ballot.cumsum, (rows, True)),
                                    (torch.ops.ballot.sort, (self.numbers(1000, requires_grad=True), False)),
                                    (torch.ops.ballot.cumsum, (self.numbers(4, 4, requires_grad=True), False))):
            with self.subTest(operator=operator, shape=arguments[0].shape):
                torch.library.opcheck(operator, arguments)
        # The contents behind the last item differ from call to call, so all are selected.
        torch.library.opcheck(torch.ops.ballot.compact, (x, torch.ones_like(mask)))
        torch.library.opcheck(torch.ops.ballot.nonzero, (torch.ones_like(mask),))

    def test_fakes_have_the_types_of_results(self):
        from torch._subclasses.fake_tensor import FakeTensorMode
        for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64"):
            x = torch.ones(10, device=DEVICE).to(getattr(torch, name))
            mask = torch.ones(10, dtype=torch.bool, device=DEVICE)
            calls = (lambda t, m: operators.sort(t), lambda t, m: (operators.cumsum(t),), operators.compact, lambda t, m: operators.nonzero(m))
            mode = FakeTensorMode()
            for call in calls:
                with self.subTest(type=name):
                    real = call(x, mask)
                    with mode:
                        fake = call(mode.from_tensor(x), mode.from_tensor(mask))
                    for a, b in zip(real, fake):
                        self.assertEqual((a.dtype, a.shape, a.device.type, a.stride()), (b.dtype, b.shape, b.device.type, b.stride()))

    def test_results(self):
        x = self.numbers(1000)
        values, order = operators.sort(x, descending=True)
        expected = torch.sort(x, descending=True, stable=True)
        self.assertTrue(torch.equal(values, expected.values) and torch.equal(order, expected.indices))
        zeros = torch.tensor([0.0, -0.0, 1.0, 0.0, -0.0], device=DEVICE)
        for descending in (False, True):
            expected = torch.sort(zeros, descending=descending, stable=True)
            self.assertTrue(torch.equal(operators.sort(zeros, descending)[1], expected.indices))
        with self.assertRaisesRegex(ValueError, "values has 999 items"):
            operators.sort_by_key(x, x[:999])
        for name in ("uint16", "uint32", "uint64"):
            given = torch.arange(1000, device=DEVICE).to(getattr(torch, name))
            self.assertTrue(torch.equal(operators.sort_by_key(x, given)[1].to(torch.int64), operators.argsort(x)))
        mask = self.mask(1000)
        kept, count = operators.compact(x, mask)
        self.assertTrue(torch.equal(kept[:int(count)], x[mask]))
        positions, count = operators.nonzero(mask)
        self.assertTrue(torch.equal(positions[:int(count)], torch.nonzero(mask).flatten()))
        keys, values = operators.sort_by_key(x, x * 2)
        self.assertTrue(torch.equal(values, keys * 2))

    @unittest.skipUnless(EMULATED, "tests/python/torch_test.py asks torch's allocator")
    def test_scratch_goes_back(self):
        ballot.sort(self.numbers(5000))
        with self.assertRaises(ValueError):
            ballot.sort(self.numbers(5000), bits=(0, 90))
        self.assertEqual(len(SCRATCH), 0)

    def test_compile(self):
        def function(t):
            kept, count = operators.compact(operators.sort(t * 2)[0], t > 0)
            return operators.cumsum(torch.where(torch.arange(len(t), device=t.device) < count, kept, 0))

        x = self.numbers(1000)
        compiled = torch.compile(function, fullgraph=True, backend="aot_eager" if EMULATED else "inductor")
        self.assertTrue(torch.allclose(compiled(x), function(x)))
        differentiable = torch.compile(lambda t: operators.cumsum(operators.sort(t)[0]).square().sum(), fullgraph=True, backend="aot_eager" if EMULATED else "inductor")
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        differentiable(a).backward()
        torch.cumsum(torch.sort(b).values, 0).square().sum().backward()
        self.assertTrue(torch.allclose(a.grad, b.grad))


if __name__ == "__main__":
    unittest.main()
