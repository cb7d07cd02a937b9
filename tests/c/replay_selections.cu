// SPDX-License-Identifier: Apache-2.0
// The C library's selections and splits in a captured graph, replayed with other data and another
// length, which only the device knows.
#include "c/replays.hpp"

#include "c/selections.hpp"

namespace ballot::test::c {
namespace replay_selections {

constexpr std::size_t n = 6000;
constexpr u32 limit = 400;  // of items below 1000

using size_function = ballot_status(std::int32_t, const ballot_type*, u64, std::size_t*);
std::size_t bytes_for(size_function size, const std::vector<ballot_type>& columns) {
  return selection_size(size, columns, n);
}

// Items, and a second column beside them.
struct columns_of {
  explicit columns_of(replayed_calls& calls)
      : calls(calls),
        keys(calls.input<u32>(n, [](u32 random) { return random % 1000; })),
        values(calls.input<u64>(n, [](u32 random) { return u64{random} << 20; })) {}
  // Of a column, the items whose key is below the limit, and the others.
  template <class T>
  halves<T> halves_of(const changing<T>& column) const {
    std::vector<bool> flags;
    for (const u32 key : keys.items) flags.push_back(key < limit);
    return serial_split(column.items, flags, calls.there());
  }
  std::size_t selected() const { return halves_of(keys).selected.size(); }

  replayed_calls& calls;
  const changing<u32>& keys;
  const changing<u64>& values;
};

TEST_CASE("replay: selections, of as many items as the device says") {
  replayed_calls calls(n);
  const columns_of columns(calls);
  const auto& keys = columns.keys;
  const auto& values = columns.values;
  // The limit is on the host, and gone when the graph is replayed; or it is on the device.
  const auto& device_limit = calls.input<u32>(1, [](u32) { return limit; });

  auto& kept = calls.output<u32>();
  auto &kept_values = calls.output<u64>(), &count = calls.output<u64>(1);
  calls.add(
      "compact two columns", bytes_for(ballot_compact_scratch_bytes, {BALLOT_U32, BALLOT_U64}),
      [&](const exec& gpu) {
        const u32 below = limit;
        const ballot_array from[] = {now(calls, keys), in(values.device)}, to[] = {out(kept), out(kept_values)};
        ok(ballot_compact(on(gpu), 2, from, ballot_where(BALLOT_LESS, &below), to, out(count)));
      },
      [&] {
        calls.leaves(kept, columns.halves_of(keys).selected);
        calls.leaves(kept_values, columns.halves_of(values).selected);
        calls.leaves(count, columns.selected());
      });
  auto& in_place = calls.copy_of(keys);
  auto& count_in_place = calls.output<u64>(1);
  calls.add(
      "compact_in_place", bytes_for(ballot_compact_in_place_scratch_bytes, {BALLOT_U32}),
      [&](const exec& gpu) {
        const ballot_array items = now(calls, in_place);
        ballot_selector select = ballot_where(BALLOT_LESS, device_limit.device.data());
        select.value_on_device = 1;
        ok(ballot_compact_in_place(on(gpu), 1, &items, select, out(count_in_place)));
      },
      [&] {
        calls.leaves_in_place(in_place, columns.halves_of(keys).selected, keys);
        calls.leaves(count_in_place, columns.selected());
      });

  const auto& flags = calls.input<u8>(n, [](u32 random) { return static_cast<u8>(random % 3); });
  const auto positions = [&] {
    std::vector<u32> all;
    for (u32 i = 0; i < calls.there(); ++i)
      if (flags.items[i] != 0) all.push_back(i);
    return all;
  };
  const auto everything = [&] { return ballot_counted(nullptr, n, BALLOT_POSITIONS_U32, calls.length(), BALLOT_U64); };
  auto &indices = calls.output<u32>(), &words = calls.output<u32>((n + 31) / 32);
  auto &count_of_indices = calls.output<u64>(1), &count_of_flags = calls.output<u64>(1);
  calls.add(
      "compact_indices by bytes",
      bytes_of([](std::size_t* b) { return ballot_compact_indices_scratch_bytes(BALLOT_U32, n, b); }),
      [&](const exec& gpu) {
        ok(ballot_compact_indices(on(gpu), everything(), ballot_by_bytes(in(flags.device)), out(indices),
                                  out(count_of_indices)));
      },
      [&] {
        calls.leaves(indices, positions());
        calls.leaves(count_of_indices, positions().size());
      });
  calls.add(
      "count_if", 0,
      [&](const exec& gpu) {
        ok(ballot_count_if(on(gpu), everything(), ballot_by_bytes(in(flags.device)), out(count_of_flags)));
      },
      [&] { calls.leaves(count_of_flags, positions().size()); });
  calls.add(
      "flag_bits", 0,
      [&](const exec& gpu) {
        ok(ballot_flag_bits(on(gpu), everything(), ballot_by_bytes(in(flags.device)), out(words)));
      },
      [&] {
        std::vector<u32> want((calls.there() + 31) / 32);
        for (const u32 i : positions()) want[i / 32] |= 1u << i % 32;
        calls.leaves(words, want);
      });
  calls.replay();
}

TEST_CASE("replay: splits, of as many items as the device says") {
  replayed_calls calls(n);
  const columns_of columns(calls);
  const auto& keys = columns.keys;
  const auto& values = columns.values;
  const u32 below = limit;
  const ballot_selector select = ballot_where(BALLOT_LESS, &below);
  const std::vector<ballot_type> one{BALLOT_U32}, two{BALLOT_U32, BALLOT_U64};

  auto &both = calls.output<u32>(), &in_place = calls.copy_of(keys);
  auto &count = calls.output<u64>(1), &count_in_place = calls.output<u64>(1);
  calls.add(
      "split", bytes_for(ballot_split_scratch_bytes, one),
      [&](const exec& gpu) {
        const ballot_array from = now(calls, keys), to = out(both);
        ok(ballot_split(on(gpu), 1, &from, select, &to, out(count)));
      },
      [&] {
        calls.leaves(both, joined_halves(columns.halves_of(keys)));
        calls.leaves(count, columns.selected());
      });
  calls.add(
      "split_in_place", bytes_for(ballot_split_in_place_scratch_bytes, one),
      [&](const exec& gpu) {
        const ballot_array items = now(calls, in_place);
        ok(ballot_split_in_place(on(gpu), 1, &items, select, out(count_in_place)));
      },
      [&] {
        calls.leaves_in_place(in_place, joined_halves(columns.halves_of(keys)), keys);
        calls.leaves(count_in_place, columns.selected());
      });

  auto &selected = calls.output<u32>(), &rejected = calls.output<u32>();
  auto &selected_values = calls.output<u64>(), &rejected_values = calls.output<u64>(),
       &count_in_two = calls.output<u64>(1);
  calls.add(
      "split_in_two of two columns", bytes_for(ballot_split_scratch_bytes, two),
      [&](const exec& gpu) {
        const ballot_array from[] = {now(calls, keys), in(values.device)}, to[] = {out(selected), out(selected_values)},
                           rest[] = {out(rejected), out(rejected_values)};
        ok(ballot_split_in_two(on(gpu), 2, from, select, to, rest, out(count_in_two)));
      },
      [&] {
        const auto of_keys = columns.halves_of(keys);
        const auto of_values = columns.halves_of(values);
        calls.leaves(selected, of_keys.selected);
        calls.leaves(rejected, of_keys.rejected);
        calls.leaves(selected_values, of_values.selected);
        calls.leaves(rejected_values, of_values.rejected);
        calls.leaves(count_in_two, columns.selected());
      });

  constexpr u32 buckets = 5;
  const auto& numbers = calls.input<u32>(n, [](u32 random) { return random % (buckets + 1); });  // the last is left out
  auto &items = calls.output<u64>(), &offsets = calls.output<u64>(buckets + 1);
  calls.add(
      "multisplit", bytes_of([](std::size_t* b) { return ballot_multisplit_scratch_bytes(buckets, n, b); }),
      [&](const exec& gpu) {
        const ballot_array from = in(values.device), to = out(items);
        ok(ballot_multisplit(on(gpu), now(calls, numbers), buckets, 1, &from, &to, out(offsets)));
      },
      [&] {
        std::vector<u64> want, begins;
        for (u32 bucket = 0; bucket < buckets; ++bucket) {
          begins.push_back(want.size());
          for (std::size_t i = 0; i < calls.there(); ++i)
            if (numbers.items[i] == bucket) want.push_back(values.items[i]);
        }
        begins.push_back(want.size());
        calls.leaves(items, want);
        calls.leaves(offsets, begins);
      });
  calls.replay();
}

TEST_CASE("replay: runs, of as many items as the device says") {
  replayed_calls calls(n);
  const auto& keys = calls.input<u32>(n, [](u32 random) { return random % 4; });
  const auto& values = calls.input<u64>(n, [](u32 random) { return u64{random} << 20; });
  // Where runs begin, and the number of items.
  const auto offsets_of_runs = [&] {
    std::vector<u32> at;
    for (u32 i = 0; i < calls.there(); ++i)
      if (i == 0 || keys.items[i] != keys.items[i - 1]) at.push_back(i);
    at.push_back(static_cast<u32>(calls.there()));
    return at;
  };
  const auto begins = [&] {
    auto at = offsets_of_runs();
    at.pop_back();
    return at;
  };
  const auto check = [&](const guarded<u32>& heads, const guarded<u64>& count) {
    calls.leaves(heads, items_at(keys.items, begins()));
    calls.leaves(count, begins().size());
  };
  const auto bytes = [](ballot_type further) {
    return bytes_of([&](std::size_t* b) { return ballot_runs_scratch_bytes(BALLOT_U32, further, n, b); });
  };

  auto &heads = calls.output<u32>(), &in_place = calls.copy_of(keys), &heads_by_key = calls.output<u32>(),
       &heads_of_offsets = calls.output<u32>(), &heads_of_lengths = calls.output<u32>(),
       &offsets = calls.output<u32>(n + 1), &lengths = calls.output<u32>();
  auto &count = calls.output<u64>(1), &count_in_place = calls.output<u64>(1), &count_by_key = calls.output<u64>(1),
       &count_of_offsets = calls.output<u64>(1), &count_of_lengths = calls.output<u64>(1),
       &head_values = calls.output<u64>();
  calls.add(
      "unique", bytes(BALLOT_NONE),
      [&](const exec& gpu) { ok(ballot_unique(on(gpu), now(calls, keys), out(heads), out(count))); },
      [&] { check(heads, count); });
  calls.add(
      "unique_in_place",
      bytes_of([](std::size_t* b) { return ballot_unique_in_place_scratch_bytes(BALLOT_U32, n, b); }),
      [&](const exec& gpu) { ok(ballot_unique_in_place(on(gpu), now(calls, in_place), out(count_in_place))); },
      [&] {
        calls.leaves_in_place(in_place, items_at(keys.items, begins()), keys);
        calls.leaves(count_in_place, begins().size());
      });
  calls.add(
      "unique_by_key", bytes_of([](std::size_t* b) { return ballot_unique_by_key_scratch_bytes(BALLOT_U32, n, b); }),
      [&](const exec& gpu) {
        const ballot_array from = in(values.device), to = out(head_values);
        ok(ballot_unique_by_key(on(gpu), now(calls, keys), 1, &from, out(heads_by_key), &to, out(count_by_key)));
      },
      [&] {
        check(heads_by_key, count_by_key);
        calls.leaves(head_values, items_at(values.items, begins()));
      });
  calls.add(
      "run_offsets", bytes(BALLOT_U32),
      [&](const exec& gpu) {
        ok(ballot_run_offsets(on(gpu), now(calls, keys), out(heads_of_offsets), out(offsets), out(count_of_offsets)));
      },
      [&] {
        check(heads_of_offsets, count_of_offsets);
        calls.leaves(offsets, offsets_of_runs());
      });
  calls.add(
      "run_length_encode", bytes(BALLOT_U32),
      [&](const exec& gpu) {
        ok(ballot_run_length_encode(on(gpu), now(calls, keys), out(heads_of_lengths), out(lengths),
                                    out(count_of_lengths)));
      },
      [&] {
        check(heads_of_lengths, count_of_lengths);
        const auto at = offsets_of_runs();
        std::vector<u32> want;
        for (std::size_t r = 0; r + 1 < at.size(); ++r) want.push_back(at[r + 1] - at[r]);
        calls.leaves(lengths, want);
      });
  calls.replay();
}

}  // namespace replay_selections
}  // namespace ballot::test::c
