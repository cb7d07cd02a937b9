// SPDX-License-Identifier: Apache-2.0
// zstd (RFC 8878) by libzstd: one frame or several, and frames that are skipped. Compression is on
// all cores, by libzstd's own threads.
#include "base/failure.hpp"
#include "files/compression.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <vector>

namespace ballot::app {
namespace {

struct release {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class zstd_decoder final : public decoder {
 public:
  zstd_decoder() : context_(ZSTD_createDCtx()) {
    if (!context_) throw failure("out of memory");
  }
  progress decode(std::span<const std::byte> from, std::span<std::byte> into) override {
    if (from.empty() && is_complete_) return {};
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t state = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(state) != 0) {
      if (ZSTD_getErrorCode(state) == ZSTD_error_frameParameter_windowTooLarge)
        throw coded_data_failure(0, "zstd with a window of more than 128 MiB is not read: use zstd -d --long=31");
      throw coded_data_failure(0, fmt::format("not valid zstd: {}", ZSTD_getErrorName(state)));
    }
    is_complete_ = state == 0;
    return {in.pos, out.pos};
  }
  bool is_complete() const override { return is_complete_; }

 private:
  std::unique_ptr<ZSTD_DCtx, release> context_;
  bool is_complete_ = true;
};

class zstd_encoder final : public encoder {
 public:
  explicit zstd_encoder(int level) : context_(ZSTD_createCCtx()), coded_(ZSTD_CStreamOutSize()) {
    if (!context_) throw failure("out of memory");
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_checksumFlag, 1);
    const int threads = tbb::info::default_concurrency();
    // A libzstd that was built without threads refuses, and compresses on this one.
    if (threads > 1) (void)ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, std::min(threads, 64));
  }
  void add(std::span<const std::byte> bytes, const writer& write) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) step(in, ZSTD_e_continue, write);
  }
  void finish(const writer& write) override {
    ZSTD_inBuffer nothing{nullptr, 0, 0};
    while (step(nothing, ZSTD_e_end, write) != 0) {
    }
  }

 private:
  void set(ZSTD_cParameter what, int value) {
    if (ZSTD_isError(ZSTD_CCtx_setParameter(context_.get(), what, value)) != 0)
      throw failure(fmt::format("zstd: level {} is not known", value));
  }
  std::size_t step(ZSTD_inBuffer& in, ZSTD_EndDirective what, const writer& write) {
    ZSTD_outBuffer out{coded_.data(), coded_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, what);
    if (ZSTD_isError(left) != 0) throw failure(fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    if (out.pos != 0) write(std::as_bytes(std::span(coded_.data(), out.pos)));
    return left;
  }

  std::unique_ptr<ZSTD_CCtx, release> context_;
  std::vector<char> coded_;
};

}  // namespace

std::unique_ptr<decoder> make_zstd_decoder() { return std::make_unique<zstd_decoder>(); }
std::unique_ptr<encoder> make_zstd_encoder(int level) { return std::make_unique<zstd_encoder>(level); }

}  // namespace ballot::app
