// SPDX-License-Identifier: Apache-2.0
#include "table_sort/merge_check.hpp"

#include "base/failure.hpp"
#include "table_sort/verify_table.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

namespace ballot::app {
void merge_check::add(std::span<const std::byte> row, multiset_checksum& to) {
  const std::size_t hash = std::hash<std::string_view>{}({reinterpret_cast<const char*>(row.data()), row.size()});
  to.add(std::as_bytes(std::span(&hash, 1)), sizeof hash);
}

void merge_check::check_output(const keyed_row& row, std::size_t run, bool is_kept, bool unique) {
  if (previous_) {
    const int order = compare_rows(previous_->parts(), previous_row_, row.batch->parts(), row.row);
    if (order > 0) throw_verification_failure(fmt::format("merged row {} belongs before its predecessor", rows_out_));
    if (order == 0 && run < previous_run_)
      throw_verification_failure(
          fmt::format("merged row {} equals its predecessor and was swapped with it", rows_out_));
    if (unique && is_kept != (order != 0))
      throw_verification_failure(fmt::format("merged row {} is {}", rows_out_,
                                             is_kept ? "present although its predecessor equals it" : "missing"));
  }
  if (previous_.get() != row.batch) previous_ = row.batch->shared_from_this();
  previous_row_ = row.row;
  previous_run_ = run;
  ++rows_out_;
  add(row.bytes(), out_);
  if (is_kept) add(row.bytes(), kept_);
}

void merge_check::end_of_pass() {
  if (in_ != out_) throw_verification_failure("the merged rows are not those of the runs");
  in_ = std::exchange(kept_, {});
  out_ = {};
  rows_out_ = 0;
}

}  // namespace ballot::app
