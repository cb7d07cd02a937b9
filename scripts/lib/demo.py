# SPDX-License-Identifier: Apache-2.0
"""Runs the command for the demo, and prints its reports. Started by scripts/demo."""
import argparse
import ast
import itertools
import json
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys

KEYS = 16 * 1024 * 1024
STRUCT_CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "f2": "e", "f4": "f", "f8": "d"}


def generate(path):
    """Writes 16 Mi random 32-bit keys, the same every time."""
    size = KEYS * 4
    if not path.exists() or path.stat().st_size != size:
        print(f"Writing {KEYS:,} random 32-bit keys to {path}")
        part = path.with_suffix(".part")
        part.write_bytes(random.Random(2024).randbytes(size))
        os.replace(part, path)
    return path


def run(words):
    """Runs a command that reports as JSON on stderr, and prints it first, so that it can be repeated by hand."""
    print("\n$ " + shlex.join(map(str, words)))
    done = subprocess.run(words, stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape", check=False)
    report = None
    for line in done.stderr.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            print(line, file=sys.stderr)
    if done.returncode or report is None or "error" in report:
        why = f": {report['error']}" if report and "error" in report else ""
        sys.exit(f"demo: the command failed (exit status {done.returncode}){why}")
    return report


def throughput(n, seconds):
    if not seconds:
        return "-"
    rate = n / seconds
    return f"{rate / 1e9:.2f} G items/s" if rate >= 1e9 else f"{rate / 1e6:.1f} M items/s"


def milliseconds(seconds):
    return f"{seconds * 1e3:,.2f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def tell(what, report, thrust=None):
    seconds, n = report["seconds"], report["n"]
    worked = seconds["kernel" if report["engine"] == "cuda" else "compute"]
    device, kept = report.get("device"), report.get("n_out")
    lines = [
        ("engine", report["engine"] + (f" ({device})" if device else "") +
         (f": {report['engine_reason']}" if report["engine"] != "cuda" and report.get("engine_reason") else "")),
        ("items", f"{n:,}" + (f" {report['dtype']}" if report["dtype"] else "") + (f", {kept:,} selected" if kept is not None else "")),
        (what, f"{milliseconds(worked)}, {throughput(n, worked)}"),
        ("total", f"{milliseconds(seconds['total'])}: " +
         ", ".join(f"{phase} {milliseconds(s)}" for phase, s in seconds.items() if phase != "total" and s)),
        ("verified", "yes, by the command itself (--verify)" if report["verified"] else "NO"),
    ]
    if thrust is not None:
        first, again = thrust
        lines.insert(3, ("Thrust", f"{milliseconds(first)} for its first call as above, {milliseconds(again)} "
                                   f"({throughput(n, again)}) when called again and again"))
    for name, value in lines:
        print(f"  {name:11} {value}")


def npy_item(path, at):
    """Returns one item of a one-dimensional .npy file; `at` is its position as a fraction of the length. None if there is none, or
    if its type has no numbers that a condition could name (truth values, dates)."""
    with open(path, "rb") as file:
        if file.read(6) != b"\x93NUMPY":
            sys.exit(f"demo: {path} is no .npy file")
        width = 2 if file.read(2)[0] == 1 else 4
        header = ast.literal_eval(file.read(int.from_bytes(file.read(width), "little")).decode("latin1").strip())
        descr = header["descr"]
        code = STRUCT_CODES.get(descr[1:]) if isinstance(descr, str) else None
        count = header["shape"][0] if header["shape"] else 0
        if not count or code is None:
            return None
        code = (">" if descr[0] == ">" else "<") + code
        file.seek(int(count * at) * struct.calcsize(code), os.SEEK_CUR)
        return struct.unpack(code, file.read(struct.calcsize(code)))[0]


def thrust_time(thrust, command, report, path, below=None):
    """Returns the seconds of Thrust's first call and of a later one, or None if there is nothing to compare."""
    if not thrust or report["engine"] != "cuda" or path.suffix not in (".raw", ".bin"):
        return None
    words = [thrust, command, path, "--dtype", report["dtype"]] + (["--below", str(below)] if below is not None else [])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  (no time of Thrust: {done.stderr.strip()})")
        return None
    times = json.loads(done.stdout)
    return times[f"seconds_{command}_first"], times[f"seconds_{command}"]


def free_stem(work, path, taken):
    """Returns how the names of a file's results begin. Files of one name get different ones, and none is in `taken`, to which
    they are added."""
    for again in itertools.count(1):
        stem = work / (path.stem + (f"-{again}" if again > 1 else ""))
        results = {stem.with_name(f"{stem.name}.{what}.npy") for what in ("sorted", "kept")}
        if not results & taken:
            taken |= results
            return stem


def show(arguments, path, dtype, where, stem):
    """Sorts and compacts one file. `where` is (condition, limit), or None: above the median. Results begin with `stem`."""
    typed = ["--dtype", dtype] if dtype and path.suffix != ".npy" else []  # .npy says its type, which may be another one
    in_place_of = ".raw" if where else ".npy"  # .npy names its type, which is needed to find the median

    output = stem.with_name(stem.name + ".sorted" + in_place_of)
    report = run([arguments.ballot, "sort", path, *typed, "-o", output, "--verify", "--json"])
    tell("sorting", report, thrust_time(arguments.thrust, "sort", report, path))
    outputs = [output]

    if where is None:
        median = npy_item(output, 0.5)
        if median is None or median != median:
            print("\nThere is no median to compare with: items are not compacted.")
            return outputs
        where = (f"value > {median}", None)
        print(f"\nThe median is {median}. Items above it:")
    output = stem.with_name(stem.name + ".kept" + in_place_of)
    report = run([arguments.ballot, "compact", path, *typed, "--where", where[0], "-o", output, "--verify", "--json"])
    # Thrust's program has one predicate: below a limit.
    known = where[1] is not None
    tell("compacting", report, thrust_time(arguments.thrust, "compact", report, path, where[1]) if known else None)
    return outputs + [output]


def main():
    parser = argparse.ArgumentParser(prog="scripts/demo")
    parser.add_argument("--ballot", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--thrust", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--dtype", help="type of the numbers in raw files: u32, f32, i64, ...")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_intermixed_args()  # the options may stand between the files, as scripts/demo takes them
    # Line by line, so that the order with the commands' stderr is right. File names are printed with the bytes they came with.
    sys.stdout.reconfigure(line_buffering=True, errors="surrogateescape")
    arguments.work.mkdir(parents=True, exist_ok=True)

    outputs = []
    if arguments.files:
        for path in arguments.files:
            if not path.is_file():
                sys.exit(f"demo: there is no file {path}")
        taken = {path.resolve() for path in arguments.files}
        for path in arguments.files:
            outputs += show(arguments, path, arguments.dtype, None, free_stem(arguments.work.resolve(), path, taken))
    else:
        keys = generate(arguments.work / "keys.raw")
        outputs += show(arguments, keys, "u32", ("value < 2147483648", 2147483648), arguments.work / "keys")
    print("\nWritten:")
    for output in outputs:
        print(f"  {output}")


if __name__ == "__main__":
    main()
