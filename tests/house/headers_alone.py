#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that each header compiles alone, with fewer runs of the compiler than headers.

  headers_alone.py chains TREE HEADER...             prints chains of headers: a line each, separated by ;
  headers_alone.py compile TREE DEPFILE TARGET HEADER... -- COMMAND...   compiles a chain; COMMAND ends before the includes

In a chain each header is included by the next one, before any code of that. So what was included earlier brings the next one no
name that it does not include itself, and one unit that includes a chain in order compiles if and only if each of its headers
does alone. `compile` looks at the headers anew: where one does not include the one before any more, another unit begins.
"""
import functools
import pathlib
import re
import subprocess
import sys


@functools.cache
def included(tree, header):
    """The headers of the tree that `header` includes on any path, each before any code and under no condition."""
    found, depth, in_comment = set(), 0, False
    for line in (pathlib.Path(tree) / header).read_text().splitlines():
        code = re.sub(r"//.*", "", line).strip()
        if in_comment or code.startswith("/*"):
            in_comment = "*/" not in code
            continue
        if not code:
            continue
        if not code.startswith("#"):
            break
        directive = re.match(r"#\s*(\w+)\s*(.*)", code)
        if directive[1] in ("if", "ifdef", "ifndef"):
            depth += 1
        elif directive[1] == "endif":
            depth -= 1
        elif directive[1] == "include" and depth == 0:
            target = resolved(tree, header, directive[2].strip())
            if target is not None:
                found.add(target)
                found |= included(tree, target)
    return frozenset(found)


@functools.cache
def roots(tree):
    return [folder for folder in ("primitives", "algorithms", "distributed", "survey") if (pathlib.Path(tree) / folder).is_dir()]


def resolved(tree, header, target):
    name = target[1:-1]
    places = [f"{root}/{name}" for root in roots(tree)]
    if target.startswith('"'):
        places.insert(0, str(pathlib.PurePosixPath(header).parent / name))
    return next((place for place in places if (pathlib.Path(tree) / place).is_file()), None)


def chains(tree, headers):
    """As few chains as possible: a matching of each header with the next one (Kuhn; Dilworth's theorem)."""
    headers = sorted(headers, key=lambda header: (len(included(tree, header)), header))
    users = {header: [user for user in headers if header in included(tree, user)] for header in headers}
    previous = {}  # user -> the header before it

    def place(header, seen):
        for user in users[header]:
            if user not in seen:
                seen.add(user)
                if user not in previous or place(previous[user], seen):
                    previous[user] = header
                    return True
        return False

    sys.setrecursionlimit(10000)
    for header in headers:
        place(header, set())
    following = {header: user for user, header in previous.items()}
    found = []
    for header in headers:
        if header not in previous:
            chain = [header]
            while chain[-1] in following:
                chain.append(following[chain[-1]])
            found.append(chain)
    return found


def compile_chain(tree, depfile, target, headers, command):
    units = []
    for header in headers:
        if units and units[-1][-1] in included(tree, header):
            units[-1].append(header)
        else:
            units.append([header])
    needed = []
    for unit in units:
        includes = [word for header in unit for word in ("-include", f"{tree}/{header}")]
        done = subprocess.run([*command, *includes, "-MD", "-MF", depfile, "-MT", target], check=False)
        if done.returncode != 0:
            print(f"not each alone: {' '.join(unit)}", file=sys.stderr)
            return done.returncode
        needed.append(pathlib.Path(depfile).read_text())
    pathlib.Path(depfile).write_text("".join(needed))
    return 0


def main():
    action, tree, *rest = sys.argv[1:]
    if action == "chains":
        for chain in chains(tree, rest):
            print(";".join(chain))
        return 0
    end = rest.index("--")
    return compile_chain(tree, rest[0], rest[1], rest[2:end], rest[end + 1:])


if __name__ == "__main__":
    sys.exit(main())
