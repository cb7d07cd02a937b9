// The flags of a predicate as packed bits, for selections that look at them more than once, or to keep: 32 items a word.
//
//     ballot::flag_bits(gpu, particles, is_alive{}, words);
//     ballot::compact(gpu, positions_x, ballot::bit_flags{words}, x, count);      // and so on
//
// in, keep: as for compact (compact.cuh); byte flags are packed, bit flags copied (or inverted). words: device range of
// at least n / 32 words, rounded up; item i gets bit i % 32 of word i / 32, and the bits of the last word past the last
// item are clear. Words of a counted input past its length, and words past n, are not written. Apart from the inputs
// and their length on the device. Deterministic. No scratch; one kernel, none where n = 0. Bytes moved: what the
// predicate reads, and n / 8. Errors as for compact, and too few words.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/selectors.cuh>

namespace ballot {

template <detail::input_table In, class Keep, detail::output_range Words>
void flag_bits(const exec& where, const In& in, const Keep& keep, Words&& words) {
  constexpr const char* function = "flag_bits";
  const auto inputs = detail::as_inputs(in);
  const auto outputs = detail::as_outputs(words);
  const detail::output<std::uint32_t> out = std::get<0>(outputs);
  const detail::length n = detail::length_of(inputs);
  detail::require_inputs(inputs, function, detail::selects_by_flags<Keep>);
  detail::require_outputs(inputs, outputs, function);
  detail::require_apart_from_flags(keep, outputs, function);
  detail::require(out.size >= detail::ceil_div(n.capacity, 32), function, "fewer words than the items' bits take");
  const auto selector = detail::make_selector<1, true>(keep, inputs, function);
  const auto from = detail::make_source<1>(std::get<0>(inputs));
  detail::launch_flag_bits(where.stream(), from, n, selector, out.data, function);
}

}  // namespace ballot
