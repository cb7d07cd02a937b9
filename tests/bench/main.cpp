// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <support/main.hpp>

int main(int argc, char** argv) { return ballot::test::run_tests(argc, argv); }
