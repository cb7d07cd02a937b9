// SPDX-License-Identifier: Apache-2.0
// Sorting keys with values of other sizes than their own. The library chooses by size
// (ballot/detail/radix_sort/dispatch.cuh): values of up to 8 bytes move through every pass as
// words, and are repacked if they are none (3 bytes; "ballot_as_words": 8 bytes, as if at odd
// multiples of 4); others are indirect and are gathered once ("ballot_gathered": shorter ones,
// too). CUB moves values through every pass, whatever their size.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "generated.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/sort.cuh>

#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

// The library does not take it as a word, whatever its size, because it has more than one part.
template <class Part, int Parts>
struct parts {
  Part part[Parts];
};
template <int Bytes>
using value_of_size = std::conditional_t<Bytes % 4 == 0, parts<std::uint32_t, Bytes / 4>, parts<std::uint8_t, Bytes>>;
template <int Bytes>
inline constexpr bool is_word = Bytes <= 8 && (Bytes & (Bytes - 1)) == 0;

template <class Value>
struct value_at;
template <class Part, int Parts>
struct value_at<parts<Part, Parts>> {
  __host__ __device__ parts<Part, Parts> operator()(std::uint64_t i) const {
    parts<Part, Parts> value;
    for (int p = 0; p < Parts; ++p) value.part[p] = static_cast<Part>(word_at(i) + static_cast<unsigned>(p));
    return value;
  }
};

// As sort_pairs does it with values of other sizes. measure(carver, n): its scratch; sort: one of
// detail/radix_sort/dispatch.cuh.
template <class K, class V, class Measure, class Sort>
contender in_another_way(const char* name, Measure measure, Sort sort) {
  return named(name, by_ballot(
                         [=](std::uint64_t n) {
                           detail::scratch_carver carver;
                           measure(carver, n);
                           return carver.bytes();
                         },
                         [=](const auto& gpu, const arrays& a) {
                           const detail::scratch_lease lease(gpu, a.scratch.size(), "sort_values");
                           sort(gpu, lease, detail::as_input(in<K>(a)), a.out<K>(), a.second_in<V>(), a.second_out<V>(),
                                sort_options{}, detail::plan_digits({}, 8 * sizeof(K), "sort_values"), "sort_values");
                         }));
}
template <class K, class V>
contender gathered() {
  return in_another_way<K, V>(
      "ballot_gathered",
      [](detail::scratch_carver& carver, std::uint64_t n) {
        detail::indirect_pairs_scratch<K, V, std::uint32_t>(carver, n, false);
      },
      [](const auto&... arguments) { detail::sort_pairs_indirect<std::uint32_t>(arguments...); });
}
template <class K, class V>
contender as_words() {
  return in_another_way<K, V>(
      "ballot_as_words",
      [](detail::scratch_carver& carver, std::uint64_t n) { detail::repacked_pairs_scratch<K, V>(carver, n); },
      [](const auto&... arguments) { detail::sort_pairs_repacked(arguments...); });
}

template <class K, class V>
contender pairs_by_ballot() {
  return by_ballot([](std::uint64_t n) { return sort_pairs_scratch_bytes<K, V>(n); },
                   [](const auto& gpu, const arrays& a) {
                     sort_pairs(gpu, in<K>(a), second_in<V>(a), out<K>(a), second_out<V>(a));
                   });
}

template <class K, int ValueBytes>
void add_sort(std::vector<operation>& all) {
  using V = value_of_size<ValueBytes>;
  const std::string size = std::to_string(ValueBytes);
  operation task{.name = "sort_values_u" + std::to_string(8 * sizeof(K)) + ":" + size,
                 .bytes_per_item = 2 * (sizeof(K) + sizeof(V)),
                 .input = keys<K>({}),
                 .second_input = generated<V>("values of " + size + " bytes", value_at<V>{}),
                 .output_bytes = sizeof(K),
                 .second_output_bytes = sizeof(V)};
  using carried = typename std::conditional_t<is_word<ValueBytes>, detail::unsigned_of_size<ValueBytes>,
                                              std::type_identity<V>>::type;
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, a.in<K>(), a.out<K>(), a.second_in<carried>(),
                                           a.second_out<carried>(), a.length(), 0, 8 * sizeof(K), a.stream);
  }));
  task.contenders.push_back(pairs_by_ballot<K, carried>());
  if constexpr (ValueBytes <= 8) task.contenders.push_back(gathered<K, carried>());
  if constexpr (ValueBytes == 8) task.contenders.push_back(as_words<K, V>());
  all.push_back(std::move(task));
}

}  // namespace

void add_value_sorts(std::vector<operation>& all) {
  add_sort<std::uint32_t, 1>(all);
  add_sort<std::uint32_t, 2>(all);
  add_sort<std::uint32_t, 3>(all);
  add_sort<std::uint32_t, 8>(all);
  add_sort<std::uint32_t, 12>(all);
  add_sort<std::uint32_t, 16>(all);
  add_sort<std::uint32_t, 64>(all);
  add_sort<std::uint64_t, 8>(all);
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
