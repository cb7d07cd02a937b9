// SPDX-License-Identifier: Apache-2.0
// The host parts need no CUDA: the order of keys, and the errors.
#include <ballot/core/error.hpp>
#include <ballot/core/key_order.hpp>

#include <cstdio>
#include <limits>

int main() {
  using ballot::direction;
  using ballot::ordered_bits;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const bool right = ordered_bits(-1, direction::ascending) < ordered_bits(0, direction::ascending) &&
                     ordered_bits(-1, direction::descending) > ordered_bits(0, direction::descending) &&
                     ordered_bits(-0.0f, direction::ascending) < ordered_bits(0.0f, direction::ascending) &&
                     ordered_bits(nan, direction::ascending) > ordered_bits(1e30f, direction::ascending);
  try {
    throw ballot::invalid_argument("caught");
  } catch (const ballot::invalid_argument& error) {
    std::printf("host_only: %s, order %s\n", error.what(), right ? "right" : "wrong");
  }
  return right ? 0 : 1;
}
