#!/usr/bin/env python3
"""A header as Doxygen is to read it: doc_filter.py HEADER. Used by docs/api/Doxyfile.

The headers are written for people: plain comments in front of what they describe. This makes documentation comments of
them: the comment at the top of a file becomes the page of the file, a comment in front of a declaration its description.
Comments in function bodies stay as they are. Overloads that only explain mistakes (core/explain.hpp) are left out.
"""
import re
import sys

TYPE_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b")
EXPLAINS = re.compile(r"(?m)^template <[^;{}]*?>\n(?:[^\n;{}]*\n){0,4}?[^\n;{}]*\{\n  (?:ballot::)?detail::explain<[^;]*>\(\);\n\}\n")
ITEM = re.compile(r"^([A-Za-z_][\w, :.<>*`-]{0,40}?)(?::|  +)\s*(\S.*)$")


def page(lines):
    """The comment at the top of a file, as a page: indented text is code, `name: text` in columns a list."""
    out, code, item = ["/// @file"], False, False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        entry = ITEM.match(line) if number > 0 else None
        is_entry = entry and (re.match(r"^[\w, `*]+: {1,}", line) or re.search(r"\S {3,}\S", line))
        is_code = indent >= 4 and not (item and not code)
        if is_code != code:
            out.append("/// @code{.cpp}" if is_code else "/// @endcode")
            code = is_code
        if code:
            out.append("/// " + line)
        elif is_entry:
            out.append(f"/// - **{entry[1].strip()}** {entry[2]}")
        elif item and indent >= 2:
            out.append("///   " + line.strip())
            continue
        else:
            out.append("/// " + line.strip())
        item = bool(is_entry) and not code
    if code:
        out.append("/// @endcode")
    return out


def documented(text):
    """The text with documentation comments, line by line."""
    text = EXPLAINS.sub("", text)
    lines, out = text.split("\n"), []
    head = 0
    while head < len(lines) and lines[head].startswith("//"):
        head += 1
    out += page([line[2:].removeprefix(" ") for line in lines[:head] if "SPDX-" not in line])
    scopes, statement = [], ""  # of each open brace: is it that of a type or a namespace?
    for line in lines[head:]:
        stripped = line.strip()
        at_types = all(scopes)
        if at_types and stripped.startswith("//") and not stripped.startswith("///"):
            out.append(line.replace("//", "///", 1))
            continue
        if at_types and re.search(r"[;,{}]\s+// \S", line) and not re.search(r"^\s*}", line):
            line = re.sub(r"// ", "///< ", line, count=1)
        out.append(line)
        code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'|//.*', "", line)
        if code.lstrip().startswith("#"):
            continue
        for c in code:
            if c == "{":
                scopes.append(bool(TYPE_SCOPE.search(statement)) and "(" not in re.sub(r"\([^()]*\)", "", statement)
                              and not re.search(r"\)\s*(const|noexcept|requires|:)?", statement.rsplit("template", 1)[-1]))
                statement = ""
            elif c == "}":
                if scopes:
                    scopes.pop()
                statement = ""
            elif c == ";":
                statement = ""
            else:
                statement += c
        statement += " "
    return "\n".join(out)


if __name__ == "__main__":
    sys.stdout.write(documented(open(sys.argv[1], encoding="utf-8").read()))
