#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the results of ballot_bench as SVG: the plots of the documentation.

  plots.py RESULTS.json [--to DIR] [--mode call|burst|graph] [--only GLOB]...

Each operation has a plot of throughput over n: every contender is a line, the copy is the ceiling. `overview.svg` has, for each
operation at its largest n, the ratio to the best peer and the share of the copy's speed. Values are medians of the
repetitions. The same results give the same bytes. Needs matplotlib (Debian, Ubuntu: python3-matplotlib).
"""
import argparse
import fnmatch
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402

COLOURS = {"ballot": "#c2410c", "cub": "#4d7c0f", "thrust": "#0e7490", "cub_newest": "#84cc16", "thrust_newest": "#22d3ee", "copy": "#737373"}
OTHERS = ("#7c3aed", "#be185d", "#a16207", "#1d4ed8", "#047857", "#9f1239", "#57534e", "#0369a1",
          "#65a30d", "#c026d3")


LONGEST_BAR = 5  # of the overview: longer ones end there, with their value


def pyplot():
    try:
        import matplotlib
    except ImportError:
        sys.exit("plots: needs matplotlib (package python3-matplotlib)")
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({
        "svg.hashsalt": "ballot", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e5e5e5",
        "axes.axisbelow": True, "legend.frameon": False, "figure.facecolor": "white"})
    return plt


def colour_of(name, names):
    return COLOURS.get(name) or OTHERS[[n for n in names if n not in COLOURS].index(name) % len(OTHERS)]


def save(plt, figure, path):
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return path


def physical_limit(context):
    """Returns the bytes a second that the device's memory can move at its highest clock, two transfers a cycle; None if unknown."""
    try:
        return 2e3 * int(str(context["memory_clock"]).split()[0]) * int(context["memory_bus_bits"]) / 8 or None
    except (KeyError, ValueError):
        return None


def draw_operation(plt, operation, rows, heading, limit, path):
    """Plots throughput over n: in keys for sorts, in threads for operations in registers, in bytes for everything else."""
    threads = any(report.GENERATOR in row.contenders for row in rows)
    keys = "sort" in operation or threads
    names = list(dict.fromkeys(name for row in rows for name in row.contenders))
    figure, axes = plt.subplots(figsize=(5.6, 3.2))
    for name in names:
        if keys and name == report.CEILING:
            continue  # a sort of several passes cannot reach the speed of a copy of as many bytes
        points = [(row.n, row.contenders[name]) for row in rows if name in row.contenders]
        rates = [report.statistics.median(m.items_per_second if keys else m.bytes_per_second) / 1e9 for _, m in points]
        axes.plot([n for n, _ in points], rates, label=name, color=colour_of(name, names), marker="o", markersize=3.5,
                  linewidth=2.2 if name == report.OURS else 1.3, linestyle="--" if name == report.CEILING else "-",
                  zorder=3 if name == report.OURS else 2)
    if limit and not keys:
        axes.axhline(limit / 1e9, color="#a3a3a3", linewidth=0.8, linestyle=":", label="memory's limit")
    sizes = sorted({row.n for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [report.size_text(n) for n in sizes])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("threads" if threads else "items")
    axes.set_ylabel("10⁹ threads/s" if threads else "10⁹ keys/s" if keys else "GB/s")
    axes.set_title(operation, loc="left", fontweight="bold")
    axes.set_title(heading, loc="right", fontsize=6.5, color="#737373")
    axes.legend(loc="upper left", ncols=2)
    return save(plt, figure, path)


def draw_overview(plt, rows, heading, path):
    """Plots each operation at its largest n: the speed of ballot by that of the best peer, and by that of the copy."""
    largest = {}
    for row in rows:
        if row.ours and (row.operation not in largest or row.n > largest[row.operation].n):
            largest[row.operation] = row
    bars = []
    for row in largest.values():
        peer = row.best_peer()
        ratio = row.ratio_to(peer) if peer else None
        share = None if "sort" in row.operation else row.ratio_to(report.CEILING)
        if ratio is not None or share is not None:
            bars.append((f"{row.operation}, {report.size_text(row.n)}", ratio, share))
    bars.reverse()  # the first on top
    figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.36 * len(bars)))
    for at, (_, ratio, share) in enumerate(bars):
        for offset, value, colour in ((0.18, ratio, COLOURS["ballot"]), (-0.18, share, COLOURS["copy"])):
            if value is not None:
                axes.barh(at + offset, min(value, LONGEST_BAR), height=0.34, color=colour)
                axes.text(min(value, LONGEST_BAR) + 0.01, at + offset, f"{value:.2f}", va="center", fontsize=7)
    axes.axvline(1, color="#171717", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axes.grid(axis="y", visible=False)
    axes.legend(handles=[plt.Rectangle((0, 0), 1, 1, color=COLOURS["ballot"]), plt.Rectangle((0, 0), 1, 1, color=COLOURS["copy"])],
                labels=["speed by that of the best peer", "share of the speed of a copy"], loc="lower right",
                bbox_to_anchor=(1, 1), ncols=2, fontsize=7)
    axes.set_xlabel(heading, fontsize=6.5, color="#737373", loc="left")
    return save(plt, figure, path)


def draw(results, to, mode="call", only=()):
    """Draws the plots and returns their paths."""
    context, rows = report.load(results)
    rows = [row for row in rows if row.mode == mode and
            (not only or any(fnmatch.fnmatchcase(row.operation, glob) for glob in only))]
    if not rows:
        raise report.Unusable(f"{results}: no measurement of the requested operations and mode")
    plt = pyplot()
    to.mkdir(parents=True, exist_ok=True)
    heading = report.heading({key: context[key] for key in ("gpu", "commit", "date") if key in context})
    made = []
    for operation in dict.fromkeys(row.operation for row in rows):
        path = to / (re.sub(r"[^a-z0-9]+", "-", operation.lower()).strip("-") + ".svg")
        made.append(draw_operation(plt, operation, [row for row in rows if row.operation == operation], heading,
                                   physical_limit(context), path))
    made.append(draw_overview(plt, rows, heading, to / "overview.svg"))
    return made


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("docs/plots"))
    parser.add_argument("--mode", choices=report.MODES, default="call")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB")
    chosen = parser.parse_args(arguments)
    try:
        for path in draw(chosen.results, chosen.to, chosen.mode, chosen.only):
            print(path)
    except report.Unusable as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
