#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With BALLOT_ADAPTERS_ONLY_BALLOT, calls that are ballot's compile (only_ballot.cu), and each that is CUB's is refused with the
message that docs/adapters.md promises (only_ballot_refused.cu). Each call that the adapter defines is in one of the two. Where
values make a call CUB's, it returns an error (only_ballot_values.cu, which runs without a GPU). Files of one program may define
the macros, or not (choices.cu, also without a GPU). Headers of CUB may be included behind replace_cub.cuh.

  only_ballot_test.py NVCC [FOLDER...]     FOLDER: where CUB's headers are; default: the toolkit's
"""
import pathlib
import re
import sys
import tempfile

import host_pass

HERE = pathlib.Path(__file__).resolve().parent
SAYS = ("ballot: this call of cub::{} has no counterpart in ballot (docs/adapters.md), and BALLOT_ADAPTERS_ONLY_BALLOT is "
        "defined")
CALL = re.compile(r"\bcub::(Device\w+::\w+)[(<]")
# The same calls through a template.
SEGMENTED_SORTS = ("DeviceSegmentedSort", "DeviceSegmentedRadixSort")


def calls_in(file):
    """The call of each line that has one."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return {number: CALL.search(line)[1] for number, line in enumerate(lines, 1) if CALL.search(line)}


def forgotten(ours, refused):
    """Calls of the adapter that are in neither list where they belong."""
    adapter = "".join(file.read_text(encoding="utf-8") for file in sorted((host_pass.ROOT / "adapters/ballot/adapters/cub").glob("*.cuh")))
    replaced = {f"{of}::{name}" for of, name in re.findall(r"BALLOT_ADAPTERS_CALL\((Device\w+), (\w+)\)", adapter)}
    never = {f"{of}::{name}" for of, name in re.findall(r"BALLOT_ADAPTERS_CUB_CALL\((Device\w+), (\w+)\)", adapter)}
    never |= {f"DeviceHistogram::{name}" for name in re.findall(r"^  BALLOT_ADAPTERS_CHANNELS\((\w+)\)", adapter, re.M)}
    if len(replaced) < 50 or len(never) < 8:
        sys.exit("the adapter defines its calls in another way: this test does not find them")
    templates = {name.replace("Sorts", of, 1) for name in ours if name.startswith("Sorts::") for of in SEGMENTED_SORTS}
    return [f"only_ballot.cu does not call {name}" for name in sorted(replaced - set(ours) - templates)] + [
        f"only_ballot_refused.cu does not call {name}" for name in sorted(never - set(refused))]


def refusals(said, source):
    """The calls that are refused, by line: g++ says the line, and then the error."""
    found, line = {}, None
    for text in said.splitlines():
        at = re.search(rf"{re.escape(source)}:(\d+):\d+:\s+required from here", text)
        line = int(at[1]) if at else line
        error = re.search(r"error: static assertion failed: (.*)", text)
        if error and line is not None:
            found.setdefault(line, error[1])
    return found


def mistakes(nvcc, folders):
    """What is wrong, with that CUB."""
    ours, refused = HERE / "only_ballot.cu", HERE / "only_ballot_refused.cu"
    called = set(calls_in(ours).values()) | set(re.findall(r"\bSorts::\w+", ours.read_text(encoding="utf-8")))
    wrong = forgotten(called, calls_in(refused).values())

    options = host_pass.flags(folders)
    error = host_pass.check(options, ours, nvcc)
    if error:
        wrong.append(f"only_ballot.cu does not compile:\n{host_pass.first_errors(error)}")
    error = host_pass.check(options, refused, nvcc)
    if error:
        wrong.append(f"only_ballot_refused.cu does not compile without the macro:\n{host_pass.first_errors(error)}")
    said = host_pass.check([*options, "-DBALLOT_ADAPTERS_ONLY_BALLOT"], refused, nvcc)
    found = refusals(said, refused.name)
    # Classes that not each CUB has.
    absent = tuple(of for of, header in (("DeviceTopK", "topk"), ("DeviceSegmentedScan", "segmented_scan"))
                   if not host_pass.has_header(options, f"cub/device/device_{header}.cuh", nvcc))
    tried = 0
    for line, name in calls_in(refused).items():
        if name.startswith(absent):
            continue
        tried += 1
        if found.get(line) != SAYS.format(name):
            wrong.append(f"only_ballot_refused.cu:{line}: cub::{name}: {found.get(line, 'is not refused')}")
    print(f"{len(called)} calls are ballot's, {tried} are refused, {len(wrong)} wrong", flush=True)
    return wrong


def mistakes_at_run_time(nvcc, folders):
    with tempfile.TemporaryDirectory() as scratch:
        program = f"{scratch}/values"
        done = host_pass.run([nvcc, *host_pass.flags(folders), str(HERE / "only_ballot_values.cu"), "-o", program])
        if done.returncode == 0:
            done = host_pass.run([program])
        return [] if done.returncode == 0 else [f"only_ballot_values.cu: {done.stdout}{done.stderr[-2000:]}"]


def mistakes_of_two_choices(nvcc, folders):
    """One program of files that define the adapters' macros, and files that do not."""
    zeros, only = "-DBALLOT_ADAPTERS_ORDER_ZEROS", "-DBALLOT_ADAPTERS_ONLY_BALLOT"
    choices = {"neither": ["-DWITH_MAIN"], "ordered": [zeros], "only": [only], "both": [zeros, only]}
    with tempfile.TemporaryDirectory() as scratch:
        objects = [f"{scratch}/{name}.o" for name in choices]
        for file, (name, macros) in zip(objects, choices.items()):
            done = host_pass.run([nvcc, "-O0", *host_pass.flags(folders), f"-DCHOICE={name}", *macros, "-c", str(HERE / "choices.cu"), "-o", file])
            if done.returncode != 0:
                return [f"choices.cu: {name}: {done.stderr[-2000:]}"]
        wrong = []
        for order in (objects, objects[::-1]):  # the linker takes the first function of a name
            done = host_pass.run([nvcc, *order, "-o", f"{scratch}/choices"])
            said = host_pass.run([f"{scratch}/choices"]).stdout if done.returncode == 0 else done.stderr[-2000:]
            if said != "3 2 1 0\n":
                wrong.append(f"choices.cu: files of one program take each other's choice: {said}")
        return wrong


def mistakes_behind_replace_cub(nvcc, folders):
    """Every public header of CUB may still be included where `cub` has its new meaning."""
    options = host_pass.flags(folders)
    told = host_pass.run([nvcc, "-M", *options, "-x", "cu", "-"], input="#include <cub/version.cuh>\n").stdout
    version = re.search(r"(\S*)/cub/version\.cuh", told)
    if version is None:
        return ["the folder of CUB's headers is not found"]
    cub = pathlib.Path(version[1], "cub")
    headers = [header for folder in ("", "block", "device", "grid", "iterator", "thread", "warp") for header in sorted((cub / folder).glob("*.cuh"))]
    if len(headers) < 60:
        return [f"only {len(headers)} headers of CUB are found in {cub}"]
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch, "replaced.cu")
        lines = ["#include <ballot/adapters/replace_cub.cuh>", *(f"#include <{header.relative_to(cub.parent)}>" for header in headers)]
        lines += ["#if __has_include(<cuda/buffer>)", "#include <cuda/buffer>", "#endif"]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = host_pass.check(options, source, nvcc)
    return [f"headers behind replace_cub.cuh do not compile:\n{host_pass.first_errors(said)}"] if said else []


def main():
    finds = (mistakes, mistakes_at_run_time, mistakes_of_two_choices, mistakes_behind_replace_cub)
    wrong = sum((find(sys.argv[1], sys.argv[2:]) for find in finds), [])
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
