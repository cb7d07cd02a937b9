// SPDX-License-Identifier: Apache-2.0
#include "processes/part_files.hpp"

#include "base/failure.hpp"
#include "files/parallel_io.hpp"
#include "processes/parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace ballot::app {

part_reader::part_reader(const input_file& file, std::uint64_t item_bytes) : file_(&file), item_bytes_(item_bytes) {
  const auto place = file.place_in_regular_file();
  if (!place)
    throw failure(fmt::format(
        "{}: several processes read parts of a regular file as they are: of no pipe, of no compressed file, "
        "and of no array of two dimensions in Fortran order",
        file.name()));
  place_ = *place;
  if (place_.bytes % item_bytes != 0)
    throw failure(
        fmt::format("{}: {} bytes are not a whole number of items of {} bytes", file.name(), place_.bytes, item_bytes));
  items_ = place_.bytes / item_bytes;
}

void part_reader::require_agreement(const process_group& group) const {
  struct seen {
    std::uint64_t items, item_bytes;
  };
  const std::vector<seen> all = group.gather(seen{items_, item_bytes_});
  group.together([&] {
    for (std::size_t r = 1; r < all.size(); ++r)
      if (all[r].items != all[0].items || all[r].item_bytes != all[0].item_bytes)
        throw failure(
            fmt::format("{}: process 0 sees {} items of {} bytes there, and process {} {} of {}: all processes "
                        "have to see the same file",
                        file_->name(), all[0].items, all[0].item_bytes, r, all[r].items, all[r].item_bytes));
  });
}

host_buffer part_reader::read(const process_group& group) const {
  const std::uint64_t begin = part_begin(items_, group.rank(), group.size());
  host_buffer part(part_size(items_, group.rank(), group.size()) * item_bytes_);
  if (read_at(place_.descriptor, file_->name(), place_.offset + begin * item_bytes_, part.bytes()) < part.size())
    throw failure(fmt::format("{}: became shorter while it was read", file_->name()));
  return part;
}

part_writer::part_writer(const process_group& group, const std::string& path, std::uint64_t bytes)
    : group_(group), shown_(path) {
  std::string unfinished;
  group.together([&] {
    if (group.rank() != 0) return;
    file_.emplace(path);
    unfinished = file_->share(bytes);
  });
  unfinished = group.broadcast(unfinished, 0);
  group.together([&] {
    descriptor_ = open(unfinished.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) throw_errno(shown_);
  });
}
part_writer::~part_writer() {
  if (descriptor_ >= 0) close(descriptor_);
}

void part_writer::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  write_at(descriptor_, shown_, offset, bytes);
}

void part_writer::commit() {
  group_.together([&] {
    if (fsync(descriptor_) != 0) throw_errno(shown_);
    if (close(std::exchange(descriptor_, -1)) != 0) throw_errno(shown_);
  });
  group_.together([&] {
    if (file_) file_->commit();
  });
}

}  // namespace ballot::app
