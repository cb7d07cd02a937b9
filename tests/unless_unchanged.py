#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a check whose outcome depends on files only, unless it has passed with the same files before.

  unless_unchanged.py DONE FOLDER_OR_FILE... -- COMMAND...

DONE records the files, the command and the variables BALLOT_* of the last time that it passed."""
import hashlib
import os
import pathlib
import subprocess
import sys


def digest(paths, command):
    variables = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("BALLOT_"))
    sums = hashlib.sha256("\0".join(command + variables).encode())
    for path in paths:
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.parent.name != "__pycache__") if path.is_dir() else [path]
        for file in files:
            sums.update(str(file).encode())
            sums.update(hashlib.sha256(file.read_bytes()).digest())
    return sums.hexdigest()


def main():
    split = sys.argv.index("--")
    done, paths, command = pathlib.Path(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:split]], sys.argv[split + 1:]
    now = digest(paths, command)
    if done.is_file() and done.read_text(encoding="utf-8") == now:
        print("passed before with the same files; to run it again, remove", done)
        return 0
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        done.parent.mkdir(parents=True, exist_ok=True)
        done.write_text(now, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
