// SPDX-License-Identifier: Apache-2.0
// In place of zstd.cpp where there is no libzstd.
#include "base/failure.hpp"
#include "files/compression.hpp"

namespace ballot::app {
namespace {

[[noreturn]] void throw_absent() {
  throw failure("zstd: this ballot was built without libzstd (Debian, Ubuntu: libzstd-dev)");
}

}  // namespace

std::unique_ptr<decoder> make_zstd_decoder() { throw_absent(); }
std::unique_ptr<encoder> make_zstd_encoder(int) { throw_absent(); }

}  // namespace ballot::app
