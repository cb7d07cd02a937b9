#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tables of the results of ballot_bench.

  report.py RESULTS.json                       a table for the terminal
  report.py RESULTS.json --markdown            the same for documentation
  report.py RESULTS.json --baseline OLD.json   shows what became faster or slower since, beyond the noise of both runs
  report.py RESULTS.json --check [FILE]        also compares the ratios with thresholds (default: thresholds.json beside this
                                               script), and exits with 1 if one is missed or was not measured

Times are medians over the repetitions, with the spread (slowest - fastest) / median. The rate counts the fewest bytes that the
operation has to move, or keys for sorts. `of copy` is the time of a copy of as many bytes divided by the time of ballot.
`ratio` is the time of the best peer divided by that of ballot: above 1, ballot is faster.

A threshold, one of "operations" in that file, is {"operation": GLOB, "n": items, "peer": a contender (default cub; "copy" for the share of its speed), "at_least": ratio},
and where it is not about ballot in mode call, "contender" and "mode". With "needs", a key of the context such as "cub_newest",
it holds only where the run had that: releases of CUB without the peer's call miss nothing. Such are named.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import statistics
import sys
from dataclasses import dataclass, field

OURS, CEILING = "ballot", "copy"
NEWEST = "_newest"  # cub_newest: the newest release, beside the toolkit's
READ = "read"  # beside the copy, for operations that only read: reads as many bytes
GENERATOR = "generator"  # for operations in registers: what makes their input, and nothing else
OUR_VARIANTS = OURS + "_"  # ballot_double: ours too, asked in another way
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
MODES = ("call", "burst", "graph")


class Unusable(Exception):
    """No table can be made of the file."""


def field_of(record, key, where):
    """record[key]. `where`: the file and the place in it, which an error names."""
    if not isinstance(record, dict):
        raise Unusable(f"{where}: not an object of named fields: {record!r}"[:300])
    if key not in record:
        raise Unusable(f"{where}: the field \"{key}\" is missing")
    return record[key]


def number_of(record, key, where):
    value = field_of(record, key, where)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unusable(f"{where}: the field \"{key}\" is no number: {value!r}"[:300])
    return value


def read_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from error


def read_section(path, name, kind):
    """A section of a file, which has to be there: a list or an object."""
    section = field_of(read_json(path), name, path)
    if not isinstance(section, kind):
        raise Unusable(f"{path}: the field \"{name}\" is no {'list' if kind is list else 'object'}")
    return section


def checked_threshold(one, where):
    """An entry as described above, with the fields that every one has."""
    if not isinstance(field_of(one, "operation", where), str):
        raise Unusable(f"{where}: the field \"operation\" is no text")
    number_of(one, "n", where), number_of(one, "at_least", where)
    return one


def load_thresholds(path):
    return [checked_threshold(one, f"{path}: operations[{i}]") for i, one in enumerate(read_section(path, "operations", list))]


@dataclass
class Measured:
    times: list = field(default_factory=list)  # microseconds, one a repetition
    bytes_per_second: list = field(default_factory=list)
    items_per_second: list = field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.times)

    @property
    def spread(self):
        return (max(self.times) - min(self.times)) / self.median


def is_peer(name):
    return name not in (OURS, CEILING, READ, GENERATOR) and not name.startswith(OUR_VARIANTS)


@dataclass
class Row:
    operation: str
    n: int
    mode: str
    contenders: dict = field(default_factory=dict)

    @property
    def ours(self):
        return self.contenders.get(OURS)

    def best_peer(self):
        peers = [(one.median, name) for name, one in self.contenders.items() if is_peer(name)]
        return min(peers)[1] if peers else None

    def ratio_to(self, name, of=OURS):
        """How many times faster than that contender ballot is, or another one. Of two releases of CUB the faster one counts."""
        others = [self.contenders[each] for each in (name, name + NEWEST) if each in self.contenders]
        one = self.contenders.get(of)
        return min(other.median for other in others) / one.median if others and one else None

    def rate(self):
        if not self.ours:
            return ""
        if "sort" in self.operation:
            return f"{statistics.median(self.ours.items_per_second) / 1e9:.2f} Gkeys/s"
        return f"{statistics.median(self.ours.bytes_per_second) / 1e9:.0f} GB/s"


def load(path):
    """Returns the context, and a Row for each operation, size and mode."""
    results = read_json(path)
    runs = field_of(results, "benchmarks", path)
    if not isinstance(runs, list):
        raise Unusable(f"{path}: the field \"benchmarks\" is no list")
    rows, first_seen, failed = {}, {}, []
    for i, run in enumerate(runs):
        where = f"{path}: benchmarks[{i}]"
        if not isinstance(run, dict):
            raise Unusable(f"{where}: not an object of named fields: {run!r}"[:300])
        if run.get("error_occurred"):
            failed.append(f"{run.get('name') or run.get('run_name', where)}: {run.get('error_message', 'failed')}")
        if run.get("error_occurred") or run.get("run_type") != "iteration":
            continue  # aggregates are computed here, from the repetitions
        name = field_of(run, "run_name", where)
        where = f"{path}: {name}"
        parts = str(name).split("/")
        if len(parts) < 4 or not re.fullmatch(r"n:[0-9]+", parts[1]) or parts[2] not in MODES:
            raise Unusable(f"{path}: no benchmark of ballot_bench: {name}")
        operation, n, mode, contender = parts[0], int(parts[1][2:]), parts[2], parts[3]
        row = rows.setdefault((operation, n, mode), Row(operation, n, mode))
        # The file has the order in which repetitions ended. Tables have the order of registration: that of the family indices.
        index = number_of(run, "family_index", where)
        first_seen[operation] = min(first_seen.get(operation, index), index)
        time, unit = number_of(run, "real_time", where), field_of(run, "time_unit", where)
        if not time > 0:
            raise Unusable(f"{where}: no time: {time}")
        if unit not in MICROSECONDS:
            raise Unusable(f"{where}: a unit of time that is not known: {unit}")
        measured = row.contenders.setdefault(contender, Measured())
        measured.times.append(time * MICROSECONDS[unit])
        measured.bytes_per_second.append(number_of(run, "bytes_per_second", where))
        measured.items_per_second.append(number_of(run, "items_per_second", where))
    if failed:
        raise Unusable(f"{path}: failed in that run:\n  " + "\n  ".join(failed))
    if not rows:
        raise Unusable(f"{path}: no measurement in it")
    return results.get("context", {}), sorted(
        rows.values(), key=lambda row: (MODES.index(row.mode), first_seen[row.operation], row.n))


def time_text(measured):
    if measured is None:
        return "-"
    microseconds = measured.median
    if microseconds < 1000:
        value = f"{microseconds:.1f} us"
    else:
        value = f"{microseconds / 1000:.3f} ms"
    return f"{value} ±{100 * measured.spread:.0f}%"


def size_text(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def cells_of(rows):
    names = list(dict.fromkeys(name for row in rows for name in row.contenders))
    variants = [name for name in names if name.startswith(OUR_VARIANTS)]
    peers = sorted(name for name in names if is_peer(name))
    columns = [name for name in (OURS, *variants, *peers, GENERATOR, READ, CEILING) if name in names]
    yield ["operation", "n", *columns, "rate of ballot", "of copy", "ratio", "best peer"]
    for row in rows:
        peer = row.best_peer()
        of_copy, ratio = row.ratio_to(CEILING), row.ratio_to(peer) if peer else None
        yield [row.operation, size_text(row.n), *(time_text(row.contenders.get(name)) for name in columns), row.rate(),
               f"{of_copy:.2f}" if of_copy else "-", f"{ratio:.2f}" if ratio else "-", peer or "-"]


def table(rows, markdown):
    return aligned_table(list(cells_of(rows)), markdown)


def aligned_table(cells, markdown):
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    left = {0, len(widths) - 1}
    lines = []
    for line in cells:
        aligned = [text.ljust(width) if column in left else text.rjust(width)
                   for column, (text, width) in enumerate(zip(line, widths))]
        lines.append("| " + " | ".join(aligned) + " |" if markdown else "  ".join(aligned).rstrip())
    if markdown:
        lines.insert(1, "|" + "|".join("-" * (width + 1) + ("-" if column in left else ":")
                                       for column, width in enumerate(widths)) + "|")
    return "\n".join(lines)


def tables_of(rows):
    """Operations by who takes part: those with contenders of their own have a table of their own with them."""
    common = {OURS, "cub", "thrust", "cub" + NEWEST, "thrust" + NEWEST, READ, CEILING}
    own = {}
    for row in rows:
        own.setdefault(row.operation.split(":")[0], set()).update(row.contenders.keys() - common)
    apart = {}
    for row in rows:
        operation = row.operation.split(":")[0]
        apart.setdefault((operation.startswith("survey_") and operation, *sorted(own[operation])), []).append(row)
    return apart.values()


NOISE = 0.02  # medians closer than this are equal, whatever the repetitions are


def changes(old_rows, new_rows):
    """Yields (row, the row before, speed now by speed before, whether that is beyond the noise) for each row of both runs.

    Two runs may have had different clocks and neighbours. So times are scaled by the copy of the same row if both runs have it.
    A change is beyond the noise if the repetitions' ranges do not touch and the medians differ by more than NOISE.
    """
    old = {(row.operation, row.n, row.mode): row for row in old_rows if row.ours}
    for row in new_rows:
        before = old.get((row.operation, row.n, row.mode))
        if before is None or row.ours is None:
            continue
        ceilings = [one.contenders.get(CEILING) for one in (before, row)]
        scale = ceilings[1].median / ceilings[0].median if all(ceilings) else 1.0
        was, now = [time * scale for time in before.ours.times], row.ours.times
        ratio = statistics.median(was) / statistics.median(now)
        apart = max(now) < min(was) or min(now) > max(was)
        yield row, before, ratio, apart and abs(ratio - 1) > NOISE


def comparison(old_rows, new_rows):
    lines = [["operation", "n", "mode", "before", "now", "speed", ""]]
    for row, before, ratio, beyond in changes(old_rows, new_rows):
        verdict = ("faster" if ratio > 1 else "SLOWER") if beyond else "as before"
        lines.append([row.operation, size_text(row.n), row.mode, time_text(before.ours), time_text(row.ours), f"{ratio:.2f}", verdict])
    return lines


def heading(context):
    known = [("gpu", "{}"), ("cuda_runtime", "CUDA {}"), ("cuda_driver", "driver {}"), ("cub", "CUB {}"), ("cub" + NEWEST, "newest CUB {}"), ("ballot", "ballot {}"),
             ("commit", "commit {}"), ("date", "{}")]
    return ", ".join(form.format(context[key]) for key, form in known if key in context)


def report(context, rows, markdown):
    print(heading(context) + ("\n" if markdown else ""))
    for mode in MODES:
        of_mode = [row for row in rows if row.mode == mode]
        if of_mode:
            print(f"### {mode}\n" if markdown else f"\n-- {mode}")
            print("\n\n".join(table(of_table, markdown) for of_table in tables_of(of_mode)) + ("\n" if markdown else ""))


def missed_thresholds(context, rows, thresholds):
    """Returns a line for each row that misses its threshold and for each threshold without a measurement; and a line for each
    that could not be measured, since the run lacked what it needs."""
    missed, left_out = [], []
    for wanted in thresholds:
        mode, peer, who = wanted.get("mode", "call"), wanted.get("peer", "cub"), wanted.get("contender", OURS)
        what = f"{wanted['operation']}, n = {size_text(wanted['n'])}, {mode}, {'' if who == OURS else who + ' '}against {peer}"
        fitting = [row for row in rows if fnmatch.fnmatchcase(row.operation, wanted["operation"])
                   and row.n == wanted["n"] and row.mode == mode and row.ratio_to(peer, who) is not None]
        if not fitting and wanted.get("needs", "cub") not in context:
            left_out.append(f"{what}: needs {wanted['needs']}")
        elif not fitting:
            missed.append(f"{what}: not measured")
        missed += [f"{row.operation}, {what.split(', ', 1)[1]}: {row.ratio_to(peer, who):.3f}, wanted at least {wanted['at_least']}"
                   for row in fitting if row.ratio_to(peer, who) < wanted["at_least"]]
    return missed, left_out


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--baseline", type=pathlib.Path, metavar="OLD.json")
    parser.add_argument("--check", type=pathlib.Path, nargs="?", metavar="FILE",
                        const=pathlib.Path(__file__).resolve().parent / "thresholds.json")
    chosen = parser.parse_args(arguments)
    try:
        context, rows = load(chosen.results)
        baseline = load(chosen.baseline) if chosen.baseline else None
        thresholds = load_thresholds(chosen.check) if chosen.check else []
    except Unusable as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    report(context, rows, chosen.markdown)
    if baseline:
        lines = comparison(baseline[1], rows)
        print(f"\nSince {heading(baseline[0])}" + ("\n" if chosen.markdown else ""))
        print(aligned_table(lines, chosen.markdown) if len(lines) > 1 else "nothing that both runs measured")
    if not chosen.check:
        return 0
    missed, left_out = missed_thresholds(context, rows, thresholds)
    if left_out:
        print("\nNot held, without what they need\n  " + "\n  ".join(left_out))
    print("\nThresholds: " + ("all met" if not missed else "missed\n  " + "\n  ".join(missed)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
