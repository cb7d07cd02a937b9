// SPDX-License-Identifier: Apache-2.0
// gzip and zstd. A compressed file is recognised by its name or by its first bytes. The classes
// here decompress and compress bytes. Nothing here knows about files: input_file.hpp and
// output_file.hpp put these between a file and its reader or writer.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ballot::app {

enum class compression : std::uint8_t { none, gzip, zstd };

std::string_view name_of(compression c);  // "gzip"

// By the extension of a path, or of the name of a format ("csv.gz"): .gz, .zst.
compression compression_of_extension(std::string_view path);
// The path without that extension: "a.csv.gz" is "a.csv".
std::string_view without_compression(std::string_view path);
// By the bytes that a file begins with. Four are enough.
compression compression_of_magic(std::span<const std::byte> begin);
inline constexpr std::size_t magic_bytes = 4;

// Levels of a compression: more are smaller and slower.
struct level_range {
  int least, most, usual;
};
level_range levels_of(compression c);

// Data that cannot be decoded. taken(): how many of the given bytes came before the wrong ones; 0
// for zstd, whose library does not tell.
class coded_data_failure final : public failure {
 public:
  coded_data_failure(std::size_t taken, const std::string& what) : failure(what), taken_(taken) {}
  std::size_t taken() const { return taken_; }

 private:
  std::size_t taken_;
};

class decoder {
 public:
  virtual ~decoder() = default;
  struct progress {
    std::size_t taken = 0, made = 0;  // bytes
  };
  // Decodes some of `from` into `into`. Throws coded_data_failure where the data is wrong. Members
  // of gzip and frames of zstd may follow each other. Nothing taken and nothing made: more input is
  // needed.
  virtual progress decode(std::span<const std::byte> from, std::span<std::byte> into) = 0;
  // Whether the input may end here.
  virtual bool is_complete() const = 0;
};
std::unique_ptr<decoder> make_decoder(compression c);  // throws failure where this build has no zstd

class encoder {
 public:
  using writer = std::function<void(std::span<const std::byte>)>;
  virtual ~encoder() = default;
  virtual void add(std::span<const std::byte> bytes, const writer& write) = 0;
  virtual void finish(const writer& write) = 0;  // once
};
std::unique_ptr<encoder> make_encoder(compression c, std::optional<int> level);  // the same; on all cores

// For one compression each: gzip_decoder.cpp, gzip_encoder.cpp, zstd.cpp or zstd_absent.cpp.
std::unique_ptr<decoder> make_gzip_decoder();
std::unique_ptr<encoder> make_gzip_encoder(int level);
std::unique_ptr<decoder> make_zstd_decoder();
std::unique_ptr<encoder> make_zstd_encoder(int level);

}  // namespace ballot::app
