// SPDX-License-Identifier: Apache-2.0
// Scans by type at run time: scan.cu chooses an instance, which a generated source compiles
// (library/instances.cmake).
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/device/scan_options.hpp>

namespace ballot_c {

// The arguments of a scan whose types the instance knows.
struct scan_request {
  const char* function;
  const void* in;
  ballot::detail::length length;
  void* out;
  u64 out_items;
  const void* initial;  // one sum in the host's memory, or null: zero
  bool is_exclusive;
  void* total;
  ballot::scan_order order;
  bool reproducible;
  bool appends_total = false;
  const char* in_name = "in";
  const char* out_name = "out";
};

// T: the sums. Input: ballot::device::input_items or input_flags.
template <class T, class Input, class Op>
void scan(const ballot::exec& where, const scan_request& request, const Op& op);

// Segments by head flags as bits.
struct segmented_scan_request {
  const char* function;
  const void* in;
  ballot::detail::length length;
  const std::uint32_t* words;
  u64 word_count;
  void* out;
  u64 out_items;
  const void* initial;
  bool is_exclusive;
  bool is_backward;
};
template <class T, class Op>
void segmented_scan(const ballot::exec& where, const segmented_scan_request& request, const Op& op);

// item: one of a reduction.
template <class T, class In, class Op>
void reduce(const ballot::exec& where, const ballot_array& in, const void* initial, const Op& op, void* result);
template <class U>
void arg_first(const ballot::exec& where, const char* function, const ballot_array& in, const type_info& type,
               ballot::direction direction, void* result);

template <class T, class Accumulator>
void batched_scan(const ballot::exec& where, const ballot_array& in, const ballot_array& out, const ballot_batch& batch,
                  bool forward, bool backward);

}  // namespace ballot_c
