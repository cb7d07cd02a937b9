// SPDX-License-Identifier: Apache-2.0
// The flags of a predicate as packed bits, 32 items a word: for storage, or for several selections.
//
//     ballot::flag_bits(gpu, particles, is_alive{}, words);
//     ballot::compact(gpu, positions_x, ballot::bit_flags{words}, x, count);      // and so on
//
// in, select: as for compact (compact.cuh): ranges, views, zips. Byte flags are packed into bits;
//             bit flags are copied, inverted if they say so
// words:      device range of at least n / 32 std::uint32_t, rounded up. The flag of item i is bit
//             i % 32 of word i / 32. In the word of the last item, the bits after that item are
//             clear. Words after that word are not written; with a counted input, the count decides
//             which item is the last. Must not overlap the inputs or their device-side length. No
//             output view: bits are words in memory
//
// Deterministic. No scratch. One kernel, none for n = 0.
//
// Bytes moved: what the predicate reads, or the flags; and n / 8 bytes written.
//
// Errors: as for compact, and invalid_argument for too few words.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/selectors.cuh>

namespace ballot {

namespace detail {

template <class In, class Select, class Words>
using flag_bits_checks = checks<input_table_check<In>, selector_check<Select, In>, output_words_check<Words>>;

}  // namespace detail

template <input_table In, selector_of<In> Select, output_range_of_words Words>
void flag_bits(const exec& where, const In& in, const Select& select, Words&& words) {
  constexpr const char* function = "flag_bits";
  const auto inputs = detail::as_inputs(in);
  const detail::output<std::uint32_t> out = detail::as_output(words);
  const detail::length n = detail::length_of(inputs);
  detail::require_columns(function, "in", inputs, !detail::selects_by_flags<Select>);
  detail::require_select(function, select, n.capacity);
  detail::require_room(function, "words", out.size, detail::ceil_div(n.capacity, 32));
  detail::require_arguments(
      function, where, 0, {detail::argument_of("words", out)},
      {detail::arguments_of("in", inputs), detail::argument_of("in.length", n), detail::argument_of_select(select)});
  const auto selector = detail::make_selector<1, true>(select, inputs);
  const auto source = detail::make_source<1>(std::get<0>(inputs));
  detail::launch_flag_bits(where.stream(), source, n, selector, out.data, function);
}
template <class In, class Select, class Words>
  requires(!detail::flag_bits_checks<In, Select, Words>::ok)
void flag_bits(const exec&, const In&, const Select&, Words&&) {
  detail::flag_bits_checks<In, Select, Words>::failing::explain();
}

}  // namespace ballot
