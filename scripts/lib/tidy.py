# SPDX-License-Identifier: Apache-2.0
"""clang-tidy on what has changed: the work of scripts/tidy, which has the help."""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import quick  # noqa: E402  (which file includes which, and what has changed)

ROOT = quick.ROOT
SOURCES = (".cpp", ".cu")
HEADERS = (".cuh", ".hpp", ".h")
# As the emulated tests and the command are compiled. Clang's own warnings are not asked for: -Wall is GCC's and nvcc's.
FLAGS = ["-std=c++20", "-DBALLOT_EMULATED=1", "-DBALLOT_APP_VERSION=\"\"", "-DBALLOT_APP_NO_CUDA_REASON=\"\"", "-w", *(f"-I{ROOT / folder}" for folder in (*quick.ROOTS, "tests"))]
FINDING = re.compile(r"^(/[^:\n]+):(\d+):(\d+): (warning|error): (.*?) \[([\w.,*-]+)\]$", re.M)
ONLY_CUDA = re.compile(r"#\s*include\s*<(?:thrust|cub|cuda|nccl)|cudaStream_t|cudaMalloc|cudaMemcpy|<<<")


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout.split() if done.returncode == 0 else []


def base_of():
    """The merge base with main; where that is HEAD itself, or there is no main, the commit before."""
    head = git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = git("merge-base", "HEAD", main)
        if base and base != head:
            return base[0]
    return (git("rev-parse", "-q", "--verify", "HEAD~1") or head or [""])[0]


def host_sources():
    """The sources that a host compiler takes: of the command, the emulator and the emulated tests."""
    found = []
    for folder in ("apps", "emulator", "tests"):
        for file in sorted((ROOT / folder).rglob("*")):
            path = file.relative_to(ROOT).as_posix()
            if file.suffix not in SOURCES or (folder == "apps" and file.suffix == ".cu"):
                continue
            near = [path, *(h for h in quick.includes_of(path, {}) if h.startswith("tests/"))]
            # in #if !BALLOT_EMULATED a header of the tests may name CUDA: only the source itself, and support for peers, count
            if ONLY_CUDA.search(file.read_text(encoding="utf-8", errors="replace")) or "tests/support/cub_call.hpp" in near:
                continue
            found.append(path)
    return found


def users_of(files, sources):
    """The sources to look at for these files: themselves, or for each header that none of them includes the nearest one."""
    known, chosen = {}, [file for file in files if file in sources]
    for header in files:
        if not header.endswith(HEADERS):
            continue
        if any(quick.distance(source, {header}, known)[0] < quick.FAR for source in chosen):
            continue
        far, _, source = min(((*quick.distance(source, {header}, known), source) for source in sources), default=(quick.FAR, 0, ""))
        if far < quick.FAR:
            chosen.append(source)
    return chosen


def digest(source, tool):
    """Of all that the findings in a source follow from, but the system's headers."""
    known, files, queue = {}, {source}, [source]
    while queue:
        for header in quick.includes_of(queue.pop(), known):
            if header not in files:
                files.add(header)
                queue.append(header)
    sums = hashlib.sha256(tool.encode() + " ".join(FLAGS).encode() + (ROOT / ".clang-tidy").read_bytes())
    for file in sorted(files):
        sums.update(file.encode() + (ROOT / file).read_bytes())
    return sums.hexdigest()


def findings(tool, source):
    """(path, line, check, text) of each finding, in whatever file; and the first line of what clang does not compile."""
    language = ["-x", "c++"] if source.endswith(".cu") else []
    done = subprocess.run([tool, "--quiet", "--header-filter=.*", str(ROOT / source), "--", *language, *FLAGS], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    found, broken = set(), None
    for path, line, _, kind, text, check in FINDING.findall(done.stdout):
        path = os.path.relpath(path, ROOT)
        if kind == "error" and check.startswith("clang-diagnostic"):
            broken = broken or f"{path}:{line}: {text}"
        elif not path.startswith(".."):
            found.add((path, int(line), check, text))
    if done.returncode != 0 and not found and not broken:
        broken = (done.stderr.strip().splitlines() or ["clang-tidy failed"])[-1]
    return found, broken


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--since")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--jobs", type=int, default=max(1, len(os.sched_getaffinity(0)) // 2))
    parser.add_argument("--clang-tidy", required=True)
    parser.add_argument("--if-present", action="store_true")
    parser.add_argument("--clean", type=pathlib.Path)  # a folder that remembers the sources without findings
    asked = parser.parse_args()

    sources = host_sources()
    if asked.all:
        chosen, about = sources, None
    else:
        files = [os.path.relpath(os.path.abspath(file), ROOT) for file in asked.files]
        for file in files:
            if not (ROOT / file).is_file():
                sys.exit(f"tidy: there is no file {file}")
        if not files:
            since = asked.since or base_of()
            if not since:
                print("tidy: nothing to compare with, there is no git here: --all, or FILES")
                return 77 if asked.if_present else 1
            if asked.since and not git("rev-parse", "-q", "--verify", f"{since}^{{commit}}"):
                sys.exit(f"tidy: '{since}' is no revision of this repository")
            files = [file for file in quick.changed_files(since) if (ROOT / file).is_file()]
        about = set(files)
        chosen = users_of(files, set(sources))
    limit = asked.seconds or (None if asked.all or asked.files else 60)

    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    found, broken, left, looked, known_clean = set(), [], 0, 0, 0
    begin = spent()

    def look(source):
        nonlocal left, looked, known_clean
        remembered = asked.clean / digest(source, asked.clang_tidy) if asked.clean else None
        if remembered and remembered.exists():
            known_clean += 1
            return
        if limit is not None and spent() - begin > limit:
            left += 1
            return
        here, wrong = findings(asked.clang_tidy, source)
        looked += 1
        here = {finding for finding in here if about is None or finding[0] in about}
        found.update(here)
        if wrong:
            broken.append(f"{source}: not checked, clang does not compile it: {wrong}")
        elif remembered and not here:
            remembered.parent.mkdir(parents=True, exist_ok=True)
            remembered.touch()

    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(look, chosen))
    for path, line, check, text in sorted(found):
        print(f"{path}:{line}: {text} [{check}]")
    print(*sorted(broken), sep="\n", end="\n" if broken else "")
    print(f"tidy: {len(found)} findings; {looked} sources in {spent() - begin:.0f} s of processor time"
          f"{f', {known_clean} as before' if known_clean else ''}{f'; {left} left out after {limit:.0f} s: scripts/tidy --all' if left else ''}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
