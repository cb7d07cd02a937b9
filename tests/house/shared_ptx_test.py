#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libballot's code for sm_100 is made from the PTX of sm_90 (library/CMakeLists.txt). So no condition in the sources may tell the two apart."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = r"(?:simt::architecture|__CUDA_ARCH__)"
ONE = rf"{NAME}(?:\s*/\s*\d+)?\s*(?:<=|>=|==|!=|<|>)\s*\d+"
CHAIN = re.compile(rf"\(*{ONE}(?:[\s()]*(?:\|\||&&)[\s()]*{ONE})*\)*")


def tells_apart(condition):
    """Whether it has another value for 900 than for 1000."""
    text = condition
    while text.count("(") > text.count(")") and text.startswith("("):
        text = text[1:]
    while text.count(")") > text.count("("):
        text = text[:text.rindex(")")]
    text = text.replace("||", " or ").replace("&&", " and ").replace("/", "//")
    text = " ".join(text.split())
    return eval(re.sub(NAME, "900", text)) != eval(re.sub(NAME, "1000", text))  # of numbers and comparisons alone


def main():
    assert tells_apart("simt::architecture >= 1000") and tells_apart("__CUDA_ARCH__ == 900")
    assert not tells_apart("simt::architecture / 100 == 9 || simt::architecture / 100 == 10")
    found, wrong = 0, []
    for tree in ("primitives", "algorithms", "library"):
        for file in sorted((ROOT / tree).rglob("*")):
            if file.suffix not in (".cuh", ".hpp", ".cu", ".h"):
                continue
            for condition in CHAIN.findall(file.read_text(encoding="utf-8")):
                found += 1
                if tells_apart(condition):
                    wrong.append(f"{file.relative_to(ROOT)}: {' '.join(condition.split())}")
    if found < 10:
        sys.exit(f"only {found} conditions of the architecture were found")
    if wrong:
        sys.exit("conditions that sm_90 and sm_100 answer differently:\n" + "\n".join(wrong))
    print(f"{found} conditions of the architecture: the same for sm_90 and sm_100")


if __name__ == "__main__":
    main()
