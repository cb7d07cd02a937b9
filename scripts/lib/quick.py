# SPDX-License-Identifier: Apache-2.0
"""Runs the tests nearest to a change, as many as fit into the given time, for scripts/test --quick.

The distance of a test file from a changed file is the number of includes between them. The nearest tests are built and run
first, each as its own binary. A test in the checked emulator counts as one include further than in the plain one. A round has
a test for each core. The tests that did not fit are counted at the end."""
import argparse
import collections
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOTS = ("tests", ".", "apps", "primitives", "algorithms", "library/include", "library/src", "survey", "emulator", "distributed",
         "adapters")
CHECKED_LATER = 1  # the checked flavour of a test counts as this many includes further
FAR = 99


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.splitlines()


def changed_files(since):
    """Returns the files that differ from `since`, untracked ones too. Without `since`: those that differ from the last commit,
    or those of that commit if none differs."""
    untracked = git("ls-files", "--others", "--exclude-standard")
    if since:
        return sorted({*git("diff", "--name-only", since), *untracked})
    changed = {*git("diff", "--name-only", "HEAD"), *untracked}
    return sorted(changed or git("diff", "--name-only", "HEAD~1", "HEAD"))


def includes_of(path, known):
    """Returns the project's files that a file includes, under any condition."""
    if path not in known:
        found = []
        try:
            text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        for name in re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', text, re.M):
            for root in (os.path.dirname(path), *ROOTS):
                candidate = os.path.normpath(os.path.join(root, name))
                if (ROOT / candidate).is_file():
                    found.append(candidate)
                    break
        known[path] = found
    return known[path]


def distance(source, changed, known):
    """Returns the number of includes between a source and the nearest changed file (FAR if it uses none), and the number of
    files it uses. Among tests equally near, one of fewer files has less else to test."""
    seen, queue, nearest = {source: 0}, collections.deque([source]), FAR
    while queue:
        path = queue.popleft()
        if path in changed:
            nearest = min(nearest, seen[path])
        for header in includes_of(path, known):
            if header not in seen:
                seen[header] = seen[path] + 1
                queue.append(header)
    return nearest, len(seen)


def tests_of(folder):
    """Returns {name: command} from CTest's own files. ctest itself reports no command if the test's binary is not built yet."""
    tests = {}
    for file in pathlib.Path(folder).rglob("CTestTestfile.cmake"):
        for name, command in re.findall(r"^add_test\((?:\[=*\[)?(.+?)(?:\]=*\])? (\".*\")\)$", file.read_text(encoding="utf-8"), re.M):
            tests[name] = shlex.split(command)
    return tests


def kernel_tests(tests, changed):
    """Returns (name, build target) of the emulated tests that use a changed file, the nearest first."""
    known, found = {}, []
    emulator_changed = any(path.startswith("emulator/") for path in changed)
    for name, command in tests.items():
        flavor = re.match(r"emu_(plain|checked)\.", name)
        if not flavor:
            continue
        sources = [part.lstrip("*/") for word in command if word.startswith("--source-file=")
                   for part in word.split("=", 1)[1].split(",")]
        far, files = min(distance(source, changed, known) for source in sources)
        if emulator_changed:
            far = min(far, 0 if ".emulator." in name else 3)
        if far < FAR:
            later = CHECKED_LATER if flavor[1] == "checked" else 0
            found.append((far + later, files, name, pathlib.Path(command[0]).name))
    return [(name, target) for _, _, name, target in sorted(found)]


def headers_alone(folder, changed):
    """Returns the build steps that compile changed headers alone."""
    chains = [line.split(";") for line in (pathlib.Path(folder) / "tests/house/alone/chains.txt").read_text().splitlines()]
    return [step for step, *headers in chains if any(str(ROOT / path) in headers for path in changed)]


def other_tests(tests, changed):
    """Returns the names of the house tests that read changed files, and whether the command has changed."""
    names = set()
    if any(path.endswith((".cuh", ".hpp", ".cu", ".cpp")) for path in changed):
        names.add("house.layers")
    if any(path.endswith(".md") for path in changed):
        names |= {"house.reference", "house.snippets"}
    if any(path.startswith("scripts/") for path in changed):
        names.add("house.scripts")
    command = any(path.startswith(("apps/", "tests/cli/")) for path in changed)
    if command:
        names |= {name for name in tests if re.match(r"cli\.(?!cuda|fuzz|large|interruption)", name)}
    return sorted(names & set(tests)), command


class Runner:
    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.ran, self.failed = [], []

    def build(self, targets):
        return subprocess.run(["cmake", "--build", self.folder, "-j", str(self.jobs), "--target", *targets]).returncode == 0

    def run(self, names):
        self.ran += names
        chosen = "^(" + "|".join(re.escape(name) for name in names) + ")$"
        done = subprocess.run(["ctest", "--test-dir", self.folder, "-j", str(self.jobs), "--output-on-failure", "-R", chosen])
        if done.returncode != 0:
            self.failed += names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--since", default="")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    begin = time.monotonic()

    changed = changed_files(arguments.since)
    if not changed:
        print("nothing has changed")
        return 0
    print("Changed:", *changed[:12], *(["..."] if len(changed) > 12 else []), sep="\n  ")
    tests = tests_of(arguments.folder)
    runner = Runner(arguments.folder, arguments.jobs)

    others, command = other_tests(tests, set(changed))
    if command and not runner.build(["ballot", "tests_cli_units"]):
        return 1
    if others:
        runner.run(others)

    alone = headers_alone(arguments.folder, changed)
    if alone and not runner.build(alone):
        return 1

    near, longest = kernel_tests(tests, set(changed)), 0.0
    while near and time.monotonic() - begin + longest < arguments.seconds:
        round_began = time.monotonic()
        chosen, near = near[:arguments.jobs], near[arguments.jobs:]
        if not runner.build(sorted({target for _, target in chosen})):
            return 1
        runner.run([name for name, _ in chosen])
        longest = max(longest, time.monotonic() - round_began)

    print(f"\n{len(runner.ran)} tests ran in {time.monotonic() - begin:.0f} s"
          f"{f'; {len(near)} more use changed files: scripts/test runs them' if near else ''}.")
    if not runner.ran:
        print("No quick test uses the changed files: scripts/test runs all tests.")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
