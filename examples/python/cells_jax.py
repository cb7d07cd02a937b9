# SPDX-License-Identifier: Apache-2.0
"""Inside jax.jit: points are sorted by cell, counted and averaged by cell, and the fullest cells are found."""
import jax
import jax.numpy as jnp

from ballot import jax as ballot_jax

CELLS = 256


@jax.jit
def means(x, values):
    """x in [0, 1), values (n,): for each cell that has points its number, how many they are, and the mean of their values; and how many such cells there are."""
    cells, order = ballot_jax.sort_with_order((x * CELLS).astype(jnp.int32))
    found, sums, count = ballot_jax.reduce_by_key(cells, values[order])
    _, sizes, _ = ballot_jax.reduce_by_key(cells, jnp.ones_like(cells))
    is_there = jnp.arange(len(x)) < count  # what is behind the last cell is unspecified
    sizes = jnp.where(is_there, sizes, 0)
    return found, sizes, jnp.where(is_there, sums / jnp.maximum(sizes, 1), 0), count


def main(n=5_000):
    x, values = jax.random.uniform(jax.random.key(0), (n,)), jax.random.normal(jax.random.key(1), (n,))
    found, sizes, averages, count = means(x, values)
    fullest, where = ballot_jax.topk(sizes, 3)
    assert int(sizes.sum()) == n
    cells = (x * CELLS).astype(jnp.int32)
    for size, i in zip(fullest.tolist(), where.tolist()):
        inside = values[cells == found[i]]
        assert len(inside) == size and abs(float(inside.mean() - averages[i])) < 1e-4
        print(f"cell {int(found[i])}: {size} points, mean {float(averages[i]):.3f}")


if __name__ == "__main__":
    main()
