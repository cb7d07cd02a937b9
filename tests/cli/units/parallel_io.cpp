// SPDX-License-Identifier: Apache-2.0
// Files that several threads read and write, with chunks so small that sizes around them are
// quickly tried.
#include "files/parallel_io.hpp"

#include "base/failure.hpp"
#include "columns/raw.hpp"
#include "engines/engine.hpp"
#include "files/input_file.hpp"
#include "temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace app = ballot::app;

namespace {

constexpr std::size_t chunk = 4096;
constexpr app::chunking small_chunks{chunk, 8};

// No two chunks are equal.
std::vector<std::byte> bytes_of_places(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint64_t state = 1;
  for (std::byte& b : bytes) b = static_cast<std::byte>((state = state * 6364136223846793005u + 1) >> 56);
  return bytes;
}

class open_file {
 public:
  explicit open_file(const std::string& path, int flags = O_RDWR | O_CREAT)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    REQUIRE(descriptor_ >= 0);
  }
  ~open_file() { close(descriptor_); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  operator int() const { return descriptor_; }

 private:
  int descriptor_;
};

void save(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> slice(const std::vector<std::byte>& bytes, std::size_t begin, std::size_t size) {
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
  return {from, from + static_cast<std::ptrdiff_t>(size)};
}

constexpr std::size_t sizes[] = {0,         1,         chunk - 1,     chunk,         chunk + 1,     2 * chunk,
                                 4 * chunk, 5 * chunk, 7 * chunk - 1, 7 * chunk + 1, 33 * chunk + 5};

// Files on the disk, and where there is one in memory: they are written in different ways.
std::vector<std::filesystem::path> places() {
  std::vector<std::filesystem::path> found{std::filesystem::temp_directory_path()};
  if (access("/dev/shm", W_OK) == 0) found.emplace_back("/dev/shm");
  return found;
}

template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const app::failure& problem) {
    return problem.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("every chunk is worked on once") {
  for (const std::size_t size : sizes) {
    for (const std::size_t threads : {1u, 2u, 4u, 100u}) {
      std::vector<std::atomic<int>> visits(size);
      app::for_each_chunk(size, {chunk, threads}, [&](std::size_t begin, std::size_t length) {
        for (std::size_t i = begin; i < begin + length; ++i) ++visits[i];
      });
      bool all_once = true;
      for (const auto& n : visits) all_once = all_once && n == 1;
      CHECK(all_once);
    }
  }
}

TEST_CASE("after a chunk that fails no others are begun") {
  for (const std::size_t threads : {1u, 4u}) {
    std::atomic<std::size_t> begun = 0;
    CHECK_THROWS_WITH_AS(app::for_each_chunk(100'000 * chunk, {chunk, threads},
                                             [&](std::size_t begin, std::size_t) {
                                               ++begun;
                                               if (begin == 5 * chunk) throw std::runtime_error("the sixth");
                                             }),
                         "the sixth", std::runtime_error);
    CHECK(begun < 100'000);
  }
}

TEST_CASE("what is read is what is there, up to the end") {
  for (const auto& place : places()) {
    const temporary_folder folder(place);
    for (const std::size_t size : sizes) {
      const auto all = bytes_of_places(size + 100);
      save(folder / "file", all);
      const open_file file(folder / "file");
      for (const std::size_t offset : {0u, 100u}) {
        for (const std::size_t too_many : {0u, 1u, 5000u, 100'000u}) {
          const std::size_t there = size + 100 - offset;
          std::vector<std::byte> into(there + too_many, std::byte{0xee});
          CHECK(app::read_at(file, "file", offset, into, small_chunks) == there);
          CHECK(slice(into, 0, there) == slice(all, offset, there));
        }
      }
    }
  }
}

TEST_CASE("what is written is there, and what was in front of it") {
  for (const auto& place : places()) {
    const temporary_folder folder(place);
    for (const std::size_t size : sizes) {
      for (const std::size_t offset : {0u, 128u, 4096u, 5000u}) {
        const auto all = bytes_of_places(offset + size);
        const open_file file(folder / "file", O_RDWR | O_CREAT | O_TRUNC);
        app::write_at(file, "file", 0, slice(all, 0, offset), small_chunks);
        app::write_at(file, "file", offset, slice(all, offset, size), small_chunks);
        CHECK(contents(folder / "file") == all);
      }
    }
  }
}

TEST_CASE("bytes behind those that are written over stay") {
  for (const auto& place : places()) {
    const temporary_folder folder(place);
    auto all = bytes_of_places(20 * chunk);
    save(folder / "file", all);
    const open_file file(folder / "file");
    const std::vector<std::byte> other(8 * chunk + 3, std::byte{7});
    app::write_at(file, "file", 3 * chunk + 9, other, small_chunks);
    std::copy(other.begin(), other.end(), all.begin() + 3 * chunk + 9);
    CHECK(contents(folder / "file") == all);
  }
}

TEST_CASE("a file system that becomes full is an error") {
  const auto bytes = bytes_of_places(1'000'000);
  const temporary_folder folder;
  if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    MESSAGE("no right to mount a file system: not tried");
    return;
  }
  CHECK(failure_of([&] {
          const open_file file(folder / "file");
          app::write_at(file, "the file", 0, bytes, small_chunks);
        }) == "the file: No space left on device");
  CHECK(umount(folder.path().c_str()) == 0);
}

TEST_CASE("a descriptor that cannot be read or written is an error") {
  const temporary_folder folder;
  save(folder / "file", bytes_of_places(20 * chunk));
  std::vector<std::byte> bytes(20 * chunk);
  CHECK(failure_of([&] {
          const open_file file(folder / "file", O_RDONLY);
          app::write_at(file, "the file", 0, bytes, small_chunks);
        }) == "the file: Bad file descriptor");
  CHECK(failure_of([&] {
          const open_file file(folder / "file", O_WRONLY);
          app::read_at(file, "the file", 0, bytes, small_chunks);
        }) == "the file: Bad file descriptor");
}

TEST_CASE("reading goes on where it stopped") {
  const temporary_folder folder;
  const std::size_t step = 3 * app::read_chunking().bytes;  // several chunks as the program has them
  const auto all = bytes_of_places(3 * step + 17);
  save(folder / "file", all);
  app::input_file file(folder / "file");
  std::vector<std::byte> into(step);
  const auto read = [&](std::size_t size) {
    into.assign(size, std::byte{0});
    into.resize(file.read(into));
    return into;
  };
  CHECK(read(10) == slice(all, 0, 10));
  CHECK(read(step) == slice(all, 10, step));
  file.unread(slice(into, step - 5, 5));
  CHECK(read(step) == slice(all, step + 5, step));
  CHECK(file.position() == 2 * step + 5);
  CHECK(file.remaining() == step + 12);
  CHECK(read(10) == slice(all, 2 * step + 5, 10));
  file.seek_back_to(7);
  CHECK(read(2 * step) == slice(all, 7, 2 * step));
  CHECK(read(2 * step) == slice(all, 2 * step + 7, step + 10));
  CHECK(read(2 * step).empty());
}

TEST_CASE("a file that becomes shorter while it is read is an error") {
  const temporary_folder folder;
  const std::size_t bytes = 5 * app::read_chunking().bytes;
  for (const std::size_t left : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 1}) {
    save(folder / "file", std::vector<std::byte>(bytes));
    const auto in = app::open_raw(app::input_file(folder / "file"), app::dtype::u8);
    std::filesystem::resize_file(folder / "file", left);
    app::phase_clock clock;
    CHECK(failure_of([&] { app::read_all(*in, clock); }) == (folder / "file") + ": became shorter while it was read");
  }
}

TEST_CASE("what a file becomes longer by while it is read is not looked at") {
  const temporary_folder folder;
  const auto all = bytes_of_places(5 * app::read_chunking().bytes);
  save(folder / "file", all);
  const auto in = app::open_raw(app::input_file(folder / "file"), app::dtype::u8);
  std::filesystem::resize_file(folder / "file", all.size() + 10'000'000);
  app::phase_clock clock;
  const auto read = app::read_all(*in, clock);
  CHECK(std::vector(read.bytes().begin(), read.bytes().end()) == all);
}
