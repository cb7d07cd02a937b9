// SPDX-License-Identifier: Apache-2.0
// The interface of the engines, which sort, select and sum: on the GPU or on the CPU.
#pragma once

#include <ballot/core/namespace.hpp>
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"
#include "columns/stream.hpp"
#include "columns/whole_column.hpp"
#include "conditions/row_predicate.hpp"
#include "conditions/where_expression.hpp"

#include <ballot/core/key_order.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

struct sort_request {
  dtype type;
  direction order = direction::ascending;
  bit_range bits;        // of the ordered bits, both ends set
  bool argsort = false;  // the output is indices, u64
};

struct compact_request {
  dtype type;
  const where_expression* where = nullptr;  // either this
  source* flags = nullptr;                  // or this
  bool invert = false;
};

enum class row_direction : std::uint8_t { forward, backward, forward_then_backward };

// The type of the sums. `item`: that of the items; the others are for f32 only.
enum class row_accumulator : std::uint8_t { item, double_float, float64 };

struct scan_request {
  dtype type;
  std::uint64_t rows = 0;
  std::uint64_t length = 0;  // items a row
  row_direction direction = row_direction::forward;
  row_accumulator accumulator = row_accumulator::item;
};

// A column of sort keys, as unsigned integers.
struct key_column {
  std::size_t key_bytes = 8;  // 4 or 8
  host_buffer keys;

  std::uint64_t operator[](std::uint64_t row) const {
    return key_bytes == 4 ? keys.as<std::uint32_t>()[row] : keys.as<std::uint64_t>()[row];
  }
};

struct item_counts {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

class engine {
 public:
  virtual ~engine() = default;
  virtual std::string name() const = 0;
  virtual std::string device() const = 0;
  // Sort and compact read all of `in`, call out.begin() with the count, and write the items. The
  // caller calls finish().
  virtual item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) = 0;
  virtual item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) = 0;
  // The number of items that `sort` can take at a time, with so much host memory.
  virtual std::uint64_t sort_capacity(const sort_request& request, std::uint64_t host_bytes) = 0;
  // Whether items are sorted where they are, by engines/cpu. A caller that has them in host memory
  // can as well call that.
  virtual bool sorts_in_host_memory() const { return false; }
  // Replaces each item of a row by its inclusive prefix sum (backward: suffix sum). Forward then
  // backward sums the forward sums, rounded to the items' type. Sums of integers wrap.
  virtual void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) = 0;
  // Fills `rows` with the row numbers 0 to size - 1 in the order of their keys; the first column is
  // the most significant. Rows with equal keys ascend. There is at least one column, and each has
  // one key per row.
  virtual void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) = 0;
  // The number of rows that `order` can take at a time, host memory left aside.
  virtual std::uint64_t order_capacity() { return std::numeric_limits<std::uint64_t>::max(); }
  // The row numbers (u64) of 0 to `rows` - 1 that the predicate selects, ascending.
  virtual host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) = 0;
};

std::unique_ptr<engine> make_cpu_engine();

// ---- CUDA, as the rest of the program sees it

struct cuda_device {
  int index = 0;
  std::string name;
  std::string compute_capability;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;  // see add_free_memory
};

struct cuda_status {
  bool compiled = false;                 // whether this program has the engine
  bool usable = false;                   // a kernel has run
  std::string reason;                    // why the devices cannot be used, as far as is known
  std::string toolkit, runtime, driver;  // versions; empty where unknown
  std::vector<cuda_device> devices;
};

// Lists the devices. None of them gets a context, so this is not enough to call one usable.
cuda_status list_cuda_devices();
// The same, and runs a kernel on one device. Only this device gets a context, which takes some
// hundred MiB of its memory. It is the current device afterwards.
cuda_status probe_cuda(int device = 0);
// Adds the free memory of every device. Each gets a context.
void add_free_memory(cuda_status& status);
std::unique_ptr<engine> make_cuda_engine();  // throws failure where it is not usable
// Sorts by so many GPUs of this host. Throws failure where there are fewer, or where the program
// lacks NCCL.
std::unique_ptr<engine> make_gpus_engine(int gpus);

// ---- which one

enum class engine_name { automatic, cuda, cpu };

struct engine_choice {
  std::unique_ptr<engine> chosen;
  std::string reason;
};

engine_choice choose_engine(engine_name wanted);

}  // namespace ballot::app
