#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ballot.hpp with and without exceptions: in one program each source keeps its own kind, and the macro is asked for.

  exceptions_test.py COMPILER FOLDER     FOLDER: of ballot.h and libballot/
"""
import pathlib
import subprocess
import sys
import tempfile

CALL = """#include <ballot.hpp>
static int sort(int* keys) {
  return libballot::sort(libballot::exec(nullptr, nullptr, 0), libballot::items(keys, 1), libballot::items(keys, 1));
}
"""
# Of the library, what the call needs: it fails.
LIBRARY = """#include <ballot.h>
extern "C" const char* ballot_last_error(void) { return "refused"; }
extern "C" ballot_status ballot_sort(ballot_exec, ballot_array, ballot_array, const ballot_sort_options*) {
  return BALLOT_INVALID_ARGUMENT;
}
"""
RETURNS = "#define BALLOT_NO_EXCEPTIONS\n" + CALL + "int returned(int* keys) { return sort(keys); }\n"
THROWS = CALL + """
int returned(int* keys);
int main() {
  int keys = 0;
  if (returned(&keys) != BALLOT_INVALID_ARGUMENT) return 1;
  try {
    sort(&keys);
  } catch (const libballot::error&) {
    return 0;
  }
  return 2;  // the error is lost
}
"""


def main():
    compiler, include = sys.argv[1], f"-I{pathlib.Path(sys.argv[2]).resolve()}"
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in {"library": LIBRARY, "returns": RETURNS, "throws": THROWS}.items():
            (folder / f"{file}.cpp").write_text(text, encoding="utf-8")
        # Without optimisation nothing is inlined: the linker takes the first function of a name.
        for order in (["returns.cpp", "throws.cpp"], ["throws.cpp", "returns.cpp"]):
            subprocess.run([compiler, "-std=c++14", "-O0", include, *order, "library.cpp", "-o", "program"], cwd=folder, check=True)
            code = subprocess.run([folder / "program"], check=False).returncode
            if code:
                failures.append(f"linked as {order}: ended with {code}")
        done = subprocess.run([compiler, "-std=c++14", "-fno-exceptions", include, "-fsyntax-only", "throws.cpp"], cwd=folder,
                              capture_output=True, text=True, check=False)
        if done.returncode == 0 or "BALLOT_NO_EXCEPTIONS" not in done.stderr:
            failures.append(f"-fno-exceptions alone: no error that names the macro:\n{done.stderr}")
    print("\n".join(failures) or "each source keeps its own kind")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
