#include <ballot/core/namespace.hpp>

#include "sort_keys.cuh"

namespace ballot::bench::inline BALLOT_BENCH_PEER {

void add_key_sorts_32(std::vector<operation>& all, const key_spreads& spreads) {
  add_key_sorts<std::uint32_t>(all, spreads, "u32");
}

}  // namespace ballot::bench::inline BALLOT_BENCH_PEER
