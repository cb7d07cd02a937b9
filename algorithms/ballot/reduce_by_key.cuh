// SPDX-License-Identifier: Apache-2.0
// Reduction of the values of each run of equal keys, in one pass.
//
//     ballot::reduce_by_key(gpu, cells, masses, cells_out, mass_of_cell, cell_count);  // sums
//     ballot::reduce_by_key(gpu, cells, masses, ballot::maximum{}, cells_out, heaviest,
//                           cell_count);
//     ballot::reduce_by_key(gpu, points, masses, is_near{}, ballot::plus{}, points_out,
//                           mass_of_cell, cell_count);
//     ballot::reduce_by_key(gpu, cells, ballot::constant{1u, cells.size()}, cells_out,
//                           items_of_cell, cell_count);
//     // Both at once.
//     ballot::reduce_by_key(gpu, cells, ballot::zip{masses, masses},
//                           ballot::each{ballot::plus{}, ballot::minimum{}}, cells_out,
//                           ballot::zip{mass_of_cell, lightest}, cell_count);
//
// keys      contiguous device range or a view, or `counted`, of a trivially copyable type of at
//           most 32 bytes. A key of a view is computed once. It is computed twice if a warp's items
//           begin with it, or if there are few tiles
// values    device range or a view as long as the keys, or a zip of such; not counted. Each value
//           is converted to the type of its result when it is loaded: u32 values give u64 sums
// same      bool(const K& before, const K& key): whether a key belongs to the run of the key before
//           it. == in overloads without it; each NaN is then a run of its own
// op        associative; `plus` in overloads without it. It need not commute, and is applied only
//           to values of one run, in their order. Its results are converted to the result's type;
//           integers wrap. For a zip, each{...} has an operator for each range; any other operator
//           serves all of them
// keys_out  the first key of each run
// results   op of the values of each run; for a zip of values a zip of as many ranges. A result has
//           at most 32 bytes; the results of a zip have at most 32 bytes together
// count     device address (or device_value) of one integer of 4 or 8 bytes, signed or not: the
//           number of runs, also written for n = 0
//
// keys_out and results are device ranges or output views (outputs.cuh), and may be shorter than
// needed. Runs that do not fit are dropped, and the count still says how many there are. Outputs
// must not overlap any other argument, and the scratch must not overlap any argument.
//
// Deterministic: how the operands of a run are grouped depends only on n, on the types, and on
// where the run begins and ends. So sums of floats have the same bits in every execution and on
// every GPU, for one version of the library. The cost does not depend on the lengths of the runs.
//
// Scratch: reduce_by_key_scratch_bytes<K, T...>(n), T... the types of the results. For each tile it
// is 16 bytes for each 8 bytes of a result, rounded up, and 1/31 more.
//
// Work on the stream: two kernels. One kernel for one tile (1024 items with keys and results of 4
// bytes). For n = 0 a fill of the count.
//
// Bytes moved: keys and values are read once, but twice if there are few tiles (up to 512, and at
// most 1.5 million items). Runs are written once.
//
// Errors, before any work: invalid_argument for null with n > 0, lengths that differ, overlap, too
// little scratch, or a count that is too small for n. cuda_error from the launch.
//
// Sources: Merrill and Garland 2016. Sengupta, Harris, Zhang and Owens, Scan Primitives for GPU
// Computing, 2007.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/reduce_by_key/arguments.cuh>
#include <ballot/detail/reduce_by_key/heads.cuh>
#include <ballot/detail/reduce_by_key/launch.cuh>
#include <ballot/detail/reduce_by_key/values.cuh>
#include <ballot/device/memory.cuh>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot {

/// Bytes of scratch for n items with keys K and results T..., at any address. Pure.
template <class K, class... T>
std::size_t reduce_by_key_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::reduce_runs_bytes<K, detail::sum_of_columns_t<T...>>(n));
}

namespace detail {

// Keys and V: input<...> or view_input<...>.
template <class Keys, class... V, class Same, class Op, class KeysOut, class... Out>
void reduce_by_key(const exec& where, const Keys& keys, const std::tuple<V...>& values, const Same& same, const Op& op,
                   const KeysOut& keys_out, const std::tuple<Out...>& results, const device_count& count) {
  constexpr const char* function = "reduce_by_key";
  using K = typename KeysOut::value_type;
  using sum = sum_of_columns_t<typename Out::value_type...>;
  const std::uint64_t n = keys.capacity();
  const std::size_t bytes = reduce_runs_bytes<K, sum>(n);
  require_items_of_view(function, "keys", keys);
  require_columns(function, "values", values);
  require(length_of(values).count == nullptr, function, "`values` is counted: only `keys` may be counted");
  require_same_length(function, "keys", n, "values", length_of(values).capacity);
  require_count(function, "count", count, n);
  require_arguments(
      function, where, bytes,
      {arguments_of("keys_out", keys_out), arguments_of("results", results), argument_of("count", count)},
      {arguments_of("keys", keys), argument_of("keys.length", keys.length), arguments_of("values", values),
       lengths_of("keys_out.offset", keys_out), lengths_of("results.offset", results)});
  tile_count(n, runs_shapes<K, sum>::many::items, function);
  const scratch_lease lease(where, bytes, function);
  const auto make_heads = [&]<class Shape>(std::type_identity<Shape>) {
    if constexpr (is_view_input<Keys>)
      return heads_by_key<K, Same, KeysOut, decltype(keys.view)>{keys.view, keys_out, same, {}};
    else
      return heads_by_key<K, Same, KeysOut>{keys.data, keys_out, same,
                                            block::aligned_vectors_of<K, Shape::width>(keys.data)};
  };
  const auto launch = [&](const auto& from, const auto& to, const auto& applied) {
    launch_runs<false, K, sum>(where.stream(), lease.base(), keys.length, make_heads, from, sum{}, applied, to, count,
                               function);
  };
  launch(make_run_values<sum>(values), make_run_results(results), make_run_operator<sum>(op));
}

}  // namespace detail

/// The first key of each run, and op of the run's values.
template <input_range_or_view Keys, class Values, relation_of<detail::item_t<Keys>> Same, class Op, class KeysOut,
          class Results>
  requires detail::reduces_by_key<Keys, Values, Op, KeysOut, Results>
void reduce_by_key(const exec& where, const Keys& keys, const Values& values, const Same& same, const Op& op,
                   KeysOut&& keys_out, Results&& results, device_count count) {
  detail::reduce_by_key(where, detail::as_input(keys), detail::as_inputs(values), same, op, detail::as_output(keys_out),
                        detail::as_outputs(results), count);
}
template <input_range_or_view Keys, class Values, class Op, class KeysOut, class Results>
  requires detail::reduces_by_key<Keys, Values, Op, KeysOut, Results>
void reduce_by_key(const exec& where, const Keys& keys, const Values& values, const Op& op, KeysOut&& keys_out,
                   Results&& results, device_count count) {
  reduce_by_key(where, keys, values, equal_to{}, op, keys_out, results, count);
}
template <input_range_or_view Keys, class Values, class KeysOut, class Results>
  requires detail::reduces_by_key<Keys, Values, plus, KeysOut, Results>
void reduce_by_key(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out, Results&& results,
                   device_count count) {
  reduce_by_key(where, keys, values, equal_to{}, plus{}, keys_out, results, count);
}
template <class Keys, class Values, class Same, class Op, class KeysOut, class Results, class Count>
  requires(!detail::reduce_by_key_checks<Keys, Values, Same, Op, KeysOut, Results, Count>::ok)
void reduce_by_key(const exec&, const Keys&, const Values&, const Same&, const Op&, KeysOut&&, Results&&,
                   const Count&) {
  detail::reduce_by_key_checks<Keys, Values, Same, Op, KeysOut, Results, Count>::failing::explain();
}
template <class Keys, class Values, class Op, class KeysOut, class Results, class Count>
  requires(!detail::reduce_by_key_checks<Keys, Values, equal_to, Op, KeysOut, Results, Count>::ok)
void reduce_by_key(const exec&, const Keys&, const Values&, const Op&, KeysOut&&, Results&&, const Count&) {
  detail::reduce_by_key_checks<Keys, Values, equal_to, Op, KeysOut, Results, Count>::failing::explain();
}
template <class Keys, class Values, class KeysOut, class Results, class Count>
  requires(!detail::reduce_by_key_checks<Keys, Values, equal_to, plus, KeysOut, Results, Count>::ok)
void reduce_by_key(const exec&, const Keys&, const Values&, KeysOut&&, Results&&, const Count&) {
  detail::reduce_by_key_checks<Keys, Values, equal_to, plus, KeysOut, Results, Count>::failing::explain();
}

}  // namespace ballot
