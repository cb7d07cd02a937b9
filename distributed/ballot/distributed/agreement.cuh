// SPDX-License-Identifier: Apache-2.0
// Before ranks exchange anything they compare what they call: a record of 64 bytes a rank,
// gathered.
//
//     rank 0   sort, u32 keys, ascending
//     rank 1   sort, u32 keys, ascending
//     rank 2   sort, u64 keys, ...              found: rank 2
//
// Every call begins with this gather of records of one size, so that ranks which make different
// calls still meet in it. A rank that cannot make its call (scratch too small, ranges overlap, no
// memory) says so in its record and throws; the others learn it. Only a rank whose current device
// is not the communicator's cannot tell the others, who wait for it.
//
// A record also carries one value of up to 16 bytes, a sum or a count. So scans and compactions
// need no other exchange. The records are in memory of the communicator, and a call overwrites
// those of the call before. So calls are in the order of one stream.
//
// If the host waits anyway (sorts), it compares, and throws `disagreement`. Else the call can
// be captured, and a kernel compares. Then no sum, offset or total is written, and the finding is
// left at `report`. If the caller gave none, the kernel traps, and the next call of the runtime
// returns an error.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/simt/simt.cuh>

#include <cstring>
#include <exception>
#include <string>
#include <type_traits>

namespace ballot::distributed {

// The difference that was found between the ranks' calls.
enum class difference : std::uint32_t { none, refused, function, item_type, value_type, options };

// Left on the device by calls that do not wait. `rank`: the first whose call is not that of rank 0,
// or that refused.
struct call_report {
  difference what = difference::none;
  std::int32_t rank = -1;
};

namespace detail {

enum class function_id : std::uint32_t {
  inclusive_scan = 1,
  exclusive_scan,
  reduce,
  sum,
  count_if,
  compact,
  sort,
  sort_pairs,
  argsort,
  unique,
  compact_balanced
};
inline const char* name_of(function_id id) {
  constexpr const char* names[] = {"nothing known", "inclusive_scan", "exclusive_scan", "reduce",
                                   "sum",           "count_if",       "compact",        "sort",
                                   "sort_pairs",    "argsort",        "unique",         "compact_balanced"};
  const auto i = static_cast<std::uint32_t>(id);
  return names[i < sizeof(names) / sizeof(names[0]) ? i : 0];
}

// Whether its items are tables, and value_type stands for all their columns.
inline bool has_columns(function_id id) {
  return id == function_id::count_if || id == function_id::compact || id == function_id::compact_balanced;
}

// The type of an item as ranks compare it: its size, and of a number also its kind.
template <class T>
constexpr std::uint32_t type_id() {
  std::uint32_t kind = 0;
  if constexpr (radix_key<T>) kind = 1 + static_cast<std::uint32_t>(key_traits<T>::kind);
  return static_cast<std::uint32_t>(sizeof(T)) << 4 | kind;
}
inline std::string type_text(std::uint32_t id) {
  constexpr const char* kinds[] = {"plain bytes", "unsigned", "signed", "floating"};
  return std::to_string(id >> 4) + " bytes, " + kinds[id & 3u];
}

// The types of columns and their order as one number, a hash (FNV-1a). Two different lists have the
// same number with a chance of 1 in 2^32.
template <class... T>
constexpr std::uint32_t columns_id() {
  std::uint32_t hash = 0x811c9dc5u;
  for (const std::uint32_t id : {static_cast<std::uint32_t>(sizeof...(T)), type_id<T>()...})
    hash = (hash ^ id) * 0x01000193u;
  return hash;
}

struct call_record {
  function_id function;
  std::uint32_t item_type;
  std::uint32_t value_type;  // 0: none; for tables, of all columns
  std::uint32_t refused;
  std::uint64_t options;
  std::uint64_t items;   // of this rank's input
  std::uint64_t room;    // for items in its output
  std::uint64_t unused;  // by scans; others have a use for it
  alignas(16) unsigned char value[16];

  BALLOT_HOST_DEVICE difference from(const call_record& other) const {
    if (refused != 0) return difference::refused;
    if (function != other.function) return difference::function;
    if (item_type != other.item_type) return difference::item_type;
    if (value_type != other.value_type) return difference::value_type;
    if (options != other.options) return difference::options;
    return difference::none;
  }
};
static_assert(sizeof(call_record) == record_bytes);

// The first rank that refused, else the first that differs from rank 0.
template <class Record>
BALLOT_HOST_DEVICE call_report compare_calls(const Record* all, int size) {
  for (int r = 0; r < size; ++r)
    if (all[r].refused != 0) return {difference::refused, r};
  for (int r = 1; r < size; ++r)
    if (const difference d = all[r].from(all[0]); d != difference::none) return {d, r};
  return {};
}

inline std::string describe(const call_report& found, const call_record* all) {
  const std::string who = "rank " + std::to_string(found.rank);
  const call_record &mine = all[found.rank], &first = all[0];
  switch (found.what) {
    case difference::refused:
      return who + " refused its call of " + name_of(mine.function);
    case difference::function:
      return who + " calls " + name_of(mine.function) + ", rank 0 " + name_of(first.function);
    case difference::item_type:
      return who + " has items of another type: " + type_text(mine.item_type) +
             "; rank 0: " + type_text(first.item_type);
    case difference::value_type:
      if (has_columns(mine.function)) return who + " has other columns than rank 0, by number or by type";
      return who + " has values of another type: " + type_text(mine.value_type) +
             "; rank 0: " + type_text(first.value_type);
    default:
      return who + " asks for other options than rank 0";
  }
}

// Kernels are templates so that each unit may have its copy.
template <class Record>
__global__ void write_record_kernel(Record record, Record* at) {
  if (simt::thread_rank() == 0) *at = record;
}

// The rank's own record and those of all ranks, in the communicator's memory.
template <communicator C>
call_record* own_record(C& comm) {
  return reinterpret_cast<call_record*>(comm.records());
}
template <communicator C>
call_record* all_records(C& comm) {
  return own_record(comm) + 1;
}
template <communicator C>
void write_record(C& comm, stream_t stream, const call_record& record) {
  simt::launch(write_record_kernel<call_record>, simt::launch_config{dim3(1), dim3(32), 0, stream}, record,
               own_record(comm));
}
template <communicator C>
void gather_records(C& comm, stream_t stream) {
  comm.all_gather(stream, own_record(comm), all_records(comm), sizeof(call_record));
}

// Runs the checks of a call, and what allocates for it. If they throw anything, the other ranks
// learn that this one refuses, before the error goes on.
template <communicator C, class Checks>
void check_or_refuse(C& comm, stream_t stream, call_record record, Checks&& checks) {
  comm.require_device();  // nobody can be told by a stream of another device
  std::exception_ptr refusal;
  try {
    checks();
    return;
  } catch (...) {
    refusal = std::current_exception();
  }
  record.refused = 1;
  // The ranks meet outside of the handler: in the emulator they take turns on one thread.
  try {
    write_record(comm, stream, record);
    gather_records(comm, stream);
  } catch (...) {  // of the same cause, probably: the first error goes on
  }
  std::rethrow_exception(refusal);
}

}  // namespace detail
}  // namespace ballot::distributed
