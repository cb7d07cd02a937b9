// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/staging.cuh"

#include "base/failure.hpp"

#include <algorithm>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::size_t largest_half = std::size_t{16} << 20;
constexpr std::size_t granule = std::size_t{64} << 10;  // a multiple of every item's size

}  // namespace

staging::staging(stream_t stream) : stream_(stream) {
  for (half& h : halves_) {
    const cudaError_t result = cudaEventCreateWithFlags(&h.copied, cudaEventDisableTiming);
    if (result != cudaSuccess) release();
    simt::check(result, "cudaEventCreateWithFlags");
  }
}

staging::~staging() {
  cudaStreamSynchronize(stream_);  // a copy may be under way where something else failed
  release();
}

void staging::release() {
  for (half& h : halves_) {
    if (h.copied != nullptr) cudaEventDestroy(h.copied);
    if (h.memory != nullptr) cudaFreeHost(h.memory);
    h = {};
  }
}

void staging::reserve(std::size_t bytes) {
  const std::size_t wanted = std::clamp((bytes + granule - 1) / granule * granule, granule, largest_half);
  if (wanted <= half_bytes_) return;
  simt::synchronize(stream_);
  for (half& h : halves_) {
    if (h.memory != nullptr) simt::check(cudaFreeHost(h.memory), "cudaFreeHost");
    h.memory = nullptr;
    half_bytes_ = 0;
    simt::check(cudaHostAlloc(reinterpret_cast<void**>(&h.memory), wanted, cudaHostAllocDefault), "cudaHostAlloc");
  }
  half_bytes_ = wanted;
}

device_buffer staging::upload(source& in, phase_clock& clock) {
  const auto count = in.count();
  return count ? upload_known(in, static_cast<std::size_t>(*count) * size_of(in.type()), clock)
               : upload_unknown(in, clock);
}

device_buffer staging::upload_known(source& in, std::size_t bytes, phase_clock& clock) {
  scoped_phase transferring(clock, phase::transfer);
  reserve(bytes + granule);  // room to see the end in the same go where the column is small
  device_buffer column(bytes, stream_);
  std::size_t filled = 0;
  for (std::size_t turn = 0;; ++turn) {
    half& h = halves_[turn % 2];
    simt::check(cudaEventSynchronize(h.copied), "cudaEventSynchronize");
    const std::size_t got = [&] {
      scoped_phase reading(clock, phase::read);
      return in.read({h.memory, half_bytes_});
    }();
    if (got > bytes - filled) throw failure(in.name() + ": its length changed while it was read");
    simt::copy_bytes(stream_, column.data() + filled, h.memory, got);
    simt::check(cudaEventRecord(h.copied, stream_), "cudaEventRecord");
    filled += got;
    if (got < half_bytes_) break;
  }
  if (filled != bytes) throw failure(in.name() + ": its length changed while it was read");
  simt::synchronize(stream_);
  return column;
}

device_buffer staging::upload_unknown(source& in, phase_clock& clock) {
  scoped_phase transferring(clock, phase::transfer);
  reserve(largest_half);
  std::vector<device_buffer> pieces;
  std::size_t bytes = 0;
  for (std::size_t turn = 0;; ++turn) {
    half& h = halves_[turn % 2];
    simt::check(cudaEventSynchronize(h.copied), "cudaEventSynchronize");
    const std::size_t got = [&] {
      scoped_phase reading(clock, phase::read);
      return in.read({h.memory, half_bytes_});
    }();
    if (got > 0) {
      pieces.emplace_back(got, stream_);
      simt::copy_bytes(stream_, pieces.back().data(), h.memory, got);
      simt::check(cudaEventRecord(h.copied, stream_), "cudaEventRecord");
      bytes += got;
    }
    if (got < half_bytes_) break;
  }
  device_buffer column(bytes, stream_);
  std::size_t filled = 0;
  for (const device_buffer& piece : pieces) {
    simt::copy_bytes(stream_, column.data() + filled, piece.data(), piece.size());
    filled += piece.size();
  }
  pieces.clear();  // freed before the wait, so that their memory is there for others behind it
  simt::synchronize(stream_);
  return column;
}

void staging::download(std::span<const std::byte> on_device, sink& out, phase_clock& clock) {
  scoped_phase transferring(clock, phase::transfer);
  reserve(on_device.size());
  const std::size_t turns = (on_device.size() + half_bytes_ - 1) / half_bytes_;
  const auto part = [&](std::size_t turn) {
    const std::size_t begin = turn * half_bytes_;
    return on_device.subspan(begin, std::min(half_bytes_, on_device.size() - begin));
  };
  const auto fetch = [&](std::size_t turn) {
    half& h = halves_[turn % 2];
    simt::copy_bytes(stream_, h.memory, part(turn).data(), part(turn).size());
    simt::check(cudaEventRecord(h.copied, stream_), "cudaEventRecord");
  };
  if (turns > 0) fetch(0);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (turn + 1 < turns) fetch(turn + 1);
    half& h = halves_[turn % 2];
    simt::check(cudaEventSynchronize(h.copied), "cudaEventSynchronize");
    scoped_phase writing(clock, phase::write);
    out.write({h.memory, part(turn).size()});
  }
}

}  // namespace ballot::app
