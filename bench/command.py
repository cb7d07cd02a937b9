#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the command with GNU sort, NumPy, Miller, DuckDB and Polars, whole process against whole process.

    bench/command.py --ballot build/release/apps/ballot [--millions 20] [--rounds 5] [--threads 1,4] [--out FILE.json]

Makes its files in --work (a tmpfs, by default /dev/shm, so that no disk is measured), checks that all results are the
same where that can be said byte for byte, and takes the programs in turn, round by round: a ratio is the median of the
rounds' ratios. What is not installed is left out. Memory is the most that was resident, by the system's account.
"""

import argparse
import array
import datetime
import json
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

NUMPY = """
import sys, numpy
what, kind, source, out = sys.argv[1:5]
items = numpy.fromfile(source, dtype=kind)
if what == 'sort': items.sort()
if what == 'argsort': items = numpy.argsort(items, kind='stable')
if what == 'where': items = items[(items > 10**9) & (items != 1234567890)]
items.tofile(out)
"""
POLARS = """
import sys, polars
source, out = sys.argv[1:3]
polars.read_csv(source).sort('id', maintain_order=True).write_csv(out)
"""
DUCKDB = """
import sys, duckdb
source, out = sys.argv[1:3]
duckdb.sql(f"set threads={len(__import__('os').sched_getaffinity(0))}")
duckdb.sql(f"copy (select * from read_csv('{source}') order by id) to '{out}' (header)")
"""


def has_module(name):
    import importlib.util
    return importlib.util.find_spec(name) is not None


def measured(words, threads):
    """Runs a program on so many processors: (seconds, processor seconds, peak bytes)."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            os.sched_setaffinity(0, processors)
            silent = os.open(os.devnull, os.O_RDWR)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            os.environ["LC_ALL"] = "C"
            os.execvp(str(words[0]), [str(word) for word in words])
        finally:
            os._exit(127)
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        raise SystemExit(f"status {status}: {' '.join(map(str, words))}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def same(a, b):
    if a.stat().st_size != b.stat().st_size:
        return False
    with open(a, "rb") as one, open(b, "rb") as other:
        while block := one.read(1 << 22):
            if block != other.read(1 << 22):
                return False
    return True


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.results = options, work, []

    def file(self, name):
        return self.work / name

    def compare(self, name, threads, programs, checked=True):
        """programs: {name: words that write to the file 'NAME.out'}; ballot is one of them."""
        runs = {program: [] for program in programs}
        for _ in range(self.options.rounds):
            for program, words in programs.items():
                runs[program].append(measured(words, threads))
        if checked:
            for program in programs:
                if program != "ballot" and not same(self.file("ballot.out"), self.file(f"{program}.out")):
                    raise SystemExit(f"{name}: the result of {program} is another one")
        row = {"case": name, "threads": threads, "load": os.getloadavg()[0], "programs": {}}
        for program, of in runs.items():
            row["programs"][program] = {
                "seconds": statistics.median(run[0] for run in of), "processor_seconds": statistics.median(run[1] for run in of),
                "peak_bytes": max(run[2] for run in of)}
            if program != "ballot":
                row["programs"][program]["ratio"] = statistics.median(run[0] / ours[0] for run, ours in zip(of, runs["ballot"]))
        self.results.append(row)
        self.save()
        print(line_of(row), flush=True)

    def save(self):
        """After every case: who interrupts a long run has what is done."""
        processor = next((line.split(": ", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
        report = {"date": datetime.date.today().isoformat(), "processor": processor, "processors": os.cpu_count(),
                  "millions": self.options.millions, "rounds": self.options.rounds, "results": self.results}
        if self.options.out:
            self.options.out.write_text(json.dumps(report, indent=1) + "\n")

    def columns(self, threads):
        ballot, count = self.options.ballot, self.options.millions * 1_000_000
        numpy = has_module("numpy")
        for kind, dtype in (("u32", "u4"), ("u64", "u8"), ("f64", "f8")):
            source = self.file(f"{kind}.raw")
            if not source.exists():
                write_column(source, kind, count)
            peers = lambda what: {"numpy": [sys.executable, "-c", NUMPY, what, dtype, source, self.file("numpy.out")]} if numpy else {}
            sort = [ballot, "sort", source, "--dtype", kind, "-o", self.file("ballot.out"), "--output-format", "raw"]
            self.compare(f"sort {kind}", threads, {"ballot": sort, **peers("sort")})
            self.compare(f"argsort {kind}", threads, {"ballot": [*sort, "--argsort"], **peers("argsort")})
            if kind == "u32":
                self.compare("where u32", threads, {
                    "ballot": [ballot, "compact", source, "--dtype", kind, "--where", "value > 1000000000 and value != 1234567890",
                               "-o", self.file("ballot.out"), "--output-format", "raw"], **peers("where")})
                limit = max(source.stat().st_size // 8, 1 << 24)
                self.compare("sort u32, 1/8 of it in memory", threads, {"ballot": [*sort, "--memory", limit], **peers("sort")})

    def lines(self, threads):
        ballot, count = self.options.ballot, self.options.millions * 100_000
        for name, prefix in (("paths", "/usr/share/some/long/common/prefix/of/paths/"), ("words", "")):
            source = self.file(f"{name}.txt")
            if not source.exists():
                write_lines(source, prefix, count)
            for unique in (False, True):
                words = ["--unique"] if unique else []
                programs = {"ballot": [ballot, "sort", source, "--format", "lines", *words, "-o", self.file("ballot.out")]}
                if shutil.which("sort"):
                    programs["GNU sort"] = ["sort", f"--parallel={threads}", "-S", "50%", *(["-u"] if unique else []), source,
                                            "-o", self.file("GNU sort.out")]
                self.compare(f"lines, {name}{', unique' if unique else ''}", threads, programs)

    def tables(self, threads):
        ballot, count = self.options.ballot, self.options.millions * 100_000
        source = self.file("table.csv")
        if not source.exists():
            write_table(source, count)
        sort = [ballot, "sort", source, "--by", "id", "-o", self.file("ballot.out")]
        programs = {"ballot": sort}
        if shutil.which("mlr"):
            programs["Miller"] = ["mlr", "--csv", "sort", "-nf", "id", "then", "tee", self.file("Miller.out"), source]
        if has_module("polars"):
            programs["Polars"] = [sys.executable, "-c", POLARS, source, self.file("Polars.out")]
        if has_module("duckdb"):
            programs["DuckDB"] = [sys.executable, "-c", DUCKDB, source, self.file("DuckDB.out")]
        self.compare("CSV by a number", threads, programs, checked=False)  # they write numbers in their own way
        self.compare("CSV, 1/8 of it in memory", threads, {"ballot": [*sort, "--memory", source.stat().st_size // 8]})
        source = self.file("records.bin")
        if not source.exists():
            with open(source, "wb") as out:
                for _ in range(count // 10_000):
                    out.write(random.randbytes(1_000_000))
        sort = [ballot, "sort", source, "--record-bytes", "100", "--by", "0:10", "-o", self.file("ballot.out")]
        self.compare("records of 100 bytes", threads, {"ballot": sort})
        self.compare("records, 1/8 of them in memory", threads, {"ballot": [*sort, "--memory", source.stat().st_size // 8]})


def write_column(path, kind, count):
    with open(path, "wb") as out:
        for begin in range(0, count, 1_000_000):
            size = min(1_000_000, count - begin)
            if kind == "f64":
                array.array("d", (random.gauss(0, 1) for _ in range(size))).tofile(out)
            else:
                out.write(random.randbytes(size * (4 if kind == "u32" else 8)))


def write_lines(path, prefix, count):
    with open(path, "w") as out:
        for _ in range(count):
            if prefix:
                out.write(f"{prefix}d{random.randrange(300)}/sub{random.randrange(300)}/file{random.randrange(10**6)}.txt\n")
            else:
                out.write(f"{random.randrange(10**4)} word {random.randrange(3)}\n")


def write_table(path, count):
    with open(path, "w") as out:
        out.write("id,name,value,score\n")
        for i in range(count):
            x, y = random.randrange(10**9), random.randrange(10**6)
            out.write(f"{x},name{y},{x * y % 997},{y / 7:.4f}\n")


def line_of(row):
    ours = row["programs"]["ballot"]
    peers = [f"{name} {of['seconds']:.2f} s, {of['ratio']:.2f}" for name, of in row["programs"].items() if name != "ballot"]
    return (f"| {row['case']} | {row['threads']} | {ours['seconds']:.2f} s | {ours['peak_bytes'] / 1e6:.0f} MB | "
            f"{'; '.join(peers) or '-'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ballot", type=pathlib.Path, required=True)
    parser.add_argument("--millions", type=int, default=20, help="items of a column; lines, rows and records are a tenth")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", default="1,4")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/dev/shm"))
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        bench = Bench(options, pathlib.Path(folder))
        print("| case | threads | ballot | memory | others: time, and its ratio to ballot's |\n|---|---|---|---|---|")
        for threads in map(int, options.threads.split(",")):
            bench.columns(threads)
            bench.lines(threads)
            bench.tables(threads)


if __name__ == "__main__":
    main()
