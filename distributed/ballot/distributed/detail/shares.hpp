// SPDX-License-Identifier: Apache-2.0
// How many items each rank sends to each other, from the counts at every boundary. Plain host code.
//
//     boundary 0 has 7 items to its left, 4 of them smaller than its splitter: so 3 of the equal
//     items go left, by rank
//     rank 0   smaller 3, equal 2      sends 3 + 2 = 5 to the left
//     rank 1   smaller 1, equal 4      sends 1 + 1 = 2
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::distributed::detail {

// Whether so many of a rank's items can be below a splitter, and so many equal to it.
BALLOT_HOST_DEVICE constexpr bool are_possible(std::uint64_t below, std::uint64_t equal, std::uint64_t items) {
  return below <= items && equal <= items - below;
}

// begin(r, p): where, in rank r's items ordered by group, those for piece p begin; piece `pieces`
// is the end.
class shares {
 public:
  // counts[r][j]: {smaller than splitter j, equal to it} of rank r. left[j]: how many items have to
  // lie left of boundary j. items[r]: the items of rank r.
  shares(int ranks, int boundaries, const std::uint64_t* counts, const std::uint64_t* left, const std::uint64_t* items)
      : row_(static_cast<std::size_t>(boundaries) + 2), begins_(static_cast<std::size_t>(ranks) * row_) {
    for (int r = 0; r < ranks; ++r) at(r, boundaries + 1) = items[r];
    for (int j = 0; j < boundaries; ++j) {
      std::uint64_t smaller = 0;
      for (int r = 0; r < ranks; ++r) smaller += of(counts, boundaries, r, j)[0];
      std::uint64_t ties_left = left[j] - smaller;
      for (int r = 0; r < ranks; ++r) {
        const std::uint64_t* const own = of(counts, boundaries, r, j);
        const std::uint64_t taken = own[1] < ties_left ? own[1] : ties_left;
        ties_left -= taken;
        at(r, j + 1) = own[0] + taken;
        are_possible_ = are_possible_ && detail::are_possible(own[0], own[1], items[r]) && at(r, j) <= at(r, j + 1);
      }
      are_possible_ = are_possible_ && smaller <= left[j] && ties_left == 0;
    }
    for (int r = 0; r < ranks; ++r) are_possible_ = are_possible_ && at(r, boundaries) <= at(r, boundaries + 1);
  }

  // Whether such counts can be. If not, a rank has not answered, and there are no shares.
  bool are_possible() const { return are_possible_; }

  std::uint64_t begin(int rank, int piece) const {
    return begins_[static_cast<std::size_t>(rank) * row_ + static_cast<std::size_t>(piece)];
  }
  std::uint64_t items(int rank, int piece) const { return begin(rank, piece + 1) - begin(rank, piece); }

 private:
  std::uint64_t& at(int rank, int piece) {
    return begins_[static_cast<std::size_t>(rank) * row_ + static_cast<std::size_t>(piece)];
  }
  static const std::uint64_t* of(const std::uint64_t* counts, int boundaries, int rank, int j) {
    return counts +
           2 * (static_cast<std::size_t>(rank) * static_cast<std::size_t>(boundaries) + static_cast<std::size_t>(j));
  }

  std::size_t row_;  // pieces + 1
  std::vector<std::uint64_t> begins_;
  bool are_possible_ = true;
};

}  // namespace ballot::distributed::detail
