// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"

#include <algorithm>
#include <string>

namespace ballot::bench {
namespace {

// Operations whose ranges also begin one item behind an aligned address.
constexpr const char* also_one_off[] = {"scan_i32",
                                        "scan_i64",
                                        "scan_f32",
                                        "sum_i32",
                                        "sum_i64",
                                        "sum_f32",
                                        "sum_f64",
                                        "minimum_u32",
                                        "arg_min_u32",
                                        "sort_u32:uniform",
                                        "compact_if:0.5_scattered",
                                        "compact_bytes:0.5_scattered",
                                        "split_one:0.5_scattered",
                                        "split_two:0.5_scattered",
                                        "segmented_scan_bytes:mean_1000",
                                        "bit_ranks"};

// The answers are held against Thrust's where it takes part. Only the newest of two releases of
// Thrust is timed.
void put_thrust_first(operation& task) {
  const auto is_thrust = [](const contender& who) { return who.name == "thrust"; };
  std::stable_partition(task.contenders.begin(), task.contenders.end(), is_thrust);
  const bool newer = std::any_of(task.contenders.begin(), task.contenders.end(),
                                 [](const contender& who) { return who.name == "thrust_newest"; });
  if (newer && is_thrust(task.contenders.front())) task.contenders.front().only_reference = true;
}

operation begun_at(operation task, std::uint64_t offset_items, const std::string& name) {
  task.name += (task.name.find(':') == std::string::npos ? ":" : "_") + name;
  task.offset_items = offset_items;
  return task;
}

}  // namespace

std::vector<operation> grid_operations(bool quick) {
  std::vector<operation> all = grid_operations_with_peers(quick);
#if defined(BALLOT_BENCH_HAS_NEWEST)
  add_peers(all, newest::grid_operations_with_peers(quick));
#endif
  std::vector<operation> one_off;
  for (operation& task : all) {
    put_thrust_first(task);
    if (std::find(std::begin(also_one_off), std::end(also_one_off), task.name) == std::end(also_one_off)) continue;
    one_off.push_back(begun_at(task, 1, "one_off"));
  }
  all.insert(all.end(), one_off.begin(), one_off.end());
  return all;
}

void begin_all_at(std::vector<operation>& tasks, std::uint64_t offset_items) {
  std::erase_if(tasks, [](const operation& task) { return task.offset_items != 0; });
  for (operation& task : tasks) task = begun_at(task, offset_items, "from_" + std::to_string(offset_items));
}

}  // namespace ballot::bench
