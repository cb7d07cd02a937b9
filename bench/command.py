#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the command with NumPy, GNU sort, Miller, DuckDB and Polars, whole process against whole process.

    bench/command.py --ballot build/release/apps/ballot [--millions 20,200] [--threads 1,4] [--out FILE.json]
    bench/command.py --ballot ... --files cities.csv:population log.txt numbers.npy     real files, too
    bench/command.py --ballot ... --parts limits --millions 200 --threads 4            files eight times as large as the memory
    bench/command.py --table FILE.json                                                  the tables of a run again

Makes its files in --work (a tmpfs, by default /dev/shm, so that no disk is measured; 6 GB for 200 million items), and
takes the programs in turn, round by round: a ratio is the median of the rounds' ratios. Every result is
checked: those of all programs are the same byte for byte, those that cannot be are checked by --verify and by their
number of lines. Nothing is installed; what is missing is named. Memory is the most that was resident at a time, by the
system's account. NumPy sorts on one core: what takes it long is measured once for all numbers of threads. Cases that do not begin within --minutes are left out and named. A long run can
be made in parts: --parts names them, and --continue adds to the results of runs before it.
"""

import argparse
import concurrent.futures
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median

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
what, column, source, out = sys.argv[1:5]
rows = polars.read_csv(source, infer_schema_length=10_000)
rows = rows.sort(column, maintain_order=True) if what == 'sort' else rows.filter(polars.col(column) > 500)
rows.write_csv(out)
"""
DUCKDB = """
import os, sys, duckdb
what, column, source, out = sys.argv[1:5]
duckdb.sql(f"set threads={len(os.sched_getaffinity(0))}")
how = f'order by "{column}"' if what == 'sort' else f'where "{column}" > 500'
duckdb.sql(f"copy (select * from read_csv('{source}') {how}) to '{out}' (header)")
"""
# What a run can be limited to, and the method that measures it.
PARTS = {"columns": "columns", "paths": "lines:paths", "words": "lines:words", "numbers": "lines:numbers", "tables": "tables", "records": "records"}
LIMITS = "limits"  # of all of these only what is larger than the memory, without other programs
KINDS = {"u32": "u4", "u64": "u8", "f64": "f8"}
WHERE = "value > 1000000000 and value != 1234567890"
PREFIX = "/usr/share/some/long/common/prefix/of/paths/"


def version_of(module):
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return None


def first_line_of(*words):
    if not shutil.which(words[0]):
        return None
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.partition("\n")[0]


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
            os.environ["POLARS_MAX_THREADS"] = str(threads)
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


def lines_in(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))


def in_a_process(work, *words):
    """The system reports at least this process's own memory for the processes that it starts."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work(*words)
            status = 0
        except BaseException as problem:  # pylint: disable=broad-except
            print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        raise SystemExit("a file could not be made")


class Bench:
    def __init__(self, options, work):
        self.options, self.work, self.results, self.skipped = options, work, [], []
        self.begin = time.monotonic()
        self.done = set()  # cases that an earlier run has measured, with their threads
        self.only = ""  # cases that have it in their names
        self.of_one_core = {}  # runs of programs that know no threads, by their words
        self.modules = {module: version_of(module) for module in ("numpy", "polars", "duckdb")}
        tools = {"GNU sort": first_line_of("sort", "--version"), "Miller": first_line_of("mlr", "--version")}
        self.programs = {**{module: version for module, version in self.modules.items() if version}, **{k: v for k, v in tools.items() if v}}
        self.missing = [name for name in (*self.modules, *tools) if name not in self.programs]
        if self.missing:
            print(f"Not installed, and left out: {', '.join(self.missing)}.\n")

    def out(self, program, ending=""):
        return self.work / f"{program}.out{ending}"

    def python(self, program, text, *words, ending=""):
        return {program: [sys.executable, "-c", text, *words, self.out(program, ending)]} if self.modules[program] else {}

    def compare(self, name, threads, size, programs, check="same", is_more=False):
        """programs: {name: words that write to out(name)}; ballot is one of them. size: bytes of the input.
        is_more: the same case comes again, with more threads."""
        if (name, threads) in self.done or self.only not in name:
            return
        if time.monotonic() - self.begin > 60 * self.options.minutes:
            self.skipped.append(f"{name}, {threads} threads")
            return
        runs = {program: [] for program in programs}
        began = time.monotonic()
        known = {program: tuple(map(str, words)) for program, words in programs.items() if program == "numpy"}
        runs.update({program: self.of_one_core[words] for program, words in known.items() if words in self.of_one_core})
        measured_before = {program for program in known if runs[program]}
        for done in range(self.options.rounds):
            for program, words in programs.items():
                if program not in measured_before:
                    runs[program].append(measured(words, threads))
            if time.monotonic() - began > self.options.seconds * (done + 1) / (done + 2):
                break  # another round would take too long
        outs = {program: next(word for word in words if str(word).startswith(str(self.out(program)))) for program, words in programs.items()}
        for program, found in outs.items():
            if program == "ballot" or check is None:
                continue
            if not (same(outs["ballot"], found) if check == "same" else lines_in(outs["ballot"]) == lines_in(found)):
                raise SystemExit(f"{name}: the result of {program} is another one")
        long = {program for program in known if runs[program][0][0] > 5}
        self.of_one_core.update({known[program]: runs[program] for program in long})
        for program, found in outs.items():
            if program not in long or not is_more:
                found.unlink(missing_ok=True)
        row = {"case": name, "threads": threads, "load": os.getloadavg()[0], "input_bytes": size, "checked": check, "programs": {}}
        for program, of in runs.items():
            row["programs"][program] = {"runs": [{"seconds": s, "processor_seconds": p, "peak_bytes": m} for s, p, m in of],
                                        "seconds": median(run[0] for run in of), "processor_seconds": median(run[1] for run in of),
                                        "peak_bytes": max(run[2] for run in of)}
            if program != "ballot":
                # Of several rounds the ratio of each; of one that is there once, to all.
                pairs = list(zip(of if len(of) == len(runs["ballot"]) else of[:1] * len(runs["ballot"]), runs["ballot"]))
                row["programs"][program]["ratio"] = median(theirs[0] / ours[0] for theirs, ours in pairs)
                row["programs"][program]["processor_ratio"] = median(theirs[1] / ours[1] for theirs, ours in pairs)
        self.results.append(row)
        self.save()
        print(line_of(row), flush=True)

    def save(self):
        """After every case: who interrupts a long run has what is done."""
        processor = next((line.split(": ", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8", errors="replace") if line.startswith("model name")), "")
        self.report = {"date": datetime.date.today().isoformat(), "processor": processor, "processors": os.cpu_count(), "system": platform.release(),
                       "ballot": first_line_of(str(self.options.ballot), "--version"), "programs": self.programs, "missing": self.missing,
                       "millions": self.options.millions, "rounds": self.options.rounds, "seconds": time.monotonic() - self.begin,
                       "skipped": self.skipped, "results": self.results}
        if self.options.out:
            partial = self.options.out.with_name(self.options.out.name + ".partial")
            partial.write_text(json.dumps(self.report, indent=1) + "\n", encoding="utf-8")
            partial.replace(self.options.out)

    def older(self, words, ending=""):
        """The same by another build of the command, where one is given."""
        if not self.options.older:
            return {}
        return {"older": [self.options.older, *(self.out("older", ending) if str(word).startswith(str(self.out("ballot"))) else word for word in words[1:])]}

    def columns(self, millions, all_threads):
        count = millions * 1_000_000
        for kind, dtype in KINDS.items():
            source = self.work / f"{kind}.raw"
            in_a_process(write_column, source, kind, count, self.modules["numpy"])
            size = source.stat().st_size
            sort = [self.options.ballot, "sort", source, "--dtype", kind, "-o", self.out("ballot"), "--output-format", "raw"]
            where = [self.options.ballot, "compact", source, "--dtype", kind, "--where", WHERE, "-o", self.out("ballot"), "--output-format", "raw"]
            numpy = {what: self.python("numpy", NUMPY, what, dtype, source) for what in ("sort", "argsort", "where")}
            cases = {f"sort {millions} M {kind}": {"ballot": sort, **numpy["sort"]},
                     f"argsort {millions} M {kind}": {"ballot": [*sort, "--argsort"], **numpy["argsort"]}}
            if kind != "u64":
                cases[f"sort {millions} M {kind}, limit 1/8"] = {"ballot": [*sort, "--memory", max(size // 8, 1 << 24)], **self.in_memory(sort)}
            if kind == "u32":
                cases[f"where {millions} M u32"] = {"ballot": where, **numpy["where"], **self.older(where)}
            for name, programs in cases.items():
                for threads in all_threads:
                    self.compare(name, threads, size, programs, is_more=threads != all_threads[-1])
                self.of_one_core.clear()
            source.unlink()

    def in_memory(self, words, ending=""):
        return {"in memory": [self.out("in memory", ending) if str(word).startswith(str(self.out("ballot"))) else word for word in words]}

    def lines(self, millions, all_threads, name):
        count = millions * 100_000
        source = self.work / f"{name}.txt"
        in_a_process(write_in_parts, source, name, count)
        size, title = source.stat().st_size, f"{millions / 10:g} M lines, {name}"
        for threads in all_threads:
            gnu = lambda *words: {"GNU sort": ["sort", f"--parallel={threads}", "-S", "50%", *words, source, "-o", self.out("GNU sort")]} if "GNU sort" in self.programs else {}
            ballot = [self.options.ballot, "sort", source, "-o", self.out("ballot", ".txt")]
            if name == "numbers":
                self.compare(f"{title}, as i64", threads, size, {"ballot": ballot, **gnu("-n")})
                continue
            ballot += ["--format", "lines"]
            self.compare(title, threads, size, {"ballot": ballot, **gnu()})
            self.compare(f"{title}, unique", threads, size, {"ballot": [*ballot, "--unique"], **gnu("-u")})
            if name == "paths":
                self.compare(f"{title}, limit 1/8", threads, size,
                             {"ballot": [*ballot, "--memory", max(size // 8, 1 << 24)], **self.in_memory(ballot, ".txt")})
        source.unlink()

    def tables(self, millions, all_threads):
        count = millions * 100_000
        source = self.work / "table.csv"
        in_a_process(write_in_parts, source, "rows", count, "id,name,value,group\n")
        size, title = source.stat().st_size, f"{millions / 10:g} M rows of CSV"
        for threads in all_threads:
            self.table(title, source, "id", threads)
            where = [self.options.ballot, "compact", source, "--where", "value > 500", "-o", self.out("ballot", ".csv")]
            self.compare(f"{title}, where", threads, size, {"ballot": where, **self.peers("where", "value", source), **self.older(where, ".csv")})
        source.unlink()

    def records(self, millions, all_threads):
        count = millions * 100_000
        source = self.work / "records.bin"
        in_a_process(write_in_parts, source, "records", count)
        size, title = source.stat().st_size, f"{millions / 10:g} M records of 100 bytes"
        for threads in all_threads:
            sort = [self.options.ballot, "sort", source, "--record-bytes", "100", "--by", "0:10", "-o", self.out("ballot", ".bin")]
            self.compare(f"{title}, limit 1/8", threads, size,
                         {"ballot": [*sort, "--memory", max(size // 8, 1 << 24)], **self.in_memory(sort, ".bin")})
        source.unlink()

    def limits(self, millions, all_threads):
        self.only = "limit 1/8"
        for work, *words in ((self.columns,), (self.lines, "paths"), (self.tables,), (self.records,)):
            work(millions, all_threads, *words)
        self.only = ""

    def peers(self, what, column, source):
        out = self.out("Miller", ".csv")
        miller = ["mlr", "--csv", *(["sort", "-nf", column] if what == "sort" else ["filter", f"${{{column}}} > 500"]), "then", "tee", out, "then", "nothing", source]
        return {**({"Miller": miller} if "Miller" in self.programs else {}), **self.python("polars", POLARS, what, column, source, ending=".csv"),
                **self.python("duckdb", DUCKDB, what, column, source, ending=".csv")}

    def table(self, title, source, column, threads, check="same"):
        size = source.stat().st_size
        sort = [self.options.ballot, "sort", source, "--by", column, "-o", self.out("ballot", ".csv")]
        self.compare(title, threads, size, {"ballot": sort, **self.peers("sort", column, source)}, check)
        limited = [*sort, "--memory", max(size // 8, 1 << 20)]
        self.compare(f"{title}, limit 1/8", threads, size, {"ballot": limited, **self.in_memory(sort, ".csv")})

    def real(self, text, all_threads):
        name, column = file_and_column(text)
        source = pathlib.Path(name)
        size, ending = source.stat().st_size, source.suffix
        for threads in all_threads:
            if ending == ".csv" and not column:
                raise SystemExit(f"{name}: which column? {name}:COLUMN")
            words = ["--by", column] if column else ["--format", "lines"] if ending == ".txt" else []
            sort = [self.options.ballot, "sort", source, *words, "-o", self.out("ballot", ending)]
            subprocess.run([*map(str, sort), "--verify", "--quiet"], check=True)
            if ending == ".csv":  # others write numbers and quotes in their own way
                self.table(source.name, source, column, threads, check="lines")
            elif ending == ".txt" and "GNU sort" in self.programs:
                self.compare(source.name, threads, size, {"ballot": sort, "GNU sort": ["sort", f"--parallel={threads}", source, "-o", self.out("GNU sort")]})
            else:
                self.compare(source.name, threads, size, {"ballot": sort}, check=None)


def file_and_column(text):
    """Of FILE or FILE:COLUMN. There may be colons in the name of a file that is there, and in the folders of others."""
    if pathlib.Path(text).is_file() or ":" not in text:
        return text, ""
    name, _, column = text.rpartition(":")
    return name, column


def write_column(path, kind, count, numpy):
    part = 4_000_000
    with open(path, "wb") as out:
        if numpy:
            import numpy as np
            rng = np.random.default_rng(1)
        for begin in range(0, count, part):
            size = min(part, count - begin)
            if kind != "f64":
                data = random.randbytes(size * (4 if kind == "u32" else 8))
            elif numpy:
                data = rng.normal(size=size).tobytes()
            else:  # uniform from 1 to 2 and from -2 to -1
                data = bytearray(random.randbytes(8 * size))
                data[7::8] = bytes(0x3f | (byte & 0x80) for byte in data[7::8])
                data[6::8] = bytes(0xf0 | byte for byte in data[6::8])
            out.write(data)


def part_of(job):
    """A part of a generated file, the same whoever makes it."""
    what, begin, end = job
    rng = random.Random(begin)
    some = lambda most: int(rng.random() * most)
    if what == "paths":
        return "".join(f"{PREFIX}d{some(300)}/sub{some(300)}/file{some(10**6)}.txt\n" for _ in range(begin, end)).encode()
    if what == "words":
        return "".join(f"{some(10**4)} word {some(3)}\n" for _ in range(begin, end)).encode()
    if what == "numbers":
        return "".join(f"{some(2 * 10**9) - 10**9}\n" for _ in range(begin, end)).encode()
    if what == "rows":  # no two ids are equal: not every program's sort is stable
        return "".join(f"{i * 2654435761 % 2**31},name{some(10**6)},{some(1000)},{i % 97}\n" for i in range(begin, end)).encode()
    return rng.randbytes(100 * (end - begin))


def write_in_parts(path, what, count, header=""):
    part = 200_000
    jobs = [(what, begin, min(begin + part, count)) for begin in range(0, count, part)]
    with open(path, "wb") as out, concurrent.futures.ProcessPoolExecutor() as makers:
        out.write(header.encode())
        waiting = []
        for job in jobs:  # a few ahead: all at once would fill the memory
            waiting.append(makers.submit(part_of, job))
            if len(waiting) == 2 * os.cpu_count():
                out.write(waiting.pop(0).result())
        for made in waiting:
            out.write(made.result())


HEAD = "| case | threads | seconds | GB/s | MB | others: ratio of time (of processor time) |\n|---|---|---|---|---|---|"


def line_of(row):
    ours = row["programs"]["ballot"]
    peers = [f"{name} {of['ratio']:.2f} ({of['processor_ratio']:.2f}), {of['peak_bytes'] / 1e6:.0f} MB" for name, of in row["programs"].items()
             if name != "ballot"]
    return (f"| {row['case']} | {row['threads']} | {ours['seconds']:.2f} | {row['input_bytes'] / ours['seconds'] / 1e9:.2f} | "
            f"{ours['peak_bytes'] / 1e6:.0f} | {'; '.join(peers) or '-'} |")


def short_table(report):
    """For README: with the most threads, a row a case, a column a program."""
    rows = report["results"]
    if not rows:
        return ""
    most = max(row["threads"] for row in rows)
    names = [name for name in ("numpy", "GNU sort", "Miller", "polars", "duckdb") if any(name in row["programs"] for row in rows)]
    if not names:
        return ""
    lines = [f"| {most} threads | ballot | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for row in rows:
        peers = row["programs"]
        if row["threads"] != most or not any(name in peers for name in names):
            continue
        cells = [f"{peers[name]['ratio']:.1f}x, {peers[name]['peak_bytes'] / 1e6:.0f} MB" if name in peers else "" for name in names]
        lines.append(f"| {row['case']} | {peers['ballot']['seconds']:.2f} s, {peers['ballot']['peak_bytes'] / 1e6:.0f} MB | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ballot", type=pathlib.Path)
    parser.add_argument("--older", type=pathlib.Path, help="another build of the command, for --where beside it")
    parser.add_argument("--millions", default="20", help="items of a column; lines, rows and records are a tenth")
    parser.add_argument("--rounds", type=int, default=3, help="at most")
    parser.add_argument("--seconds", type=float, default=8, help="of a case: no round but the first begins after it")
    parser.add_argument("--minutes", type=float, default=10.5, help="of all: no case begins after it")
    parser.add_argument("--threads", default="1,4")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/dev/shm"))
    parser.add_argument("--files", nargs="*", default=[], metavar="FILE[:COLUMN]", help="real files: .csv by a column, .txt as lines, others as they are")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}; or {LIMITS}: of them all what is larger than the memory, beside the same in memory")
    parser.add_argument("--continue", dest="resume", action="store_true", help="keeps the results that --out has, and measures the other cases")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path, help="prints the tables of these results, and runs nothing")
    options = parser.parse_args()
    if options.table:
        try:
            report = json.loads(options.table.read_text(encoding="utf-8"))
            text = "\n".join([HEAD, *map(line_of, report["results"]), "", short_table(report)])
        except (OSError, ValueError, TypeError, AttributeError) as error:
            sys.exit(f"command.py: {options.table}: {error}")
        except KeyError as error:
            sys.exit(f"command.py: {options.table}: the field {error} is missing")
        print(text)
        return
    if not options.ballot or not options.ballot.is_file():
        parser.error("--ballot: the command to measure")
    options.ballot = options.ballot.resolve()
    chosen = options.parts.split(",")
    if unknown := [name for name in chosen if name not in (*PARTS, LIMITS)]:
        parser.error(f"--parts: no part {unknown[0]}: there are {', '.join((*PARTS, LIMITS))}")
    parts = [PARTS[name] for name in PARTS if name in chosen] + [LIMITS] * (LIMITS in chosen)
    earlier = []
    if options.resume:
        if not options.out:
            parser.error("--continue: of which --out")
        if options.out.exists():
            before = json.loads(options.out.read_text(encoding="utf-8"))
            if before["ballot"] != first_line_of(str(options.ballot), "--version"):
                parser.error(f"--continue: {options.out} has results of another command: {before['ballot']}")
            earlier = before["results"]
    random.seed(1)
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        bench = Bench(options, pathlib.Path(folder))
        bench.results = earlier
        bench.done = {(row["case"], row["threads"]) for row in earlier}
        print(HEAD)
        all_threads = [int(threads) for threads in options.threads.split(",")]
        for text in options.files:
            bench.real(text, all_threads)
        sizes = [int(millions) for millions in options.millions.split(",") if millions != "0"]
        for i, millions in enumerate(sizes):
            # Operations that take long on one thread take too long for larger files.
            threads = all_threads if i == 0 else [max(all_threads)]
            for part in parts:
                getattr(bench, part.partition(":")[0])(millions, all_threads if part == "columns" else threads, *part.split(":")[1:])
    bench.save()
    print(f"\n{short_table(bench.report)}\n\n{bench.report['seconds']:.0f} s in all")
    if bench.skipped:
        print(f"Left out, after {options.minutes} minutes: {'; '.join(bench.skipped)}.")


if __name__ == "__main__":
    main()
