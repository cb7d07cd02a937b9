#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each mistake of mistakes.cu, mistakes_scans.cu and mistakes_sorts.cu alone: the compiler has to refuse it, and its
first error has to say what is wrong, in the words that stand beside the mistake. nvcc may take at most 12 lines to say it.

  mistakes_test.py COMPILER [NAME...]      nvcc, or a host compiler for the emulator

Without a NAME, a host compiler gets all mistakes. nvcc, which takes longer, gets those of mistakes.cu and those that a host
compiler does not see.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/house"
MOST_LINES = 12
INCLUDE = [f"-I{ROOT}/{folder}" for folder in ("primitives", "algorithms", "distributed", "emulator")]
COMMAND = {
    True: ["-std=c++20", "--extended-lambda", "-arch=sm_90", "-ptx", "-o", "/dev/null"],
    False: ["-std=c++20", "-DBALLOT_EMULATED=1", "-Wno-unknown-pragmas", "-fsyntax-only", "-x", "c++"],
}


class Mistake:
    def __init__(self, source, name, macro, words, only_nvcc):
        self.source, self.name, self.macro, self.words, self.only_nvcc = source, name, macro, words, only_nvcc


def mistakes():
    """The mistakes of all sources, in two forms: blocks with names in mistakes.cu, with numbers in the others."""
    text = (FOLDER / "mistakes.cu").read_text()
    named = re.findall(r"^#ifdef MISTAKE_(\w+)  // (nvcc: )?(.+)$", text, re.M)
    if len(named) != text.count("#if"):
        sys.exit(f"mistakes.cu: not every block is of the form '#ifdef MISTAKE_name  // expected words'")
    found = [Mistake("mistakes.cu", name, f"MISTAKE_{name}", words, bool(only)) for name, only, words in named]
    for source in ("mistakes_scans.cu", "mistakes_sorts.cu"):
        text = (FOLDER / source).read_text()
        blocks = re.split(r"^#(?:if|elif) MISTAKE == (\d+)", text, flags=re.M)[1:]
        for number, block, before in zip(blocks[::2], blocks[1::2], [text, *blocks[1::2]]):
            said = re.search(r"// says: (.+)", block) or sys.exit(f"{source}: mistake {number} does not say what is said")
            stem = source.removeprefix("mistakes_").removesuffix(".cu")
            found.append(Mistake(source, f"{stem}_{number}", f"MISTAKE={number}", said[1], "// compiler: nvcc" in block))
    return found


def precompiled(compiler, source, folder):
    """What makes GCC parse the headers of a source once, for all of its mistakes: their includes say the same again. Other
    compilers parse them each time."""
    if "Free Software Foundation" not in subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout:
        return []
    header = pathlib.Path(folder) / f"{source}.hpp"
    header.write_text("".join(re.findall(r"^#include <.+>\n", (FOLDER / source).read_text(), re.M)))
    flags = [flag for flag in COMMAND[False] if flag not in ("-fsyntax-only", "-x", "c++")]
    subprocess.run([compiler, *flags, *INCLUDE, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    return ["-Winvalid-pch", "-include", str(header)]


def compiled(compiler, is_nvcc, source, macro, headers=()):
    command = [compiler, *COMMAND[is_nvcc], *INCLUDE, *headers, *([f"-D{macro}"] if macro else []), str(FOLDER / source)]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stderr


def complaint(name, words, is_nvcc, code, said):
    """What is wrong with the compiler's message, or None."""
    errors = [line for line in said.splitlines() if re.search(r"\berror\b", line)]
    if code == 0 or not errors:
        return f"{name}: compiles"
    if words.lower() not in errors[0].lower():
        return f"{name}: the first error is not '{words}' but\n  {errors[0]}"
    lines = [line for line in said.splitlines() if line.strip()]
    if is_nvcc and len(lines) > MOST_LINES:
        return f"{name}: {len(lines)} lines, at most {MOST_LINES} are wanted\n" + "\n".join(lines)
    return None


def main():
    compiler = sys.argv[1]
    is_nvcc = "nvcc" in pathlib.Path(compiler).name
    chosen = [m for m in mistakes() if m.name in sys.argv[2:]] if sys.argv[2:] else [
        m for m in mistakes() if (m.source == "mistakes.cu" or m.only_nvcc if is_nvcc else not m.only_nvcc)]
    sources = sorted({m.source for m in chosen})
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        headers = {source: [] if is_nvcc else precompiled(compiler, source, folder) for source in sources}
        right = {source: pool.submit(compiled, compiler, is_nvcc, source, None) for source in sources}
        results = list(pool.map(lambda m: compiled(compiler, is_nvcc, m.source, m.macro, headers[m.source]), chosen))
    complaints = [f"{source} without a mistake:\n{r.result()[1]}" for source, r in right.items() if r.result()[0] != 0]
    for m, (code, said) in zip(chosen, results):
        wrong = complaint(m.name, m.words, is_nvcc, code, said)
        if wrong:
            complaints.append(wrong)
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{len(chosen)} mistakes, each explained by the first error")


if __name__ == "__main__":
    main()
