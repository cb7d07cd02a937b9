// SPDX-License-Identifier: Apache-2.0
// Stands in for the engine of several GPUs in a program built without NCCL.
#include <ballot/core/namespace.hpp>
#include "base/failure.hpp"
#include "engines/engine.hpp"
#include "engines/gpus/process_rank.hpp"

namespace ballot::app {
namespace {

[[noreturn]] void throw_without_nccl(const std::string& what) {
  throw failure(
      what +
      ": this program was built without NCCL, or without CUDA. Install NCCL 2.18 or newer with its headers "
      "(NVIDIA's packages libnccl2 and libnccl-dev, or Python's nvidia-nccl-cu13) and build ballot again, with "
      "-DNCCL_ROOT=FOLDER where it is elsewhere than usual");
}
constexpr const char* of_processes = "the GPUs of several processes";

}  // namespace

std::unique_ptr<engine> make_gpus_engine(int) { throw_without_nccl("--gpus"); }

struct gpu_process_rank::member {};
std::vector<std::byte> gpu_process_rank::make_id() { throw_without_nccl(of_processes); }
gpu_process_rank::gpu_process_rank(std::span<const std::byte>, int, int, int) { throw_without_nccl(of_processes); }
gpu_process_rank::~gpu_process_rank() = default;
template <class K>
void gpu_process_rank::sort(std::span<K>, bit_range) {}
template <class K>
void gpu_process_rank::sort_pairs(std::span<K>, std::span<std::uint64_t>, bit_range) {}
template <class K>
std::uint64_t gpu_process_rank::device_bytes(std::uint64_t, bool) const {
  return 0;
}
void gpu_process_rank::exchange(std::span<const std::byte>, std::span<const std::uint64_t>, std::span<std::byte>,
                                std::span<const std::uint64_t>) {}
std::uint64_t gpu_process_rank::free_bytes() const { return 0; }
std::string gpu_process_rank::device_name() const { return {}; }
template void gpu_process_rank::sort(std::span<std::uint32_t>, bit_range);
template void gpu_process_rank::sort(std::span<std::uint64_t>, bit_range);
template void gpu_process_rank::sort_pairs(std::span<std::uint32_t>, std::span<std::uint64_t>, bit_range);
template void gpu_process_rank::sort_pairs(std::span<std::uint64_t>, std::span<std::uint64_t>, bit_range);
template std::uint64_t gpu_process_rank::device_bytes<std::uint32_t>(std::uint64_t, bool) const;
template std::uint64_t gpu_process_rank::device_bytes<std::uint64_t>(std::uint64_t, bool) const;

}  // namespace ballot::app
