// SPDX-License-Identifier: Apache-2.0
// A step of a program: launches only, replayed with other data each time.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/runtime_calls.hpp"

namespace ballot::test {

// `prepare(seed)` writes the inputs of a run, `step()` is the library's part and neither allocates
// nor waits, `check` looks at the outputs of that run. Directly, then (on the GPU) captured once
// and replayed three times.
template <class Prepare, class Step, class Check>
void replay_with_new_data(Prepare&& prepare, Step&& step, Check&& check) {
  unsigned seed = 0;
  directly_and_captured([&] { prepare(++seed); },
                        [&] {
                          const runtime_calls done = runtime_calls_of(step);
                          CHECK(done.allocations == 0);
                          CHECK(done.releases == 0);
                          CHECK(done.waits == 0);
                        },
                        [&] {
                          CAPTURE(seed);
                          check();
                        });
}

}  // namespace ballot::test
