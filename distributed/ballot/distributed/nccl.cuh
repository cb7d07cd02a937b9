// SPDX-License-Identifier: Apache-2.0
// A communicator over NCCL: the caller's ncclComm_t with what this layer needs beside it.
//
//     ncclComm_t nccl;                                             // from ncclCommInitRank, under MPI, Slurm or
// threads
//     ballot::distributed::nccl_communicator comm(nccl, std::chrono::seconds(60));   // at set-up, on the rank's device
//     ballot::distributed::sort(comm, gpu, keys, sorted);
//
// Owns a few KiB on the device, up to 0.3 MiB of locked memory on the host, a stream for exchanges and events; all of
// that made here and never in a call. The ncclComm_t stays the caller's. One host thread a rank makes the calls; where
// several ranks are threads of one process, they do not make NCCL's calls under one group.
//
// Patience: how long a wait on the host lasts before it is given up by communication_error. A rank that died may also
// show as an error of NCCL's own, which is thrown at once. Either way the communicator is of no more use: its
// kernels may still wait on the device for the other rank, and ncclCommAbort ends them. Without patience waits
// are for ever, as NCCL's own are. A non-blocking ncclComm_t is taken, too: its calls are waited for, with the same
// patience; with a blocking one NCCL itself may wait inside a call that connects ranks for the first time.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/peer_memory.cuh>
#include <ballot/simt/cuda/launch.cuh>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <nccl.h>

namespace ballot::distributed {

// A call of NCCL's failed.
class nccl_error : public communication_error {
 public:
  /// `code`: NCCL's result; `call`: the function that returned it; `text`: NCCL's words for it.
  nccl_error(ncclResult_t code, const char* call, const char* text)
      : communication_error(
            ballot::detail::joined({call, ": ", text, " (NCCL error ", std::to_string(int(code)), ")"})),
        code_(code) {}
  /// NCCL's result.
  ncclResult_t code() const noexcept { return code_; }

 private:
  ncclResult_t code_;
};

/// A communicator over NCCL: one rank for each GPU.
class nccl_communicator {
 public:
  /// The most exchanges of one sort.
  static constexpr int exchanges = 8;

  // On the device of `comm`, which must be current. `patience`: zero is for ever.
  explicit nccl_communicator(ncclComm_t comm, std::chrono::milliseconds patience = {})
      : comm_(comm), patience_(patience) {
    check(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    check(ncclCommCount(comm, &size_), "ncclCommCount");
    check(ncclCommCuDevice(comm, &device_), "ncclCommCuDevice");
    require_device();
    try {
      simt::check(cudaMalloc(&records_, static_cast<std::size_t>(size_ + 1) * record_bytes), "cudaMalloc");
      simt::check(cudaMalloc(&met_, static_cast<std::size_t>(size_ + 1) * sizeof(std::uint64_t)), "cudaMalloc");
      simt::check(cudaMallocHost(&host_, host_bytes()), "cudaMallocHost");
      int low = 0, high = 0;  // so that exchanges find room beside kernels that take all of the device
      simt::check(cudaDeviceGetStreamPriorityRange(&low, &high), "cudaDeviceGetStreamPriorityRange");
      simt::check(cudaStreamCreateWithPriority(&beside_, cudaStreamNonBlocking, high), "cudaStreamCreateWithPriority");
      for (cudaEvent_t* e : {&read_, &forked_}) make(e);
      for (cudaEvent_t& e : arrived_) make(&e);
    } catch (...) {
      release();
      throw;
    }
  }
  ~nccl_communicator() { release(); }
  nccl_communicator(const nccl_communicator&) = delete;
  nccl_communicator& operator=(const nccl_communicator&) = delete;

  /// This rank's number.
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// NCCL's handle.
  ncclComm_t handle() const { return comm_; }
  /// Throws if the current device is not the communicator's.
  void require_device() const {
    int current = 0;
    simt::check(cudaGetDevice(&current), "cudaGetDevice");
    if (current != device_)
      throw invalid_argument(
          ballot::detail::joined({"ballot::distributed: the communicator is of device ", std::to_string(device_),
                                  ", and device ", std::to_string(current), " is current"}));
  }

  /// Gathers `bytes` bytes of every rank, in the order of the ranks.
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    check(ncclAllGather(from, to, bytes, ncclInt8, comm_, stream), "ncclAllGather");
  }
  /// Sums n numbers over all ranks.
  void all_reduce(stream_t stream, const std::uint64_t* terms, std::uint64_t* sums, std::size_t n) {
    check(ncclAllReduce(terms, sums, n, ncclUint64, ncclSum, comm_, stream), "ncclAllReduce");
  }
  /// Starts an exchange of messages between ranks.
  void start_exchange(stream_t stream, std::span<const message> sends, std::span<const message> receives) {
    simt::check(cudaEventRecord(forked_, stream), "cudaEventRecord");
    simt::check(cudaStreamWaitEvent(beside_, forked_, 0), "cudaStreamWaitEvent");
    check(ncclGroupStart(), "ncclGroupStart");
    for (const message& m : sends) check(ncclSend(m.data, m.bytes, ncclInt8, m.peer, comm_, beside_), "ncclSend");
    for (const message& m : receives) check(ncclRecv(m.data, m.bytes, ncclInt8, m.peer, comm_, beside_), "ncclRecv");
    check(ncclGroupEnd(), "ncclGroupEnd");
    simt::check(cudaEventRecord(arrived_[started_++ % exchanges], beside_), "cudaEventRecord");
  }
  /// Collective, at set-up: lets the other ranks copy into `scratch`, which this rank then gives to its sorts,
  /// directly; or again with an empty span: no longer. Where all ranks of the communicator are on one host whose GPUs
  /// reach each other, what sorts exchange then takes no multiprocessors. Ranks of several processes need memory of
  /// cudaMalloc, from its beginning. Returns whether it is so, on all ranks alike; if not, sorts go on by messages.
  /// Waits.
  bool share(std::span<std::byte> scratch) {
    require_device();
    peers_.close();
    using card = detail::peer_memory::card;
    card own{};
    if (scratch.size() >= sizeof(std::uint64_t)) own = detail::peer_memory::describe(scratch, device_);
    std::vector<card> all(static_cast<std::size_t>(size_));
    gather_on_host(&own, all.data(), sizeof own);
    bool all_share = true;
    for (const card& c : all) all_share = all_share && c.bytes != 0;
    std::vector<std::uint64_t> opened(static_cast<std::size_t>(size_));
    const std::uint64_t here = all_share && peers_.open(all, rank_) ? 1 : 0;
    gather_on_host(&here, opened.data(), sizeof here);
    for (const std::uint64_t there : opened) all_share = all_share && there != 0;
    if (!all_share) peers_.close();
    return all_share;
  }
  /// Where in the shared memory an address lies.
  std::uint64_t shared_offset(const void* address) const { return peers_.offset_of(address); }
  /// Starts an exchange by copies into the other ranks' shared memory. All ranks meet behind them.
  void start_copies(stream_t stream, std::span<const peer_copy> copies) {
    simt::check(cudaEventRecord(forked_, stream), "cudaEventRecord");
    simt::check(cudaStreamWaitEvent(beside_, forked_, 0), "cudaStreamWaitEvent");
    for (const peer_copy& c : copies)
      simt::check(cudaMemcpyAsync(peers_.at(c.peer, c.to), c.from, c.bytes, cudaMemcpyDefault, beside_),
                  "cudaMemcpyAsync");
    auto* const met = static_cast<std::uint64_t*>(met_);
    check(ncclAllGather(met + size_, met, 1, ncclUint64, comm_, beside_), "ncclAllGather");
    simt::check(cudaEventRecord(arrived_[started_++ % exchanges], beside_), "cudaEventRecord");
  }
  /// Ends what start_exchange or start_copies began.
  void finish_exchange(stream_t stream) {
    simt::check(cudaStreamWaitEvent(stream, arrived_[finished_++ % exchanges], 0), "cudaStreamWaitEvent");
  }
  /// The most exchanges that one call may start.
  int most_exchanges() const { return exchanges; }
  // NCCL counts in size_t; below this no count of its transports has been seen to wrap.
  std::size_t most_message_bytes() const { return std::size_t{1} << 30; }

  /// Memory of the communicator on the device, for the records of calls.
  std::byte* records() const { return static_cast<std::byte*>(records_); }
  /// Copies to the host's memory of the communicator, in stream order.
  void read_back(stream_t stream, const void* from, std::size_t bytes) {
    simt::copy_bytes(stream, host_, from, bytes);
    simt::check(cudaEventRecord(read_, stream), "cudaEventRecord");
  }
  /// Bytes of that memory.
  std::size_t host_bytes() const { return static_cast<std::size_t>(size_) * host_bytes_of_rank + host_bytes_of_all; }
  /// Waits for the copy, and throws if another rank has failed.
  const std::byte* wait() {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
      // layers-allow: synchronises, NCCL takes the sizes of messages on the host
      const cudaError_t arrived = cudaEventQuery(read_);
      if (arrived == cudaSuccess) return static_cast<const std::byte*>(host_);
      if (arrived != cudaErrorNotReady) simt::check(arrived, "cudaEventQuery");
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(comm_, &state), "ncclCommGetAsyncError");
      if (state != ncclSuccess && state != ncclInProgress) check(state, "an exchange between ranks");
      give_up_after(begin);
      std::this_thread::yield();
    }
  }

 private:
  // At set-up: waits.
  void gather_on_host(const void* own, void* all, std::size_t bytes) {
    std::byte* device = nullptr;
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size_);
    simt::check(cudaMalloc(&device, bytes + all_bytes), "cudaMalloc");
    const std::unique_ptr<std::byte, decltype(&cudaFree)> memory(device, cudaFree);
    // layers-allow: synchronises, set-up
    simt::check(cudaMemcpyAsync(device, own, bytes, cudaMemcpyHostToDevice, beside_), "cudaMemcpyAsync");
    check(ncclAllGather(device, device + bytes, bytes, ncclInt8, comm_, beside_), "ncclAllGather");
    simt::check(cudaMemcpyAsync(all, device + bytes, all_bytes, cudaMemcpyDeviceToHost, beside_), "cudaMemcpyAsync");
    // layers-allow: synchronises, set-up
    simt::check(cudaStreamSynchronize(beside_), "cudaStreamSynchronize");
  }
  static void make(cudaEvent_t* e) {
    simt::check(cudaEventCreateWithFlags(e, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  // Nothing here waits for the other ranks; what fails in the end of things is not reported.
  void release() noexcept {
    if (records_ != nullptr) (void)cudaFree(records_);
    if (met_ != nullptr) (void)cudaFree(met_);
    if (host_ != nullptr) (void)cudaFreeHost(host_);
    if (beside_ != nullptr) (void)cudaStreamDestroy(beside_);
    for (cudaEvent_t e : {read_, forked_})
      if (e != nullptr) (void)cudaEventDestroy(e);
    for (cudaEvent_t e : arrived_)
      if (e != nullptr) (void)cudaEventDestroy(e);
  }
  void give_up_after(std::chrono::steady_clock::time_point begin) const {
    if (patience_ != patience_.zero() && std::chrono::steady_clock::now() - begin > patience_)
      throw communication_error(ballot::detail::joined(
          {"ballot::distributed: the other ranks have not answered rank ", std::to_string(rank_), " within ",
           std::to_string(patience_.count()), " ms: abort the communicator (ncclCommAbort)"}));
  }
  void check(ncclResult_t result, const char* call) const {
    const auto begin = std::chrono::steady_clock::now();
    while (result == ncclInProgress) {  // of a communicator that does not block
      const ncclResult_t asked = ncclCommGetAsyncError(comm_, &result);
      if (asked != ncclSuccess) result = asked;
      give_up_after(begin);
      std::this_thread::yield();
    }
    if (result != ncclSuccess) throw nccl_error(result, call, ncclGetErrorString(result));
  }

  ncclComm_t comm_;
  std::chrono::milliseconds patience_;
  int rank_ = 0, size_ = 0, device_ = 0;
  void* records_ = nullptr;
  void* met_ = nullptr;  // a number of each rank and one of this, of no meaning
  void* host_ = nullptr;
  detail::peer_memory peers_;
  cudaStream_t beside_ = nullptr;
  cudaEvent_t read_ = nullptr, forked_ = nullptr, arrived_[exchanges] = {};
  unsigned started_ = 0, finished_ = 0;
};
static_assert(communicator<nccl_communicator>);

// At set-up, on each rank's device, where ranks are threads of one process: lets the other devices reach what this
// one's stream-ordered allocator gives (device_array, for example). NCCL reads and writes such ranks' memory directly,
// and memory of that allocator is not reachable by itself, unlike that of cudaMalloc.
inline void share_default_pool() {
  int device = 0, devices = 0;
  simt::check(cudaGetDevice(&device), "cudaGetDevice");
  simt::check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  cudaMemPool_t pool = nullptr;
  simt::check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  for (int other = 0; other < devices; ++other) {
    int reaches = 0;
    if (other != device) simt::check(cudaDeviceCanAccessPeer(&reaches, other, device), "cudaDeviceCanAccessPeer");
    if (reaches == 0) continue;
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, other};
    access.flags = cudaMemAccessFlagsProtReadWrite;
    simt::check(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
  }
}

}  // namespace ballot::distributed
