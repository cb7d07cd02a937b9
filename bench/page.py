#!/usr/bin/env python3
"""Makes one HTML page of a run of ballot_bench: tables and plots in a single file that needs nothing else.

  page.py RESULTS.json [--output PAGE.html] [--baseline OLD.json]        default: RESULTS.html beside the results

Needs matplotlib, as plots.py does.
"""
import argparse
import html
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
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


def page(results, baseline=None):
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
                 "that of the best peer.</p><dl>" + "".join(f"<dt>{html.escape(str(key))}</dt><dd>{html.escape(str(value))}</dd>"
                                           for key, value in context.items() if not isinstance(value, (dict, list))) + "</dl>")
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>ballot: measurements</title><style>{STYLE}</style>" + "\n".join(parts) + "</html>\n")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path, metavar="OLD.json")
    chosen = parser.parse_args(arguments)
    output = chosen.output or chosen.results.with_suffix(".html")
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
