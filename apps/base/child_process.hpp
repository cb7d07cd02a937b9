// SPDX-License-Identifier: Apache-2.0
// Runs other programs.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <vector>

namespace ballot::app {

// The folder of the running program.
std::string executable_folder();

// Runs words[0] (found on PATH if it has no slash) and waits. Returns its exit status, or 128 plus
// the signal that ended it. Throws failure if it cannot be started.
int run_program(const std::vector<std::string>& words);

// The same for a program that writes its result to a file given by `option` (for example --out=):
// returns what it wrote. Its standard output is discarded.
struct program_result {
  int status;
  std::string written;
};
program_result run_program_with_result(std::vector<std::string> words, const std::string& option);

}  // namespace ballot::app
