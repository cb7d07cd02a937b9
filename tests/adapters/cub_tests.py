#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CUB's own tests through <ballot/adapters/cub.cuh>: compiles them with the adapter in front, and runs them where there is a GPU.

  cub_tests.py CCCL CATCH2 [NAME...]      checkouts of NVIDIA/cccl (3.x) and catchorg/Catch2 (3.x); NAME: a test's, or a part of names
    --check           no code: nvcc's host pass of each, and the host compiler's syntax check. Seconds, and needs no GPU
    --ours            calls that are CUB's do not compile (BALLOT_ADAPTERS_ONLY_BALLOT): says what is not ballot's
    --arch sm_90      of the GPU (default: native)
    --launch 0        0: from the host; 2: captured in a graph. (1, from a kernel, is for CUB's own calls alone.)
    --jobs 2          at the same time
    --split 4         threads of nvcc for one source
    --build FOLDER    where programs go (default: build/cub_tests)
    --no-run          stops when the programs are there
    --run-only        runs those that are there
    --shards 1        a program in so many parts, at the same time
    --seconds 0       the most that a part may take; 0: no limit

The sources are not changed: -include puts the adapter in front of them. Tests of what the adapter does not have (environments
instead of temporary storage, tuning policies, dispatchers) are left out; their calls go to CUB anyway.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

import host_pass

ROOT = host_pass.ROOT
CLASSES = ("radix_sort", "segmented_sort", "segmented_radix_sort", "scan", "segmented_scan", "select", "partition", "reduce",
           "segmented_reduce", "run_length_encode", "topk", "histogram", "merge")
LEFT_OUT = re.compile(r"_env|custom_policy_hub|dispatcher|_fail|nvrtc|merge_sort|deterministic|deferred|large_offsets|_api|vsmem")
C2H = ("generators", "generators_gen_values", "generators_uniform_offsets", "generators_vector", "catch2_runner",
       "catch2_runner_helper")


class Builder:
    def __init__(self, options):
        self.options = options
        self.out = options.build
        self.out.mkdir(parents=True, exist_ok=True)
        config = self.out / "config" / "catch2"
        config.mkdir(parents=True, exist_ok=True)
        given = (options.catch2 / "src/catch2/catch_user_config.hpp.in").read_text(encoding="utf-8")
        given = re.sub(r"#define CATCH_CONFIG_DEFAULT_REPORTER.*", '#define CATCH_CONFIG_DEFAULT_REPORTER "console"', given)
        given = re.sub(r"#define CATCH_CONFIG_CONSOLE_WIDTH.*", "#define CATCH_CONFIG_CONSOLE_WIDTH 80", given)
        text = re.sub(r"#cmakedefine.*", "", given)
        target = config / "catch_user_config.hpp"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
        cccl = options.cccl
        includes = [cccl / "cub", cccl / "thrust", cccl / "libcudacxx/include", cccl / "c2h/include", cccl / "cub/test",
                    cccl / "nvrtcc", self.out / "config", options.catch2 / "src", ROOT / "primitives", ROOT / "algorithms",
                    ROOT / "adapters"]
        self.flags = ["-std=c++20", "--extended-lambda", "-DCATCH_CONFIG_PREFIX_ALL", "-DC2H_HAS_CURAND=0",
                      "-DCCCL_IGNORE_DEPRECATED_API", f"-arch={options.arch}"] + [f"-I{folder}" for folder in includes]

    def tests(self):
        files = {file.stem.removeprefix("catch2_test_device_"): file
                 for file in sorted((self.options.cccl / "cub/test").glob("catch2_test_device_*.cu"))}
        files = {name: file for name, file in files.items() if name.startswith(CLASSES) and not LEFT_OUT.search(name)}
        wanted = self.options.names
        return [(name, file) for name, file in files.items()
                if not wanted or name in wanted or any(part in name for part in wanted if part not in files)]

    def test_flags(self, file):
        # A test's variants: "// %PARAM% NAME label 0:1:2". The launch is chosen, of the others the first is taken.
        text = file.read_text(encoding="utf-8")
        parameters = re.findall(r"%PARAM%\s+(\w+)\s+\w+\s+(\S+)", text)
        flags = [f"-D{name}={self.options.launch if name == 'TEST_LAUNCH' else values.split(':')[0]}"
                 for name, values in parameters]
        if self.options.ours:
            flags.append("-DBALLOT_ADAPTERS_ONLY_BALLOT")
        # The code that opens CUB's namespace comes before its name changes.
        early = ["insert_nested_NVTX_range_guard.h", "c2h/half.cuh", "c2h/bfloat16.cuh", "c2h/catch2_test_helper.h"]
        for name in re.findall(r'#include "(\w+\.cuh)"', text):
            helper = file.parent / name
            if helper.exists() and "CUB_NAMESPACE_BEGIN" in helper.read_text(encoding="utf-8"):
                early.append(name)
        for header in (*early, "ballot/adapters/replace_cub.cuh"):
            flags += ["-include", header]
        return flags

    def check(self, file):
        return host_pass.check([*self.flags, *self.test_flags(file)], file)

    def library(self, pool):
        """c2h and Catch2, which all tests share: compilations that have begun."""
        jobs = []
        for name in C2H:
            jobs.append(pool.submit(self.compile, self.options.cccl / f"c2h/{name}.cu", self.out / f"{name}.o", []))
        amalgamated = self.options.catch2 / "extras/catch_amalgamated.cpp"
        jobs.append(pool.submit(self.compile, amalgamated, self.out / "catch2.o", ["-DCATCH_AMALGAMATED_CUSTOM_MAIN"]))
        return jobs

    def compile(self, source, target, flags):
        if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
            return ""
        split = [f"--split-compile={self.options.split}"] if self.options.split != 1 else []
        done = host_pass.run(["nvcc", "-c", *self.flags, *split, *flags, str(source), "-o", str(target)])
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def build(self, name, file, library):
        (self.out / name).unlink(missing_ok=True)
        target = self.out / f"{name}.o"
        target.unlink(missing_ok=True)
        error = self.compile(file, target, self.test_flags(file)) or "\n".join(filter(None, (job.result() for job in library)))
        if error:
            return error
        objects = [self.out / f"{part}.o" for part in (*C2H, "catch2")]
        done = host_pass.run(["nvcc", f"-arch={self.options.arch}", str(target), *map(str, objects), "-o", str(self.out / name),
                             "-lcuda", "-lnvrtc"])
        return "" if done.returncode == 0 else done.stdout + done.stderr


def run_program(program, shard, shards, seconds):
    """What it says, and whether it passed; None: it was stopped."""
    command = [str(program), "--shard-count", str(shards), "--shard-index", str(shard), "--allow-running-no-tests"]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds or None)
    except subprocess.TimeoutExpired as stopped:
        return (stopped.stdout or b"").decode(errors="replace"), None
    return done.stdout + done.stderr, done.returncode == 0


def summary(parts):
    """The cases and assertions of a program's parts."""
    count = {"cases": 0, "assertions": 0}
    for text, _ in parts:
        for word, pattern in (("cases", r"(\d+) test cases?\)|test cases:\s+(\d+)"), ("assertions", r"\((\d+) assertions?|assertions:\s+(\d+)")):
            found = re.findall(pattern, text)
            if found:
                count[word] += int(next(filter(None, found[-1])))
    return f"{count['cases']} cases, {count['assertions']} assertions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cccl", type=pathlib.Path)
    parser.add_argument("catch2", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--arch", default="native")
    parser.add_argument("--launch", type=int, choices=(0, 2), default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--split", type=int, default=1)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--run-only", action="store_true")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/cub_tests")
    options = parser.parse_intermixed_args()
    options.cccl, options.catch2 = options.cccl.resolve(), options.catch2.resolve()
    builder = Builder(options)
    tests = builder.tests()
    if not tests:
        sys.exit(f"no such tests in {options.cccl}/cub/test")
    failed = []
    if options.run_only:
        tests = [(name, file) for name, file in tests if (options.build / name).exists()]
    else:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            library = [] if options.check else builder.library(pool)
            step = (lambda name, file: builder.check(file)) if options.check else (
                lambda name, file: builder.build(name, file, library))
            jobs = [(name, pool.submit(step, name, file)) for name, file in tests]
            for name, job in jobs:
                error = job.result()
                print(f"{name}: {'does not compile' if error else 'compiles'}", flush=True)
                if error:
                    failed.append(name)
                    print(host_pass.first_errors(error), flush=True)
    if options.no_run or options.check:
        pass
    elif host_pass.run(["nvidia-smi", "-L"]).returncode != 0:
        print("not run: there is no GPU")
    else:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [(name, [pool.submit(run_program, options.build / name, shard, options.shards, options.seconds)
                            for shard in range(options.shards)]) for name, _ in tests if name not in failed]
            for name, running in jobs:
                parts = [job.result() for job in running]
                verdict = ("FAILS" if any(passed is False for _, passed in parts) else
                           "not ended" if any(passed is None for _, passed in parts) else "passes")
                wrong = sum(text.count(": FAILED:") for text, _ in parts)
                print(f"{name}: {verdict}, {summary(parts)}" + (f", {wrong} wrong" if wrong else ""), flush=True)
                if verdict == "FAILS":
                    failed.append(name)
                for text, passed in parts:
                    if not passed:
                        kept = options.build / f"{name}.txt"
                        with open(kept, "a", encoding="utf-8") as log:
                            log.write(text)
                        if passed is False:
                            print(host_pass.first_errors(text), flush=True)
    print(f"{len(tests)} tests, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
