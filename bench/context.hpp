// What a result has to say about where it comes from.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::bench {

// Adds the GPU, its clocks, driver, toolkit, CUB, this library and its commit to the context of the results. Google
// Benchmark adds the date and the host.
void describe_context();

}  // namespace ballot::bench
