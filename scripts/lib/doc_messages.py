#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Doxygen's messages for people: doc_messages.py WARNINGS. By file, one line a message or a name without a description; fails
where there is one. Used by scripts/docs.

Not asked for: data members, types within a class and its accessors, where the class is described; copies and moves; and what
has its meaning from the standard (begin, size, operator=)."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESSAGE = re.compile(r"^(.+?):(\d+): (?:error|warning): (.*)$")
MISSING = (re.compile(r"^Member (.+?) \(([\w ]+)\) of (\w+) (.+?) is not documented\.$", re.S),
           re.compile(r"^()Compound ()()(.+?) is not documented\.$", re.S))
STANDARD = {"begin", "end", "data", "size", "empty", "swap", "operator=", "operator==", "operator[]"}
NAMESPACES = {"ballot", "ballot::simt", "ballot::warp", "ballot::block", "ballot::device", "ballot::distributed"}


def messages(text):
    """(file, line, message), each message in one line."""
    found = []
    for line in text.splitlines():
        first = MESSAGE.match(line)
        if first:
            found.append([first[1].replace(f"{ROOT}/", ""), int(first[2]), first[3]])
        elif found and line.strip():
            found[-1][2] += " " + line.strip()
    return sorted(map(tuple, set(map(tuple, found))))


def name_of(message):
    """What has no description: (name, kind), or nothing where that is not what the message says."""
    member, compound = MISSING[0].match(message), MISSING[1].match(message)
    if compound:
        return compound[4], "type"
    if not member:
        return None
    name = re.sub(r"\(.*", "", member[1]).split()[-1] if member[2] != "function" else re.sub(r"\s+", " ", member[1])
    return f"{member[4]}::{name}" if member[3] != "file" else name, member[2]


def is_clear(name, kind, missing):
    """Does the name need no description of its own?"""
    scope, _, last = name.partition("(")[0].rpartition("::")
    in_class = re.sub(r"<.*", "", scope).rpartition("::")[2]
    if kind == "function" and (last in STANDARD or (in_class == last and f"{last} &" in name)):
        return True
    described = scope not in missing and scope not in NAMESPACES and not scope.endswith("::detail")
    is_accessor = kind == "function" and name.endswith("() const")
    return described and (kind in ("variable", "typedef", "enumeration") or is_accessor)


def listed(text):
    """The lines to print, and how many messages they are."""
    found = [(file, line, name_of(message), message) for file, line, message in messages(text)]
    missing = {name[0] for _, _, name, _ in found if name and name[1] == "type"}
    by_file = collections.defaultdict(list)
    for file, line, name, message in found:
        if not name or not is_clear(*name, missing):
            by_file[file].append(f"  {line:5}  {f'{name[1]} {name[0]}' if name else message}")
    out = [line for file, lines in by_file.items() for line in (f"{file}: {len(lines)}", *lines)]
    return out, sum(map(len, by_file.values()))


if __name__ == "__main__":
    lines, count = listed(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))
    if count:
        print("\n".join(lines), f"{count} public names without a description, or descriptions that Doxygen does not understand", sep="\n")
    sys.exit(1 if count else 0)
