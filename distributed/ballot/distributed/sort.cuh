// SPDX-License-Identifier: Apache-2.0
// Radix sort of keys that lie in blocks on the ranks of a communicator, stable over the order of
// the ranks.
//
//     ballot::distributed::sort(comm, gpu, keys, sorted);
//     ballot::distributed::sort_pairs(comm, gpu, cells, ids, sorted_cells, sorted_ids,
//                                     {.bits = {0, 18}});
//     // order: places among the keys of all ranks
//     ballot::distributed::argsort(comm, gpu, keys, sorted, order);
//
// comm      a communicator (communicator.hpp) of up to 128 ranks; every rank calls, also where it
//           has no keys
// keys      of this rank: as for sort of one device (sort.cuh); may be `counted`. Kept
// keys_out  the rank's block of the sorted keys: rank 0 has the first, and so on. The caller chooses
//           the length of each block, which need not be that of the rank's input. All blocks
//           together are as long as all inputs, or longer if `count` is asked for
// values    trivially copyable, of up to 128 bytes. Kept
// indices   integers of 4 or 8 bytes, signed or not
// options   those of sort, and `pieces`: how many pieces a rank's output arrives in, so that one is
//           sorted while the next is on its way (0: one, or for many items up to four). count,
//           offset and total are left on the device: how many items this rank gets, those before
//           it, and all. With a count, blocks are in proportion to the outputs' lengths, and what
//           lies after them in an output is not written. offset and total are of a type that holds
//           the items of all ranks
//
// Exact: a block has the keys that belong there, whatever they are. Many equal ones are cut in the
// order of the ranks. Each item goes to another rank at most once.
//
// Waits twice on the host, because the sizes of messages are given there. The first wait is for
// what the ranks call and how many items they have. The second is for how many items each rank
// sends to each other. So it cannot be captured. The device has work beside both waits. Uses the
// caller's stream, and for exchanges one of the communicator's. At the end the caller's stream has
// waited for them.
//
// Scratch: *_scratch_bytes<K...>(ranks, n, room) for n items here and room in the output.
//
// Errors: those of sort of one device, before any work, and the other ranks are told. Then, on
// every rank and before any item is sent: `disagreement` if the ranks' calls differ, or if a rank
// refused its call. Also invalid_argument if all blocks together have another length than all
// inputs, or if indices, offset or total of a rank cannot count the items of all.
// communication_error if others do not answer.
//
// Sources: Stehle and Jacobsen, 2017, for partitions by counts of leading bits. Harsh, Kale and
// Solomonik, Histogram Sort with Sampling, 2019, for splitters by histograms.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/distributed/detail/explain.hpp>
#include <ballot/distributed/detail/sort_run.cuh>

#include <initializer_list>
#include <optional>
#include <vector>

namespace ballot::distributed {

// Keys of this rank to read; may be `counted`.
template <class R>
concept rank_keys = ballot::key_range<R>;
// Values that go with them.
template <class R>
concept rank_values = ballot::value_range<R> && sizeof(ballot::detail::item_t<R>) <= 128;

namespace detail {

template <class V>
struct rank_value_check {
  static constexpr bool ok = sizeof(V) <= 128 || std::is_same_v<V, ballot::detail::unknown>;
  static consteval void explain() {
    static_assert(
        ok,
        "ballot: values of more than 128 bytes do not go with their keys. Call ballot::distributed::argsort, and "
        "fetch them by the indices.");
  }
};
template <class Index>
using index_word_t = typename ballot::detail::unsigned_of_size<sizeof(Index)>::type;

}  // namespace detail

namespace detail {

inline void require_ranks(int ranks, const char* function) {
  using namespace ballot::detail;
  require(ranks >= 1, function, "no ranks");
  require(ranks <= most_boundaries + 1, function, "more than 128 ranks");
}

}  // namespace detail

// Bytes of scratch for n items of this rank and room for so many in its output, whatever the
// options. Pure. Throws invalid_argument unless there are 1 to 128 ranks.
template <class K>
std::size_t sort_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  detail::require_ranks(ranks, "distributed::sort_scratch_bytes");
  if constexpr (ballot::detail::explained<ballot::detail::sort_key_check<K>>())
    return ballot::detail::bytes_at_any_address(detail::sort_scratch_bytes_of<K, detail::no_value>(ranks, n, room));
  else return 0;
}
template <class K, class V>
std::size_t sort_pairs_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  detail::require_ranks(ranks, "distributed::sort_pairs_scratch_bytes");
  if constexpr (ballot::detail::explained<ballot::detail::sort_key_check<K>, detail::rank_value_check<V>>())
    return ballot::detail::bytes_at_any_address(detail::sort_scratch_bytes_of<K, V>(ranks, n, room));
  else return 0;
}
template <class K, class Index>
std::size_t argsort_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  detail::require_ranks(ranks, "distributed::argsort_scratch_bytes");
  if constexpr (ballot::detail::explained<ballot::detail::sort_key_check<K>, ballot::detail::index_check<Index>>())
    return ballot::detail::bytes_at_any_address(
        detail::sort_scratch_bytes_of<K, detail::index_word_t<Index>>(ranks, n, room));
  else return 0;
}

namespace detail {

// How a call's record says which bits of K decide, and where a NaN comes. Options that mean the
// same are the same there: all bits by default or by number, and any place of NaNs among integers.
template <class K>
constexpr std::uint64_t recorded_bits(bit_range bits) {
  const int high = bits.high == bit_range::full ? static_cast<int>(8 * sizeof(K)) : bits.high;
  return (static_cast<std::uint64_t>(bits.low) & 0xffu) | (static_cast<std::uint64_t>(high) & 0xffu) << 8;
}
template <class K>
constexpr std::uint64_t recorded_nans(nan_order nans) {
  return key_traits<K>::kind == key_kind::floating ? static_cast<std::uint64_t>(nans) : 0;
}

// Checks that counts overlap no other argument, and hold at least the items of this rank.
inline void require_counts(const char* function, const exec& where, const sort_options& options,
                           std::initializer_list<ballot::detail::argument> written,
                           std::initializer_list<ballot::detail::argument> read, std::uint64_t n, std::uint64_t room) {
  using namespace ballot::detail;
  std::vector<argument> others(written);
  others.insert(others.end(), read.begin(), read.end());
  others.push_back({"scratch", where.scratch().data(), where.scratch().size()});
  const argument counts[] = {argument_of("count", options.count), argument_of("offset", options.offset),
                             argument_of("total", options.total)};
  require_apart(function, counts, others);
  if (options.count.address() != nullptr) require_count(function, "count", options.count, room);
  if (options.total.address() != nullptr) require_count(function, "total", options.total, n);
}

// Checks what can be checked on this rank, and runs. V: no_value, the values' type, or the index's,
// unsigned. `written` and `read`: the arguments' memory. lengths(): further checks.
template <communicator C, class K, class V, class Lengths>
void sort_checked(C& comm, const exec& where, sort_job<K, V> job, function_id id,
                  std::initializer_list<ballot::detail::argument> written,
                  std::initializer_list<ballot::detail::argument> read, Lengths&& lengths) {
  using namespace ballot::detail;
  const std::uint64_t n = job.keys.capacity(), room = job.keys_out.size;
  call_record record{.function = id,
                     .item_type = type_id<K>(),
                     .value_type = 0,
                     .refused = 0,
                     .options = static_cast<std::uint64_t>(job.options.direction) |
                                recorded_nans<K>(job.options.nans) << 4 | recorded_bits<K>(job.options.bits) << 8 |
                                (static_cast<std::uint64_t>(job.options.pieces) & 0xffu) << 24 |
                                std::uint64_t{job.options.count.address() != nullptr} << 32,
                     .items = n,
                     .room = room,
                     .unused = largest_stored({job.options.offset, job.options.total}),
                     .value = {}};
  if constexpr (!std::is_same_v<V, no_value>) record.value_type = type_id<V>();
  // Indices are sorted as unsigned words. The ranks compare what they can count.
  if constexpr (std::is_same_v<V, std::uint32_t> || std::is_same_v<V, std::uint64_t>)
    if (job.positions && job.most_positions != static_cast<V>(~V{0}))
      record.value_type = type_id<std::make_signed_t<V>>();
  std::optional<scratch_lease> lease;
  check_or_refuse(comm, where.stream(), record, [&] {
    const char* const function = job.function;
    require_ranks(comm.size(), function);
    require(comm.host_bytes() >= static_cast<std::size_t>(comm.size()) * host_bytes_of_rank + host_bytes_of_all,
            function, "the communicator has too little memory on the host");
    require(job.options.pieces >= 0 && job.options.pieces <= 255, function, "pieces are 0 to 255");
    lengths();
    require_arguments(function, where, {std::span(written.begin(), written.size())},
                      {std::span(read.begin(), read.size())});
    detail::require_counts(function, where, job.options, written, read, n, room);
    job.digits = plan_digits(job.options.bits, 8 * sizeof(K), function);
    lease.emplace(where, sort_scratch_bytes_of<K, V>(comm.size(), n, room), function);
  });
  scratch_carver carver(lease->base());
  const sort_scratch<K, V> scratch(carver, comm.size(), n, room);
  sort_run<C, K, V>(comm, where.stream(), job, scratch).run(record);
}

}  // namespace detail

// Sorts the keys of all ranks; `keys` is kept.
template <communicator C, rank_keys Keys, ballot::output_range_of<Keys> KeysOut>
void sort(C& comm, const exec& where, const Keys& keys, KeysOut&& keys_out, const sort_options& options = {}) {
  using namespace ballot::detail;
  using K = item_t<Keys>;
  constexpr const char* function = "distributed::sort";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  detail::sort_checked<C, K, detail::no_value>(
      comm, where, {in, nullptr, false, out, nullptr, options, {0, 0}, function}, detail::function_id::sort,
      {argument_of("keys_out", out)}, {argument_of("keys", in), argument_of("keys.length", in.length)}, [] {});
}

// Sorts the keys of all ranks and moves values with them; `keys` and `values` are kept.
template <communicator C, rank_keys Keys, rank_values Values, ballot::output_range_of<Keys> KeysOut,
          ballot::output_range_of<Values> ValuesOut>
void sort_pairs(C& comm, const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out,
                ValuesOut&& values_out, const sort_options& options = {}) {
  using namespace ballot::detail;
  using K = item_t<Keys>;
  using V = item_t<Values>;
  constexpr const char* function = "distributed::sort_pairs";
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  detail::sort_checked<C, K, V>(
      comm, where, {in, values_in.data, false, out, second.data, options, {0, 0}, function},
      detail::function_id::sort_pairs, {argument_of("keys_out", out), argument_of("values_out", second)},
      {argument_of("keys", in), argument_of("keys.length", in.length), argument_of("values", values_in)}, [&] {
        require_same_length(function, "keys", in.capacity(), "values", values_in.capacity());
        require_same_length(function, "keys_out", out.size, "values_out", second.size);
      });
}

// The sorted keys, and where each was among the keys of all ranks: those of rank 0 come first.
template <communicator C, rank_keys Keys, ballot::output_range_of<Keys> KeysOut, ballot::output_range_of_counts Indices>
void argsort(C& comm, const exec& where, const Keys& keys, KeysOut&& keys_out, Indices&& indices,
             const sort_options& options = {}) {
  using namespace ballot::detail;
  using K = item_t<Keys>;
  constexpr const char* function = "distributed::argsort";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  const auto second = as_output(indices);
  using W = detail::index_word_t<item_t<Indices>>;
  detail::sort_job<K, W> job{in, nullptr, true, out, as_positions(second).data, options, {0, 0}, function};
  job.most_positions = count_type::of<item_t<Indices>>().largest();
  detail::sort_checked<C, K, W>(comm, where, job, detail::function_id::argsort,
                                {argument_of("keys_out", out), argument_of("indices", second)},
                                {argument_of("keys", in), argument_of("keys.length", in.length)},
                                [&] { require_same_length(function, "keys_out", out.size, "indices", second.size); });
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class C, class Keys, class KeysOut>
void sort(C&, const exec&, const Keys&, KeysOut&&, const sort_options& = {}) {
  using namespace ballot::detail;
  ballot::detail::explain<distributed::detail::communicator_check<C>, key_range_check<Keys>, output_check<KeysOut>,
                          same_items_check<KeysOut, Keys>>();
}
template <class C, class Keys, class Values, class KeysOut, class ValuesOut>
void sort_pairs(C&, const exec&, const Keys&, const Values&, KeysOut&&, ValuesOut&&, const sort_options& = {}) {
  using namespace ballot::detail;
  ballot::detail::explain<distributed::detail::communicator_check<C>, key_range_check<Keys>, value_range_check<Values>,
                          distributed::detail::rank_value_check<known_item_t<Values>>, output_check<KeysOut>,
                          output_check<ValuesOut>, same_items_check<KeysOut, Keys>,
                          same_items_check<ValuesOut, Values>>();
}
template <class C, class Keys, class KeysOut, class Indices>
void argsort(C&, const exec&, const Keys&, KeysOut&&, Indices&&, const sort_options& = {}) {
  using namespace ballot::detail;
  ballot::detail::explain<distributed::detail::communicator_check<C>, key_range_check<Keys>, output_check<KeysOut>,
                          same_items_check<KeysOut, Keys>, positions_check<Indices>>();
}

}  // namespace ballot::distributed
