# SPDX-License-Identifier: Apache-2.0
"""Sums, counts and means of groups with CuPy, as `SELECT city, count(*), sum(price) GROUP BY city`, and the three groups with the largest sums."""
import cupy

import ballot


def group_by(keys, values):
    """keys, values (n,): Counted of (keys, sums), and Counted of (keys, lengths), both in the order of the keys."""
    keys, values = ballot.sort_by_key(keys, values)
    return ballot.reduce_by_key(keys, values), ballot.run_length_encode(keys)


def main(n=100_000, groups=50):
    random = cupy.random.default_rng(1)
    keys = random.integers(0, groups, n).astype("int32")
    values = random.integers(0, 1000, n).astype("int64")
    sums, lengths = group_by(keys, values)
    # trim() waits for the number of groups; without it the arrays have room for all, and the count is on the GPU.
    cities, prices = sums.trim()
    _, counts = lengths.trim()
    assert cities.tolist() == list(range(groups))
    assert prices.tolist() == [int(values[keys == city].sum()) for city in range(groups)]
    assert counts.tolist() == ballot.bincount(keys, groups).tolist()
    best, where = ballot.topk(prices, 3)
    for price, city in zip(best.tolist(), cities[where].tolist()):
        print(f"city {city}: {int(counts[city])} sales, {price} in all, {price / int(counts[city]):.1f} on average")


if __name__ == "__main__":
    main()
