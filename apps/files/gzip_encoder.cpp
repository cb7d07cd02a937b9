// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) by zlib, on all cores, as pigz does it: one member, whose blocks are compressed
// apart.
//
//     header | block | block | ... | empty last block | CRC-32, length
//
// A block may refer to the 32 KiB before it, which its dictionary is; it ends on a byte
// (Z_SYNC_FLUSH). The check sums of the blocks combine to that of the whole.
#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "files/compression.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10, window_bytes = std::size_t{32} << 10;

struct block {
  std::vector<Bytef> coded;
  std::size_t size = 0;
  uLong check = 0;
};

const Bytef* bytes_of(const std::byte* bytes) { return reinterpret_cast<const Bytef*>(bytes); }

block compressed(std::span<const std::byte> bytes, std::span<const std::byte> before, int level) {
  constexpr int raw_deflate = -15, usual_memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, raw_deflate, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw failure("out of memory");
  if (!before.empty()) deflateSetDictionary(&stream, bytes_of(before.data()), static_cast<uInt>(before.size()));
  constexpr std::size_t marker = 16;  // the empty block that a flush ends with
  block made{std::vector<Bytef>(deflateBound(&stream, static_cast<uLong>(bytes.size())) + marker), 0, 0};
  stream.next_in = const_cast<Bytef*>(bytes_of(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = made.coded.data();
  stream.avail_out = static_cast<uInt>(made.coded.size());
  const int state = deflate(&stream, Z_SYNC_FLUSH);
  const bool is_all = state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0;
  made.size = made.coded.size() - stream.avail_out;
  deflateEnd(&stream);
  if (!is_all) throw failure("zlib did not compress a block");
  made.check = crc32(crc32(0, nullptr, 0), bytes_of(bytes.data()), static_cast<uInt>(bytes.size()));
  return made;
}

class gzip_encoder final : public encoder {
 public:
  explicit gzip_encoder(int level)
      : level_(level), at_once_(block_bytes * 2 * static_cast<std::size_t>(tbb::info::default_concurrency())) {}

  void add(std::span<const std::byte> bytes, const writer& write) override {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), dictionary_ + at_once_ - held_.size());
      held_.append(bytes.first(taken));
      bytes = bytes.subspan(taken);
      if (held_.size() == dictionary_ + at_once_) flush(write);
    }
  }

  void finish(const writer& write) override {
    flush(write);
    begin(write);
    constexpr std::array<unsigned char, 2> empty_last_block{0x03, 0x00};
    write(std::as_bytes(std::span(empty_last_block)));
    std::array<unsigned char, 8> trailer{};
    for (std::size_t i = 0; i < 4; ++i) {
      trailer[i] = static_cast<unsigned char>(check_ >> (8 * i) & 0xff);
      trailer[4 + i] = static_cast<unsigned char>(length_ >> (8 * i) & 0xff);
    }
    write(std::as_bytes(std::span(trailer)));
  }

 private:
  void begin(const writer& write) {
    if (has_begun_) return;
    has_begun_ = true;
    constexpr unsigned char made_on_unix = 3;
    constexpr std::array<unsigned char, 10> header{0x1f, 0x8b, Z_DEFLATED, 0, 0,
                                                   0,    0,    0,          0, made_on_unix};  // no name, no time
    write(std::as_bytes(std::span(header)));
  }

  void flush(const writer& write) {
    begin(write);
    const std::span<const std::byte> all = held_.bytes();
    const std::size_t bytes = all.size() - dictionary_;
    std::vector<block> blocks((bytes + block_bytes - 1) / block_bytes);
    tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t i) {
      const std::size_t first = dictionary_ + i * block_bytes, window = std::min(first, window_bytes);
      blocks[i] = compressed(all.subspan(first, std::min(block_bytes, all.size() - first)),
                             all.subspan(first - window, window), level_);
    });
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      write(std::as_bytes(std::span(blocks[i].coded.data(), blocks[i].size)));
      const std::size_t size = std::min(block_bytes, bytes - i * block_bytes);
      check_ = crc32_combine(check_, blocks[i].check, static_cast<z_off_t>(size));
    }
    length_ += bytes;
    host_buffer kept;
    dictionary_ = std::min(all.size(), window_bytes);
    kept.append(all.last(dictionary_));
    held_ = std::move(kept);
  }

  int level_;
  std::size_t at_once_;
  host_buffer held_;  // the dictionary of the next block, and what comes behind it
  std::size_t dictionary_ = 0;
  uLong check_ = 0;
  std::uint64_t length_ = 0;
  bool has_begun_ = false;
};

}  // namespace

std::unique_ptr<encoder> make_gzip_encoder(int level) { return std::make_unique<gzip_encoder>(level); }

}  // namespace ballot::app
