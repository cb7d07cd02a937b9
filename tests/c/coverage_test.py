#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each call of ballot.h that launches work is in a replay_*.cu, which calls it directly and in a graph that is replayed with other
data, and in random_arguments.cu; each size of scratch is in random_sizes.cu.

  coverage_test.py HEADER FOLDER     FOLDER: of these tests
"""
import pathlib
import re
import sys

CALL = re.compile(r"BALLOT_API ballot_status (ballot_\w+)\(\s*(ballot_exec where)?")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def text(file):
    return COMMENT.sub("", file.read_text(encoding="utf-8"))


def calls_of(header):
    """The calls that take an exec, and the sizes of scratch."""
    found = CALL.findall(header)
    launch = [name for name, where in found if where]
    # Nothing that takes an exec is overlooked, however it is written: a parameter of that type is in a call or in a helper here.
    if len(launch) != len(re.findall(r"BALLOT_API [^;]*?\bballot_exec\b", header)):
        sys.exit("a call that takes a ballot_exec has another form: this test does not find it")
    return launch, [name for name, _ in found if name.endswith("_scratch_bytes")]


def main():
    header, folder = text(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
    launch, sizes = calls_of(header)
    replays = "".join(text(file) for file in sorted(folder.glob("replay_*.cu")))
    arguments, lengths = text(folder / "random_arguments.cu"), text(folder / "random_sizes.cu")
    # A call of a replay works on(gpu), so what merely names a call does not count.
    wrong = [f"no replay_*.cu has {name}(on(gpu), ...)" for name in launch if not re.search(rf"\b{name}\(\s*on\(gpu\)", replays)]
    wrong += [f"random_arguments.cu has no {name}(gpu, ...)" for name in launch if not re.search(rf"\b{name}\(\s*gpu,", arguments)]
    for name in sizes:
        of = name.removeprefix("ballot_").removesuffix("_scratch_bytes")
        if not re.search(rf"\bOF\(\s*{of},|\b{name}\(", lengths):
            wrong.append(f"random_sizes.cu has no {name}")
    for line in wrong:
        print(line)
    print(f"{len(launch)} calls, {len(sizes)} sizes, {len(wrong)} mistakes")
    return 1 if wrong or len(launch) < 60 or len(sizes) < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
