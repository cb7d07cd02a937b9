// SPDX-License-Identifier: Apache-2.0
// ballot.hpp: its calls hand their arguments on in the order of ballot.h, and their errors are
// thrown.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include <ballot.hpp>

#include "c/support.hpp"

namespace ballot::test::c {
namespace cxx_header {

const std::vector<u32> words_in{7, 3, 3, 9, 0, 9, 2, 2, 2, 5};
const std::vector<u32> values_in{10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

// With scratch of just so many bytes.
void call(std::size_t bytes, function_ref<void(const libballot::exec&)> work) {
  const guarded<std::byte> scratch(bytes);
  work(libballot::exec(test_stream(), scratch.data(), scratch.size()));
  scratch.read();
}

TEST_CASE("ballot.hpp: scans") {
  const guarded<u32> in(words_in), out(words_in.size());
  const guarded<u8> flags(std::vector<u8>{1, 0, 1, 1, 0, 0, 1, 1, 1, 0});
  call(libballot::scan_scratch_bytes<u32>(in.size()), [&](const libballot::exec& gpu) {
    libballot::inclusive_scan_flags(gpu, flags, out);
    CHECK(out.read() == std::vector<u32>{1, 1, 2, 3, 3, 3, 4, 5, 6, 6});
    libballot::exclusive_scan_flags(gpu, flags, out, libballot::backward());
    CHECK(out.read() == std::vector<u32>{5, 5, 4, 3, 3, 3, 2, 1, 0, 0});
    libballot::exclusive_scan_from(gpu, in, u32{100}, BALLOT_PLUS, out);
    CHECK(out.read() == std::vector<u32>{100, 107, 110, 113, 122, 122, 131, 133, 135, 137});
  });
  call(libballot::batched_scan_scratch_bytes<u32>(2, 4), [&](const libballot::exec& gpu) {
    const guarded<u32> sums(8);
    libballot::batched_scan(gpu, in, sums, libballot::batch_of(2, 4, 5, 4));
    CHECK(sums.read() == std::vector<u32>{7, 10, 13, 22, 9, 11, 13, 15});
    libballot::batched_scan(gpu, in, sums, libballot::batch_of(2, 4, 5, 4), BALLOT_ROWS_BACKWARD);
    CHECK(sums.read() == std::vector<u32>{22, 15, 12, 9, 15, 6, 4, 2});
  });
}

TEST_CASE("ballot.hpp: reductions") {
  const guarded<u32> in(words_in), result(1);
  call(libballot::reduce_scratch_bytes<u32>(in.size()), [&](const libballot::exec& gpu) {
    libballot::reduce(gpu, in, BALLOT_PLUS, result.data());
    CHECK(value_at(result) == 42);
    libballot::reduce_from(gpu, in, u32{100}, BALLOT_PLUS, result.data());
    CHECK(value_at(result) == 142);
  });
  const guarded<libballot::indexed<u32>> first(1);
  call(libballot::arg_scratch_bytes<u32>(in.size()), [&](const libballot::exec& gpu) {
    libballot::arg_min(gpu, in, first.data());
    CHECK(value_at(first).index == 4);
    CHECK(value_at(first).value == 0);
    libballot::arg_max(gpu, in, first.data());
    CHECK(value_at(first).index == 3);
    CHECK(value_at(first).value == 9);
  });
}

TEST_CASE("ballot.hpp: selections and runs") {
  guarded<u32> changed(words_in);
  const guarded<u32> keys(words_in), values(values_in), keys_out(10), values_out(10), count(1);
  call(libballot::compact_in_place_scratch_bytes<u32>(10), [&](const libballot::exec& gpu) {
    libballot::compact_in_place(gpu, changed, libballot::greater(2u), libballot::value(count.data()));
    CHECK(value_at(count) == 6);
    CHECK(first_of(changed.read(), 6) == std::vector<u32>{7, 3, 3, 9, 9, 5});
  });
  changed.write(words_in);
  call(libballot::split_in_place_scratch_bytes<u32>(10), [&](const libballot::exec& gpu) {
    libballot::split_in_place(gpu, changed, libballot::greater(2u), libballot::value(count.data()));
    CHECK(value_at(count) == 6);
    CHECK(changed.read() == std::vector<u32>{7, 3, 3, 9, 9, 5, 0, 2, 2, 2});
  });
  changed.write(words_in);
  call(libballot::unique_in_place_scratch_bytes<u32>(10), [&](const libballot::exec& gpu) {
    libballot::unique_in_place(gpu, changed, libballot::value(count.data()));
    CHECK(value_at(count) == 7);
    CHECK(first_of(changed.read(), 7) == std::vector<u32>{7, 3, 9, 0, 9, 2, 5});
  });
  call(libballot::unique_by_key_scratch_bytes<u32>(10), [&](const libballot::exec& gpu) {
    libballot::unique_by_key(gpu, keys, values, keys_out, values_out, libballot::value(count.data()));
    CHECK(value_at(count) == 7);
    CHECK(first_of(keys_out.read(), 7) == std::vector<u32>{7, 3, 9, 0, 9, 2, 5});
    CHECK(first_of(values_out.read(), 7) == std::vector<u32>{10, 11, 13, 14, 15, 16, 19});
  });
}

TEST_CASE("ballot.hpp: sorts") {
  guarded<u32> keys(words_in), values(values_in);
  const guarded<u32> offsets(std::vector<u32>{0, 4, 10});
  const guarded<u32> keys_out(10), indices(10);
  call(libballot::segmented_sort_pairs_scratch_bytes<u32, u32>(10), [&](const libballot::exec& gpu) {
    libballot::segmented_argsort(gpu, keys, offsets, keys_out, indices);
    CHECK(keys_out.read() == std::vector<u32>{3, 3, 7, 9, 0, 2, 2, 2, 5, 9});
    CHECK(indices.read() == std::vector<u32>{1, 2, 0, 3, 4, 6, 7, 8, 9, 5});
    libballot::segmented_argsort(gpu, keys, offsets, libballot::nothing(), indices, libballot::descending());
    CHECK(indices.read() == std::vector<u32>{3, 0, 1, 2, 5, 9, 6, 7, 8, 4});
  });
  call(libballot::segmented_sort_pairs_scratch_bytes<u32, u32>(10), [&](const libballot::exec& gpu) {
    std::int32_t at = 7;
    libballot::segmented_sort_ping_pong(gpu, keys, offsets, keys_out, at, libballot::descending());
    CHECK(at == 1);
    CHECK(keys_out.read() == std::vector<u32>{9, 7, 3, 3, 9, 5, 2, 2, 2, 0});
    keys.write(words_in);
    libballot::segmented_sort_pairs_ping_pong(gpu, keys, values, offsets, keys_out, indices, at);
    CHECK(at == 1);
    CHECK(keys_out.read() == std::vector<u32>{3, 3, 7, 9, 0, 2, 2, 2, 5, 9});
    CHECK(indices.read() == std::vector<u32>{11, 12, 10, 13, 14, 16, 17, 18, 19, 15});
    keys.write(words_in), values.write(values_in);
  });
  call(libballot::sort_pairs_scratch_bytes<u32, u32>(10), [&](const libballot::exec& gpu) {
    libballot::sort_pairs_in_place(gpu, keys, values);
    CHECK(keys.read() == std::vector<u32>{0, 2, 2, 2, 3, 3, 5, 7, 9, 9});
    CHECK(values.read() == std::vector<u32>{14, 16, 17, 18, 11, 12, 19, 10, 13, 15});
  });
  const guarded<u32> a(words_in);
  std::int32_t at = 7;
  call(libballot::sort_ping_pong_scratch_bytes<u32>(10), [&](const libballot::exec& gpu) {
    libballot::sort_ping_pong(gpu, a, keys_out, at, libballot::descending());
    CHECK((at == 0 ? a : keys_out).read() == std::vector<u32>{9, 9, 7, 5, 3, 3, 2, 2, 2, 0});
  });
  call(libballot::sort_pairs_ping_pong_scratch_bytes<u32, u32>(10), [&](const libballot::exec& gpu) {
    const guarded<u32> b(words_in), a_values(values_in);
    libballot::sort_pairs_ping_pong(gpu, b, a_values, keys_out, indices, at);
    CHECK((at == 0 ? b : keys_out).read() == std::vector<u32>{0, 2, 2, 2, 3, 3, 5, 7, 9, 9});
    CHECK((at == 0 ? a_values : indices).read() == std::vector<u32>{14, 16, 17, 18, 11, 12, 19, 10, 13, 15});
  });
}

TEST_CASE("ballot.hpp: an error is thrown, with its status, before anything is written") {
  const guarded<u32> in(words_in);
  const guarded<libballot::indexed<float>> of_floats(2);
  const guarded<std::byte> scratch(libballot::arg_scratch_bytes<u32>(in.size()));
  const libballot::exec gpu(test_stream(), scratch.data(), scratch.size());
  const auto before = of_floats.read();
  try {
    libballot::arg_max(gpu, libballot::items(in.data(), in.size()), of_floats.data());  // items of u32
    FAIL("a result of another type is taken");
  } catch (const libballot::error& e) {
    CHECK(e.status() == BALLOT_INVALID_ARGUMENT);
    CHECK(std::string(e.what()) == "ballot_arg_max: `result` has no address");
  }
  CHECK_THROWS_WITH_AS(libballot::segmented_arg_min(gpu, libballot::items(in.data(), in.size()), libballot::rows_of(5),
                                                    of_floats.data(), 2),
                       "ballot_segmented_arg_min: `out` is null and has 32 bytes", libballot::error);
  CHECK_THROWS_AS(libballot::sort(libballot::exec(test_stream(), nullptr, 0), in, in), libballot::error);
  CHECK(in.read() == words_in);
  CHECK(std::memcmp(before.data(), of_floats.read().data(), 32) == 0);
}

}  // namespace cxx_header
}  // namespace ballot::test::c
