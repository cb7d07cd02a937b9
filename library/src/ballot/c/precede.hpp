// SPDX-License-Identifier: Apache-2.0
// An initial value in front of results that a scan has left without one.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/core/exec.hpp>

namespace ballot_c {

// data[i] = initial op data[i], of the n items that are there. initial: one item, of the host or of
// the device.
void precede(ballot::stream_t stream, const void* initial, bool on_device, ballot_operator op, const type_info& type,
             void* data, const length& n, const char* function);
// *total = initial op *total; of no items, n, initial alone.
void precede_total(ballot::stream_t stream, const void* initial, bool on_device, ballot_operator op,
                   const type_info& type, void* total, const length& n, const char* function);

// The bytes of an array whose length may be any number.
inline u64 bytes_of_items(const ballot_array& array, const type_info& type) {
  return array.length > ~u64{0} / type.bytes ? ~u64{0} : array.length * type.bytes;
}

}  // namespace ballot_c
