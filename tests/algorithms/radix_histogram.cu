// SPDX-License-Identifier: Apache-2.0
// The histogram of a sort by itself: grids smaller than the tiles, every width and digit plan,
// lengths on the device.
#include <ballot/detail/radix_sort/digit_look_back.cuh>
#include <ballot/detail/radix_sort/histogram_kernel.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace algorithms_radix_histogram {

// starts[pass][digit]: how many of the first n keys have a smaller digit.
template <class U>
std::vector<std::uint64_t> serial_starts(const std::vector<U>& keys, std::size_t n, key_codec<U> codec,
                                         detail::radix_digit_plan plan) {
  std::vector<std::uint64_t> digit_offsets(static_cast<std::size_t>(plan.passes()) * detail::radix_digits);
  const U asked_bits =
      static_cast<U>(static_cast<U>(~U{0}) >> (8 * static_cast<int>(sizeof(U)) - (plan.high - plan.low)));
  for (int p = 0; p < plan.passes(); ++p) {
    std::vector<std::uint64_t> count(detail::radix_digits);
    for (std::size_t i = 0; i < n; ++i) {
      const U asked = static_cast<U>(codec.encode(keys[i]) >> plan.low & asked_bits);
      ++count[static_cast<unsigned>(asked >> (8 * p)) & 0xffu];
    }
    std::uint64_t before = 0;
    for (std::size_t d = 0; d < detail::radix_digits; ++d) {
      digit_offsets[static_cast<std::size_t>(p) * detail::radix_digits + d] = before;
      before += count[d];
    }
  }
  return digit_offsets;
}

// A digit that more than a quarter of the keys have, the one that most have; radix_digits: there is
// none. As many keys as the one it returns have at least.
unsigned serial_frequent_digit(const std::vector<std::uint64_t>& digit_offsets, int pass, std::uint64_t n) {
  const auto first = digit_offsets.begin() + pass * detail::radix_digits;
  unsigned frequent = detail::radix_digits;
  std::uint64_t most = n / 4;
  for (unsigned d = 0; d < detail::radix_digits; ++d) {
    const std::uint64_t end = d + 1 == detail::radix_digits ? n : first[d + 1];
    if (end - first[d] > most || (frequent != detail::radix_digits && end - first[d] == most))
      frequent = d, most = end - first[d];
  }
  return frequent;
}

template <class Key, int Columns>
struct histogram_case {
  using key = Key;
  static constexpr int columns = Columns;
};

TEST_CASE("the state of a tile holds as many keys as a portion has") {
  using detail::digit_state;
  using device::tile_status;
  for (const std::uint32_t count : {0u, 1u, 1u << 24, digit_state::most})
    for (const tile_status status : {tile_status::aggregate, tile_status::prefix}) {
      const auto word = digit_state::pack(status, count);
      CHECK(digit_state::value(word) == count);
      CHECK(digit_state::status(word) == status);
    }
}

TEST_CASE_TEMPLATE("radix histogram", Case, histogram_case<std::uint8_t, 1>, histogram_case<std::uint16_t, 4>,
                   histogram_case<std::uint32_t, 16>, histogram_case<std::uint64_t, 2>,
                   histogram_case<detail::uint128, 1>) {  // which has more passes than the block has warps
  using U = typename Case::key;
  using shape =
      detail::radix_histogram_shape<detail::radix_digits, 1, 2, Case::columns, detail::blocks_on_every_gpu<3>>;
  constexpr int width = 8 * sizeof(U);
  const std::size_t capacity = shape::items * 7 + 3;
  auto keys = test::keys_of_entropy<U>(capacity, 2, 41);
  std::fill(keys.begin() + 600, keys.begin() + 1200, U{3});  // warps whose keys agree
  key_codec<U> codec;
  codec.flip = static_cast<U>(0x55u);
  for (detail::radix_digit_plan digits : {detail::radix_digit_plan{0, width}, detail::radix_digit_plan{3, width - 2}})
    for (std::size_t n : {std::size_t{0}, std::size_t{1000}, capacity}) {
      CAPTURE(digits.low);
      CAPTURE(n);
      const auto want = serial_starts(keys, n, codec, digits);
      test::for_some_schedules([&] {
        const test::guarded<U> in(keys);
        const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
        test::guarded<std::uint64_t> digit_offsets(std::vector<std::uint64_t>(want.size(), 0));
        test::guarded<std::uint32_t> flags(std::vector<std::uint32_t>{0, 0});
        test::guarded<detail::launch_action> actions(detail::max_radix_launches);
        simt::launch(detail::radix_histogram_kernel<U, shape>,
                     simt::launch_config{dim3(3), dim3(shape::threads),
                                         sizeof(detail::radix_histogram_storage<U, shape>), test::test_stream()},
                     detail::radix_histogram_arguments<U>{in.data(),
                                                          {capacity, length.data()},
                                                          codec,
                                                          digits,
                                                          {digits.passes(), 1, detail::radix_step_rule::any_parity},
                                                          true,
                                                          block::is_vector_aligned<U, shape::width>(in.data()),
                                                          digit_offsets.data(),
                                                          flags.data(),
                                                          flags.data() + 1,
                                                          actions.data()});
        CHECK(digit_offsets.read() == want);
        const auto planned = actions.read();
        for (int p = 0; p < digits.passes(); ++p)
          if (const auto action = planned[static_cast<std::size_t>(p)]; action.has(detail::launch_action::pass))
            CHECK(action.frequent_digit() == serial_frequent_digit(want, p, n));
      });
    }
}

}  // namespace algorithms_radix_histogram
