// SPDX-License-Identifier: Apache-2.0
// The emulated test binaries. With --plain those that are instrumented leave plain accesses
// unchecked.
#define DOCTEST_CONFIG_IMPLEMENT
#include <support/main.hpp>

#include <ballot/emulator.hpp>

#include <string_view>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--plain") ballot::emulator::leave_plain_accesses_unchecked();
  return ballot::test::run_tests(argc, argv);
}
