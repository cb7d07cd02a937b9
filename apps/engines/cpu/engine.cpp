// SPDX-License-Identifier: Apache-2.0
// The engine for machines without a GPU: Thrust's algorithms on all cores, by way of TBB.
//
// Keys are sorted as their ordered bits, so that one comparison of unsigned integers serves every type, as on the GPU,
// and both give the same bits.
#include "engines/engine.hpp"
#include <ballot/core/namespace.hpp>
#include "base/failure.hpp"
#include "conditions/item_predicate.hpp"
#include "engines/cpu/scan.hpp"

#include <fmt/format.h>
#include <tbb/info.h>
#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/tbb/execution_policy.h>
#include <thrust/transform.h>

#include <fstream>
#include <string>

namespace ballot::app {
namespace {

constexpr auto& all_cores = thrust::tbb::par;

// Orders by some of the bits. What is equal in them keeps its order, so the sort must be stable.
template <class U>
struct less_in_bits {
  int low;
  U mask;
  bool operator()(U a, U b) const { return ((a >> low) & mask) < ((b >> low) & mask); }
};

template <class U>
struct encode {
  key_codec<U> codec;
  U operator()(U raw) const { return codec.encode(raw); }
};

template <class U>
struct decode {
  key_codec<U> codec;
  U operator()(U ordered) const { return codec.decode(ordered); }
};

template <class U>
bool is_whole_key(bit_range bits) {
  return bits.low == 0 && bits.high == static_cast<int>(8 * sizeof(U));
}

template <class U>
less_in_bits<U> order_by(bit_range bits) {
  const int width = bits.high - bits.low;
  return {bits.low, width == 64 ? static_cast<U>(~std::uint64_t{0}) : static_cast<U>((std::uint64_t{1} << width) - 1)};
}

template <class U>
void sort_keys(std::span<U> keys, const key_codec<U>& codec, bit_range bits) {
  U* const begin = keys.data();
  U* const end = begin + keys.size();
  if (!codec.is_identity()) thrust::transform(all_cores, begin, end, begin, encode<U>{codec});
  if (is_whole_key<U>(bits)) {
    thrust::stable_sort(all_cores, begin, end);
  } else {
    thrust::stable_sort(all_cores, begin, end, order_by<U>(bits));
  }
  if (!codec.is_identity()) thrust::transform(all_cores, begin, end, begin, decode<U>{codec});
}

template <class U>
void sort_indices(std::span<U> keys, std::span<std::uint64_t> indices, const key_codec<U>& codec, bit_range bits) {
  U* const begin = keys.data();
  U* const end = begin + keys.size();
  thrust::sequence(all_cores, indices.data(), indices.data() + indices.size());
  if (!codec.is_identity()) thrust::transform(all_cores, begin, end, begin, encode<U>{codec});
  if (is_whole_key<U>(bits)) {
    thrust::stable_sort_by_key(all_cores, begin, end, indices.data());
  } else {
    thrust::stable_sort_by_key(all_cores, begin, end, indices.data(), order_by<U>(bits));
  }
}

struct is_set {
  bool invert;
  bool operator()(std::uint8_t flag) const { return (flag != 0) != invert; }
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

// A row with its most significant key beside it: most comparisons need no other memory.
struct keyed_row {
  std::uint64_t key;
  std::uint64_t row;
};

struct with_first_key {
  const key_column* column;
  keyed_row operator()(std::uint64_t row) const { return {(*column)[row], row}; }
};

struct row_of {
  std::uint64_t operator()(const keyed_row& keyed) const { return keyed.row; }
};

// Rows with equal keys ascend, so that it does not matter whether the sort is stable.
struct before_in_columns {
  std::span<const key_column> others;
  bool operator()(const keyed_row& a, const keyed_row& b) const {
    if (a.key != b.key) return a.key < b.key;
    for (const key_column& column : others) {
      const std::uint64_t of_a = column[a.row], of_b = column[b.row];
      if (of_a != of_b) return of_a < of_b;
    }
    return a.row < b.row;
  }
};

class cpu_engine final : public engine {
 public:
  std::string name() const override { return "cpu"; }
  std::string device() const override {
    const int threads = tbb::info::default_concurrency();
    return fmt::format("{}, {} thread{}", processor_name(), threads, threads == 1 ? "" : "s");
  }

  item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) override {
    host_buffer keys = read_all(in, clock);
    const std::uint64_t count = keys.size() / size_of(request.type);
    host_buffer indices;
    {
      scoped_phase computing(clock, phase::compute);
      if (request.argsort) indices.resize(count * sizeof(std::uint64_t));
      visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
        const auto codec = key_codec_of<K>(request.order);
        const auto raw = keys.as<ordered_bits_t<K>>();
        if (request.argsort) {
          sort_indices(raw, indices.as<std::uint64_t>(), codec, request.bits);
        } else {
          sort_keys(raw, codec, request.bits);
        }
      });
    }
    out.begin(count);
    write_all(out, request.argsort ? indices.bytes() : keys.bytes(), clock);
    return {count, count};
  }

  std::uint64_t sort_capacity(const sort_request& request, std::uint64_t host_bytes) override {
    // The items, what the merge sort moves them through, and what the two allocations leave unused.
    return host_bytes / (3 * size_of(request.type) + (request.argsort ? 3 * sizeof(std::uint64_t) : 0));
  }

  item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) override {
    const host_buffer items = read_all(in, clock);
    const std::uint64_t count = items.size() / size_of(request.type);
    host_buffer flags;
    if (request.flags != nullptr) {
      flags = read_all(*request.flags, clock);
      require_one_flag_per_item(*request.flags, flags.size(), count);
    }
    host_buffer selected(items.size());
    std::uint64_t selected_count = 0;
    {
      scoped_phase computing(clock, phase::compute);
      visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
        const T* const begin = items.as<T>().data();
        T* const destination = selected.as<T>().data();
        const T* const end = request.flags != nullptr
                                 ? thrust::copy_if(all_cores, begin, begin + count, flags.as<std::uint8_t>().data(),
                                                   destination, is_set{request.invert})
                                 : thrust::copy_if(all_cores, begin, begin + count, destination,
                                                   compile_item_predicate<T>(*request.where, request.invert));
        selected_count = static_cast<std::uint64_t>(end - destination);
      });
    }
    out.begin(selected_count);
    write_all(out, selected.bytes().first(static_cast<std::size_t>(selected_count) * size_of(request.type)), clock);
    return {count, selected_count};
  }

  void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    scan_rows_on_cpu(request, items);
  }

  void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    host_buffer keyed(rows.size() * sizeof(keyed_row));
    keyed_row* const begin = keyed.as<keyed_row>().data();
    keyed_row* const end = begin + rows.size();
    thrust::sequence(all_cores, rows.data(), rows.data() + rows.size());
    thrust::transform(all_cores, rows.data(), rows.data() + rows.size(), begin, with_first_key{&columns.front()});
    thrust::stable_sort(all_cores, begin, end, before_in_columns{columns.subspan(1)});
    thrust::transform(all_cores, begin, end, rows.data(), row_of{});
  }

  host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) override {
    scoped_phase computing(clock, phase::compute);
    host_buffer chosen(static_cast<std::size_t>(rows) * sizeof(std::uint64_t));
    std::uint64_t* const begin = chosen.as<std::uint64_t>().data();
    const thrust::counting_iterator<std::uint64_t> first(0);
    const std::uint64_t* const end = thrust::copy_if(all_cores, first, first + rows, begin, predicate);
    chosen.resize(static_cast<std::size_t>(end - begin) * sizeof(std::uint64_t));
    return chosen;
  }
};

}  // namespace

std::unique_ptr<engine> make_cpu_engine() { return std::make_unique<cpu_engine>(); }

}  // namespace ballot::app
