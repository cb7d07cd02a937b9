// SPDX-License-Identifier: Apache-2.0
// Entry point of histograms.
#include <ballot/c/calls.hpp>
#include <ballot/c/histogram_calls.cuh>
#include <ballot/c/selector.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>

#include <cstring>

namespace ballot_c {
namespace {

u64 word_of(const char* function, const char* name, const void* from, unsigned bytes) {
  if (from == nullptr) fail(function, joined({"`", name, "` is null"}));
  u64 word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

void histogram(const ballot_exec& where, const ballot_array& in, const ballot_bins& bins, const ballot_array& counts,
               const ballot_array& outside_array) {
  constexpr const char* function = "histogram";
  const type_info type = require_array(function, "in", in, accepts::short_numbers, true);
  require_choice(function, "bins.kind", bins.kind, 3);
  require_choice(function, "bins.reserved", bins.reserved, 1);
  const type_info of_counts = require_array(function, "counts", counts, accepts::counts);
  if (counts.length < 1 || counts.length > ballot::detail::most_bins)
    fail(function, joined({"`counts` has ", decimal(counts.length), " items, bins are 1 to ",
                           decimal(ballot::detail::most_bins)}));
  ballot::detail::require_counts_fit(function, "counts", {of_counts.bytes == 8, of_counts.is_signed}, in.length);
  const ballot::device_count all = count_of(function, "counts", counts);
  ballot::device_count outside;
  argument_list written, read;
  written.add("counts", counts);
  if (outside_array.type != BALLOT_NONE) {
    outside = count_of(function, "outside", outside_array);
    ballot::detail::require_count(function, "outside", outside, in.length);
    written.add(argument_of("outside", outside));
  }
  read.add("in", in);
  read.add(argument_of("in.length", length_of(in)));

  const int key_bits = static_cast<int>(8 * type.bytes);
  u64 lower = 0, upper = 0;
  if (bins.kind == BALLOT_BINS_EVEN) {
    lower = word_of(function, "bins.lower", bins.lower, type.bytes);
    upper = word_of(function, "bins.upper", bins.upper, type.bytes);
  } else if (bins.kind == BALLOT_BINS_DIGIT) {
    if (bins.low_bit < 0 || bins.bits < 1 || bins.bits > 31 || bins.low_bit >= key_bits)
      fail(function,
           joined({"the digit has ", std::to_string(bins.bits), " bits from bit ", std::to_string(bins.low_bit),
                   " on: it has 1 to 31 bits of the key's ", std::to_string(key_bits)}));
  } else {
    require_array(function, "bins.levels", bins.levels, accepts::short_numbers);
    require_same_type(function, "in", in.type, "bins.levels", bins.levels.type);
    ballot::detail::require_same_length(function, "bins.levels", bins.levels.length, "counts and an end",
                                        counts.length + 1);
    read.add("bins.levels", bins.levels);
  }
  require_memory_of(function, where, 0, written, read);
  const ballot::stream_t stream = exec_of(function, where).stream();
  with_short_word(type.bytes, [&]<class U>() {
    bin_of_word<U> bin_of{};
    bin_of.kind = bins.kind;
    bin_of.of = type.is_float    ? (type.bytes != 2            ? number_kind::real
                                    : type.mantissa_bits == 10 ? number_kind::float16
                                                               : number_kind::bfloat16)
                : type.is_signed ? number_kind::signed_integer
                                 : number_kind::unsigned_integer;
    bin_of.order = numbers_of<U>(type);
    bin_of.lower = lower;
    bin_of.upper = upper;
    bin_of.bins = static_cast<unsigned>(counts.length);
    bin_of.low_bit = bins.low_bit;
    bin_of.mask = bins.kind == BALLOT_BINS_DIGIT ? (1u << bins.bits) - 1u : 0u;
    bin_of.levels = static_cast<const U*>(bins.levels.data);
    ballot_c::histogram<U>(stream, input_of<U>(in), bin_of, all, static_cast<u32>(counts.length), outside);
  });
}

}  // namespace
}  // namespace ballot_c

using namespace ballot_c;

extern "C" ballot_status ballot_histogram(ballot_exec where, ballot_array in, ballot_bins bins, ballot_array counts,
                                          ballot_array outside) {
  return guarded([&] { histogram(where, in, bins, counts, outside); });
}
