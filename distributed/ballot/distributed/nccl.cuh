// SPDX-License-Identifier: Apache-2.0
// A communicator over NCCL: the caller's ncclComm_t with what this layer needs beside it.
//
//     ncclComm_t nccl;  // from ncclCommInitRank, under MPI, Slurm or threads
//     // At set-up, on the rank's device.
//     ballot::distributed::nccl_communicator comm(nccl, std::chrono::seconds(60));
//     ballot::distributed::sort(comm, gpu, keys, sorted);
//
// All calls of a communicator are in the order of one stream (communicator.hpp).
//
// Owns a few KiB on the device, up to 0.3 MiB of locked memory on the host, a stream for exchanges,
// and events. All of that is made here and never in a call. The ncclComm_t stays the caller's. One
// host thread a rank makes the calls. If several ranks are threads of one process, they do not make
// NCCL's calls under one group.
//
// Patience: how long a wait on the host lasts before it is given up by communication_error. A rank
// that died may also show as an error of NCCL's own, which is thrown at once. Either way the
// communicator is of no more use: its kernels may still wait on the device for the other rank. Then
// call abandon(), and after it ncclCommAbort, which end them. Without patience waits are for ever,
// as NCCL's own are.
//
// A non-blocking ncclComm_t is taken, too, when it is ready: its calls are waited for, with the same
// patience. With a blocking one NCCL itself may wait inside a call that connects ranks for the first
// time, and neither patience nor abandon() ends that. NCCL asks for non-blocking ones where ranks
// are to be aborted.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/mailbox.cuh>
#include <ballot/distributed/detail/meetings.hpp>
#include <ballot/distributed/detail/nccl_calls.cuh>
#include <ballot/distributed/detail/peer_memory.cuh>
#include <ballot/distributed/detail/rank_patience.cuh>
#include <ballot/distributed/share_default_pool.cuh>
#include <ballot/simt/cuda/launch.cuh>

#include <chrono>
#include <cstring>
#include <exception>
#include <vector>

#include <nccl.h>

namespace ballot::distributed {

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
      simt::check(cudaMalloc(&told_, static_cast<std::size_t>(size_ + 1) * most_told), "cudaMalloc");
      simt::check(cudaMallocHost(&host_, host_bytes()), "cudaMallocHost");
      patience_.allocate(rank_);
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

  /// Whether ranks have mailboxes, and this rank's.
  bool has_mail() const { return by_mail_; }
  // Called before and after each launch that waits for the mail of others, and before NCCL's at
  // set-up. Goes on when the other ranks of this process have come as far. The driver may hold a
  // lock of the process while it waits for a device. It does so when it takes or gives back memory
  // that others reach, or loads kernels. If that device waits for a launch that needs the lock,
  // both wait for ever. So no rank launches while another may still be in such a call, and none
  // goes on to one before all have launched.
  void meet_ranks_of_process() {
    const auto begin = std::chrono::steady_clock::now();
    meetings_.meet([&] { patience_.pause_since(begin); });
  }
  detail::mailbox mail() const { return {static_cast<std::byte*>(mail_), patience_.abandoned(), rank_, size_}; }

  /// Gathers `bytes` bytes of every rank, in the order of the ranks.
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    patience_.require_not_abandoned();
    if (by_mail_ && detail::goes_by_mail(bytes)) {
      meet_ranks_of_process();
      detail::launch_exchange_mail<detail::mail::gather>(stream, mail(), 0, from, to, bytes);
      return meet_ranks_of_process();
    }
    check(ncclAllGather(from, to, bytes, ncclInt8, comm_, stream), "ncclAllGather");
  }
  /// Sums n numbers over all ranks.
  void all_reduce(stream_t stream, const std::uint64_t* terms, std::uint64_t* sums, std::size_t n) {
    patience_.require_not_abandoned();
    if (by_mail_ && detail::goes_by_mail(n * sizeof(std::uint64_t))) {
      meet_ranks_of_process();
      detail::launch_exchange_mail<detail::mail::sum>(stream, mail(), 0, terms, sums, n * sizeof(std::uint64_t));
      return meet_ranks_of_process();
    }
    check(ncclAllReduce(terms, sums, n, ncclUint64, ncclSum, comm_, stream), "ncclAllReduce");
  }
  /// Starts an exchange of messages between ranks.
  void start_exchange(stream_t stream, std::span<const message> sends, std::span<const message> receives) {
    patience_.require_not_abandoned();
    simt::check(cudaEventRecord(forked_, stream), "cudaEventRecord");
    simt::check(cudaStreamWaitEvent(beside_, forked_, 0), "cudaStreamWaitEvent");
    detail::nccl_group all(comm_, patience_);
    for (const message& m : sends) check(ncclSend(m.data, m.bytes, ncclInt8, m.peer, comm_, beside_), "ncclSend");
    for (const message& m : receives) check(ncclRecv(m.data, m.bytes, ncclInt8, m.peer, comm_, beside_), "ncclRecv");
    all.end();
    note_start();
  }
  /// Collective, at set-up. Lets the other ranks copy directly into `scratch`, which this rank then
  /// gives to its sorts. An empty span ends that: before memory is freed that was shared, all ranks
  /// have to call it so. If all ranks of the communicator are on one host whose GPUs reach each
  /// other, exchanges of sorts then take no multiprocessors. Ranks of several processes need memory
  /// of cudaMalloc, from its beginning. Its first 8 bytes are written here, so no work that uses it
  /// may be under way. Returns whether it is so, the same on all ranks; if not, sorts go on by
  /// messages. Waits, with the same patience. If a rank fails here, the others return false.
  bool share(std::span<std::byte> scratch) {
    return reach_all(
        peers_, [&] { return scratch; }, [] {});
  }
  /// Collective, at set-up. If ranks reach each other's memory as for `share`, they write counts
  /// and sums there, and do not send them by NCCL. Scans, sums, counts and compactions then make no
  /// call of NCCL at all. Sorts call it for items that they send by messages, and for counts of
  /// more than 32 KiB (from 15 splitters of 32-bit keys on, or 12 of 64-bit keys). Takes 64 KiB a
  /// rank of device memory, once, rounded up to 2 MiB. `wanted` false: no longer. Returns whether
  /// it is so, the same on all ranks. Waits, with the same patience; no call of any rank may be
  /// under way. If a rank fails here, the others return false.
  ///
  /// The memory is freed with the communicator. If ranks are processes, others have mapped it: all
  /// ranks call this with false before the first of them ends its communicator.
  ///
  /// ncclCommAbort does not end work that then waits for a rank on the device: see `abandon`.
  bool share_mailboxes(bool wanted = true) {
    by_mail_ = false;
    const detail::mailbox_layout at{size_};
    by_mail_ = reach_all(
        mail_peers_,
        [&]() -> std::span<std::byte> {
          if (!wanted) return {};
          constexpr std::size_t unit = std::size_t{2} << 20;  // an allocation of its own, for CUDA's IPC
          if (mail_ == nullptr) simt::check(cudaMalloc(&mail_, (at.bytes() + unit - 1) / unit * unit), "cudaMalloc");
          simt::check(cudaMemsetAsync(mail_, 0, at.bytes(), beside_), "cudaMemsetAsync");
          return {static_cast<std::byte*>(mail_), at.bytes()};
        },
        [&] {
          std::vector<std::byte*> boxes;
          for (int r = 0; r < size_; ++r) boxes.push_back(mail_peers_.at(r, 0));
          simt::check(cudaMemcpyAsync(static_cast<std::byte*>(mail_) + at.addresses(), boxes.data(), 8 * boxes.size(),
                                      cudaMemcpyHostToDevice, beside_),
                      "cudaMemcpyAsync");
        });
    return by_mail_;
  }
  /// Not collective, from any thread: another rank is dead. All waits of this rank on the host end
  /// by communication_error, and later calls do not begin. Work that waits in mailboxes on the
  /// device ends, and its results have no meaning. When the calls have ended on the host,
  /// ncclCommAbort ends work that waits in NCCL.
  void abandon() noexcept { patience_.abandon(); }
  /// The offset of an address in the shared memory.
  std::uint64_t shared_offset(const void* address) const { return peers_.offset_of(address); }
  /// Starts an exchange by copies into the other ranks' shared memory. All ranks meet after them.
  void start_copies(stream_t stream, std::span<const peer_copy> copies) {
    patience_.require_not_abandoned();
    simt::check(cudaEventRecord(forked_, stream), "cudaEventRecord");
    simt::check(cudaStreamWaitEvent(beside_, forked_, 0), "cudaStreamWaitEvent");
    for (const peer_copy& c : copies)
      simt::check(cudaMemcpyAsync(peers_.at(c.peer, c.to), c.from, c.bytes, cudaMemcpyDefault, beside_),
                  "cudaMemcpyAsync");
    auto* const met = static_cast<std::uint64_t*>(met_);
    if (by_mail_) {
      meet_ranks_of_process();
      detail::launch_exchange_mail<detail::mail::gather>(beside_, mail(), 1, met, met, 0);
      meet_ranks_of_process();
    } else {
      check(ncclAllGather(met + size_, met, 1, ncclUint64, comm_, beside_), "ncclAllGather");
    }
    note_start();
  }
  /// Ends what start_exchange or start_copies began.
  void finish_exchange(stream_t stream) {
    simt::check(cudaStreamWaitEvent(stream, arrived_[finished_ % exchanges], 0), "cudaStreamWaitEvent");
    ++finished_;
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
  /// Waits for the copy, and throws if another rank has failed, or if this one was given up: then
  /// what was copied has no meaning.
  const std::byte* wait() {
    // layers-allow: synchronises, NCCL takes the sizes of messages on the host
    wait_while_not_ready([&] { return cudaEventQuery(read_); }, "cudaEventQuery", patience_.limit());
    return static_cast<const std::byte*>(host_);
  }
  /// Waits on the host for all work of the stream so far, and throws as `wait` does. Another wait
  /// for the stream does not end while the stream's device waits for a rank that has failed: neither
  /// does a copy to memory that is not locked. `patience`: zero is for ever.
  void wait_for(stream_t stream, std::chrono::milliseconds patience) {
    // layers-allow: synchronises, the caller asked for it
    wait_while_not_ready([&] { return cudaStreamQuery(stream); }, "cudaStreamQuery", patience);
  }

 private:
  template <class Query>
  void wait_while_not_ready(Query&& query, const char* call, std::chrono::milliseconds patience) {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
      const cudaError_t state = query();
      patience_.require_not_abandoned();
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) simt::check(state, call);
      ncclResult_t of_ranks = ncclSuccess;
      check(ncclCommGetAsyncError(comm_, &of_ranks), "ncclCommGetAsyncError");
      if (of_ranks != ncclSuccess && of_ranks != ncclInProgress) check(of_ranks, "an exchange between ranks");
      patience_.pause_since(begin, patience);
    }
  }
  void note_start() {
    simt::check(cudaEventRecord(arrived_[started_ % exchanges], beside_), "cudaEventRecord");
    ++started_;
  }

  // The communicator's device is current for a while.
  class own_device {
   public:
    explicit own_device(int device) {
      simt::check(cudaGetDevice(&before_), "cudaGetDevice");
      simt::check(cudaSetDevice(device), "cudaSetDevice");
    }
    ~own_device() { (void)cudaSetDevice(before_); }
    own_device(const own_device&) = delete;
    own_device& operator=(const own_device&) = delete;

   private:
    int before_ = 0;
  };

  // Collective, at set-up: whether each rank reaches that memory of all others. own_memory(): this
  // rank's, or empty. `then`: between the two meetings. If something fails on this rank alone, it
  // still meets the others, who so learn that it shares nothing.
  template <class OwnMemory, class Then>
  bool reach_all(detail::peer_memory& peers, OwnMemory&& own_memory, Then&& then) {
    using card = detail::peer_memory::card;
    patience_.require_not_abandoned();  // NCCL's communicator may have been aborted by now
    std::exception_ptr failure;
    const auto attempt = [&](auto&& step) {
      try {
        step();
      } catch (...) {
        failure = std::current_exception();
      }
    };
    card own{};
    attempt([&] {
      require_device();
      if (const std::span<std::byte> memory = own_memory(); memory.size() >= sizeof(std::uint64_t))
        own = detail::peer_memory::describe(memory, device_, beside_);
    });
    const own_device current(device_);
    peers.close();
    own.process = detail::number_of_process();
    own.meetings = meetings_.number();
    std::vector<card> all(static_cast<std::size_t>(size_));
    meet_ranks_of_process();
    gather_on_host(&own, all.data(), sizeof own);
    std::vector<std::uint64_t> of_process;
    for (int r = 0; r < size_; ++r)
      if (const card& other = all[static_cast<std::size_t>(r)]; r != rank_ && other.process == own.process)
        of_process.push_back(other.meetings);
    meetings_.meet_with(of_process);
    bool all_share = true;
    for (const card& c : all) all_share = all_share && c.bytes != 0;
    std::uint64_t here = 0;
    if (all_share)
      attempt([&] {
        if (!peers.open(all, rank_)) return;
        then();
        here = 1;
      });
    std::vector<std::uint64_t> opened(static_cast<std::size_t>(size_));
    meet_ranks_of_process();
    gather_on_host(&here, opened.data(), sizeof here);
    for (const std::uint64_t there : opened) all_share = all_share && there != 0;
    if (!all_share) peers.close();
    if (failure) std::rethrow_exception(failure);
    return all_share;
  }
  // At set-up: waits.
  // Gives no memory back: CUDA would wait for all GPUs that reach it, and another rank may be in
  // its first call by then.
  void gather_on_host(const void* own, void* all, std::size_t bytes) {
    auto* const device = static_cast<std::byte*>(told_);
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size_);
    simt::check(cudaMemcpyAsync(device, own, bytes, cudaMemcpyHostToDevice, beside_), "cudaMemcpyAsync");
    check(ncclAllGather(device, device + most_told, bytes, ncclInt8, comm_, beside_), "ncclAllGather");
    read_back(beside_, device + most_told, all_bytes);
    std::memcpy(all, wait(), all_bytes);
  }
  static constexpr std::size_t most_told = 128;  // bytes of a rank
  static_assert(sizeof(detail::peer_memory::card) <= most_told && most_told <= host_bytes_of_rank);
  static void make(cudaEvent_t* e) {
    simt::check(cudaEventCreateWithFlags(e, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  // Nothing here waits for the other ranks; what fails in the end of things is not reported.
  // On the communicator's device: its ranks may be threads whose communicators one thread ends, or
  // the caller may have gone on to another device.
  void release() noexcept {
    int before = device_;
    (void)cudaGetDevice(&before);
    if (before != device_) (void)cudaSetDevice(device_);
    if (records_ != nullptr) (void)cudaFree(records_);
    if (met_ != nullptr) (void)cudaFree(met_);
    if (told_ != nullptr) (void)cudaFree(told_);
    peers_.close();
    mail_peers_.close();
    if (mail_ != nullptr) (void)cudaFree(mail_);
    if (host_ != nullptr) (void)cudaFreeHost(host_);
    if (beside_ != nullptr) (void)cudaStreamDestroy(beside_);
    for (cudaEvent_t e : {read_, forked_})
      if (e != nullptr) (void)cudaEventDestroy(e);
    for (cudaEvent_t e : arrived_)
      if (e != nullptr) (void)cudaEventDestroy(e);
    patience_.release();
    if (before != device_) (void)cudaSetDevice(before);
  }
  void check(ncclResult_t result, const char* call) const { detail::check_nccl(comm_, patience_, result, call); }

  ncclComm_t comm_;
  detail::rank_patience patience_;
  int rank_ = 0, size_ = 0, device_ = 0;
  void* records_ = nullptr;
  void* met_ = nullptr;   // a number of each rank and one of this, of no meaning
  void* told_ = nullptr;  // at set-up
  void* host_ = nullptr;
  detail::peer_memory peers_, mail_peers_;
  void* mail_ = nullptr;
  bool by_mail_ = false;
  detail::rank_meetings meetings_;
  cudaStream_t beside_ = nullptr;
  cudaEvent_t read_ = nullptr, forked_ = nullptr, arrived_[exchanges] = {};
  unsigned started_ = 0, finished_ = 0;
};
static_assert(communicator<nccl_communicator>);

}  // namespace ballot::distributed
