# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of planted mistakes (tests/mutation/*.txt), and makes a copy of the library's sources that contains all of
them, each behind a switch. Used by scripts/mutation-test and by house.mutation_table.

A table names a file of the library, and then mutants of it:

  file primitives/ballot/device/look_back.cuh

  look-back.found-early    stops at a window that has no prefix
      if (<| found ==> true |>) return sum;

The first word is the mutant's name, unique and stable. The rest of the line says what goes wrong. The indented text is code of
the file; spaces and line breaks may differ. In it <| original ==> mutated |> marks the mistake. The text must match exactly
once. If it repeats, an indented line `after: TEXT` comes first: then the first match behind TEXT counts, and TEXT occurs once.
An original that ends with ; or } is one or more statements (mutated: none or more), everything else is an expression.
Lines that begin with # are comments.
"""
import pathlib
import re
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "tests" / "mutation"
LIBRARY = ("primitives", "algorithms")
MARK = re.compile(r"<\|(.*?)==>(.*?)\|>", re.S)


class TableError(Exception):
    """The mistakes of the tables, a line for each."""


def number_of(name):
    """The number of a mutant's switch."""
    return 1 + zlib.crc32(name.encode()) % 65535


class Mutant:
    def __init__(self, name, what, file, place):
        self.name, self.what, self.file, self.place = name, what, file, place
        self.after, self.lines = None, []
        self.number = number_of(name)  # of the switch: it depends on the name alone

    def __repr__(self):
        return f"{self.name} ({self.place})"


def read_tables(folder=TABLES):
    """Returns the mutants of all tables, in order."""
    mutants, mistakes = [], []
    for table in sorted(folder.glob("*.txt")):
        if table.name in ("survivors.txt", "tests.txt"):
            continue
        file, current = None, None
        for number, line in enumerate(table.read_text().splitlines(), 1):
            place = f"{table.name}:{number}"
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("file "):
                file, current = line.split()[1], None
            elif not line[0].isspace():
                name, _, what = line.partition(" ")
                if file is None or not what.strip():
                    mistakes.append(f"{place}: {name}: " + ("no file" if file is None else "does not say what goes wrong"))
                current = Mutant(name, what.strip(), file, place)
                mutants.append(current)
            elif current is None:
                mistakes.append(f"{place}: code that belongs to no mutant")
            elif line.strip().startswith("after:"):
                current.after = line.split(":", 1)[1].strip()
            else:
                current.lines.append(line.strip())
    names, numbers = {}, {}
    for m in mutants:
        if m.name in names:
            mistakes.append(f"{m.place}: {m.name} is there twice, also in {names[m.name].place}")
        elif m.number in numbers:
            mistakes.append(f"{m.place}: {m.name} and {numbers[m.number].name} share a switch: rename one")
        names[m.name] = numbers[m.number] = m
    if mistakes:
        raise TableError("\n".join(mistakes))
    return mutants


def pattern_of(text):
    """Returns a pattern of the text with any spaces and line breaks."""
    return r"\s+".join(re.escape(word) for word in text.split())


def locate(mutant, source):
    """Returns (begin, end, original, mutated): the range of the source that the mutant replaces. Raises TableError."""
    text = " ".join(mutant.lines)
    marks = MARK.findall(text)
    where = f"{mutant.place}: {mutant.name} in {mutant.file}"
    if len(marks) != 1:
        raise TableError(f"{where}: has {len(marks)} marks <| ==> |>, not one")
    original, mutated = (part.strip() for part in marks[0])
    before, behind = MARK.split(text)[0], MARK.split(text)[-1]
    gap = lambda part, at_end: r"\s*" if part[:1].isspace() or part[-1:].isspace() or not part else ""
    pattern = (pattern_of(before) + gap(before, True) + "(" + pattern_of(original) + ")" + gap(behind, False) +
               pattern_of(behind))
    begin = 0
    if mutant.after is not None:
        anchors = list(re.finditer(pattern_of(mutant.after), source))
        if len(anchors) != 1:
            raise TableError(f"{where}: `after: {mutant.after}` matches {len(anchors)} times, not once")
        begin = anchors[0].end()
    found = list(re.compile(pattern).finditer(source, begin))
    if not found or (mutant.after is None and len(found) > 1):
        raise TableError(f"{where}: its text matches {len(found)} times, not once: has the source changed?\n    {text}")
    return found[0].start(1), found[0].end(1), found[0].group(1), mutated


def is_of_order(mutant):
    """Returns whether the mistake concerns barriers or memory order: only the checked tests are sure to find it."""
    original = MARK.search(" ".join(mutant.lines)).group(1)
    return re.search(r"sync\w*\(|fence\(|wait_for_copies|order::|barrier", original) is not None


def switched(mutant, original, mutated):
    if original.rstrip().endswith((";", "}")):
        return f"if (::ballot_mutation::on({mutant.number})) {{ {mutated} }} else {{ {original} }}"
    return f"(::ballot_mutation::on({mutant.number}) ? ({mutated}) : ({original}))"


def mutate(source, mutants):
    """Returns the source with all its mutants, each behind its switch. Line numbers do not change. Raises TableError."""
    mistakes, places = [], []
    for m in mutants:
        try:
            places.append((*locate(m, source), m))
        except TableError as e:
            mistakes.append(str(e))
    places.sort(key=lambda p: (p[0], -p[1]))
    for i, a in enumerate(places):  # a mutant may lie within another one
        for b in places[i + 1:]:
            if a[0] < b[0] < a[1] < b[1]:
                mistakes.append(f"{a[4]} and {b[4]} overlap: neither lies within the other")
    if mistakes:
        raise TableError("\n".join(mistakes))

    def text_of(begin, end, inside):
        """Returns source[begin:end] with the mutants in `inside`, the outer ones first."""
        parts, at, i = [], begin, 0
        while i < len(inside):
            first, last, _, mutated, m = inside[i]
            nested = [p for p in inside[i + 1:] if p[0] < last]
            parts += [source[at:first], switched(m, text_of(first, last, nested), mutated)]
            at, i = last, i + 1 + len(nested)
        return "".join(parts) + source[at:end]

    return text_of(0, len(source), places)


def mutated_sources(mutants, root=ROOT):
    """Returns {path in the tree: text} of the whole library, with the mutants. Raises TableError."""
    sources = {str(path.relative_to(root)): path.read_text()
               for top in LIBRARY for path in (root / top).rglob("*") if path.suffix in (".cuh", ".hpp")}
    mistakes = []
    for file in dict.fromkeys(m.file for m in mutants):
        mine = [m for m in mutants if m.file == file]
        if file not in sources:
            mistakes.append(f"{mine[0].place}: there is no {file}: has it been renamed?")
            continue
        try:
            sources[file] = mutate(sources[file], mine)
        except TableError as e:
            mistakes.append(str(e))
    if mistakes:
        raise TableError("\n".join(mistakes))
    return sources


def read_pairs(path):
    """Returns [(first word, rest)] of each line that is no comment."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [tuple(part.strip() for part in (line.split(None, 1) + [""])[:2])
            for line in lines if line.strip() and not line.startswith("#")]
