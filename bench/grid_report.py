#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a table of what ballot_bench_grid measured: a line a family and size.

  grid_report.py RESULTS.json [--markdown]     cases, geometric mean of the ratios, the lowest one and its case
  grid_report.py RESULTS.json --cases          and a line a case
  grid_report.py RESULTS.json --baseline OLD   and the cases whose ratio has changed by more than 5 %
  grid_report.py RESULTS.json --check [FILE]   and holds the ratios against the section "grid" of thresholds.json; leaves with 1
                                               where one is missed
  grid_report.py RESULTS.json --accept [FILE]  writes the cases that are below today into that section

The ratio is the time of the fastest peer (of two releases of CUB, and Thrust) by that of ballot: above 1, ballot is faster.

The section: "geometric_mean", the least for each mode over all cases; "lowest", the least for each case, where "noise" (0.97) is
what a measurement may be off; and for each GPU "known_below", the cases that are below, with the ratio they had. Such a case may
not become worse. One that is above 1 today should be taken out, which --accept does. "floors": entries as report.py describes
them, for what the grid alone measures; they hold where a run has such a case.
"""
import argparse
import fnmatch
import json
import math
import pathlib
import sys
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402

MODES = ("call", "graph")
THRESHOLDS = pathlib.Path(__file__).resolve().parent / "thresholds.json"
CHANGED = 0.05


@dataclass
class Case:
    name: str  # FAMILY:CASE, or FAMILY
    n: int
    mode: str
    us: dict  # by contender

    @property
    def family(self):
        return self.name.split(":")[0]

    @property
    def case(self):
        return self.name.partition(":")[2] or "plain"

    @property
    def key(self):
        return f"{self.name}/n:{self.n}/{self.mode}"

    @property
    def peer(self):
        return min((name for name in self.us if report.is_peer(name)), key=self.us.get)

    @property
    def ratio(self):
        return self.us[self.peer] / self.us[report.OURS]


def load(path):
    """The context, and the cases that have a peer, in the order of the file."""
    results = report.read_json(path)
    rows = []
    for i, row in enumerate(report.read_section(path, "grid", list)):
        where = f"{path}: grid[{i}]"
        name, mode, us = (report.field_of(row, key, where) for key in ("case", "mode", "us"))
        n = report.number_of(row, "n", where)
        if not isinstance(name, str) or not isinstance(us, dict):
            raise report.Unusable(f"{where}: no case of ballot_bench_grid")
        for who in us:
            report.number_of(us, who, f"{path}: {name}/n:{n}/{mode}")
        rows.append(Case(name, n, mode, us))
    if results.get("failed"):
        raise report.Unusable(f"{path}: failed in that run:\n  " + "\n  ".join(results["failed"]))
    for row in rows:
        for who, us in row.us.items():
            if not us > 0:
                raise report.Unusable(f"{path}: {row.key}: no time of {who}: {us}")
    rows = [row for row in rows if report.OURS in row.us and any(map(report.is_peer, row.us))]
    if not rows:
        raise report.Unusable(f"{path}: no measurement in it")
    return results.get("context", {}), rows


def geometric_mean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def size_text(n):
    return f"{n:,}".replace(",", " ")


def family_lines(rows):
    lines = [["family", "n", "cases", "below 1", "mean", "lowest", "case", "fastest peer there"]]
    families = list(dict.fromkeys(row.family for row in rows))
    of_line = grouped(rows, lambda row: (families.index(row.family), row.n))
    for (family, n), cases in sorted(of_line.items()):
        worst = min(cases, key=lambda row: row.ratio)
        lines.append([families[family], size_text(n), str(len(cases)), str(sum(row.ratio < 1 for row in cases)),
                      f"{geometric_mean([row.ratio for row in cases]):.2f}", f"{worst.ratio:.2f}", worst.case, worst.peer])
    return lines


def case_lines(rows):
    lines = [["case", "n", "ballot", "fastest peer", "ratio", "peer"]]
    lines += [[row.name, size_text(row.n), f"{row.us[report.OURS]:.1f} us", f"{row.us[row.peer]:.1f} us",
               f"{row.ratio:.2f}", row.peer] for row in rows]
    return lines


def summary(rows):
    ratios = [row.ratio for row in rows]
    below = sum(ratio < 1 for ratio in ratios)
    return f"{len(rows)} cases, geometric mean {geometric_mean(ratios):.3f}, {below} below 1.0, lowest {min(ratios):.2f}"


def aligned(lines, markdown):
    text_columns = {index for index, head in enumerate(lines[0]) if head in ("family", "case", "fastest peer there", "peer", "mode")}
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    texts = []
    for line in lines:
        cells = [text.ljust(width) if column in text_columns else text.rjust(width)
                 for column, (text, width) in enumerate(zip(line, widths))]
        texts.append("| " + " | ".join(cells) + " |" if markdown else "  ".join(cells).rstrip())
    if markdown:
        texts.insert(1, "|" + "|".join("-" * (width + 1) + ("-" if column in text_columns else ":")
                                       for column, width in enumerate(widths)) + "|")
    return "\n".join(texts)


def changed_cases(old_rows, rows):
    """(row, its ratio before) where that differs by more than CHANGED."""
    before = {row.key: row.ratio for row in old_rows}
    return [(row, before[row.key]) for row in rows
            if row.key in before and abs(math.log(row.ratio / before[row.key])) > CHANGED]


def load_section(path):
    """The section "grid" of thresholds.json, with all that a check reads there."""
    wanted = report.read_section(path, "grid", dict)
    where = f"{path}: grid"
    for key in ("lowest", "noise"):
        report.number_of(wanted, key, where)
    for key in ("geometric_mean", "known_below"):
        if not isinstance(report.field_of(wanted, key, where), dict):
            raise report.Unusable(f"{where}: the field \"{key}\" is no object")
    for i, floor in enumerate(wanted.get("floors", ())):
        report.checked_threshold(floor, f"{where}: floors[{i}]")
    return wanted


def check(context, rows, wanted):
    """What is missed, and the known cases that are below no longer."""
    missed = []
    for mode, least in wanted["geometric_mean"].items():
        of_mode = [row.ratio for row in rows if row.mode == mode]
        if of_mode and geometric_mean(of_mode) < least:
            missed.append(f"geometric mean, {mode}: {geometric_mean(of_mode):.3f}, wanted at least {least}")
    known = wanted["known_below"].get(context.get("gpu"), {})
    mended = []
    for row in rows:
        had = known.get(row.key)
        if had is not None and row.ratio >= wanted["lowest"]:
            mended.append(row.key)
        least = wanted["noise"] * (wanted["lowest"] if had is None else had)
        if row.ratio < least:
            missed.append(f"{row.key}: {row.ratio:.3f} to {row.peer}, " +
                          (f"known to be below, but it was {had}" if had is not None else f"wanted at least {least:.2f}"))
    missed += [line for floor in wanted.get("floors", ()) for line in missed_floors(rows, floor)]
    return missed, mended


def missed_floors(rows, floor):
    """A line for each case that is below an entry of the section's floors."""
    mode, peer = floor.get("mode", "call"), floor.get("peer", "cub")
    fitting = [row for row in rows if fnmatch.fnmatchcase(row.name, floor["operation"]) and (row.n, row.mode) == (floor["n"], mode)]
    for row in fitting:
        times = [row.us[name] for name in (peer, peer + report.NEWEST) if name in row.us]
        if times and min(times) / row.us[report.OURS] < floor["at_least"]:
            yield f"{row.key}: {min(times) / row.us[report.OURS]:.3f} to {peer}, wanted at least {floor['at_least']}"


def accept(path, context, rows):
    """Writes the cases that are below into the section; those that were not measured stay. Returns (added, taken out)."""
    load_section(path)
    report.read_section(path, "operations", list)
    thresholds = report.read_json(path)
    wanted = thresholds["grid"]
    known = wanted["known_below"].setdefault(context.get("gpu", "unknown"), {})
    before = set(known)
    for row in rows:
        known.pop(row.key, None)
        if row.ratio < wanted["noise"] * wanted["lowest"] or (row.key in before and row.ratio < wanted["lowest"]):
            known[row.key] = round(row.ratio, 2)
    path.write_text(thresholds_text(thresholds), encoding="utf-8")
    return len(set(known) - before), len(before - set(known))


def thresholds_text(thresholds):
    """As the file is kept: a threshold a line, a known case a line."""
    grid = dict(thresholds["grid"])
    known = grid.pop("known_below")
    gpus = [f"      {json.dumps(gpu)}: {{" + ",".join(f"\n        {json.dumps(key)}: {ratio}" for key, ratio in cases.items()) + "}"
            for gpu, cases in known.items()]
    return ('{\n  "operations": [\n' + ",\n".join("    " + json.dumps(one) for one in thresholds["operations"]) + '\n  ],\n  "grid": {\n' +
            "".join(f"    {json.dumps(key)}: {json.dumps(value)},\n" for key, value in grid.items()) +
            '    "known_below": {' + ("\n" if gpus else "") + ",\n".join(gpus) + "}\n  }\n}\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--baseline", type=pathlib.Path, metavar="OLD.json")
    parser.add_argument("--check", type=pathlib.Path, nargs="?", metavar="FILE", const=THRESHOLDS)
    parser.add_argument("--accept", type=pathlib.Path, nargs="?", metavar="FILE", const=THRESHOLDS)
    chosen = parser.parse_args(arguments)
    try:
        context, rows = load(chosen.results)
        old_rows = load(chosen.baseline)[1] if chosen.baseline else []
        accepted = accept(chosen.accept, context, rows) if chosen.accept else None
        wanted = load_section(chosen.check) if chosen.check else None
    except (report.Unusable, OSError) as error:
        print(f"grid_report: {error}", file=sys.stderr)
        return 2
    print(report.heading(context))
    for mode in MODES:
        of_mode = [row for row in rows if row.mode == mode]
        if not of_mode:
            continue
        print(f"\n{'### ' if chosen.markdown else '-- '}{mode}: {summary(of_mode)}\n")
        print(aligned(family_lines(of_mode), chosen.markdown))
        if chosen.cases:
            print("\n" + aligned(case_lines(of_mode), chosen.markdown))
    if chosen.baseline:
        lines = [["case", "n", "mode", "before", "now"]]
        lines += [[row.name, size_text(row.n), row.mode, f"{before:.2f}", f"{row.ratio:.2f}"]
                  for row, before in sorted(changed_cases(old_rows, rows), key=lambda one: one[0].ratio / one[1])]
        print("\nRatios that have changed by more than 5 %" + ("\n" if chosen.markdown else ""))
        print(aligned(lines, chosen.markdown) if len(lines) > 1 else "none")
    if accepted:
        print(f"\nKnown below: {accepted[0]} added, {accepted[1]} taken out")
    if not chosen.check:
        return 0
    missed, mended = check(context, rows, wanted)
    if mended:
        print("\nKnown below, but not today (--accept takes them out)\n  " + "\n  ".join(mended))
    print("\nThresholds: " + ("all met" if not missed else f"{len(missed)} missed\n  " + "\n  ".join(missed)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
