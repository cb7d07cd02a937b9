#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what ballot_bench_distributed measured as Markdown, with the times that the model of docs/scaling.md expects.

    ballot_bench_distributed > RESULTS.json;  bench/scaling_report.py RESULTS.json [--card h100]

--card: h200, the default, or h100.

The model is of sorts of uniform keys on GPUs of one host. Its parts are those of one GPU and one link, in the first
tables of docs/scaling.md. Efficiency: of weak scaling, the time of one GPU with as many items as each GPU has; of
strong scaling, the time of one GPU with all of them divided by the number of GPUs; by the time of all.
"""
import argparse
import json
import math
import sys

# Milliseconds of one GPU for 2^28 items: the first read, which counts and collects candidates; from then on until up to 7
# splitters are known, or up to 15; the split into stretches by as many, with its preparation; a sort on one device of
# 2^28, 2^27, 2^26 and 2^25 items.
H200_PARTS = {
    "sort.u32": {"bytes": 4, "count": 0.42, "splitters": (0.27, 0.48), "split": (0.94, 1.13),
                 "sort": {28: 3.38, 27: 1.77, 26: 0.91, 25: 0.50}},
    "sort.u64": {"bytes": 8, "count": 0.66, "splitters": (0.47, 0.74), "split": (1.33, 1.72),
                 "sort": {28: 5.32, 27: 2.83, 26: 1.47, 25: 0.79}},
    "sort_pairs.u32.u32": {"bytes": 8, "count": 0.41, "splitters": (0.30, 0.50), "split": (1.35, 1.48),
                           "sort": {28: 5.12, 27: 2.51, 26: 1.29, 25: 0.68}},
}
# Measured before later levels looked at fewer candidates, with up to 7 splitters. For up to 15 the levels are taken to be
# as quick, and the splits are estimated.
H100_PARTS = {
    "sort.u32": {"bytes": 4, "count": 0.42, "splitters": (0.34, 0.34), "split": (0.95, 1.20),
                 "sort": {28: 3.97, 27: 1.99, 26: 0.99, 25: 0.52}},
    "sort.u64": {"bytes": 8, "count": 0.83, "splitters": (0.69, 0.69), "split": (1.74, 2.10),
                 "sort": {28: 6.38, 27: 3.23, 26: 1.69, 25: 0.85}},
    "sort_pairs.u32.u32": {"bytes": 8, "count": 0.44, "splitters": (0.34, 0.34), "split": (1.59, 1.85),
                           "sort": {28: 6.16, 27: 3.06, 26: 1.53, 25: 0.87}},
}
CARDS = {"h200": H200_PARTS, "h100": H100_PARTS}
LINK_GB_PER_S = {"copies": 394, "messages": 334}
# The same beside a sort, from pieces that were waited for on four GPUs.
BESIDE_GB_PER_S = {"copies": 378, "messages": 210}
# The part of its speed that a sort loses while bytes go over the link beside it. Copies take memory bandwidth, messages
# of NCCL multiprocessors, too. Fitted to sorts on two GPUs.
LOST_BESIDE = {"copies": 0.2, "messages": 0.5}
MOST_SPLITTERS = 15


def sort_ms(parts, items):
    """A sort on one device: between and beyond what was measured, straight lines of time over items."""
    sizes = sorted((2.0 ** k, ms) for k, ms in parts["sort"].items())
    i = max(1, min(len(sizes) - 1, sum(size < items for size, _ in sizes)))
    (n0, t0), (n1, t1) = sizes[i - 1], sizes[i]
    return max(0.0, t0 + (t1 - t0) * (items - n0) / (n1 - n0))


def pieces_of(ranks):
    """How many pieces a rank's block arrives in: as many as the fast split has room for, four at most."""
    return max(1, min(4, (MOST_SPLITTERS + 1) // ranks))


def model_ms(name, items, ranks, exchange, card="h200"):
    """A sort of `items` uniform keys over `ranks` GPUs, in milliseconds; None of what the model does not know."""
    parts = CARDS[card].get(name)
    if parts is None:
        return None
    each = items / ranks
    if ranks == 1:
        return sort_ms(parts, each)
    pieces = pieces_of(ranks)
    size = each / 2 ** 28
    many = 0 if ranks * pieces <= 8 else 1
    ms = (parts["count"] + parts["splitters"][many] + parts["split"][many]) * size
    link = each * parts["bytes"] * (ranks - 1) / ranks / (LINK_GB_PER_S[exchange] * 1e6)
    shares = [2 ** i / (2 ** pieces - 1) for i in range(pieces)]  # each piece is twice the one before
    ms += link * shares[0]
    for i, share in enumerate(shares):
        following = link * shares[i + 1] if i + 1 < pieces else 0
        beside = following * LINK_GB_PER_S[exchange] / BESIDE_GB_PER_S[exchange]
        ms += max(sort_ms(parts, each * share) + LOST_BESIDE[exchange] * following, beside)
    return ms


def power(items):
    return f"2^{int(math.log2(items))}" if items & (items - 1) == 0 else str(items)


def table(runs, exchange, card):
    """The rows of one call and one kind of scaling."""
    yield "| items | GPUs | keys | ms | the model | efficiency | G items/s | sent, of (R - 1) / R |"
    yield "|---|---|---|---|---|---|---|---|"
    for run in runs:
        expected = model_ms(run["name"], run["items"], run["ranks"], exchange, card) if run["keys"] == "uniform" else None
        moved = run["items"] / run["ranks"] * run["item_bytes"] * (run["ranks"] - 1) / run["ranks"]
        is_sort = run["name"].startswith("sort")
        yield " | ".join([
            "| " + power(run["items"]), str(run["ranks"]), run["keys"], f"{run['ms']:.3g}",
            "" if expected is None else f"{expected:.3g}",
            "" if run["one_gpu_ms"] is None or run["ranks"] == 1 else f"{run['efficiency']:.2f}",
            f"{run['Gitems_per_s']:.0f}", f"{run['sent_bytes'] / moved:.2f}" if moved and is_sort else ""]) + " |"


EXCHANGES = {"memory": ("In shared memory", "copies"), "nccl": ("By messages of NCCL", "messages")}


def report(runs, card="h200"):
    lines = []
    for exchange, (title, model) in EXCHANGES.items():
        by_it = [run for run in runs if run["exchange"] == exchange]
        if by_it:
            lines += [title + ".", "", *of_exchange(by_it, model, card)]
    return "\n".join(lines).rstrip() + "\n"


def of_exchange(runs, exchange, card):
    for name in dict.fromkeys(run["name"] for run in runs):
        for scaling, what in (("weak", "as many items a GPU"), ("strong", "as many items in all")):
            those = [run for run in runs if run["name"] == name and run["scaling"] == scaling]
            if those:
                yield from (f"`{name}`, {what}:", "", *table(those, exchange, card), "")
    for run in runs:
        if run["name"] == "sort.u32" and run["scaling"] == "weak" and run["ranks"] > 1 and run["keys"] == "uniform":
            steps = ", ".join(f"{step} {ms:.2f}" for step, ms in run["phases_ms"])
            yield from (f"Steps of `sort.u32` on {run['ranks']} GPUs at rank 0, ms: {steps}", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--card", choices=sorted(CARDS), default="h200")
    given = parser.parse_args()
    try:
        with open(given.results, encoding="utf-8") as file:
            runs = json.load(file)
        runs = runs["runs"] if isinstance(runs, dict) else runs
        print(report(runs, given.card), end="")
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        sys.exit(f"scaling_report.py: {given.results} holds no results of ballot_bench_distributed: {wrong!r}")


if __name__ == "__main__":
    main()
