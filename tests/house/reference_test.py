#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/reference.md names every public function (those of the headers that ballot.cuh includes, outside the
namespaces detail and device; twins that only explain a mistake are left out), that tests/contract calls it, that a replay_*.cu
there calls it in a graph that is replayed with other data, and that the limits of tests/contract/scratch.cu are in
docs/reference.md. Links of the documents must lead to existing files."""
import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INNER = re.compile(r"^namespace (detail|device) \{$.*?^\}  // namespace \1$", re.S | re.M)
# Not the twins, which only explain errors and leave their parameters without names (core/explain.hpp).
FUNCTION = re.compile(r"^(?:inline )?(?:void|int|std::size_t) (\w+)\((?!const exec&,)([^{;]*\{.*?(?:^\}|; \}$))", re.S | re.M)
COMMENT = re.compile(r"//[^\n]*")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def public_functions():
    umbrella = (ROOT / "algorithms/ballot/ballot.cuh").read_text()
    for header in re.findall(r"#include <(ballot/[^>]+)>", umbrella):
        file = next(ROOT / top / header for top in ("algorithms", "primitives") if (ROOT / top / header).is_file())
        for name, body in FUNCTION.findall(INNER.sub("", file.read_text())):
            if f"\n  {name}(where, " not in body:  # an overload that calls another of its name is no form of its own
                yield header, name


class Reference(unittest.TestCase):
    def forgotten(self, *files):
        functions = list(public_functions())
        self.assertGreater(len(functions), 80)
        named = {word for file in files for word in re.findall(r"\w+", file.read_text())}
        return [(header, name) for header, name in functions if name not in named]

    def test_reference_names_every_public_function(self):
        self.assertEqual(self.forgotten(ROOT / "docs/reference.md"), [])

    def test_contract_calls_every_public_function(self):
        self.assertEqual(self.forgotten(*ROOT.glob("tests/contract/*.cu")), [])

    def test_numbers_of_scratch_stand_there(self):
        reference = (ROOT / "docs/reference.md").read_text()
        cases = re.findall(r'^TEST_CASE\("(.*)"\)', (ROOT / "tests/contract/scratch.cu").read_text(), re.M)
        for file in ROOT.glob("tests/contract/*.cu"):  # algorithms that have a file of their own
            cases += re.findall(r'^TEST_CASE\("(`.*)"\)', file.read_text(), re.M)
        self.assertGreater(len(cases), 20)
        self.assertEqual([case for case in cases if re.sub(r"\s+", " ", case) not in re.sub(r"\s+", " ", reference)], [])

    # A call is name(gpu, ...), so std::sort and words in strings do not count; a scratch size is name<types>(n). There must be
    # as many calls as there are functions of that name.
    def test_replays_call_every_public_function(self):
        replays = [COMMENT.sub("", file.read_text()) for file in ROOT.glob("tests/contract/replay_*.cu")]
        functions = collections.Counter(name for _, name in public_functions())
        calls = {name: rf"(?<![\w:.]){name}(<[^;()]*>)?\(" + ("" if name.endswith("_scratch_bytes") else r"gpu,\s")
                 for name in functions}
        self.assertEqual([name for name, forms in functions.items()
                          if sum(len(re.findall(calls[name], text)) for text in replays) < forms], [])

    def test_links(self):
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "examples/README.md"]:
            for link in LINK.findall(page.read_text()):
                self.assertTrue((page.parent / link).exists(), f"{page.relative_to(ROOT)}: {link}")


if __name__ == "__main__":
    unittest.main()
