# SPDX-License-Identifier: Apache-2.0
"""Lists the GPU's tests that can run, for scripts/sanitize: reads `ctest --show-only=json-v1`, and prints a line a test: its name,
its command, and the variables of its environment, each as words for the shell, with tabs between them. "${under[@]}" stands in the
command where the tool is to be: before the program, and behind the script that starts it twice.

  sanitizer_tests.py REGEX

Tests of programs that are not built are left out, and counted on stderr."""
import json
import pathlib
import re
import shlex
import sys


def is_built(command):
    """ctest gives no command where the program is absent. A script that starts the program has it as an argument."""
    return bool(command) and all(pathlib.Path(word).exists() for word in command if word.startswith("/"))


def properties_of(test):
    return {one["name"]: one["value"] for one in test.get("properties", ())}


def under_tool(command):
    """Each process of tests/distributed/two_processes has the tool for itself."""
    scripts = 1 if pathlib.Path(command[0]).name == "two_processes" else 0
    return " ".join(filter(None, (shlex.join(command[:scripts]), '"${under[@]}"', shlex.join(command[scripts:]))))


def main():
    left_out = 0
    for test in json.load(sys.stdin)["tests"]:
        name, command, properties = test["name"], test.get("command", []), properties_of(test)
        if not name.startswith("gpu.") or not re.search(sys.argv[1], name) or properties.get("DISABLED"):
            continue
        if name.startswith("gpu.distributed.threads"):  # see scripts/sanitize
            continue
        if not is_built(command):
            left_out += 1
            continue
        print(name, under_tool(command), shlex.join(properties.get("ENVIRONMENT", [])), sep="\t")
    if left_out:
        print(f"{left_out} tests are left out: their programs are not built here", file=sys.stderr)


if __name__ == "__main__":
    main()
