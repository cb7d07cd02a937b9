// SPDX-License-Identifier: Apache-2.0
// The radix sort on GPUs of several architectures, by a table of made-up rows for each. It takes
// the right row, and scratch suffices for every GPU.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace algorithms_radix_tuning {

using u32 = std::uint32_t;
using detail::no_value;
using detail::sort_mode;

constexpr std::uint64_t few = test::many_blocks_keys<u32> + 5000;

struct by_architecture {
  static constexpr detail::radix_tuning rows[] = {
      {4, 0, few, 256, 16, 0, nullptr},
      {4, 0, few, 256, 12, 0, nullptr, 900},
      {4, 0, few, 256, 5, 0, nullptr, 1000},  // which takes the most scratch
      {4, 0, detail::any_number, 256, 20, 0, nullptr},
      {4, 0, detail::any_number, 256, 8, 0, nullptr, 890},
  };
};
static_assert(detail::has_ordered_rows<by_architecture>());

struct of_other_sizes {
  static constexpr detail::radix_tuning rows[] = {{4, 0, few, 256, 16, 0, nullptr},
                                                  {4, 4, few, 256, 12, 0, nullptr, 900}};
};
struct in_disorder {
  static constexpr detail::radix_tuning rows[] = {
      {4, 0, few, 256, 16, 0, nullptr}, {4, 0, few, 256, 12, 0, nullptr, 1000}, {4, 0, few, 256, 5, 0, nullptr, 900}};
};
static_assert(!detail::has_ordered_rows<of_other_sizes>() && !detail::has_ordered_rows<in_disorder>());

// Sorts n keys on the GPU there is.
void check(std::uint64_t n, int keys_per_thread) {
  const test::sorts_by_passes by_passes;
  CAPTURE(n);
  CHECK(detail::radix_pass_for<u32, no_value, by_architecture>(n).items ==
        256u * static_cast<unsigned>(keys_per_thread));
  const auto keys = test::random_items<u32>(n, 3);
  const test::guarded<u32> in(keys);
  test::guarded<u32> out(n);
  const std::size_t bytes = detail::radix_scratch_bytes<u32, no_value, by_architecture>(n, sort_mode::out_of_place);
  test::guarded<std::byte> scratch(bytes);
  detail::launch_radix_sort<u32, no_value, by_architecture>(test::test_stream(), scratch.data(),
                                                            {detail::as_input(in), out.data(), nullptr, nullptr},
                                                            key_codec<u32>{}, {0, 32});
  CHECK(out.read() == test::serial_sort(keys, {}));
  (void)scratch.read();
}

void check_architecture(int architecture) {
  CAPTURE(architecture);
  CHECK(simt::device_architecture() == architecture);
  check(few, architecture >= 1000 ? 5 : architecture >= 900 ? 12 : 16);
  check(few + 1, architecture >= 890 ? 8 : 20);
}

TEST_CASE("radix sort: the row for the GPU's architecture") {
#if BALLOT_EMULATED
  for (const unsigned architecture : {750u, 890u, 900u, 1000u, 1030u, 1200u})
    for (emulator::policy p : {test::schedules().front(), test::schedules().back()}) {
      p.architecture = architecture;
      test::under_schedule(p, [&] { check_architecture(static_cast<int>(architecture)); });
    }
#else
  check_architecture(simt::device_architecture());
#endif
}

TEST_CASE("radix sort: scratch by the rows of all architectures") {
  const auto of_shape = [](std::uint64_t n, std::uint64_t items) {
    return detail::radix_scratch_bytes_in_tiles<u32, no_value>(
        n, sort_mode::out_of_place, items, detail::radix_portion_items,
        detail::bucket_offset_words<u32, no_value, detail::local_sort_of<u32, no_value>>(n));
  };
  const auto bytes = [](std::uint64_t n) {
    return detail::radix_scratch_bytes<u32, no_value, by_architecture>(n, sort_mode::out_of_place);
  };
  CHECK(bytes(few) == of_shape(few, 256 * 5));
  CHECK(bytes(few + 1) >= bytes(few));
  CHECK(bytes(4 * few) == of_shape(4 * few, 256 * 8));
}

// Today no row of the library is for some GPUs alone. Then a sort does not ask for the
// architecture.
TEST_CASE("radix sort: the library's rows are for every GPU") {
  for (const detail::radix_tuning& row : detail::radix_tunings::rows) CHECK(row.architecture == 0);
}

}  // namespace algorithms_radix_tuning
