// SPDX-License-Identifier: Apache-2.0
// ballot_mutation::on(number): whether the mistake with that number is to be made. False in
// constant evaluation.
//
// scripts/mutation-test includes this ahead of every test, and compiles the tests against a copy of
// the library. In that copy every mistake of the tables is behind such a switch.
#pragma once

#include <type_traits>

namespace ballot_mutation {

inline constexpr unsigned numbers = 65536;

extern unsigned active;  // 0: none
extern unsigned char reached[numbers];

bool is_on(unsigned number);

constexpr bool on(unsigned number) {
  if (std::is_constant_evaluated()) return false;
#if defined(__SANITIZE_THREAD__)
  return is_on(number);  // elsewhere, so that the emulator's checks do not see its accesses
#else
  reached[number] = 1;
  return number == active;
#endif
}

}  // namespace ballot_mutation
