// SPDX-License-Identifier: Apache-2.0
// Stable sort of items by a key that a function computes from them.
//
//     ballot::sort_by(gpu, particles, cell_of{}, sorted);  // equal cells keep their order
//     ballot::sort_by(gpu, floats, ballot::equal_zeros{}, sorted_floats);  // -0 and +0 are one key
//     ballot::argsort_by(gpu, particles, cell_of{}, order);
//     ballot::argsort_by(gpu, ballot::gathered{particles, ids}, cell_of{}, order);  // of a view
//
// key_of is a function object that is copied to the device; key_of(item) is a sort key
// (core/key_order.hpp). The type of the key must be known on the host. So a __device__ lambda is
// refused: write a struct or a __host__ __device__ lambda. One kernel reads the items, evaluates
// key_of once for each, and writes the keys. For an empty bit range it evaluates nothing. The sort
// then compares these keys.
//
// Items are moved like the values of sort.cuh: inline or repacked if they have up to 8 bytes.
// Larger items are indirect: one gather moves them at the end. Ranges as in sort.cuh. The items of
// argsort_by may be a view; each is computed once. sort_by takes no view, because it would compute
// the items twice. Outputs are no views. Inputs are not changed and may be `counted`. Stable and
// deterministic.
//
// Scratch: sort_by_scratch_bytes<K, T>(n) is up to three keys and an item for each item (repacked:
// two words in place of the item; indirect: two indices). argsort_by_scratch_bytes<K, Index>(n) is
// up to three keys and an index. Tile states are added, as for sort.
//
// Bytes moved, in addition to those of the sort: items are read once and keys are written once. For
// each repacked item, two words and two items more; for each indirect item, one index and two items
// more.
//
// Launches: those of an argsort, and one to compute the keys. Repacked items take two or three
// more, indirect items one more.
//
// Errors, before any work: invalid_argument for null with n > 0, different lengths, overlap, or a
// bit range that is inverted or outside the key. Also for scratch that is too small. cuda_error
// from a launch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/computed_keys.cuh>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>

namespace ballot {

namespace detail {

// Computes the keys, and sorts `values` by them into values_out. If `values` is null, the positions
// are sorted. In: input<...> or view_input<...>.
template <class K, class W, class In, class KeyOf>
void launch_sort_by(stream_t stream, const computed_keys_scratch<ordered_bits_t<K>, W>& scratch, const In& items,
                    const KeyOf& key_of, const W* values, W* values_out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using U = ordered_bits_t<K>;
  // The kernel stores words of the type that key_of returns, which differs from K for equal zeros.
  // So it is not compiled a second time for them.
  using key = key_of_t<typename In::value_type, KeyOf>;
  using words = ordered_bits_t<key>;
  simt::launch(compute_keys_kernel<key, source_of_input_t<In>, KeyOf>,
               elementwise_launch(stream, items.capacity(), function), source_of_input(items), items.length, key_of,
               reinterpret_cast<words*>(scratch.keys));
  launch_radix_sort<U, W>(stream, scratch.sort, {{scratch.keys, items.length}, nullptr, values, values_out},
                          codec_of<K>(options), digits);
}

// Inline items.
template <class K, class T, class KeyOf>
void sort_by_inline(const exec& where, const input<T>& items, const KeyOf& key_of, T* out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only), function);
  scratch_carver carver(lease.base());
  launch_sort_by<K, W>(where.stream(), scratch_type(carver, n, sort_mode::values_only), items, key_of,
                       reinterpret_cast<const W*>(items.data), reinterpret_cast<W*>(out), options, digits, function);
}
// Repacked items.
template <class K, class T, class KeyOf>
void sort_by_repacked(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only_in_place, true), function);
  scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, sort_mode::values_only_in_place, true);
  W* const words = scratch.order;
  launch_repack_values(where.stream(), items.data, words, items.length, function);
  launch_sort_by<K, W>(where.stream(), scratch, items, key_of, words, words, options, digits, function);
  launch_unpack_values(where.stream(), words, out, items.length, function);
}

// Indirect items.
template <class K, class Index, class T, class KeyOf>
void sort_by_indirect(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, Index>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only, true), function);
  scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, sort_mode::values_only, true);
  launch_sort_by<K, Index>(where.stream(), scratch, items, key_of, nullptr, scratch.order, options, digits, function);
  launch_gather(where.stream(), items.data, scratch.order, out, items.length, function);
}

template <class K, class T>
std::size_t sort_by_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  constexpr auto target = sort_mode::values_only;
  if constexpr (fits_word<T>) {
    using scratch_type = computed_keys_scratch<U, value_word_t<T>>;
    if constexpr (is_inline_value<T>) return scratch_type::bytes(n, target);
    else return larger(scratch_type::bytes(n, sort_mode::values_only_in_place, true), scratch_type::bytes(n, target));
  } else {
    return n <= std::uint64_t{1} << 32 ? computed_keys_scratch<U, std::uint32_t>::bytes(n, target, true)
                                       : computed_keys_scratch<U, std::uint64_t>::bytes(n, target, true);
  }
}

}  // namespace detail

// Bytes of scratch for n items, for any options. Pure. K: the type of the keys; T: that of the
// items.
template <class K, class T>
std::size_t sort_by_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::sort_by_bytes<K, T>(n));
  else return 0;
}
template <class K, class Index>
std::size_t argsort_by_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>, detail::index_check<Index>>()) {
    using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
    return detail::bytes_at_any_address(
        detail::computed_keys_scratch<ordered_bits_t<K>, W>::bytes(n, detail::sort_mode::values_only));
  } else {
    return 0;
  }
}

// Sorts `items` into `out` by key_of(item).
template <input_range Items, key_function_of<detail::item_t<Items>> KeyOf, output_range_of<Items> Out,
          options_of_sort Options = sort_options>
void sort_by(const exec& where, const Items& items, const KeyOf& key_of, Out&& out, const Options& options = {}) {
  using namespace detail;
  using T = item_t<Items>;
  using K = sorted_key_t<key_of_t<T, KeyOf>, Options>;
  constexpr const char* function = "sort_by";
  const auto in = as_input(items);
  const auto to = as_output(out);
  const std::uint64_t n = in.capacity();
  require_same_lengths(function, {"items", n}, {{"out", to.size}});
  require_arguments(function, where, {argument_of("out", to)},
                    {argument_of("items", in), argument_of("items.length", in.length)});
  const radix_digit_plan digits = plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  if (digits.passes() == 0) return launch_copy(where.stream(), in, to.data, function);
  if constexpr (fits_word<T>) {
    if (are_inline<T>(in.data, to.data)) sort_by_inline<K>(where, in, key_of, to.data, options, digits, function);
    else if constexpr (!is_inline_value<T>) sort_by_repacked<K>(where, in, key_of, to.data, options, digits, function);
  } else if (n <= std::uint64_t{1} << 32) {
    sort_by_indirect<K, std::uint32_t>(where, in, key_of, to.data, options, digits, function);
  } else {
    sort_by_indirect<K, std::uint64_t>(where, in, key_of, to.data, options, digits, function);
  }
}

// Writes the positions of the items in the order of key_of(item), as integers of 4 or 8 bytes.
// Further error: more items than the index type counts.
template <input_range_or_view Items, key_function_of<detail::item_t<Items>> KeyOf, output_range_of_counts Indices,
          options_of_sort Options = sort_options>
void argsort_by(const exec& where, const Items& items, const KeyOf& key_of, Indices&& indices,
                const Options& options = {}) {
  using namespace detail;
  using T = item_t<Items>;
  using K = sorted_key_t<key_of_t<T, KeyOf>, Options>;
  constexpr const char* function = "argsort_by";
  const auto in = as_input(items);
  const auto out = as_output(indices);
  const std::uint64_t n = in.capacity();
  require_items_of_view(function, "items", in);
  require_same_lengths(function, {"items", n}, {{"indices", out.size}});
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(), n);
  require_arguments(function, where, {argument_of("indices", out)},
                    {arguments_of("items", in), argument_of("items.length", in.length)});
  const radix_digit_plan digits = plan_digits(options.bits, 8 * sizeof(K), function);
  const auto positions = as_positions(out);
  using W = typename decltype(positions)::value_type;
  if (n == 0) return;
  if (digits.passes() == 0) return launch_positions(where.stream(), positions.data, in.length, function);
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, W>;
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only), function);
  scratch_carver carver(lease.base());
  launch_sort_by<K, W>(where.stream(), scratch_type(carver, n, sort_mode::values_only), in, key_of, nullptr,
                       positions.data, options, digits, function);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Items, class KeyOf, class Out, options_of_sort Options = sort_options>
void sort_by(const exec&, const Items&, const KeyOf&, Out&&, const Options& = {}) {
  detail::explain<detail::input_check<Items>, detail::key_function_check<KeyOf, detail::known_item_t<Items>>,
                  detail::output_check<Out>, detail::same_items_check<Out, Items>>();
}
template <class Items, class KeyOf, class Indices, options_of_sort Options = sort_options>
void argsort_by(const exec&, const Items&, const KeyOf&, Indices&&, const Options& = {}) {
  detail::explain<detail::input_or_view_check<Items>, detail::key_function_check<KeyOf, detail::known_item_t<Items>>,
                  detail::positions_check<Indices>>();
}

}  // namespace ballot
