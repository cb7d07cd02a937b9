#!/usr/bin/env python3
"""Compiles each mistake of mistakes.cu alone: the compiler has to refuse it, and its first error has to say what is wrong, in
the words that stand behind the mistake's name. nvcc may take at most 12 lines to say it.

  mistakes_test.py COMPILER [NAME...]      nvcc, or a host compiler for the emulator; without a NAME all mistakes
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/house/mistakes.cu"
MOST_LINES = 12
INCLUDE = [f"-I{ROOT}/primitives", f"-I{ROOT}/algorithms", f"-I{ROOT}/emulator"]
COMMAND = {
    True: ["-std=c++20", "--extended-lambda", "-arch=sm_90", "-ptx", "-o", "/dev/null"],
    False: ["-std=c++20", "-DBALLOT_EMULATED=1", "-Wno-unknown-pragmas", "-fsyntax-only", "-x", "c++"],
}


def mistakes(is_nvcc):
    """Name and expected words of each."""
    found = re.findall(r"^#ifdef MISTAKE_(\w+)  // (nvcc: )?(.+)$", SOURCE.read_text(), re.M)
    blocks = SOURCE.read_text().count("#if")
    if len(found) != blocks:
        sys.exit(f"{SOURCE.name}: {blocks} blocks, {len(found)} of the form '#ifdef MISTAKE_name  // expected words'")
    return {name: words for name, only_nvcc, words in found if is_nvcc or not only_nvcc}


def compiled(compiler, is_nvcc, name):
    command = [compiler, *COMMAND[is_nvcc], *INCLUDE, f"-DMISTAKE_{name}", str(SOURCE)]
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
    expected = mistakes(is_nvcc)
    names = sys.argv[2:] or list(expected)
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        right = pool.submit(compiled, compiler, is_nvcc, "none")
        results = list(pool.map(lambda name: compiled(compiler, is_nvcc, name), names))
    complaints = [f"without a mistake:\n{right.result()[1]}"] if right.result()[0] != 0 else []
    for name, (code, said) in zip(names, results):
        wrong = complaint(name, expected[name], is_nvcc, code, said)
        if wrong:
            complaints.append(wrong)
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{len(names)} mistakes, each explained by the first error")


if __name__ == "__main__":
    main()
