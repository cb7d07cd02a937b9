#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the C++ of the documents: every ```cpp block of README.md and docs/*.md, and the usage at the top of every header
that ballot.cuh includes, with the host compiler against the emulator, all in one translation unit.

Before a block there may be a comment, which Markdown does not show:
    <!-- snippet: std::span<const float> in; std::uint64_t* count; -->   declares the names that the block uses
    <!-- compiled in tests/coming_from_cub/recipes.cu -->                that file must contain the block's lines
Or both, in that order. `gpu`, `stream`, `comm`, `n` and the types below need no declaration. Lines with CUB are not compiled
here: such a block must be in a file that is compiled. A fence of another language is no C++."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CXX", "c++")

PRELUDE = """#include <ballot/ballot.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/ranks.hpp>
namespace snippet {
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
template <class T> using input = std::span<const T>;
template <class T> using output = std::span<T>;
extern const ballot::exec gpu;
extern const ballot::stream_t stream;
extern ballot::emulator::rank_communicator comm;
extern const std::uint64_t n;
struct particle { float x, y, z; u32 cell, id; };
template <class T, class Result> struct function { Result operator()(const T&) const; };
template <class T> using test = function<T, bool>;
"""

# Declarations of the names that the usage at the top of a header uses.
HEADERS = {
    "ballot/gather.cuh":
        "input<float> positions_x, sorted_forces; input<u32> order; output<float> sorted_x, forces; u64* outside;",
    "ballot/batched_top_k.cuh":
        "input<float> scores, distances; input<u32> ids, begins; output<float> best, nearest; output<u32> nearest_ids, found;",
    "ballot/search.cuh":
        "struct is_earlier { bool operator()(const particle&, const particle&) const; };"
        "struct cell_of : function<particle, u32> {}; input<particle> particles;"
        "input<u32> cells; u32 cell_count; input<float> levels, speeds; output<u32> begins, bins, places;"
        "input<particle> events, more_events; u64 *answer, *in_order;",
    "ballot/merge.cuh":
        "struct is_earlier { bool operator()(const particle&, const particle&) const; };"
        "input<u32> old_cells, old_ids, new_cells, new_ids; output<u32> cells, ids; input<particle> events, more_events;"
        "output<particle> all_events;",
    "ballot/top_k.cuh":
        "input<float> scores, distances; input<u32> ids; output<float> best, nearest; output<u32> nearest_ids, indices;"
        "u64* found;",
    "ballot/histogram.cuh":
        "struct cell_of : function<particle, u32> {}; input<particle> cells; input<u32> pixels; input<float> speeds; output<u32> counts;"
        "u64* outside;",
    "ballot/segmented_reduce.cuh":
        "input<float> weights, pixels, prices, distances; input<u32> row_begin, begins, ids; input<u8> is_new_day; "
        "output<float> sums, largest; output<ballot::indexed<float>> nearest, farthest; u64* days; output<u32> nearest_ids;"
        "struct index_of { u64 operator()(const ballot::indexed<float>& found) const; };"
        "struct is_nearer { bool operator()(float, float) const; };",
    "ballot/reduce_by_key.cuh":
        "struct is_near { bool operator()(const particle&, const particle&) const; }; input<u32> cells; input<float> masses; "
        "input<particle> points; output<u32> cells_out, items_of_cell; output<particle> points_out; "
        "output<float> mass_of_cell, heaviest, lightest; u64* cell_count;",
    "ballot/argsort_by_columns.cuh":
        "input<int> year; input<u32> price, ids; input<u8> more_significant_keys; output<u32> order;",
    "ballot/batched_scan.cuh":
        "output<float> samples, sums;",
    "ballot/compact.cuh":
        "struct is_inside : test<float> {}; struct is_hit : test<u64> {}; struct is_full : test<u32> {}; "
        "struct is_alive { bool operator()(float, float, u32) const; }; input<u64> pairs; output<u64> colliding; "
        "output<float> at, speed, at2, speed2; output<u32> id, id2, full_cells; input<u32> cells; u64 *alive, *full_count;",
    "ballot/compact_rows.cuh":
        "struct is_touching : test<u64> {}; input<u64> contacts; output<u64> touching, counts;",
    "ballot/compact_segments.cuh":
        "struct is_close : test<u32> {}; input<u32> neighbours; output<u32> close; input<u64> first_neighbour; "
        "output<u64> first_close;",
    "ballot/count_if.cuh":
        "struct is_alive : test<particle> {}; input<particle> particles; input<u32> words; u64 *alive, *set_bits;",
    "ballot/flag_bits.cuh":
        "struct is_alive : test<particle> {}; input<particle> particles; input<float> positions_x; output<float> x; "
        "output<u32> words; u64* count;",
    "ballot/multisplit.cuh":
        "struct cell_of : function<particle, u32> {}; struct owner : function<u64, int> {}; input<particle> particles; "
        "output<particle> by_cell; output<u64> offsets, begins; unsigned ranks; input<u64> keys; input<u32> ids; output<u64> keys2; "
        "output<u32> ids2;",
    "ballot/segmented_sort.cuh":
        "input<float> keys; output<float> sorted, a, b; input<u32> offsets, begins, ends, cells, ids; "
        "output<u32> sorted_cells, sorted_ids;",
    "ballot/sort.cuh":
        "input<double> keys; output<double> sorted; input<u32> cells; input<particle> ids; "
        "output<u32> sorted_cells, order, objects; output<particle> sorted_ids;",
    "ballot/sort_by.cuh":
        "struct cell_of : function<particle, u32> {}; input<particle> particles; output<particle> sorted; "
        "input<float> floats; output<float> sorted_floats; input<u32> ids; output<u32> order;",
    "ballot/sort_ping_pong.cuh":
        "output<u64> a, b; output<u32> keys_a, keys_b; output<float> values_a, values_b;",
    "ballot/split.cuh":
        "struct is_inside : test<particle> {}; struct has_bit : test<u32> { int bit; has_bit(int); }; "
        "input<particle> particles; output<particle> inside, outside; u64 *inside_count, *count; input<u32> keys; "
        "input<float> ids; output<u32> sorted_by_bit, keys2; output<float> ids2;",
    "ballot/split_in_place.cuh":
        "struct is_inside : test<particle> {}; struct has_bit : test<u32> { int bit; has_bit(int); }; "
        "output<particle> particles; u64 *inside_count, *count; output<u32> keys; output<float> ids;",
    "ballot/unique.cuh":
        "input<u32> sorted_cells; input<float> ids; input<u8> symbols; output<u32> cells, begin_of_cell; "
        "output<float> first_ids; output<u8> values; output<u64> lengths; u64 *cell_count, *run_count, *group_count; "
        "struct is_near { bool operator()(particle, particle) const; }; input<particle> points; "
        "output<particle> one_of_each_group;",
    "ballot/bit_ranks.cuh":
        "input<u32> mask; output<u32> ranks; output<u64> directory; u64* count;",
    "ballot/blockwise_scan.cuh":
        "input<float> samples; output<float> running; input<u32> counts; output<u32> offsets; u64 row_length;",
    "ballot/outputs.cuh":
        "struct is_far : test<double> {}; struct is_alive : test<u32> {}; struct is_hit : test<u32> {}; "
        "struct name_of : function<u32, u64> {}; input<double> x; input<u32> ids; output<float> floats; output<u64> names; "
        "output<u32> alive, hits; u32* count_before; u64 n, *count;",
    "ballot/reduce.cuh":
        "input<particle> bodies; struct is_lighter { bool operator()(const particle&, const particle&) const; }; ballot::indexed<particle>* heaviest; struct affine { float a, b; static affine identity(); }; "
        "struct compose { affine operator()(affine, affine) const; }; input<u32> counts; input<affine> maps; affine* composed; "
        "input<float> distances; ballot::indexed<float>* nearest;",
    "ballot/scan.cuh":
        "const float floor = 0; u64 *used, *now; input<u32> counts; output<u64> offsets, row_offsets; input<float> heights, x; output<float> highest, sums; float* sum; "
        "input<u8> selected; output<u32> ranks;",
    "ballot/views.cuh":
        "struct square : function<float, float> {}; struct product { float operator()(float, float) const; }; "
        "struct is_far : test<float> {}; struct cost_of : function<u32, float> {}; input<float> x, y; input<u32> ids; "
        "output<float> far; output<u32> offsets, last_first; float *sum_of_squares, *dot, *sum; u64* count; "
        "ballot::indexed<float>* nearest;",
    "ballot/segmented_scan.cuh":
        "input<float> prices; input<u8> is_new_day; output<float> high_so_far; input<u32> sizes, heads; output<u32> offsets; "
        "input<u64> row_begin;",
}

FENCE = re.compile(r"^\s*```(.*)$")
SNIPPET = re.compile(r"<!-- snippet: (.*?) -->", re.S)
ELSEWHERE = re.compile(r"<!-- compiled in (\S+) -->")
LANGUAGES = {"", "c", "cmake", "cpp"}  # c: compiled by tests/c/snippet_test.py


class Snippet:
    def __init__(self, file, line, lines):
        self.file, self.line, self.lines = file, line, lines
        self.declarations, self.elsewhere = "", None


def blocks_of(root, page):
    """Yields the fenced blocks of a page: language, the comments right before, and the lines."""
    lines = (root / page).read_text().splitlines()
    begin = None
    for i, line in enumerate(lines):
        fence = FENCE.match(line)
        if not fence:
            continue
        if begin is None:
            begin = i
            continue
        above = "\n".join(lines[:begin]).rstrip()
        comments = re.search(r"(?:<!--(?:(?!-->).)*-->\s*)*$", above, re.S).group(0)
        yield FENCE.match(lines[begin]).group(1), comments, Snippet(page, begin + 2, lines[begin + 1:i])
        begin = None


def snippets_of_page(root, page):
    for language, comments, snippet in blocks_of(root, page):
        if language not in LANGUAGES:
            raise ValueError(f"{page}:{snippet.line}: a fence of '{language}': C++ is cpp")
        if language != "cpp":
            if any("ballot::" in line and ";" in line for line in snippet.lines):
                raise ValueError(f"{page}:{snippet.line}: C++ without ```cpp")
            continue
        declared, elsewhere = SNIPPET.search(comments), ELSEWHERE.search(comments)
        snippet.declarations = declared.group(1).replace("\n", " ") if declared else ""
        snippet.elsewhere = elsewhere.group(1) if elsewhere else None
        yield snippet


def usage_of(root, header):
    """Returns the first lines of a header's opening comment that are indented as code."""
    file = next(root / top / header for top in ("algorithms", "primitives") if (root / top / header).is_file())
    used, line = [], 0
    for i, text in enumerate(file.read_text().splitlines()):
        if text.startswith("//     "):
            line = line or i + 1
            used.append(text[7:])
        elif used and text == "//":
            used.append("")
        elif used or not text.startswith("//"):
            break
    snippet = Snippet(str(file.relative_to(root)), line, used)
    snippet.declarations = HEADERS.get(header, "")
    return snippet


def pages_of(root):
    return [str(page.relative_to(root)) for page in [root / "README.md", *sorted(root.glob("docs/*.md"))]]


def headers_of(root):
    umbrella = (root / "algorithms/ballot/ballot.cuh").read_text()
    return re.findall(r"#include <(ballot/[^>]+)>", umbrella)


def unit_of(snippets):
    """Returns one translation unit of all snippets: each is a function, in a namespace with its declarations."""
    top, body = [], [PRELUDE]
    for i, snippet in enumerate(snippets):
        code = []
        for line in snippet.lines:
            include = line.startswith("#include")
            code.append("" if include else line)
            if include:
                top.append(line)
        body.append(f'namespace at_{i} {{\n#line {snippet.line} "{snippet.file} (declarations)"\n{snippet.declarations}\n'
                    f'void body() {{\n#line {snippet.line} "{snippet.file}"\n' + "\n".join(code) + "\n}\n}\n")
    return "\n".join(top + body) + "}\n"


def compiled(unit):
    roots = [f"-I{ROOT / top}" for top in ("primitives", "algorithms", "distributed", "survey", "emulator")]
    command = [COMPILER, "-std=c++20", "-DBALLOT_EMULATED=1", *roots, "-fsyntax-only", "-fno-diagnostics-show-caret",
               "-Wno-unknown-pragmas", "-x", "c++", "-"]
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def squeezed(lines):
    """Returns code without comments and white space, so that line breaks do not matter."""
    return re.sub(r"\s+", "", "\n".join(line.split("//")[0] for line in lines))


def problems(root):
    """Returns the snippets of a tree, and their mistakes: the compiler's errors, and blocks that the named file lacks."""
    found, to_compile = [], []
    for page in pages_of(root):
        try:
            for snippet in snippets_of_page(root, page):
                if snippet.elsewhere:
                    file = ROOT / snippet.elsewhere
                    if not file.is_file() or squeezed(snippet.lines) not in squeezed(file.read_text().splitlines()):
                        found.append(f"{page}:{snippet.line}: not in {snippet.elsewhere}")
                if not snippet.elsewhere or snippet.declarations:
                    to_compile.append(snippet)
        except ValueError as error:
            found.append(str(error))
    if (root / "algorithms").is_dir():
        to_compile += [usage_of(root, header) for header in headers_of(root)]
    code, output = compiled(unit_of(to_compile))
    if code != 0:
        found.append(output)
    return to_compile, found


class Snippets(unittest.TestCase):
    maxDiff = None

    def test_all_compile(self):
        of_pages_and_headers, found = problems(ROOT)
        self.assertEqual("\n".join(found), "")
        self.assertGreaterEqual(len(of_pages_and_headers), 20)

    def test_every_header_shows_its_use(self):
        self.assertEqual(sorted(headers_of(ROOT)), sorted(HEADERS))
        for header in HEADERS:
            self.assertTrue(any("ballot::" in line for line in usage_of(ROOT, header).lines), header)

    def planted(self, page):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "README.md").write_text(page)
            return "\n".join(problems(pathlib.Path(folder))[1])

    def test_a_right_snippet_passes(self):
        self.assertEqual(self.planted("<!-- snippet: input<u32> keys; output<u32> sorted; -->\n```cpp\n"
                                      "#include <ballot/sort.cuh>\nballot::sort(gpu, keys, sorted);\n```\n"), "")

    def test_wrong_snippets_are_caught(self):
        keys = "Text.\n\n<!-- snippet: input<u32> keys; output<u32> sorted; -->\n```cpp\n"
        for page, expected in (
                (keys + "ballot::sort(gpu, keys);\n```\n", "README.md:5:"),
                (keys + "\nballot::sorted(gpu, keys, sorted);\n```\n", "README.md:6:"),
                (keys + "ballot::sort(gpu, keys, sorted, {.order = 1});\n```\n", "README.md:5:"),
                ("```cpp\nballot::sort(gpu, keys, sorted);\n```\n", "README.md:2:"),  # nothing is declared
                ("<!-- snippet: input<u128> keys; -->\n```cpp\n```\n", "README.md (declarations)"),
                # Found when the template is instantiated: a scan adds items of up to 16 bytes.
                ("<!-- snippet: struct wide { u64 x[3]; }; struct op { wide operator()(wide, wide) const; };\n"
                 "output<wide> x; -->\n```cpp\nballot::inclusive_scan(gpu, x, x, op{});\n```\n", "static assertion"),
                ("```\nballot::sort(gpu, keys, sorted);\n```\n", "README.md:2: C++ without"),
                ("```c++\nballot::sort(gpu, keys, sorted);\n```\n", "README.md:2: a fence of 'c++'"),
                ("<!-- compiled in tests/coming_from_cub/sorts.cu -->\n```cpp\nsort(gpu, in, wrong);\n```\n",
                 "README.md:3: not in"),
                ("<!-- compiled in tests/none.cu -->\n```cpp\nint x;\n```\n", "README.md:3: not in")):
            with self.subTest(page=page):
                self.assertIn(expected, self.planted(page))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMPILER = sys.argv.pop(1)
    unittest.main()
