#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One page that shows a run of ballot_bench or ballot_bench_grid, in a single HTML file that needs nothing else.

  page.py RESULTS.json [--output PAGE.html] [--baseline OLD.json]        default: RESULTS.html beside the results

Tables and plots, which need matplotlib, as plots.py does; of the grid heat maps, which need nothing.
"""
import argparse
import html
import json
import math
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import grid_report  # noqa: E402
import plots  # noqa: E402
import report  # noqa: E402

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #171717; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 } h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem } p { max-width: 50rem }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; margin: .5rem 0 1rem }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #e5e5e5; white-space: nowrap }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left }
tr.faster td { background: #ecfdf5 } tr.SLOWER td { background: #fef2f2 }
.wide { overflow-x: auto }
figure { display: inline-block; margin: .5rem } svg { max-width: 100%; height: auto }
table.heat td { text-align: center; min-width: 4.2rem; border: 1px solid #fff } table.heat td:first-child { text-align: left }
table.heat small { display: block; color: #525252; font-size: .65rem } details { margin: .3rem 0 } summary { cursor: pointer }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1rem; font-size: .8rem; color: #525252 } dd { margin: 0 }
"""


def table(lines):
    head, *rest = lines
    cells = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(f'<tr class="{html.escape(line[-1].split(" ")[0])}">' +
                   "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in rest)
    return f'<div class="wide"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def inline(path, prefix):
    """Returns an SVG as an element of the page. `prefix` goes before its ids, which are unique only within its file."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg"):]
    text = re.sub(r'\bid="', f'id="{prefix}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}-", text)
    return f"<figure>{text}</figure>"


def colour(ratio):
    """Red below 1, green above, the stronger the further: full at a factor of 2."""
    strength = min(abs(math.log2(ratio)), 1)
    return f"hsl({140 if ratio >= 1 else 8} 65% {97 - 37 * strength:.0f}%)"


def heat_map(rows, line_of, first_heading):
    """A line for each value of `line_of`, a column for each size: the geometric mean, and the lowest where it is of several."""
    sizes = sorted({row.n for row in rows})
    lines = grid_report.grouped(rows, line_of)
    text = [f"<th>{html.escape(first_heading)}</th>" + "".join(f"<th>{grid_report.size_text(n)}</th>" for n in sizes)]
    for name, of_line in lines.items():
        cells = [f"<td>{html.escape(name)}</td>"]
        by_size = grid_report.grouped(of_line, lambda row: row.n)
        for n in sizes:
            cases = by_size.get(n)
            if not cases:
                cells.append("<td></td>")
                continue
            mean, worst = grid_report.geometric_mean([row.ratio for row in cases]), min(cases, key=lambda row: row.ratio)
            title = (f"{worst.name}, {grid_report.size_text(n)}: {worst.us[report.OURS]:.1f} us, "
                     f"{worst.peer} {worst.us[worst.peer]:.1f} us, {worst.ratio:.2f}")
            lowest = f"<small>{worst.ratio:.2f} {html.escape(worst.case)}</small>" if len(cases) > 1 else ""
            # the colour of the mean; where something is below 1, an edge in the colour of the lowest
            edge = f";box-shadow:inset 4px 0 {colour(worst.ratio)}" if worst.ratio < 1 <= mean else ""
            cells.append(f'<td style="background:{colour(mean)}{edge}" title="{html.escape(title)}">{mean:.2f}{lowest}</td>')
        text.append("".join(cells))
    head, *rest = text
    return ('<div class="wide"><table class="heat"><thead><tr>' + head + "</tr></thead><tbody>" +
            "".join(f"<tr>{line}</tr>" for line in rest) + "</tbody></table></div>")


def grid_page(results, baseline=None):
    context, rows = grid_report.load(results)
    parts = [f"<h1>ballot, the grid</h1><p>{html.escape(report.heading(context))}</p>"
             "<p>The time of the fastest peer by that of ballot: above 1, green, ballot is faster. A cell has the geometric mean of a "
             "family at a size, and its lowest case. Below each map, the cases one by one.</p>"]
    for mode in grid_report.MODES:
        of_mode = [row for row in rows if row.mode == mode]
        if not of_mode:
            continue
        parts.append(f"<h2>{mode}</h2><p>{html.escape(grid_report.summary(of_mode))}</p>" +
                     heat_map(of_mode, lambda row: row.family, "family"))
        for family, cases in grid_report.grouped(of_mode, lambda row: row.family).items():
            if len({row.case for row in cases}) > 1:
                parts.append(f"<details><summary>{html.escape(family)}: {html.escape(grid_report.summary(cases))}</summary>" +
                             heat_map(cases, lambda row: row.case, "case") + "</details>")
    if baseline:
        old_context, old_rows = grid_report.load(baseline)
        lines = [["case", "n", "mode", "before", "now", ""]]
        lines += [[row.name, grid_report.size_text(row.n), row.mode, f"{before:.2f}", f"{row.ratio:.2f}",
                   "faster" if row.ratio > before else "SLOWER"] for row, before in grid_report.changed_cases(old_rows, rows)]
        parts.append(f"<h2>Ratios since {html.escape(report.heading(old_context))}</h2>" + table(lines))
    return whole("ballot, the grid", parts + [facts(context)])


def facts(context):
    return "<dl>" + "".join(f"<dt>{html.escape(str(key))}</dt><dd>{html.escape(str(value))}</dd>"
                            for key, value in context.items() if not isinstance(value, (dict, list))) + "</dl>"


def whole(title, parts):
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{title}</title><style>{STYLE}</style>" + "\n".join(parts) + "</html>\n")


def is_grid(results):
    try:
        return "grid" in json.loads(pathlib.Path(results).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False  # report.load says what is wrong


def page(results, baseline=None):
    if is_grid(results):
        return grid_page(results, baseline)
    context, rows = report.load(results)
    parts = [f"<h1>ballot: measurements</h1><p>{html.escape(report.heading(context))}</p>"]
    with tempfile.TemporaryDirectory() as folder:
        for mode in report.MODES:
            of_mode = [row for row in rows if row.mode == mode]
            if not of_mode:
                continue
            made = plots.draw(results, pathlib.Path(folder) / mode, mode)
            drawn = [inline(path, f"{mode}-{path.stem}") for path in [made[-1], *made[:-1]]]
            tables = [table(list(report.cells_of(of_table))) for of_table in report.tables_of(of_mode)]
            parts.append(f"<h2>{mode}</h2>" + "".join(drawn + tables))
    if baseline:
        old_context, old_rows = report.load(baseline)
        parts.append(f"<h2>Since {html.escape(report.heading(old_context))}</h2>" + table(report.comparison(old_rows, rows)))
    parts.append("<h2>Method</h2><p>Times are medians over the repetitions, with (slowest - fastest) / median. All contenders ran "
                 "interleaved in one run, and answers were checked first. The rate counts the fewest bytes that an operation has to "
                 "move, or keys. <em>of copy</em> is the share of the speed of a copy of as many bytes. <em>ratio</em> is the speed by "
                 "that of the best peer.</p>" + facts(context))
    return whole("ballot: measurements", parts)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path, metavar="OLD.json")
    chosen = parser.parse_args(arguments)
    output = chosen.output or chosen.results.with_suffix(".html")
    for name, read in (("results", chosen.results), ("baseline", chosen.baseline)):
        if read and output.resolve() == read.resolve():
            print(f"page: {output}: the page would replace the {name}", file=sys.stderr)
            return 2
    try:
        text = page(chosen.results, chosen.baseline)
    except report.Unusable as error:
        print(f"page: {error}", file=sys.stderr)
        return 2
    partial = output.with_name(output.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(output)
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
