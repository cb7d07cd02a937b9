// SPDX-License-Identifier: Apache-2.0
// The engine on the GPU: the whole column in device memory, sorted or compacted there by the
// library.
#include "base/failure.hpp"
#include "columns/memory_stream.hpp"
#include "engines/cuda/device_algorithms.hpp"
#include "engines/cuda/device_memory.hpp"
#include "engines/cuda/gpu.cuh"
#include "engines/cuda/staging.cuh"
#include "engines/engine.hpp"

#include <ballot/core/double_float.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

template <class T>
std::span<T> typed(const device_buffer& bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T>
using unsigned_of = ordered_bits_t<T>;

std::uint64_t sort_bytes(const sort_request& request, std::uint64_t count) {
  const std::uint64_t scratch = visit_dtype(request.type, [&]<class K>(std::type_identity<K>) -> std::uint64_t {
    return device_sort<K>::scratch_bytes(request, count);
  });
  return count * (size_of(request.type) + (request.argsort ? sizeof(std::uint64_t) : 0)) + scratch;
}

std::uint64_t compact_bytes(const compact_request& request, std::uint64_t count) {
  const std::uint64_t scratch = visit_dtype(request.type, [&]<class T>(std::type_identity<T>) -> std::uint64_t {
    return device_compact<T>::scratch_bytes(count);
  });
  return count * (2 * size_of(request.type) + (request.flags != nullptr ? 1 : 0)) + scratch;
}

// Calls f with the device_scan of a request: integers wrap, so their sign does not matter.
template <class F>
decltype(auto) visit_scan(const scan_request& request, F&& f) {
  return visit_dtype(request.type, [&]<class T>(std::type_identity<T>) -> decltype(auto) {
    if constexpr (std::is_same_v<T, float>) {
      if (request.accumulator == row_accumulator::double_float)
        return f(std::type_identity<float>{}, std::type_identity<double_float>{});
      if (request.accumulator == row_accumulator::float64)
        return f(std::type_identity<float>{}, std::type_identity<double>{});
      return f(std::type_identity<float>{}, std::type_identity<float>{});
    } else if constexpr (std::is_same_v<T, double>) {
      return f(std::type_identity<double>{}, std::type_identity<double>{});
    } else {
      return f(std::type_identity<unsigned_of<T>>{}, std::type_identity<unsigned_of<T>>{});
    }
  });
}

// Calls f(std::type_identity<U>{}) with the type of the keys.
template <class F>
decltype(auto) visit_keys(const key_column& column, F&& f) {
  return column.key_bytes == 4 ? f(std::type_identity<std::uint32_t>{}) : f(std::type_identity<std::uint64_t>{});
}

class cuda_engine final : public engine {
 public:
  explicit cuda_engine(std::string device) : device_(std::move(device)), staging_(stream_) {}

  std::string name() const override { return "cuda"; }
  std::string device() const override { return device_; }

  item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) override {
    return reporting_errors(in, [&] {
      if (in.count()) require_memory(in.name(), sort_bytes(request, *in.count()), memory());
      device_buffer keys = staging_.upload(in, clock);
      const std::uint64_t count = keys.size() / size_of(request.type);
      device_buffer indices;
      {
        scoped_phase computing(clock, phase::kernel);
        if (request.argsort) indices = device_buffer(count * sizeof(std::uint64_t), stream_);
        visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
          const device_buffer scratch(device_sort<K>::scratch_bytes(request, count), stream_);
          const exec gpu(stream_, scratch);
          if (request.argsort) {
            device_sort<K>::indices(gpu, request, typed<const K>(keys), typed<std::uint64_t>(indices));
          } else {
            device_sort<K>::keys(gpu, request, typed<K>(keys));
          }
        });
        simt::synchronize(stream_);
      }
      out.begin(count);
      const device_buffer& result = request.argsort ? indices : keys;
      staging_.download({result.data(), result.size()}, out, clock);
      return item_counts{count, count};
    });
  }

  std::uint64_t sort_capacity(const sort_request& request, std::uint64_t host_bytes) override {
    // The sort uses little host memory. The host's limit applies all the same, so that --memory
    // decides the runs' length.
    return largest_that_fits(host_bytes / size_of(request.type),
                             [&](std::uint64_t items) { return sort_bytes(request, items); });
  }

  std::uint64_t order_capacity() override {
    return largest_that_fits(memory().total_bytes, [](std::uint64_t rows) {
      return rows * 2 * sizeof(std::uint64_t) + device_order<std::uint64_t>::scratch_bytes(rows);
    });
  }

  item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) override {
    return reporting_errors(in, [&] {
      if (in.count()) require_memory(in.name(), compact_bytes(request, *in.count()), memory());
      const device_buffer items = staging_.upload(in, clock);
      const std::uint64_t count = items.size() / size_of(request.type);
      device_buffer flags;
      if (request.flags != nullptr) {
        flags = staging_.upload(*request.flags, clock);
        require_one_flag_per_item(*request.flags, flags.size(), count);
      }
      device_buffer selected;
      std::uint64_t selected_count = 0;
      {
        scoped_phase computing(clock, phase::kernel);
        selected = device_buffer(items.size(), stream_);
        const device_value<std::uint64_t> selected_count_on_device(stream_);
        visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
          const device_buffer scratch(device_compact<T>::scratch_bytes(count), stream_);
          const exec gpu(stream_, scratch);
          if (request.flags != nullptr) {
            using U = unsigned_of<T>;
            device_compact_by_flags<U>::run(gpu, typed<const std::uint8_t>(flags), request.invert,
                                            typed<const U>(items), typed<U>(selected),
                                            selected_count_on_device.address());
          } else {
            device_compact<T>::where(gpu, compile_item_predicate<T>(*request.where, request.invert),
                                     typed<const T>(items), typed<T>(selected), selected_count_on_device.address());
          }
        });
        selected_count = selected_count_on_device.read(stream_);
      }
      out.begin(selected_count);
      staging_.download({selected.data(), static_cast<std::size_t>(selected_count) * size_of(request.type)}, out,
                        clock);
      return item_counts{count, selected_count};
    });
  }

  void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) override {
    memory_source in(items, request.type, "the scan");
    reporting_errors(in, [&] {
      const std::size_t scratch_bytes =
          visit_scan(request, [&]<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
            return device_scan<T, Sum>::scratch_bytes(request);
          });
      require_memory(in.name(), items.size() + scratch_bytes, memory());
      const device_buffer on_device = staging_.upload(in, clock);
      {
        scoped_phase computing(clock, phase::kernel);
        const device_buffer scratch(scratch_bytes, stream_);
        visit_scan(request, [&]<class T, class Sum>(std::type_identity<T>, std::type_identity<Sum>) {
          device_scan<T, Sum>::rows(exec(stream_, scratch), request, typed<T>(on_device));
        });
        simt::synchronize(stream_);
      }
      memory_sink out(items);
      staging_.download({on_device.data(), on_device.size()}, out, clock);
      return item_counts{};
    });
  }

  // Only one column is on the device at a time, so that the number of columns does not limit the
  // number of rows.
  void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) override {
    memory_source names({}, dtype::u64, "the rows");
    reporting_errors(names, [&] {
      std::size_t largest = 0;
      for (const key_column& column : columns)
        largest = std::max(largest, column.keys.size() + visit_keys(column, [&]<class U>(std::type_identity<U>) {
                                      return device_order<U>::scratch_bytes(rows.size());
                                    }));
      require_memory(names.name(), rows.size_bytes() + largest, memory());
      const device_buffer order(rows.size_bytes(), stream_);
      for (std::size_t i = columns.size(); i-- > 0;) {
        visit_keys(columns[i], [&]<class U>(std::type_identity<U>) {
          memory_source in(columns[i].keys.bytes(), sizeof(U) == 4 ? dtype::u32 : dtype::u64, "the rows");
          const device_buffer keys = staging_.upload(in, clock);
          scoped_phase computing(clock, phase::kernel);
          const device_buffer scratch(device_order<U>::scratch_bytes(rows.size()), stream_);
          const exec gpu(stream_, scratch);
          if (i + 1 == columns.size()) device_order<U>::first(gpu, typed<const U>(keys), typed<std::uint64_t>(order));
          else device_order<U>::further(gpu, typed<const U>(keys), typed<std::uint64_t>(order));
          simt::synchronize(stream_);
        });
      }
      memory_sink out(std::as_writable_bytes(rows));
      staging_.download({order.data(), order.size()}, out, clock);
      return item_counts{};
    });
  }

  host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) override {
    memory_source names({}, dtype::u64, "the rows");
    host_buffer chosen;
    reporting_errors(names, [&] {
      std::size_t needed = device_select::scratch_bytes(rows) + rows * sizeof(std::uint64_t);
      for (std::uint32_t i = 0; i < predicate.column_count; ++i)
        needed += rows * (size_of(predicate.columns[i].type) + (predicate.columns[i].empty != nullptr ? 1 : 0));
      require_memory(names.name(), needed, memory());
      std::vector<device_buffer> columns;
      row_predicate on_device = predicate;
      const auto upload = [&](const void* data, dtype type) {
        memory_source in({static_cast<const std::byte*>(data), rows * size_of(type)}, type, "the rows");
        columns.push_back(staging_.upload(in, clock));
        return static_cast<const void*>(columns.back().data());
      };
      for (std::uint32_t i = 0; i < predicate.column_count; ++i) {
        row_column& column = on_device.columns[i];
        column.data = upload(column.data, column.type);
        if (column.empty != nullptr) column.empty = static_cast<const std::uint8_t*>(upload(column.empty, dtype::u8));
      }
      const device_buffer rows_on_device(rows * sizeof(std::uint64_t), stream_);
      std::uint64_t count = 0;
      {
        scoped_phase computing(clock, phase::kernel);
        const device_value<std::uint64_t> count_on_device(stream_);
        const device_buffer scratch(device_select::scratch_bytes(rows), stream_);
        device_select::run(exec(stream_, scratch), on_device, rows, typed<std::uint64_t>(rows_on_device),
                           count_on_device.address());
        count = count_on_device.read(stream_);
      }
      chosen.resize(static_cast<std::size_t>(count) * sizeof(std::uint64_t));
      memory_sink out(chosen.bytes());
      staging_.download({rows_on_device.data(), chosen.size()}, out, clock);
      return item_counts{};
    });
    return chosen;
  }

 private:
  device_memory memory() const { return memory_of(device_); }

  // The largest count up to `most` for which the device has bytes_of(count) bytes free.
  template <class BytesOf>
  std::uint64_t largest_that_fits(std::uint64_t most, const BytesOf& bytes_of) const {
    const std::uint64_t device_bytes = memory().free_bytes / 16 * 15;
    std::uint64_t fits = 0;
    while (fits < most) {
      const std::uint64_t count = most - (most - fits) / 2;
      if (bytes_of(count) <= device_bytes) fits = count;
      else most = count - 1;
    }
    return fits;
  }

  template <class Work>
  item_counts reporting_errors(const source& in, const Work& work) {
    return reporting_cuda_errors(in.name(), device_, work);
  }

  std::string device_;
  owned_stream stream_;
  staging staging_;
};

}  // namespace

std::unique_ptr<engine> make_cuda_engine() {
  const cuda_status status = probe_cuda();
  if (!status.usable) throw failure("the cuda engine cannot be used: " + status.reason);
  try {
    return std::make_unique<cuda_engine>(status.devices.front().name);
  } catch (const cuda_error& problem) {
    throw failure(std::string("the cuda engine cannot be used: ") + problem.what());
  }
}

}  // namespace ballot::app
