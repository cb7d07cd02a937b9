# SPDX-License-Identifier: Apache-2.0
"""Writes the source of a libballot that does nothing: for what the package does around a call, its errors and its time.

  fake_library.py HEADER SOURCE

The functions are those of ballot.h. Sizes of scratch are 4096 bytes. Environment, read when it is loaded: BALLOT_FAKE_VERSION, what it says its version is;
BALLOT_FAKE_STATUS, what calls return. ballot_fake_calls() is how many launches there were.
"""
import pathlib
import re
import sys

HEAD = """// Made by tests/python/fake_library.py from ballot.h.
#define BALLOT_BUILDS_LIBRARY
#include <ballot.h>
#include <cstdlib>

namespace {
int number(const char* name, int otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::atoi(given);
}
const int version = number("BALLOT_FAKE_VERSION", BALLOT_API_VERSION);
const int status = number("BALLOT_FAKE_STATUS", BALLOT_OK);
int calls = 0;
}  // namespace

extern "C" {
BALLOT_API int ballot_fake_calls(void) { return calls; }
"""
BODIES = {"ballot_last_error": 'return "the fake library was told to fail";', "ballot_last_cuda_error": "return 0;", "ballot_status_name": 'return "";',
          "ballot_version": "return version;",
          "ballot_check_header_version": "return header_version / 100 == version / 100 ? BALLOT_OK : BALLOT_WRONG_VERSION;"}


def main():
    header, source = map(pathlib.Path, sys.argv[1:])
    text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    lines = [HEAD]
    for result, name, parameters in re.findall(r"BALLOT_API ([\w ]+?\*?) ?\b(ballot_\w+)\((.*?)\);", text, flags=re.S):
        parameters = " ".join(parameters.split())
        body = BODIES.get(name)
        if body is None:
            body = "*bytes = 4096; return BALLOT_OK;" if parameters.endswith("size_t* bytes") else "++calls; return status;"
        unused = "".join(f"static_cast<void>({n}); " for n in re.findall(r"(\w+)(?=,|$)", parameters) if n not in ("void", "bytes"))
        lines.append(f"BALLOT_API {result} {name}({parameters}) {{ {unused}{body} }}")
    source.write_text("\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
