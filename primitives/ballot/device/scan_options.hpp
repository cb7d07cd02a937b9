// What can be asked of a scan beside its operator.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <cstdint>

namespace ballot {

// From which end sums are taken. Backward: out[i] = in[n - 1] op in[n - 2] op ... op in[i], operands in that order.
enum class scan_order : std::uint8_t { forward, backward };

// T: the type of the sums.
//     ballot::exclusive_scan(gpu, weights, before, 0.0f, ballot::plus{}, {.total = sum, .reproducible = true});
template <class T>
struct scan_options {
  // Where op of all items goes, and of `initial` before them where there is one. Null: it is not wanted.
  device_result<T> total = {};
  scan_order order = scan_order::forward;
  // The same bits on every run and every GPU, also where op is only nearly associative (sums of floats).
  bool reproducible = false;
};

}  // namespace ballot
