// SPDX-License-Identifier: Apache-2.0
// Makes sorted runs of the batches of a table: one thread a batch, several batches at a time.
//
//     batches   0 1 2 3 4 5 ...      read one after the other, and looked at for the types of key columns
//     runs      0 1 2 3 4 5 ...      each sorted, given a place in the file in this order, and written there
//
// Types are assumed to be those of what was read before. If a batch shows that they are not, the
// rest is looked at only; the runs are then worth nothing.
#pragma once

#include <ballot/core/namespace.hpp>

#include "external_sort/sorted_runs.hpp"
#include "table_sort/row_samples.hpp"
#include "table_sort/sort_table.hpp"
#include "tables/file_table.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ballot::app {

// The types of key columns, as far as they are known.
class key_types {
 public:
  explicit key_types(std::span<const sort_key> keys) : keys_(keys.begin(), keys.end()), found_(keys.size()) {}

  // Looks at the rows of a batch; adds what was seen of the next one.
  void look_at(const file_table& batch);
  // The same before the batch is parsed with the types found so far. Skips columns where that
  // parsing itself finds a contradiction.
  void look_before_parsing(const file_table& batch);
  void add(const key_types& next);
  // The keys with the types found so far.
  std::vector<sort_key> settled() const;
  bool agree_with(const key_types& other) const;
  column_type type_of(std::size_t key) const { return found_[key].type_of(keys_[key].column); }
  bool is_inferred(std::size_t key) const { return keys_[key].is_inferred(); }

 private:
  std::vector<sort_key> keys_;
  std::vector<type_inference> found_;  // of those that are inferred
};

// The next batch, made in the memory of one that is done with (or null); null after the last.
using batch_source = std::function<std::unique_ptr<file_table>(std::unique_ptr<file_table> used)>;

struct parallel_runs {
  const row_sort& wanted;  // with settled keys
  engine& worker;          // that sorts in host memory
  std::size_t at_once;     // batches in memory
  std::size_t written_at_once;
  phase_clock& clock;
  const key_types* settled_by;  // the keys; null where nothing is inferred

  // `types`: gets what the batches have shown, where something is inferred; of numbers only what
  // contradicts their type. Returns false where that contradicts what the keys were settled by.
  bool make(const batch_source& next, key_types* types, sorted_runs& runs, row_samples& samples) const;
};

}  // namespace ballot::app
