#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Doxygen reads of a header (scripts/lib/doc_filter.py), and what scripts/docs says of what is missing."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import doc_filter  # noqa: E402
import doc_messages  # noqa: E402

PAGE = """// Adds <numbers>.
//
//     ballot::add(gpu, in, out);
//
// in:    what is read,
//        and more of it
// count: one item
//
// For each item:
//     x   x + 1
//
// Deterministic. Scratch: none. Errors, before any work: overlap.
#pragma once
"""


def lines_of(code, name="add.cuh"):
    return doc_filter.documented(code, pathlib.Path(name)).split("\n")


class Page(unittest.TestCase):
    def test_lists_code_and_labels(self):
        page = "\n".join(line[4:] for line in lines_of(PAGE) if line.startswith("///"))
        for part in ("@file\nAdds \\<numbers\\>.\n", "@code{.cpp}\nballot::add(gpu, in, out);\n@endcode",
                     "- **in**: what is read, and more of it\n- **count**: one item\n", "@code{.unparsed}\nx   x + 1\n@endcode",
                     "Deterministic.\n\n**Scratch:** none.\n\n**Errors, before any work:** overlap."):
            self.assertIn(part, page)

    def test_columns_are_a_list(self):
        page = doc_filter.page(["Sums.", "", "in       a range,", "         of items", "out      another", "in order, and so on"])
        self.assertEqual(page[3:5], ["/// - **in**: a range, of items", "/// - **out**: another"])

    def test_every_header_keeps_its_lines(self):
        headers = [file for top in ("primitives", "algorithms", "distributed") for file in (ROOT / top / "ballot").rglob("*.?[up][hp]")]
        self.assertGreater(len(headers), 80)
        for header in headers:
            text = header.read_text()
            made = doc_filter.documented(text, header).split("\n")
            for number, line in enumerate(text.split("\n")):
                code = line.split("//")[0].strip()
                self.assertIn(code, made[number], f"{header}:{number + 1}")


class Declarations(unittest.TestCase):
    def test_comments_become_descriptions(self):
        made = lines_of("// Of both.\nint f(int);\nint g(int);\n\nint h(int);\n")
        self.assertEqual(made[:5], ["", "int f(int);", "int g(int);", "", "int h(int);"])  # at the top: the file's page
        made = lines_of("#pragma once\n// Of both.\nint f(int) {\n  return 1;  // one\n}\nint g(int);\n\nint h(int);\n")
        self.assertEqual(made[:8], ["#pragma once", "/// Of both.", "int f(int) {", "  return 1;  // one", "}",
                                    "/** Of both. */ int g(int);", "", "int h(int);"])

    def test_members(self):
        made = lines_of("#pragma once\n// A row.\nstruct row {\n  int n;  // items\n  int m;\n\n  // ---- heading ----\n"
                        "  int operator()(int a) const { return a; }\n};\n")
        self.assertEqual(made[1:8], ["/// A row.", "struct row {", "  int n;  ///< items", "  int m;", "",
                                     "  // ---- heading ----", "  /** A row. */ int operator()(int a) const { return a; }"])

    def test_concepts_and_variables(self):
        made = lines_of("#pragma once\n// Is one.\ntemplate <class T>\nconcept one = requires(T t) { t.x(); };\n"
                        "// Two.\ninline constexpr int two{2};\n// Three.\nusing three = int;\n")
        self.assertEqual([made[1], made[4], made[6]], ["/// Is one.", "/// Two.", "/// Three."])

    def test_what_the_file_is_about(self):
        made = lines_of(PAGE + "namespace ballot {\ntemplate <class T>\nvoid add(T& out) {}\n}\n")
        self.assertIn("/** Adds \\<numbers\\>. See add.cuh. */ template <class T>", made)

    def test_left_out(self):
        for code in ("template <class In>\nvoid f(const In&) {\n  detail::explain<detail::input_check<In>>();\n}",
                     "template <>\nstruct trait<int> {\n  int x;\n};", "template <class T>\ninline constexpr bool ok<T*> = true;",
                     "column(int) -> column<int>;"):
            made = lines_of("#pragma once\n// Why.\n" + code + "\n// Next.\nint next();\n")
            self.assertEqual(made[1], "// Why.")
            self.assertTrue(made[2].startswith("/** @cond */ "), made)
            last = 1 + len(code.split("\n"))
            self.assertTrue(made[last].endswith(" /** @endcond */"), made)
            self.assertEqual(made[last + 1:last + 3], ["/// Next.", "int next();"])


class Messages(unittest.TestCase):
    def test_one_line_a_name(self):
        text = ("a.cuh:3: error: Member f(int a, Other<\n  int > b) (function) of namespace ballot is not documented.\n"
                "a.cuh:5: error: Compound ballot::hidden is not documented.\n"
                "a.cuh:6: error: Member x (variable) of struct ballot::hidden is not documented.\n"
                "b.cuh:6: error: Member x (variable) of struct ballot::shown is not documented.\n"
                "b.cuh:7: error: Unsupported xml/html tag <T> found\n")
        self.assertEqual(doc_messages.listed(text), (
            ["a.cuh: 3", "      3  function ballot::f(int a, Other< int > b)", "      5  type ballot::hidden",
             "      6  variable ballot::hidden::x", "b.cuh: 1", "      7  Unsupported xml/html tag <T> found"], 4))


if __name__ == "__main__":
    unittest.main()
