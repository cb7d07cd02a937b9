// SPDX-License-Identifier: Apache-2.0
// The engine of `ballot sort --gpus N`: sorts by all of them. On the host, keys become unsigned
// words of 4 or 8 bytes with the same order. So two kinds of sort serve all types. All else is done
// by one GPU.
#include "engines/engine.hpp"
#include "base/failure.hpp"
#include "base/parallel_chunks.hpp"
#include "columns/whole_column.hpp"
#include "engines/gpus/ranks_sort.hpp"

#include <ballot/distributed/communicator.hpp>

#include <fmt/format.h>

#include <limits>
#include <numeric>

namespace ballot::app {
namespace {

template <class T>
using word_of = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

class gpus_engine final : public engine {
 public:
  explicit gpus_engine(int gpus) : one_(make_cuda_engine()), ranks_(gpus) {}

  std::string name() const override { return "cuda"; }
  std::string device() const override { return fmt::format("{} x {}", ranks_.size(), one_->device()); }

  item_counts sort(const sort_request& request, source& in, sink& out, phase_clock& clock) override {
    host_buffer items = read_all(in, clock);
    const std::uint64_t count = items.size() / size_of(request.type);
    host_buffer order(request.argsort ? count * sizeof(std::uint64_t) : 0);
    {
      scoped_phase computing(clock, phase::kernel);
      const auto positions = order.as<std::uint64_t>();
      std::iota(positions.begin(), positions.end(), std::uint64_t{0});
      reporting_errors([&] {
        visit_dtype(request.type,
                    [&]<class T>(std::type_identity<T>) { sort_items<T>(request, items.as<T>(), positions); });
      });
    }
    out.begin(count);
    write_all(out, request.argsort ? order.bytes() : items.bytes(), clock);
    return {count, count};
  }

  std::uint64_t sort_capacity(const sort_request& request, std::uint64_t host_bytes) override {
    return visit_dtype(request.type, [&]<class T>(std::type_identity<T>) {
      return largest_that_fits<word_of<T>>(host_bytes / (sizeof(T) + sizeof(word_of<T>)), request.argsort);
    });
  }

  void order(std::span<const key_column> columns, std::span<std::uint64_t> rows, phase_clock& clock) override {
    scoped_phase computing(clock, phase::kernel);
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    reporting_errors([&] {
      for (std::size_t c = columns.size(); c-- > 0;) {
        if (columns[c].key_bytes == 4) order_by<std::uint32_t>(columns[c], rows);
        else order_by<std::uint64_t>(columns[c], rows);
      }
    });
  }
  std::uint64_t order_capacity() override {
    return largest_that_fits<std::uint64_t>(std::numeric_limits<std::uint64_t>::max() / 256, true);
  }

  item_counts compact(const compact_request& request, source& in, sink& out, phase_clock& clock) override {
    return one_->compact(request, in, out, clock);
  }
  void scan(const scan_request& request, std::span<std::byte> items, phase_clock& clock) override {
    one_->scan(request, items, clock);
  }
  host_buffer select(const row_predicate& predicate, std::uint64_t rows, phase_clock& clock) override {
    return one_->select(predicate, rows, clock);
  }

 private:
  template <class T>
  void sort_items(const sort_request& request, std::span<T> items, std::span<std::uint64_t> positions) {
    using W = word_of<T>;
    const auto codec = key_codec_of<T>(request.order);
    host_buffer memory(items.size() * sizeof(W));
    const std::span<W> words = memory.as<W>();
    for_each_item(items.size(),
                  [&](std::size_t i) { words[i] = codec.encode(__builtin_bit_cast(ordered_bits_t<T>, items[i])); });
    if (request.argsort) return ranks_.sort_pairs<W>(words, positions, request.bits);
    ranks_.sort<W>(words, request.bits);
    for_each_item(items.size(), [&](std::size_t i) {
      items[i] = __builtin_bit_cast(T, codec.decode(static_cast<ordered_bits_t<T>>(words[i])));
    });
  }

  template <class K>
  void order_by(const key_column& column, std::span<std::uint64_t> rows) {
    host_buffer memory(rows.size() * sizeof(K));
    const std::span<K> keys = memory.as<K>();
    for_each_item(rows.size(), [&](std::size_t i) { keys[i] = column.keys.as<K>()[rows[i]]; });
    ranks_.sort_pairs<K>(keys, rows, {});
  }

  template <class F>
  static void for_each_item(std::size_t n, const F& f) {
    const chunking plan{std::size_t{1} << 18, chunking_for_cores(64).threads};
    for_each_chunk(n, plan, [&](std::size_t begin, std::size_t size) {
      for (std::size_t i = begin; i < begin + size; ++i) f(i);
    });
  }

  template <class K>
  std::uint64_t largest_that_fits(std::uint64_t most, bool values) const {
    const std::uint64_t bytes = ranks_.free_bytes() / 16 * 15;
    std::uint64_t fits = 0;
    while (fits < most) {
      const std::uint64_t count = most - (most - fits) / 2;
      if (ranks_.device_bytes<K>(count, values) <= bytes) fits = count;
      else most = count - 1;
    }
    return fits;
  }

  template <class Work>
  static void reporting_errors(const Work& work) {
    try {
      work();
    } catch (const cuda_error& problem) {
      throw failure("GPUs: " + std::string(problem.what()));
    } catch (const distributed::communication_error& problem) {
      throw failure("GPUs: " + std::string(problem.what()));
    }
  }

  std::unique_ptr<engine> one_;
  gpu_ranks ranks_;
};

}  // namespace

std::unique_ptr<engine> make_gpus_engine(int gpus) {
  try {
    return std::make_unique<gpus_engine>(gpus);
  } catch (const failure& problem) {
    const std::string text = problem.what();
    throw failure(text.find("--gpus") != text.npos ? text : fmt::format("--gpus {}: {}", gpus, text));
  }
}

}  // namespace ballot::app
