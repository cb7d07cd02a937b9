# SPDX-License-Identifier: Apache-2.0
"""ballot.jax: results, inside jax.jit, gradients, vmap, errors. On the GPU; or on the CPU with BALLOT_TEST_EMULATED, by the handlers over tests/python/jax_on_host.

  jax_test.py [HANDLERS]
"""
import ctypes
import os
import sys
import unittest

EMULATED = bool(os.environ.get("BALLOT_TEST_EMULATED"))
if EMULATED:
    os.environ["JAX_PLATFORMS"] = "cpu"
try:
    import jax
    import jax.numpy as jnp
    import numpy
except ImportError:
    print("not run: JAX is not here")
    sys.exit(77)
if not EMULATED and not any(device.platform == "gpu" for device in jax.devices()):
    print("not run: JAX has no GPU here")
    sys.exit(77)

from ballot import jax as calls

RANDOM = numpy.random.default_rng(3)


class JaxTest(unittest.TestCase):
    def same(self, got, expected):
        self.assertEqual(numpy.asarray(got).dtype, numpy.asarray(expected).dtype)
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(expected))

    def numbers(self, dtype, n):
        x = RANDOM.integers(0, 50, n).astype(dtype)
        return jnp.asarray(x), x

    def test_sorts(self):
        for dtype in ("int32", "uint8", "int16", "float32", "float16", "bool"):
            for n in (1, 33, 5000):
                a, x = self.numbers(dtype, n)
                order = numpy.argsort(x, kind="stable").astype("int32")
                for transform in (lambda f: f, jax.jit):
                    self.same(transform(calls.sort)(a), x[order])
                    self.same(transform(calls.argsort)(a), order)
                self.same(calls.sort(a, True), numpy.sort(x)[::-1])
        keys, values = calls.sort_by_key(a, jnp.arange(n * 2).reshape(n, 2))
        self.same(values, numpy.arange(n * 2, dtype="int32").reshape(n, 2)[order])

    def test_sums(self):
        for dtype, sums in (("int32", "int32"), ("uint32", "uint32"), ("uint8", "uint32"), ("float32", "float32")):
            a, x = self.numbers(dtype, 1000)
            self.same(jax.jit(calls.cumsum)(a), numpy.cumsum(x, dtype=sums))
            self.same(calls.cumsum(a, "plus", True), numpy.cumsum(x, dtype=sums) - x.astype(sums))
            self.same(calls.cumsum(a, "plus", False, True), numpy.cumsum(x[::-1], dtype=sums)[::-1])
            self.same(calls.cumsum(a, "maximum"), numpy.maximum.accumulate(x))
        for dtype in (jnp.float16, jnp.bfloat16):
            a = jnp.full(5000, 0.125, dtype)  # in 16 bits the sums would stay behind
            found = jax.jit(calls.cumsum)(a)
            self.assertEqual(found.dtype, dtype)
            self.same(found.astype("float32"), (numpy.arange(1, 5001, dtype="float32") / 8).astype(dtype).astype("float32"))

    def test_selections(self):
        a, x = self.numbers("float32", 1000)
        kept, count = jax.jit(lambda t: calls.compact(t, t > 20))(a)
        self.same(count, numpy.array([(x > 20).sum()], dtype="int32"))
        self.same(kept[:int(count[0])], x[x > 20])
        positions, count = calls.nonzero(a > 20)
        self.same(positions[:int(count[0])], numpy.flatnonzero(x > 20).astype("int32"))

    def test_searches(self):
        a, x = self.numbers("int32", 1000)
        keys, positions = jax.jit(calls.topk, static_argnums=1)(a, 7)
        order = (999 - numpy.argsort(x[::-1], kind="stable")[::-1])[:7].astype("int32")
        self.same(keys, x[order])
        self.same(positions, order)
        ordered = numpy.sort(x)
        self.same(calls.searchsorted(jnp.asarray(ordered), a, "right"), numpy.searchsorted(ordered, x, side="right").astype("int32"))
        keys, sums, count = calls.reduce_by_key(jnp.asarray(ordered), a)
        expected, begins = numpy.unique(ordered, return_index=True)
        self.same(keys[:int(count[0])], expected)
        self.same(sums[:int(count[0])], numpy.add.reduceat(x, begins).astype("int32"))

    def test_gradients(self):
        x = jnp.asarray(RANDOM.normal(size=50).astype("float32"))
        weights = jnp.arange(50.0)
        for ours, theirs in ((lambda t: (calls.sort(t) * weights).sum(), lambda t: (jnp.sort(t) * weights).sum()),
                             (lambda t: (calls.cumsum(t) * weights).sum(), lambda t: (jnp.cumsum(t) * weights).sum()),
                             (lambda t: (calls.cumsum(t, "plus", True, True) * weights).sum(), lambda t: ((jnp.cumsum(t[::-1])[::-1] - t) * weights).sum())):
            numpy.testing.assert_allclose(jax.jit(jax.grad(ours))(x), jax.grad(theirs)(x), rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "no gradient"):
            jax.grad(lambda t: calls.cumsum(t, "maximum").sum())(x)

    def test_gradients_by_positions(self):
        x = jnp.asarray(RANDOM.normal(size=50).astype("float32"))
        weights, y = jnp.arange(50.0), x[::-1] * 3

        def pairs(f):
            return lambda t: sum((part * weights[:part.shape[0]]).sum() for part in f(t))

        def theirs_by_key(t):
            order = jnp.argsort(jax.lax.stop_gradient(t))
            return t[order], (y * t)[order]

        def kept(t):
            found, count = calls.compact(t, t > 0)
            return (jnp.where(jnp.arange(50) < count, found, 0),)

        cases = ((pairs(lambda t: calls.sort_with_order(t, True)[:1]), pairs(lambda t: (jnp.sort(t)[::-1],))),
                 (pairs(lambda t: calls.sort_by_key(t, y * t)), pairs(theirs_by_key)),
                 (pairs(lambda t: calls.sort_by_key(jnp.arange(50)[::-1], t)[1:]), pairs(lambda t: (t[::-1],))),
                 (pairs(lambda t: (t[calls.argsort(t)],)), pairs(lambda t: (jnp.sort(t),))),
                 (pairs(kept), pairs(lambda t: (t[t > 0],))),
                 (pairs(lambda t: calls.topk(t, 7)[:1]), pairs(lambda t: jax.lax.top_k(t, 7)[:1])),
                 (pairs(lambda t: (t[calls.topk(t, 7, False)[1]],)), pairs(lambda t: (jnp.sort(t)[:7],))),
                 (pairs(lambda t: (t * calls.searchsorted(jnp.sort(t), t),)), pairs(lambda t: (t * jnp.searchsorted(jnp.sort(t), t),))))
        for i, (ours, theirs) in enumerate(cases):
            with self.subTest(i=i):
                numpy.testing.assert_allclose(jax.grad(ours)(x), jax.grad(theirs)(x), rtol=1e-5)
                if i != 4:  # NumPy's own selection cannot be compiled
                    numpy.testing.assert_allclose(jax.jit(jax.grad(ours))(x), jax.grad(theirs)(x), rtol=1e-5)
                numpy.testing.assert_allclose(jax.jvp(ours, (x,), (weights,))[1], jax.jvp(theirs, (x,), (weights,))[1], rtol=1e-5)

    def test_second_order(self):
        x = jnp.asarray(RANDOM.normal(size=20).astype("float32"))
        weights = jnp.arange(20.0)
        for i, (ours, theirs) in enumerate(((calls.sort, jnp.sort), (lambda t: calls.topk(t, 5)[0], lambda t: jax.lax.top_k(t, 5)[0]), (calls.cumsum, jnp.cumsum),
                                            (lambda t: calls.sort_with_order(t)[0], jnp.sort), (lambda t: calls.compact(t, jnp.ones(20, bool))[0], lambda t: t))):
            def cubes(f):
                return lambda t: ((f(t) ** 3) * weights[:f(t).shape[0]]).sum()
            with self.subTest(i=i):
                for way in (lambda f: jax.jacrev(jax.grad(f)), lambda f: jax.jit(jax.jacrev(jax.grad(f)))):
                    numpy.testing.assert_allclose(way(cubes(ours))(x), way(cubes(theirs))(x), rtol=1e-4, atol=1e-4)

    def test_bool_stays_bool(self):
        for op in ("minimum", "bit_and", "maximum", "bit_or"):
            found = numpy.asarray(calls.cumsum(jnp.ones(100, bool), op, True)).view("uint8")
            self.same(found, numpy.concatenate([[op in ("minimum", "bit_and")], numpy.ones(99)]).astype("uint8"))

    def test_arrays_of_numpy(self):
        # Without 64 bits JAX makes 32 of them. Those of a traced function are constants.
        keys, values = numpy.array([3, 1, 2]), numpy.array([0.5, 1.5, 2.5])
        for transform in (lambda f: f, jax.jit):
            for a, b in ((keys, values), (jnp.asarray(keys), values)):
                self.same(transform(lambda t: calls.sort_by_key(t, b))(a)[1], numpy.array([1.5, 2.5, 0.5], dtype="float32"))
                runs, sums, count = transform(lambda t: calls.reduce_by_key(t, b))(a)
                self.same(runs, keys.astype("int32"))
                self.same(sums, values.astype("float32"))
                self.same(transform(lambda t: calls.searchsorted(b, t))(a.astype("float32")), numpy.array([3, 1, 2], dtype="int32"))
        mask = keys > 1
        for transform in (lambda f: f, jax.jit):
            self.same(transform(calls.sort)(keys), numpy.array([1, 2, 3], dtype="int32"))
            self.same(transform(calls.sort)(values), values.astype("float32"))
            self.same(transform(calls.sort_with_order)(keys)[0], numpy.array([1, 2, 3], dtype="int32"))
            self.same(transform(calls.argsort)(keys), numpy.array([1, 2, 0], dtype="int32"))
            self.same(transform(calls.cumsum)(keys), numpy.array([3, 4, 6], dtype="int32"))
            self.same(transform(lambda t: calls.compact(t, mask))(keys)[0][:2], numpy.array([3, 2], dtype="int32"))
            self.same(transform(calls.nonzero)(mask)[0][:2], numpy.array([0, 2], dtype="int32"))

    def test_gradients_of_arrays_of_numpy(self):
        x, weights = RANDOM.normal(size=20).astype("float32"), numpy.arange(20, dtype="float32")
        mask = x > 0
        is_kept = numpy.arange(20) < mask.sum()

        def kept(t, of):
            return jnp.where(is_kept, calls.compact(t, of)[0], 0)

        def gradient(f):
            return jax.grad(lambda t: (f(t) * weights[:f(t).shape[0]]).sum())

        for i, f in enumerate((calls.sort, lambda t: calls.sort_with_order(t)[0], lambda t: calls.sort_by_key(t, t)[1], calls.cumsum,
                               lambda t: calls.topk(t, 5)[0], lambda t: kept(t, mask))):
            with self.subTest(i=i):
                self.same(gradient(f)(x), gradient(f)(jnp.asarray(x)))
                if i != 3:  # its derivative goes in reverse alone
                    self.same(jax.jvp(f, (x,), (weights,))[1], jax.jvp(f, (jnp.asarray(x),), (jnp.asarray(weights),))[1])
        self.same(jax.jit(lambda of: gradient(lambda t: kept(t, of))(x))(mask), gradient(lambda t: kept(t, mask))(jnp.asarray(x)))

    def test_no_items_of_topk(self):
        keys, order = calls.topk(jnp.arange(10.0), 0)
        self.assertEqual((keys.shape, keys.dtype, order.shape, order.dtype), ((0,), "float32", (0,), "int32"))

    def test_vmap(self):
        x = RANDOM.integers(0, 50, (4, 30)).astype("int32")
        self.same(jax.vmap(calls.sort)(jnp.asarray(x)), numpy.sort(x, axis=-1))

    def test_errors(self):
        a = jnp.arange(10)
        for wrong, says in ((lambda: calls.sort(jnp.ones((2, 2))), "2 dimensions"), (lambda: calls.topk(a, 11), "k is 11"), (lambda: calls.cumsum(a, "times"), "op is 'times'"),
                            (lambda: calls.compact(a, a[:5] > 3), "mask has shape"), (lambda: calls.sort_by_key(a, a[:5]), r"values has shape \(5,\), keys \(10,\)"),
                            (lambda: calls.sort_by_key(a, jnp.arange(11)), "values has shape"), (lambda: calls.sort_by_key(a, jnp.zeros(())), "values has shape"),
                            (lambda: calls.reduce_by_key(a, a.astype("int16")), "reduce_by_key: sums of int16"), (lambda: calls.topk(jnp.ones((2, 2)), 1), "2 dimensions"),
                            (lambda: calls.topk(a, -1), "k is -1"), (lambda: calls.searchsorted(a, a * 1.5), "values has items of type float32, sorted of type int32")):
            with self.assertRaisesRegex(ValueError, says):
                wrong()
        keys = jax.random.split(jax.random.key(0), 3)  # of JAX's own type, over two numbers each
        for wrong, says in ((keys, "sort: items of type key<fry> are not supported"), (jnp.zeros(10, "complex64"), "items of type complex64 are not supported: int8, .*bool")):
            with self.assertRaisesRegex(ValueError, says):
                jax.eval_shape(calls.sort, wrong)
        with self.assertRaisesRegex(Exception, "ballot: .*flags"):
            calls.nonzero(jnp.zeros(10)).block_until_ready()


if __name__ == "__main__":
    if EMULATED:
        handlers = calls.register(sys.argv.pop(1), "cpu")
        library = ctypes.CDLL(os.environ["BALLOT_LIBRARY"])
        handlers.ballot_jax_use_memory.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        handlers.ballot_jax_use_memory(*(ctypes.cast(getattr(library, name), ctypes.c_void_p) for name in ("ballot_test_allocate", "ballot_test_free")))
    unittest.main()
