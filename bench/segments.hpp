// SPDX-License-Identifier: Apache-2.0
// How an array is cut into segments, as each contender wants to be told: head flags as bytes or
// bits, offsets, numbers. And rows and runs of one length.
#pragma once

#include <ballot/core/namespace.hpp>

#include "operation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ballot::bench {

//   one         a single segment
//   tiny        1 to 3 items
//   mean_1000   every item begins one with probability 1/1000
//   mixed       lengths of all sizes: of every 2^16 items, each begins one with probability 2^-e, e
//               from 0 to 16
enum class segment_spread { one, tiny, mean_1000, mixed };
std::string name_of(segment_spread spread);

double segments_an_item(segment_spread spread);                     // expected
std::uint64_t segments_of(segment_spread spread, std::uint64_t n);  // counted on the device, once for each n
source byte_heads(segment_spread spread);                           // u8: 1 where a segment begins
source bit_heads(segment_spread spread);                            // the same as the bits of words
source segment_begins(segment_spread spread);                       // u32: where each begins, and behind them n
template <class T>                                                  // std::uint8_t (modulo 256), std::uint32_t
source segment_numbers(segment_spread spread);                      // of each item

source row_begins(std::uint64_t length);  // u32, of n / length rows: where each begins, and behind them the end
template <class T>                        // std::uint8_t, std::uint64_t
source in_runs(std::uint64_t length);     // runs of so many equal items, in no order

}  // namespace ballot::bench
