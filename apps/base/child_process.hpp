// Other programs that the command runs.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <vector>

namespace ballot::app {

// The folder of the program that is running.
std::string executable_folder();

// Runs words[0], found along PATH where it has no slash, and waits. Returns its exit status, 128 and the signal where one
// ended it. Throws failure where it cannot be started.
int run_program(const std::vector<std::string>& words);

// The same for a program that writes its result to the file named by `option` in front (--out=): returns what it wrote. Its
// standard output is dropped.
struct program_result {
  int status;
  std::string written;
};
program_result run_program_with_result(std::vector<std::string> words, const std::string& option);

}  // namespace ballot::app
