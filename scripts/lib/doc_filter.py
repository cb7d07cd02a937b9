#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A header as Doxygen is to read it: doc_filter.py HEADER. Used by docs/api/Doxyfile; scripts/docs lists what is missing.

The headers are written for people: plain comments in front of what they describe. This makes documentation comments of
them, line for line, so that Doxygen's messages name the lines of the header:

- The comment at the top of the file becomes the page of the file (at the end, where it moves no line).
- A comment in front of a declaration becomes its description, and that of the declarations that follow without an empty
  line and without a comment of their own. A comment behind a member describes the member.
- A call operator without a comment has the description of its class, and what is named as its file the first paragraph of the
  page.
- Left out: twins of functions that only explain mistakes (core/explain.hpp), specialisations, deduction guides, and what is
  defaulted or deleted. Comments in function bodies stay as they are.
"""
import pathlib
import re
import sys

LABEL = re.compile(r"(?:(?<=[.)] )|^)((?:Scratch|Work on the stream|Bytes moved|Launches|Complexity|Method|Use|Sources?|Errors?)"
                   r"(?: \([^()]*\)|, before any work)?):? (?=\S)")
ENTRY = re.compile(r"^([^\s-].{0,40}?)(:\s+|\s{2,})(\S.*)$")
SCOPE = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:export\s+|inline\s+)?(namespace|class|struct|union|enum|extern)\b", re.S)


def prose(text):
    """Text in which nothing is a command, a tag or an emphasis for Doxygen, outside `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\@#<>*])", r"\\\1", parts[i])
    return "".join(parts)


def is_entry(lines, i):
    """Is this the first line of an entry, `name: text` or `name  text`, whose further lines begin where its text does?"""
    found = ENTRY.match(lines[i])
    if not found or len(found[1].split()) > 4:
        return None
    column = found.start(3)
    follows = lines[i + 1] if i + 1 < len(lines) else ""
    if follows.strip() and len(follows) - len(follows.lstrip()) == column:
        return found
    for j in (i - 1, i + 1):  # of one line, beside another
        other = ENTRY.match(lines[j]) if 0 <= j < len(lines) else None
        if other and other.start(3) == column and (len(found[2]) > 2 or len(other[2]) > 2):
            return found
    if i > 0 and lines[i - 1].strip() and len(lines[i - 1]) - len(lines[i - 1].lstrip()) == column:
        return found  # behind the last line of another
    return None


def page(lines):
    """The comment at the top of a file, as the lines of a page: lists of entries, code, paragraphs."""
    out, paragraph, i = [], [], 0

    def end_paragraph():
        text = " ".join(paragraph)
        paragraph.clear()
        if not text:
            return
        at = [found.start() for found in LABEL.finditer(text)]
        for begin, end in zip([0, *at], [*at, len(text)]):
            part = text[begin:end].strip()
            label = LABEL.match(part)
            if label:
                rest = part[label.end():]
                part = f"**{label[1]}:** {prose(rest)}"
            else:
                part = prose(part)
            out.extend([part, ""] if part else [])

    while i < len(lines):
        line, indent = lines[i], len(lines[i]) - len(lines[i].lstrip())
        found = is_entry(lines, i) if i > 0 else None
        if not line.strip():
            end_paragraph()
            i += 1
        elif found:
            end_paragraph()
            text, i = [found[3]], i + 1
            while i < len(lines) and lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) >= 2:
                text.append(lines[i].strip())
                i += 1
            out.append(f"- **{prose(found[1])}**: {prose(' '.join(text))}")
            if i == len(lines) or not is_entry(lines, i):
                out.append("")
        elif line.startswith("- "):
            end_paragraph()
            text, i = [line[2:]], i + 1
            while i < len(lines) and lines[i].startswith("  "):
                text.append(lines[i].strip())
                i += 1
            out.append("- " + prose(" ".join(text)))
            if i == len(lines) or not lines[i].startswith("- "):
                out.append("")
        elif indent >= 2:
            end_paragraph()
            code = []
            while i < len(lines) and (lines[i].startswith("  ") or
                                      (not lines[i].strip() and i + 1 < len(lines) and lines[i + 1].startswith("  "))):
                code.append(lines[i])
                i += 1
            shift = min(len(c) - len(c.lstrip()) for c in code if c.strip())
            out.append("@code{.cpp}" if any(";" in c for c in code) else "@code{.unparsed}")
            out.extend([*(c[shift:] for c in code), "@endcode", ""])
        else:
            paragraph.append(line.strip())
            i += 1
    end_paragraph()
    return ["/// @file"] + ["/// " + line if line else "///" for line in out]


class Declaration:
    def __init__(self, line, scope):
        self.line, self.last, self.end, self.scope, self.text, self.body = line, line, 0, scope, "", ""

    def is_hidden(self):
        head = self.text.strip()
        bare = without_template(head)
        return (re.search(r"\bexplain\s*<", self.body) or bare.startswith(("static_assert", "friend"))
                or re.match(r"(?:class|struct|union)\s+[\w:]+\s*<", bare)
                or re.match(r"(?:inline |static |constexpr )+[\w:<> ]+?\s\w+\s*<[^=]*>\s*=", bare)
                or re.match(r"(?:explicit )?\w+\([^;]*\)\s*->", bare)
                or re.search(r"=\s*(?:default|delete)\s*$", bare) or re.search(r"~\w+\(", bare))


def without_template(head):
    """A declaration without what stands before it: template <...> and requires."""
    while head.startswith("template"):
        depth, i = 0, head.index("<")
        while i < len(head):
            depth += {"<": 1, ">": -1}.get(head[i], 0) if head[i - 1] != "-" else 0
            i += 1
            if depth == 0:
                break
        head = head[i:].lstrip()
    return head


def declarations(lines):
    """Those outside of function bodies, in order; and for each line, whether it begins in a function body."""
    found, in_body = [], [False] * len(lines)
    scopes, current, round_depth = [], None, 0  # of each open brace: "type", "enum", "namespace" or "body"
    types = []  # the classes that are open
    for number, line in enumerate(lines):
        in_body[number] = "body" in scopes
        code = re.sub(r'"(\\.|[^"\\])*"|(?<![0-9A-Fa-f])\'(\\.|[^\'\\])+\'|//.*', lambda m: " " * len(m[0]), line)
        if code.lstrip().startswith("#") or (code.strip() in ("public:", "private:", "protected:") and "body" not in scopes):
            continue
        for c in code:
            outside = "body" not in scopes
            if outside and current is None and not c.isspace() and c not in "};":
                current = Declaration(number, scopes[-1] if scopes else "namespace")
                found.append(current)
            if c == "{":
                kind = "body"
                if outside and round_depth == 0 and current is not None:
                    scope = SCOPE.match(without_template(current.text.strip()))
                    bare = without_template(current.text.strip())
                    if scope and not re.search(r"[\w>]\s*\([^()]*(\([^()]*\)[^()]*)*\)\s*(const|noexcept)?\s*$", bare.split("alignas")[0]):
                        kind = "namespace" if scope[1] in ("namespace", "extern") else "enum" if scope[1] == "enum" else "type"
                scopes.append(kind)
                if kind == "namespace":
                    if found and found[-1] is current:
                        found.pop()
                    current = None
                elif kind == "type":
                    types.append(current)
                    current = None
                continue
            if c == "}":
                kind = scopes.pop() if scopes else "namespace"
                if kind == "type" and types:
                    types.pop().end = number
                if "body" not in scopes and kind in ("body", "enum") and current is not None:
                    current.last = number
                    # the braces of an initialiser or a default argument end nothing, those of a function's body do
                    if kind == "body" and round_depth == 0 and re.search(r"\)|\brequires\b", current.text) \
                            and not re.search(r"=\s*$", current.text.rstrip()) and not current.text.rstrip().endswith(","):
                        current = None
                continue
            if current is None:
                continue
            if "body" in scopes:
                current.body += c
                continue
            if c == "(":
                round_depth += 1
            elif c == ")":
                round_depth -= 1
            if c == ";" and round_depth == 0:
                current.last = number
                current = None
            elif current is not None:
                current.text += c
        if current is not None:
            if "body" in scopes:
                current.body += " "
            else:
                current.text += " "
                current.last = number
    return found, in_body


def documented(text, file):
    """The text with documentation comments: the same lines, and the page of the file behind them."""
    lines = text.split("\n")
    head = 0
    while head < len(lines) and lines[head].startswith("//"):
        head += 1
    opening = [line[2:].removeprefix(" ") for line in lines[:head] if "SPDX-" not in line]
    lines[:head] = [""] * head
    found, in_body = declarations(lines)

    def comment_above(number):
        first = number
        while first > 0 and re.match(r"\s*//(?!/?<)", lines[first - 1]):
            first -= 1
        return [re.sub(r"^\s*///? ?", "", line) for line in lines[first:number]]

    out = list(lines)
    for number, line in enumerate(lines):
        if in_body[number]:
            continue
        comment = re.match(r"(\s*)///? ?(?!/|<)(.*)", line)
        if comment and re.match(r"-{3,} ", comment[2]):  # a heading within a class: of no declaration
            out[number] = f"{comment[1]}// {comment[2]}"
        elif comment:
            out[number] = f"{comment[1]}/// {prose(comment[2])}"
        elif re.search(r"[;,{\w]\s+//(?!/) ?\S", line) and not re.match(r"\s*[}#]", line) and not line.startswith("namespace"):
            behind = re.search(r"(?<=\s)// ?(.*)$", line)
            out[number] = f"{line[:behind.start()]}///< {prose(behind[1])}"

    # An entity with the file's name and without a comment is the subject of the file.
    summary = " ".join(line.strip() for line in opening[:opening.index("")] if line) if "" in opening else " ".join(opening)
    parts = file.parts[:-1]  # as callers include it: other folders have files of the same name
    place = "/".join(["ballot", *parts[len(parts) - parts[::-1].index("ballot"):], file.name]) if "ballot" in parts else file.name
    summary = f"{summary.rstrip(':')} See {place}."
    inherited, previous, classes, stem = None, None, {}, re.escape(file.stem)
    hidden_until = -1
    for declaration in found:
        if declaration.line <= hidden_until:
            continue
        begin = declaration.line
        above = comment_above(begin)
        indent = re.match(r"\s*", lines[begin])[0]
        bare = without_template(declaration.text.strip())
        name = re.match(r"(?:class|struct|union)\s+(?:alignas\s*\([^)]*\)\s*)?(\w+)", bare)
        above = [] if above and re.match(r"-{3,} ", above[-1]) else above
        if above:
            inherited = " ".join(above)
        elif previous is None or begin != previous.last + 1 or lines[begin].startswith(" ") != lines[previous.line].startswith(" "):
            inherited = None
        if not inherited and opening and re.match(rf"(?:class|struct)\s+{stem}\s*$|[^(=]*[\s&*>]{stem}\s*\(", bare):
            inherited = summary
        if "operator()" in declaration.text and not inherited and indent in classes:
            inherited = classes[indent]
        if name:
            classes[indent + "  "] = inherited
        has_behind = re.search(r"[;,]\s+// ", lines[declaration.last])
        if declaration.is_hidden():
            out[begin] = f"{indent}/** @cond */ {out[begin].lstrip()}"
            last = max(declaration.last, declaration.end)
            out[last] = out[last].split("  //")[0] + " /** @endcond */"
            hidden_until, inherited = last, None
            if above:  # a comment of what is left out is none
                for line in range(begin - len(above), begin):
                    out[line] = lines[line].replace("///", "//", 1)
        elif inherited and not above and not has_behind and declaration.scope != "enum":
            out[begin] = f"{indent}/** {prose(inherited)} */ {out[begin].lstrip()}"
        previous = declaration
    return "\n".join(out + page(opening)) + "\n"


if __name__ == "__main__":
    header = pathlib.Path(sys.argv[1])
    sys.stdout.write(documented(header.read_text(encoding="utf-8"), header))
