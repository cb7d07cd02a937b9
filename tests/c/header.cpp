// SPDX-License-Identifier: Apache-2.0
// ballot.hpp alone: every call is instantiated.
#include <ballot.hpp>

#include <vector>

struct colour {
  unsigned char rgb[3];
};

// A program's own functions for its own types are not taken for the library's.
namespace program {
struct flags : std::vector<std::uint8_t> {};
struct particle {
  float x[3];
};
template <class T>
int as_array(const T&) {
  return 0;
}
template <class T>
T* items(T* first, std::uint64_t) {
  return first;
}
inline void compact(const libballot::exec& gpu, const flags& kept, const std::vector<particle>& particles,
                    const ballot_array& count) {
  libballot::compact(gpu, particles, libballot::by_bytes(kept), particles, count);
}
}  // namespace program

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
static_assert(libballot::code<int128>() == BALLOT_I128 && libballot::code<const uint128>() == BALLOT_U128,
              "numbers, also with -std=c++14, where they are no integers");
#endif

int main() {
  std::uint32_t* keys = nullptr;
  const std::vector<float> floats;  // any type with data() and size(): its items are not looked at here
  const std::vector<std::uint8_t> flags;
  const std::vector<colour> colours;
  const std::vector<std::uint32_t> words;
  const auto count = libballot::value(keys);
  std::size_t bytes =
      libballot::scan_scratch_bytes<float>(1) + libballot::reduce_scratch_bytes<double>(1) +
      libballot::batched_scan_scratch_bytes<float>(2, 3) + libballot::arg_scratch_bytes<float>(1) +
      libballot::compact_in_place_scratch_bytes<float>(1) + libballot::unique_by_key_scratch_bytes<int>(1) +
      libballot::split_in_place_scratch_bytes<float, colour>(1) + libballot::unique_in_place_scratch_bytes<int>(1) +
      libballot::compact_scratch_bytes<float, colour>(1) + libballot::split_scratch_bytes<int>(1) +
      libballot::compact_indices_scratch_bytes<int>(1) + libballot::multisplit_scratch_bytes(3, 1) +
      libballot::unique_scratch_bytes<char>(1) + libballot::runs_scratch_bytes<int, long>(1) +
      libballot::sort_scratch_bytes<int>(1) + libballot::sort_pairs_scratch_bytes<int, colour>(1) +
      libballot::sort_ping_pong_scratch_bytes<int>(1) + libballot::sort_pairs_ping_pong_scratch_bytes<int, float>(1) +
      libballot::argsort_scratch_bytes<int, unsigned>(1) + libballot::segmented_sort_scratch_bytes<int>(1) +
      libballot::segmented_sort_pairs_scratch_bytes<int, bool>(1) + libballot::batched_sort_scratch_bytes<int>(4, 2) +
      libballot::batched_sort_pairs_scratch_bytes<int, colour>(4, 2) +
      libballot::segmented_scan_scratch_bytes<float>(BALLOT_HEAD_BYTES, 1) +
      libballot::segmented_reduce_scratch_bytes<float>(BALLOT_SEGMENT_ROWS, 1) +
      libballot::segmented_arg_scratch_bytes<float>(BALLOT_HEAD_BITS, 1) +
      libballot::reduce_by_key_scratch_bytes<int, double>(1) + libballot::top_k_scratch_bytes<float>(1, 1) +
      libballot::batched_top_k_scratch_bytes<int>(1, 1) + libballot::merge_scratch_bytes<int>(1) +
      libballot::merge_pairs_scratch_bytes<int, colour>(1) + libballot::is_sorted_scratch_bytes();
  const libballot::exec gpu(nullptr, nullptr, bytes);
  libballot::check_version();
  libballot::inclusive_scan(gpu, floats, BALLOT_PLUS, floats, libballot::backward());
  libballot::exclusive_scan(gpu, floats, BALLOT_PLUS, floats);
  libballot::inclusive_scan_from(gpu, floats, 3.0f, BALLOT_PLUS, floats);
  libballot::exclusive_scan_from(gpu, words, std::uint32_t{3}, BALLOT_PLUS, words, libballot::backward());
  libballot::inclusive_scan_from_device(gpu, words, keys, BALLOT_PLUS, words);
  libballot::exclusive_scan_from_device(gpu, words, keys, BALLOT_PLUS, words);
  libballot::counts_to_offsets(gpu, words, words);
  libballot::inclusive_scan_flags(gpu, flags, words);
  libballot::exclusive_scan_flags(gpu, flags, words, libballot::backward());
  libballot::batched_scan(gpu, floats, floats, libballot::batch_of(3, 5, 7));
  const auto segments = ballot_segments_by(BALLOT_HEAD_BYTES, libballot::as_array(flags));
  libballot::segmented_inclusive_scan(gpu, floats, segments, BALLOT_MINIMUM, floats);
  libballot::segmented_exclusive_scan(gpu, floats, segments, BALLOT_MINIMUM, floats, BALLOT_BACKWARD);
  libballot::compact(gpu, floats, !libballot::less(3.0f), floats, count);
  libballot::compact(gpu, libballot::counted(floats, keys), libballot::greater_equal(3.0f), floats, count);
  libballot::compact_in_place(gpu, words, libballot::by_bytes(flags), count);
  libballot::split_in_place(gpu, colours, libballot::by_bytes(flags), count);
  libballot::split(gpu, colours, libballot::by_bytes(flags), colours, count);
  libballot::split_in_two(gpu, colours, libballot::by_bits(words), colours, colours, count);
  libballot::compact_indices(gpu, floats, libballot::equal(3.0f), words, count);
  program::compact(gpu, program::flags(), {}, count);
  libballot::count_if(gpu, libballot::positions(7), libballot::by_bits(words), count);
  libballot::flag_bits(gpu, words, libballot::not_equal(3u), words);
  libballot::multisplit(gpu, flags, 5, colours, colours, words);
  libballot::unique(gpu, words, words, count);
  libballot::unique_in_place(gpu, words, count);
  libballot::unique_by_key(gpu, words, colours, words, colours, count);
  libballot::run_offsets(gpu, words, words, words, count);
  libballot::run_length_encode(gpu, words, words, words, count);
  libballot::sort(gpu, libballot::items(keys, 5), libballot::items(keys, 5), libballot::descending());
  libballot::sort_in_place(gpu, words);
  libballot::sort_pairs(gpu, words, colours, words, colours);
  libballot::sort_pairs_in_place(gpu, words, colours);
  std::int32_t at = 0;
  libballot::sort_ping_pong(gpu, words, words, at);
  libballot::sort_pairs_ping_pong(gpu, words, floats, words, floats, at, libballot::descending());
  libballot::argsort(gpu, words, words);
  libballot::segmented_sort(gpu, words, words, words);
  libballot::segmented_sort_pairs(gpu, words, colours, words, words, colours);
  libballot::segmented_sort_ping_pong(gpu, words, words, words, at);
  libballot::segmented_sort_pairs_ping_pong(gpu, words, colours, words, words, colours, at, libballot::descending());
  libballot::segmented_argsort(gpu, words, words, libballot::nothing(), words);
  libballot::batched_sort(gpu, floats, 5, floats, libballot::with_equal_zeros(libballot::descending()));
  libballot::batched_sort_pairs(gpu, floats, colours, 5, floats, colours, libballot::with_equal_zeros());
  libballot::batched_argsort(gpu, floats, 5, libballot::nothing(), words);
  libballot::batched_argsort(gpu, floats, 5, floats, words);
  libballot::indexed<float>* firsts = nullptr;
  static_assert(sizeof(*firsts) == 16 && sizeof(libballot::indexed<std::uint8_t>) == 16, "as ballot.h says");
  libballot::reduce(gpu, floats, BALLOT_MAXIMUM, keys);
  libballot::reduce_from(gpu, words, 5u, BALLOT_MAXIMUM, keys);
  libballot::arg_min(gpu, floats, firsts);
  libballot::arg_max(gpu, floats, firsts);
  libballot::segmented_reduce(gpu, floats, libballot::segment_offsets(words), BALLOT_PLUS, floats);
  libballot::segmented_reduce(gpu, floats, libballot::rows_of(10), BALLOT_PLUS, floats);
  libballot::segmented_reduce(gpu, floats, libballot::head_bits(words), BALLOT_PLUS, floats, count);
  libballot::segmented_arg_min(gpu, floats, libballot::head_bytes(flags), firsts, 1, count);
  libballot::segmented_arg_max(gpu, floats, libballot::rows_of(3), firsts, 1);
  libballot::reduce_by_key(gpu, words, floats, BALLOT_MAXIMUM, words, floats, count);
  libballot::top_k(gpu, floats, 10, floats, count);
  libballot::top_k_pairs(gpu, floats, colours, 10, floats, colours, count, libballot::smallest());
  libballot::top_k_indices(gpu, floats, 10, words);
  libballot::batched_top_k(gpu, floats, ballot_rows_at(2, 5, 0), 3, floats);
  libballot::batched_top_k_pairs(gpu, floats, colours, ballot_rows_at(2, 5, 0), 3, floats, colours);
  libballot::batched_top_k_indices(gpu, floats, ballot_rows_by(libballot::as_array(words)), 3, words);
  libballot::histogram_even(gpu, floats, 0.0f, 1.0f, words, count);
  libballot::histogram_digit(gpu, words, 0, 8, words);
  libballot::histogram_levels(gpu, floats, floats, words);
  libballot::merge(gpu, words, words, words, libballot::order(BALLOT_DESCENDING));
  libballot::merge_pairs(gpu, words, colours, words, colours, words, colours);
  libballot::lower_bound(gpu, words, libballot::positions(7), words);
  libballot::upper_bound(gpu, floats, floats, words);
  libballot::is_sorted(gpu, words, count);
  libballot::is_sorted_until(gpu, words, count);
  libballot::gather(gpu, colours, words, colours);
  libballot::scatter(gpu, colours, words, colours, count);
  return libballot::less_equal(2).get().kind + libballot::greater(2).get().kind + libballot::nothing().type;
}
