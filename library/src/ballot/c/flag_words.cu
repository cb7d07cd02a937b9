// SPDX-License-Identifier: Apache-2.0
#include <ballot/c/flag_words.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/zip.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/selectors.cuh>
#include <ballot/device/detail/segment_offsets_launch.cuh>

#include <span>
#include <tuple>

namespace ballot_c {

void require_flag_array(const char* function, const char* name, const ballot_array& array, bool are_bits, u64 n) {
  const type_info type = info_of(array.type);
  if (are_bits) require_same_type(function, name, array.type, "words of flags", BALLOT_U32);
  else if (!type.is_integer || type.bytes != 1)
    fail(function, joined({"`", name, "` has type ", type.name, ", byte flags are BALLOT_U8 or BALLOT_I8"}));
  const u64 least = are_bits ? ballot::detail::ceil_div(n, 32) : n;
  if (array.length < least)
    fail(function, joined({"`", name, "` has ", decimal(array.length), are_bits ? " words, " : " bytes, ",
                           decimal(least), " are needed for ", decimal(n), " items"}));
}

namespace {

ballot::byte_flags byte_flags_of(const ballot_array& array, bool invert) {
  return {std::span(static_cast<const u8*>(array.data), static_cast<std::size_t>(array.length)), invert};
}
ballot::bit_flags bit_flags_of(const ballot_array& array, bool invert) {
  return {std::span(static_cast<const u32*>(array.data), static_cast<std::size_t>(array.length)), invert};
}

template <class Flags>
void write_flag_bits(ballot::stream_t stream, const Flags& flags, const length& n, u32* words, const char* function) {
  const auto positions = ballot::detail::make_position_input<u32>(n);
  ballot::detail::launch_flag_bits(stream, ballot::detail::make_source<1>(positions), n,
                                   ballot::detail::make_selector<1, true>(flags, std::tuple(positions)), words,
                                   function);
}

template <class Flags>
void count_set(ballot::stream_t stream, const Flags& flags, const length& n, const ballot::device_count& count) {
  using shape = ballot::detail::partition_shape<ballot::detail::rejects::dropped, u32>;
  const auto positions = ballot::detail::make_position_input<u32>(n);
  ballot::detail::launch_count_all<shape>(
      stream, ballot::detail::make_source<shape::width>(positions), n,
      ballot::detail::make_selector<shape::width, true>(flags, std::tuple(positions)), count);
}

}  // namespace

void pack_flags(ballot::stream_t stream, const ballot_array& bytes, const length& n, u32* words, const char* function,
                bool invert) {
  write_flag_bits(stream, byte_flags_of(bytes, invert), n, words, function);
}
void copy_flags(ballot::stream_t stream, const ballot_array& bits, const length& n, u32* words, const char* function,
                bool invert) {
  write_flag_bits(stream, bit_flags_of(bits, invert), n, words, function);
}
void count_flags(ballot::stream_t stream, const ballot_array& flags, bool are_bits, const length& n, bool invert,
                 const ballot::device_count& count) {
  if (are_bits) count_set(stream, bit_flags_of(flags, invert), n, count);
  else count_set(stream, byte_flags_of(flags, invert), n, count);
}

void set_head_bits(ballot::stream_t stream, const ballot_array& offsets, u64 n, u32* words, const char* function) {
  ballot::simt::fill_bytes(stream, words, 0, ballot::detail::ceil_div(n, 32) * sizeof(u32));
  const auto set = [&]<class Offset>() {
    ballot::detail::launch_set_head_flags(
        stream, ballot::detail::input<Offset>{static_cast<const Offset*>(offsets.data), length_of(offsets)}, n, words,
        function);
  };
  const type_info type = info_of(offsets.type);
  if (type.bytes == 8) set.template operator()<u64>();  // one below 0 is beyond the items
  else if (type.is_signed) set.template operator()<std::int32_t>();
  else set.template operator()<u32>();
}

}  // namespace ballot_c
