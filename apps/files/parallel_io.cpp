// SPDX-License-Identifier: Apache-2.0
#include "files/parallel_io.hpp"

#include "base/failure.hpp"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace ballot::app {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves less than 2 GiB in a call

std::size_t read_chunk(int descriptor, const std::string& name, std::uint64_t offset, std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t got = pread(descriptor, into.data() + filled, std::min(into.size() - filled, most_at_once),
                              static_cast<off_t>(offset + filled));
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_errno(name);
    }
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

void write_in_order(int descriptor, const std::string& name, std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor, bytes.data(), std::min(bytes.size(), most_at_once), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_errno(name);
    }
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

bool is_on_tmpfs(int descriptor) {
  struct statfs system {};
  return fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC;
}

// Several threads can fill pages of a tmpfs file at once. MADV_POPULATE_WRITE makes a page or fails
// if none is left, where a plain store would end the program (SIGBUS). False if anything fails: the
// caller then uses write(), which reports the cause if it fails, too.
bool write_mapped(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes, const chunking& plan) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = offset / page * page, end = offset + bytes.size();
  const auto before = static_cast<std::size_t>(offset - begin);  // of the first page, written already
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return false;
  if (static_cast<std::uint64_t>(status.st_size) < end && ftruncate(descriptor, static_cast<off_t>(end)) != 0)
    return false;
  const auto length = static_cast<std::size_t>(end - begin);
  void* const mapped = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(begin));
  if (mapped == MAP_FAILED) return false;
  auto* const file = static_cast<std::byte*>(mapped);
  std::atomic<bool> is_complete = true;
  for_each_chunk(length, plan, [&](std::size_t at, std::size_t size) {
    if (madvise(file + at, size, MADV_POPULATE_WRITE) != 0) {
      is_complete = false;
      return;
    }
    const std::size_t first = std::max(at, before);
    std::memcpy(file + first, bytes.data() + (first - before), at + size - first);
    // Takes the pages out of the mapping; the file keeps them. munmap would do that on one thread,
    // which takes 0.1 s a GB.
    madvise(file + at, size, MADV_DONTNEED);
  });
  munmap(mapped, length);
  return is_complete;
}

}  // namespace

chunking read_chunking() { return chunking_for_cores(16); }

chunking write_chunking() {
  chunking plan = chunking_for_cores(8);
  plan.bytes = std::size_t{1} << 20;
  return plan;
}

std::size_t read_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<std::byte> into,
                    const chunking& plan) {
  std::atomic<std::size_t> end = into.size();
  for_each_chunk(into.size(), plan, [&](std::size_t begin, std::size_t size) {
    const std::size_t found = begin + read_chunk(descriptor, name, offset + begin, into.subspan(begin, size));
    if (found == begin + size) return;
    for (std::size_t known = end; found < known && !end.compare_exchange_weak(known, found);) {
    }
  });
  return end;
}

void write_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<const std::byte> bytes,
              const chunking& plan) {
  // If several threads write() to one file, one writes and the others wait, because the kernel
  // locks the file. By pages, 2 GB into /dev/shm on 16 cores: two threads as fast as one that
  // writes, four 1.5 times, eight 1.7 times; on two cores half as fast. A page that is mapped is
  // cleared first, though. That takes time from other threads if these have work to do: on 4 cores
  // it made a whole sort slower.
  constexpr std::size_t fewest_threads = 8;
  if (plan.threads >= fewest_threads && bytes.size() / plan.bytes >= fewest_threads && is_on_tmpfs(descriptor) &&
      write_mapped(descriptor, offset, bytes, plan))
    return;
  write_in_order(descriptor, name, offset, bytes);
}

}  // namespace ballot::app
