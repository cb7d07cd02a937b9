// SPDX-License-Identifier: Apache-2.0
// Further compactions of u32, half of them selected: the positions of the selected items, and two
// columns at once.
//
//   compact_indices_if      by a predicate on the items, which are read and not written. CUB:
//                           FlaggedIf, of counted positions
//   compact_indices_bytes   by byte flags. CUB: Flagged, of counted positions
//   compact_two_columns     items and positions as a zip, by a predicate on the items. CUB and
//                           Thrust: If of zipped iterators
//
// Thrust returns the end of the output, so each of its calls waits.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/compact.cuh>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <cub/device/device_select.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};
struct is_first_kept {
  template <class Tuple>
  __host__ __device__ bool operator()(const Tuple& row) const {
    return is_kept{}(thrust::get<0>(row));
  }
};

auto counted_positions() { return thrust::counting_iterator<T>(0); }

operation positions_kept(const char* name, double read_bytes, source input) {
  return {.name = name,
          .bytes_per_item = read_bytes + 0.5 * sizeof(T),
          .input = std::move(input),
          .output_bytes = sizeof(T),
          .counts = true,
          .shape = result_shape::kept};
}

// The positions of the items or flags at the input, of type Flag, that `select` selects.
template <class Flag, class Select>
contender thrust_positions(Select select) {
  contender thrust_ = by_thrust([=](const auto& policy, const arrays& a) {
    const auto end = thrust::copy_if(policy, counted_positions(), counted_positions() + static_cast<T>(a.n),
                                     a.in<Flag>(), a.out<T>(), select);
    return static_cast<std::uint64_t>(end - a.out<T>());
  });
  thrust_.waits = true;
  return thrust_;
}

operation indices_by_predicate() {
  operation task = positions_kept("compact_indices_if", sizeof(T), items());
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::FlaggedIf(temporary, bytes, counted_positions(), a.in<T>(), a.out<T>(), a.count,
                                        a.length(), is_kept{}, a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return compact_indices_scratch_bytes<T, T>(n); },
      [](const auto& gpu, const arrays& a) { compact_indices(gpu, in<T>(a), is_kept{}, out<T>(a), a.count); }));
  task.contenders.push_back(thrust_positions<T>(is_kept{}));
  return task;
}

operation indices_by_bytes() {
  using flag = std::uint8_t;
  operation task = positions_kept("compact_indices_bytes", sizeof(flag), byte_flags_of_items());
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Flagged(temporary, bytes, counted_positions(), a.in<flag>(), a.out<T>(), a.count,
                                      a.length(), a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        compact_indices(gpu, ballot::positions<T>(a.n), byte_flags{in<flag>(a)},
                                                        out<T>(a), a.count);
                                      }));
  task.contenders.push_back(thrust_positions<flag>(is_set{}));
  return task;
}

operation two_columns() {
  operation task{.name = "compact_two_columns",
                 .bytes_per_item = 1.5 * 2 * sizeof(T),
                 .input = items(),
                 .second_input = bench::positions(),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(T),
                 .counts = true,
                 .shape = result_shape::kept};
  const auto from = [](const arrays& a) {
    return thrust::make_zip_iterator(thrust::make_tuple(a.in<T>(), a.second_in<T>()));
  };
  const auto to = [](const arrays& a) {
    return thrust::make_zip_iterator(thrust::make_tuple(a.out<T>(), a.second_out<T>()));
  };
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::If(temporary, bytes, from(a), to(a), a.count, a.length(), is_first_kept{}, a.stream);
  }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return compact_scratch_bytes<T, T>(n); },
      [](const auto& gpu, const arrays& a) {
        compact(gpu, zip{in<T>(a), second_in<T>(a)}, on_first{is_kept{}}, zip{out<T>(a), second_out<T>(a)}, a.count);
      }));
  contender thrust_ = by_thrust([=](const auto& policy, const arrays& a) {
    const auto begin = from(a);
    const auto end = thrust::copy_if(policy, begin, begin + static_cast<std::int64_t>(a.n), to(a), is_first_kept{});
    return static_cast<std::uint64_t>(end - to(a));
  });
  thrust_.waits = true;
  task.contenders.push_back(std::move(thrust_));
  return task;
}

}  // namespace

void add_selections(std::vector<operation>& all) {
  all.push_back(indices_by_predicate());
  all.push_back(indices_by_bytes());
  all.push_back(two_columns());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
