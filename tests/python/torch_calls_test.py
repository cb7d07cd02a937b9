# SPDX-License-Identifier: Apache-2.0
"""What ballot.torch refuses, and which calls it makes. With the fake library and a torch that computes nothing; operators_test.py has results."""
import sys
import types as types_
import unittest
from unittest import mock

import fake_torch

torch = sys.modules["torch"] = fake_torch.fake()
from ballot import _sorts
from ballot import torch as operators


def tensor(shape, dtype=torch.float32):
    return fake_torch.Tensor((shape,) if isinstance(shape, int) else shape, dtype)


class TorchCallsTest(unittest.TestCase):
    def test_shapes_of_sort_by_key(self):
        for call in (operators.sort_by_key, lambda keys, values: operators._sort_by_key.fake(keys, values, False)):
            for keys, values, says in ((10, 9, "values has 9 items, keys has 10"), (10, 11, "values has 11 items, keys has 10"), ((2, 5), 10, "keys has 2 dimensions"),
                                       (10, (10, 2), "values has 2 dimensions"), ((2, 5), (2, 5), "keys has 2 dimensions")):
                with self.subTest(keys=keys, values=values), self.assertRaisesRegex(ValueError, says):
                    call(tensor(keys), tensor(values))

    def test_values_of_every_type(self):
        for name in fake_torch.DTYPES:
            if name != "complex64":
                real = operators.sort_by_key(tensor(10), tensor(10, getattr(torch, name)))
                fake = operators._sort_by_key.fake(tensor(10), tensor(10, getattr(torch, name)), False)
                self.assertEqual([(x.shape, x.dtype) for x in real], [(x.shape, x.dtype) for x in fake[:2]])

    def test_gradients_of_those_that_need_one(self):
        # torch hands in zeros for a result without a gradient, and scatters none of the longer unsigned ones.
        for needs in ((False, True), (True, False), (True, True)):
            types = [torch.float32 if need else torch.uint32 for need in needs]
            context = types_.SimpleNamespace(saved_tensors=(tensor(10, torch.int64),), needs_input_grad=(*needs, False))
            found = operators._sort_by_key_backward(context, *(tensor(10, dtype) for dtype in types), None)
            self.assertEqual([x is not None for x in found], [*needs, False])

    def test_zeros_are_equal(self):
        with mock.patch.object(_sorts, "argsort", wraps=_sorts.argsort) as argsort:
            operators.sort(tensor(10)), operators.argsort(tensor(10)), operators.sort_by_key(tensor(10), tensor(10))
        self.assertEqual([call.kwargs["zeros"] for call in argsort.call_args_list], ["equal"] * 3)


if __name__ == "__main__":
    unittest.main()
