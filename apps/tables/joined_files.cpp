// SPDX-License-Identifier: Apache-2.0
#include "tables/joined_files.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

std::uint64_t lines_in(const std::string& text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// The files behind the first one.
class following_files {
 public:
  following_files(const table_request& request, const file_table& first, const input_file& file)
      : meaning_(first_bytes_of(request.format)), parts_(std::make_shared<file_parts>()) {
    add(first, file);
    parts_->begin(first.name(), 0, 0, headers_.front().lines);
  }

  void add(const file_table& header, const input_file& file) {
    if (file.remaining()) header.check_length(*file.remaining());
    headers_.push_back({header.without_rows(0), file.position(), lines_in(header.header(0))});
  }
  // Kept open where it cannot be opened again.
  void add(const std::string& path, const file_table& header, input_file file) {
    add(header, file);
    waiting_.push_back({path, file.can_be_reopened() ? nullptr : std::make_unique<input_file>(std::move(file))});
  }
  const std::shared_ptr<file_parts>& parts() const { return parts_; }

  std::optional<input_file> next(const input_file::ended_part& before) {
    headers_[at_].table->check_length(before.bytes);
    if (at_ == waiting_.size()) return std::nullopt;
    part& p = waiting_[at_++];
    parts_->begin(headers_[at_].table->name(), before.all_bytes, before.all_line_ends, headers_[at_].lines);
    if (p.file) return std::move(*p.file);
    input_file again(p.path, meaning_);
    std::vector<std::byte> header(static_cast<std::size_t>(headers_[at_].bytes));
    if (again.read(header) < header.size())
      throw failure(fmt::format("{}: became shorter while it was read", again.name()));
    return again;
  }

 private:
  struct part {
    std::string path;
    std::unique_ptr<input_file> file;
  };
  struct read_header {
    std::unique_ptr<file_table> table;
    std::uint64_t bytes, lines;
  };
  first_bytes meaning_;
  std::vector<read_header> headers_;  // also of the first file
  std::vector<part> waiting_;
  std::size_t at_ = 0;
  std::shared_ptr<file_parts> parts_;
};

}  // namespace

opened_table open_table_files(const table_request& request, std::uint64_t longest, std::uint64_t memory) {
  opened_table opened{std::make_unique<input_file>(request.path, first_bytes_of(request.format)), nullptr};
  opened.header = open_table_header(request, *opened.file, longest, memory);
  if (request.more_paths.empty()) return opened;
  const auto rest = std::make_shared<following_files>(request, *opened.header, *opened.file);
  for (const std::string& path : request.more_paths) {
    table_request other = request;
    other.path = path;
    input_file file(path, first_bytes_of(request.format));
    const auto header = open_table_header(other, file, longest, memory);
    opened.header->join(*header);
    rest->add(path, *header, std::move(file));
  }
  opened.header->use_parts(rest->parts());
  opened.file->continue_with([rest](const input_file::ended_part& before) { return rest->next(before); },
                             opened.header->line_end());
  return opened;
}

}  // namespace ballot::app
