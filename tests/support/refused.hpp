// SPDX-License-Identifier: Apache-2.0
// Checks that a call refuses its arguments before any work.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/runtime_calls.hpp"

#include <cstdint>
#include <string>

namespace ballot::test {

// A bucket of calls that never come to use it, beside the predicate of odd_items.hpp.
struct last_digit {
  __device__ std::uint32_t operator()(std::uint32_t x) const { return x % 10; }
};

// `call(exec)` is refused, `why` is part of what the error says, and nothing is asked of the
// runtime.
inline void refused(const std::string& name, const std::string& why, function_ref<void(const exec&)> call) {
  CAPTURE(name);
  std::string said;
  const runtime_calls done = runtime_calls_of([&] {
    try {
      call(allocating(test_stream()));
    } catch (const invalid_argument& e) {
      said = e.what();
    }
  });
  CHECK_MESSAGE(said.find(why) != std::string::npos, said);
  CHECK(done.launches + done.fills + done.copies + done.allocations + done.releases + done.waits == 0);
}

}  // namespace ballot::test
