// SPDX-License-Identifier: Apache-2.0
// How an array that goes to another rank is cut into messages. If its address is unfavourable, it
// is copied before.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::distributed::detail {

// NCCL moves bytes one by one if a message does not begin at a multiple of 16 bytes on both sides
// (H200: 145 GB/s, otherwise 350). So the first few bytes, up to such a multiple, go by themselves.
// Both sides cut in the same way: the cut follows from the receiver's address alone. `place` has at
// least the lowest 4 bits of that address. most: bytes of a message.
inline void cut_into_messages(std::vector<message>& list, int peer, std::byte* at, std::uint64_t place,
                              std::uint64_t bytes, std::size_t most) {
  most = most / 16 * 16;
  for (std::size_t now = (16 - place % 16) % 16; bytes != 0; now = most) {
    if (now > bytes) now = bytes;
    if (now == 0) continue;
    list.push_back({peer, at, now});
    at += now;
    bytes -= now;
  }
}

// Memory for what has to be moved before it is sent. It lies as far behind a multiple of 16 bytes
// as it will at the receiver's.
class staging {
 public:
  // The size for so many bytes in so many parts.
  static constexpr std::size_t bytes(std::size_t all, std::size_t parts) { return all + 512 * parts; }

  explicit staging(std::byte* memory) : memory_(memory) {}
  // The address from which to send the bytes at `at`. It is `at` if the alignment is right.
  // Otherwise the stream copies them to this memory.
  std::byte* place(stream_t stream, std::byte* at, std::uint64_t place, std::uint64_t bytes) {
    if (bytes == 0 || (reinterpret_cast<std::uintptr_t>(at) - place) % 16 == 0) return at;
    std::byte* const to = memory_ + used_ + place % 16;
    simt::copy_bytes(stream, to, at, bytes);
    used_ += (place % 16 + bytes + 255) / 256 * 256;
    return to;
  }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace ballot::distributed::detail
