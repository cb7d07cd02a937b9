// SPDX-License-Identifier: Apache-2.0
// Reads compressed bytes and decodes them on a thread of its own, a few blocks ahead of who reads
// them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "files/compression.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace ballot::app {

class decompressed_stream {
 public:
  // `begin`: bytes that were read from the descriptor before. The name is for messages. Throws
  // failure where this build cannot read such a file.
  decompressed_stream(int descriptor, std::string name, compression kind, std::span<const std::byte> begin);
  ~decompressed_stream();
  decompressed_stream(const decompressed_stream&) = delete;
  decompressed_stream& operator=(const decompressed_stream&) = delete;

  // Fills `into`; fewer bytes mean the end. Throws failure where the data is wrong or ends too
  // early, after what came before.
  std::size_t read(std::span<std::byte> into);

 private:
  struct block {
    host_buffer bytes;
    std::size_t filled = 0, taken = 0;
  };
  static constexpr std::size_t block_count = 4, block_bytes = std::size_t{1} << 20;

  void run();
  void decode_all();
  std::size_t read_coded(std::span<std::byte> into);
  block* wait_for_free_block();  // null: nobody reads on
  void pass_on();                // the block that was free

  int descriptor_;
  int stop_;  // an eventfd: readable when nobody reads on
  std::string name_;
  std::unique_ptr<decoder> decoder_;
  std::string kind_;
  std::array<std::byte, 16> begin_{};
  std::size_t begin_bytes_ = 0, begin_taken_ = 0;
  std::uint64_t position_ = 0;  // of the coded bytes

  std::array<block, block_count> blocks_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint64_t made_ = 0, used_ = 0;  // blocks so far
  bool is_stopped_ = false, has_ended_ = false;
  std::exception_ptr problem_;

  std::thread thread_;
};

}  // namespace ballot::app
