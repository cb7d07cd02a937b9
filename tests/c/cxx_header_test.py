#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ballot.hpp has every call of ballot.h, and header.cpp instantiates every function of ballot.hpp.

  cxx_header_test.py FOLDER HEADER_CPP     FOLDER: of ballot.h and libballot/
"""
import pathlib
import re
import sys

# C++ calls these three of ballot.h directly: they take no array and return no status.
TAKEN_AS_IT_IS = {"ballot_last_cuda_error", "ballot_status_name", "ballot_version"}
# Called by a macro of ballot.h; what other functions of ballot.hpp call; default arguments.
BY_OTHERS = {"ballot_check_header_version", "as_array", "checked", "code", "ascending", "forward", "largest"}


def without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def main():
    folder, uses = pathlib.Path(sys.argv[1]), without_comments(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    header = without_comments((folder / "ballot.h").read_text(encoding="utf-8"))
    wrapped = "".join(without_comments(f.read_text(encoding="utf-8")) for f in sorted(folder.glob("libballot/*.hpp")))
    calls = set(re.findall(r"BALLOT_API [^;]*?\b(ballot_\w+)\(", header))
    wrong = [f"ballot.hpp has no {name}" for name in sorted(calls - TAKEN_AS_IT_IS - BY_OTHERS)
             if not re.search(rf"\b{name}\(", wrapped)]
    inner = re.sub(r"namespace detail \{.*?\n\}", "", wrapped, flags=re.S)
    functions = set(re.findall(r"^(?:inline |constexpr )*[A-Za-z_][\w:<>]* (\w+)\(", inner, flags=re.M))
    wrong += [f"header.cpp does not call libballot::{name}" for name in sorted(functions - BY_OTHERS)
              if not re.search(rf"\blibballot::{name}[(<]", uses)]
    for line in wrong:
        print(line)
    print(f"{len(calls)} calls of ballot.h, {len(functions)} functions of ballot.hpp, {len(wrong)} mistakes")
    return 1 if wrong or len(calls) < 80 or len(functions) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
