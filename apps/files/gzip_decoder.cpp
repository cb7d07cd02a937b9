// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) by zlib: one member or several, one behind the other. Zeros behind the last are
// skipped, as gzip and Python do: tapes and some tools fill up with them.
#include "base/failure.hpp"
#include "files/compression.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace ballot::app {
namespace {

class gzip_decoder final : public decoder {
 public:
  gzip_decoder() {
    constexpr int largest_window = 15, gzip_only = 16;
    if (inflateInit2(&stream_, largest_window + gzip_only) != Z_OK) throw failure("out of memory");
  }
  ~gzip_decoder() override { inflateEnd(&stream_); }
  gzip_decoder(const gzip_decoder&) = delete;
  gzip_decoder& operator=(const gzip_decoder&) = delete;

  progress decode(std::span<const std::byte> from, std::span<std::byte> into) override {
    if (is_between_members_ && !is_first_) {
      const auto data = std::find_if(from.begin(), from.end(), [](std::byte b) { return b != std::byte{0}; });
      if (const auto zeros = static_cast<std::size_t>(data - from.begin()); zeros != 0) {
        is_in_padding_ = true;
        return {zeros, 0};
      }
      if (from.empty()) return {};
      if (is_in_padding_)
        throw coded_data_failure(0, "not valid gzip: more data behind the zeros that follow the gzip data");
    }
    if (from.empty()) return {};
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const std::size_t given = std::min(from.size(), most), room = std::min(into.size(), most);
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(room);
    is_between_members_ = false;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    const progress done{given - stream_.avail_in, room - stream_.avail_out};
    if (state == Z_STREAM_END) {
      inflateReset(&stream_);
      is_between_members_ = true;
      is_first_ = false;
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      throw coded_data_failure(done.taken,
                               fmt::format("not valid gzip: {}", state == Z_NEED_DICT     ? "a dictionary is needed"
                                                                 : stream_.msg != nullptr ? stream_.msg
                                                                                          : zError(state)));
    }
    return done;
  }
  bool is_complete() const override { return is_between_members_; }

 private:
  z_stream stream_{};
  bool is_between_members_ = true, is_first_ = true, is_in_padding_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder() { return std::make_unique<gzip_decoder>(); }

}  // namespace ballot::app
