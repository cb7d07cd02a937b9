// Radix sort of keys that lie in blocks on the ranks of a communicator, stable over the order of the ranks.
//
//     ballot::distributed::sort(comm, gpu, keys, sorted);
//     ballot::distributed::sort_pairs(comm, gpu, cells, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});
//     ballot::distributed::argsort(comm, gpu, keys, sorted, order);      // order: places among the keys of all ranks
//
// comm      a communicator (communicator.hpp) of up to 128 ranks; every rank calls, also where it has no keys
// keys      of this rank: as for sort of one device (sort.cuh), with the length on the host. Kept
// keys_out  the rank's block of the sorted keys: rank 0 has the first, and so on. Blocks are as long as the caller wants
//           them, of any rank longer or shorter than its input; the rooms of all ranks add up to the items of all
// values    trivially copyable, of up to 128 bytes. Kept
// indices   u32 or u64
// options   those of sort, and `pieces`: how many pieces a rank's output arrives in, so that one is sorted while the next
//           is on its way (0: one, or for many items up to four)
//
// Exact: a block has the keys that belong there, whatever they are; many equal ones are cut in the order of the ranks. Each
// item goes to another rank at most once. Waits on the host, twice: for what the ranks call and how much they have, and for
// how much goes to whom, because the sizes of messages are given on the host. So it cannot be captured. The device has
// work beside both waits. Uses the caller's stream, and for exchanges one of the communicator's; the caller's stream
// has waited for them in the end. Scratch: *_scratch_bytes<K...>(ranks, n, room) for n items here and room in the output.
// Errors: those of sort of one device, before any work, and the other ranks are told; then, on every rank and before any
// item is sent, `disagreement` (the ranks' calls differ, or a rank refused), invalid_argument (the rooms and the items of all
// ranks are not as many); communication_error where others do not answer.
// Source: Stehle and Jacobsen, 2017, for partitions by counts of leading bits; Harsh, Kale and Solomonik, Histogram Sort with
// Sampling, 2019, for splitters by histograms.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/detail/sort_run.cuh>

namespace ballot::distributed {

// Bytes of scratch for n items of this rank and room for so many in its output, whatever the options. Pure.
template <radix_key K>
std::size_t sort_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  return detail::sort_scratch_bytes_of<K, detail::no_value>(ranks, n, room);
}
template <radix_key K, class V>
std::size_t sort_pairs_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  return detail::sort_scratch_bytes_of<K, V>(ranks, n, room);
}
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_scratch_bytes(int ranks, std::uint64_t n, std::uint64_t room) {
  return detail::sort_scratch_bytes_of<K, Index>(ranks, n, room);
}

namespace detail {

// Checks what can be checked on this rank, and runs. V: no_value, the values' type, or the index's.
template <communicator C, class K, class V, class Checks>
void sort_checked(C& comm, const exec& where, sort_job<K, V> job, function_id id, Checks&& checks) {
  using namespace ballot::detail;
  const std::uint64_t n = job.keys.capacity(), room = job.keys_out.size;
  call_record record{.function = id,
                     .item_type = type_id<K>(),
                     .value_type = 0,
                     .refused = 0,
                     .options = static_cast<std::uint64_t>(job.options.direction) |
                                static_cast<std::uint64_t>(job.options.nans) << 4 |
                                (static_cast<std::uint64_t>(job.options.bits.low) & 0xffu) << 8 |
                                (static_cast<std::uint64_t>(job.options.bits.high) & 0xffu) << 16 |
                                (static_cast<std::uint64_t>(job.options.pieces) & 0xffu) << 24,
                     .items = n,
                     .room = room,
                     .unused = 0,
                     .value = {}};
  if constexpr (!std::is_same_v<V, no_value>) record.value_type = type_id<V>();
  std::optional<scratch_lease> lease;
  check_or_refuse(comm, where.stream(), record, [&] {
    const char* const function = job.function;
    require(comm.size() <= most_boundaries + 1, function, "more than 128 ranks");
    require(comm.host_bytes() >= static_cast<std::size_t>(comm.size()) * host_bytes_of_rank + host_bytes_of_all,
            function, "the communicator has too little memory on the host");
    require(job.options.pieces >= 0 && job.options.pieces <= 255, function, "pieces are 0 to 255");
    require_readable(job.keys, function);
    require_writable(job.keys_out, function);
    require_apart(job.keys.data, n, job.keys_out.data, room, function);
    job.digits = plan_digits(job.options.bits, 8 * sizeof(K), function);
    checks();
    lease.emplace(where, sort_scratch_bytes_of<K, V>(comm.size(), n, room), function);
  });
  scratch_carver carver(lease->base());
  const sort_scratch<K, V> scratch(carver, comm.size(), n, room);
  sort_run<C, K, V>(comm, where.stream(), job, scratch).run(record);
}

}  // namespace detail

// Sorts the keys of all ranks; `keys` is kept.
template <communicator C, ballot::device_range Keys, ballot::output_range KeysOut>
void sort(C& comm, const exec& where, const Keys& keys, KeysOut&& keys_out, const sort_options& options = {}) {
  using K = ballot::detail::item_t<Keys>;
  static_assert(radix_key<K>, "no key: see key_traits");
  detail::sort_checked<C, K, detail::no_value>(comm, where,
                                               {ballot::detail::as_input(keys),
                                                nullptr,
                                                false,
                                                ballot::detail::as_output(keys_out),
                                                nullptr,
                                                options,
                                                {0, 0},
                                                "distributed::sort"},
                                               detail::function_id::sort, [] {});
}

// Sorts the keys of all ranks and moves values with them; `keys` and `values` are kept.
template <communicator C, ballot::device_range Keys, ballot::device_range Values,
          ballot::output_range KeysOut, ballot::output_range ValuesOut>
void sort_pairs(C& comm, const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out,
                ValuesOut&& values_out, const sort_options& options = {}) {
  using namespace ballot::detail;
  using K = item_t<Keys>;
  using V = item_t<Values>;
  static_assert(radix_key<K>, "no key: see key_traits");
  static_assert(sizeof(V) <= 128, "values of more than 128 bytes: argsort, and fetch them");
  constexpr const char* function = "distributed::sort_pairs";
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  detail::sort_checked<C, K, V>(comm, where, {in, values_in.data, false, out, second.data, options, {0, 0}, function},
                                detail::function_id::sort_pairs, [&] {
                                  require_readable(values_in, function);
                                  require_writable(second, function);
                                  require(values_in.capacity() == in.capacity() && second.size == out.size, function,
                                          "lengths differ");
                                  require_apart(in.data, in.capacity(), second.data, second.size, function);
                                  require_apart(values_in.data, in.capacity(), out.data, out.size, function);
                                  require_apart(values_in.data, in.capacity(), second.data, second.size, function);
                                  require_apart(out.data, out.size, second.data, second.size, function);
                                });
}

// The sorted keys, and where each was among the keys of all ranks: those of rank 0 come first.
template <communicator C, ballot::device_range Keys, ballot::output_range KeysOut,
          ballot::output_range Indices>
void argsort(C& comm, const exec& where, const Keys& keys, KeysOut&& keys_out, Indices&& indices,
             const sort_options& options = {}) {
  using namespace ballot::detail;
  using K = item_t<Keys>;
  static_assert(radix_key<K>, "no key: see key_traits");
  constexpr const char* function = "distributed::argsort";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  const auto second = as_output(indices);
  using Index = typename decltype(second)::value_type;
  static_assert(std::unsigned_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8), "indices are u32 or u64");
  detail::sort_checked<C, K, Index>(
      comm, where, {in, nullptr, true, out, second.data, options, {0, 0}, function}, detail::function_id::argsort, [&] {
        require_writable(second, function);
        require(second.size == out.size, function, "keys and indices have different lengths");
        require_apart(in.data, in.capacity(), second.data, second.size, function);
        require_apart(out.data, out.size, second.data, second.size, function);
      });
}

}  // namespace ballot::distributed
