// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "equality.hpp"
#include "harness.hpp"
#include "kept_memory.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ballot::bench {
namespace {

constexpr int burst_calls = 32;

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

// For how many items there is room in an output.
std::uint64_t room_for(const operation& task, std::uint64_t n) {
  return task.shape == result_shape::one ? 1 : n + task.items_beyond;
}
std::size_t first_bytes(const operation& task, std::uint64_t n) {
  return std::max(task.output_bytes * (task.offset_items + room_for(task, n)), copy_bytes(task, n));
}
// At least a page, for contenders that leave something there that is no result.
std::size_t second_bytes(const operation& task, std::uint64_t n) {
  return std::max<std::size_t>(4096, task.second_output_bytes * (task.offset_items + n));
}

// Under which an input is kept.
std::string name_of(const source& data, std::uint64_t offset_items) {
  return offset_items == 0 ? data.name : data.name + ", from item " + std::to_string(offset_items);
}

std::vector<const source*> inputs_of(const operation& task) {
  std::vector<const source*> all{&task.input};
  for (const auto* further : {&task.second_input, &task.third_input})
    if (*further) all.push_back(&**further);
  return all;
}

}  // namespace

const char* name_of(mode how) {
  switch (how) {
    case mode::burst:
      return "burst";
    case mode::graph:
      return "graph";
    default:
      return "call";
  }
}

contender copy_for(const operation& task) {
  contender copy;
  copy.name = "copy";
  copy.scratch_bytes = [](const arrays&) { return std::size_t{0}; };
  const double half = task.bytes_per_item / 2;
  copy.run = [half](const arrays& a) {
    const auto bytes = static_cast<std::size_t>(half * static_cast<double>(a.n));
    ballot::bench::check(cudaMemcpyAsync(a.output, a.input, bytes, cudaMemcpyDeviceToDevice, a.stream),
                         "cudaMemcpyAsync");
    return count_on_host{};
  };
  return copy;
}

harness::harness() : stream_(new_stream()), watch_(stream_) {}
harness::~harness() { (void)cudaStreamDestroy(stream_); }

const void* harness::made(const source& data, std::uint64_t n, std::uint64_t offset_items) {
  const std::size_t offset = offset_items == 0 ? 0 : offset_items * data.bytes(1);
  const auto [place, is_new] = inputs_.try_emplace({name_of(data, offset_items), n});
  if (is_new) place->second.memory.grow(offset + data.bytes(n));
  void* const begin = static_cast<std::byte*>(place->second.memory.data()) + offset;
  if (is_new) data.fill(begin, n, stream_);
  place->second.used_at = ++uses_;
  return begin;
}

std::size_t harness::scratch_needed(const operation& task, std::uint64_t n) {
  arrays a;
  a.n = n;
  std::size_t most = 1;
  for (const contender& who : task.contenders) most = std::max(most, who.scratch_bytes(a));
  return most;
}

// Temporary memory that Thrust takes by itself.
std::size_t harness::needed_by_thrust(const operation& task, std::uint64_t n) {
  for (const contender& who : task.contenders)
    if (who.name.starts_with("thrust")) return 2 * (task.output_bytes + task.second_output_bytes) * n;
  return 0;
}

std::size_t harness::bytes_needed(const operation& task, std::uint64_t asked) {
  const std::uint64_t n = items_of(task, asked);
  std::size_t inputs = 0;
  for (const source* input : inputs_of(task)) inputs += input->bytes(n);
  return inputs + scratch_needed(task, n) + needed_by_thrust(task, n) +
         2 * (first_bytes(task, n) + second_bytes(task, n));
}

// So that what the operation needs can be allocated: else inputs go, those used longest ago first,
// and then the rest.
void harness::make_room(const operation& task, std::uint64_t n) {
  const std::size_t first = first_bytes(task, n), second = second_bytes(task, n), scratch = scratch_needed(task, n);
  const std::pair<device_memory*, std::size_t> buffers[] = {{&results_.first, first},
                                                            {&results_.second, second},
                                                            {&reference_.first, first},
                                                            {&reference_.second, second},
                                                            {&scratch_, scratch}};
  const auto is_short = [&] {
    std::size_t missing = (std::size_t{256} << 20) + needed_by_thrust(task, n);
    for (const auto& [buffer, bytes] : buffers) missing += bytes - std::min(bytes, buffer->size());
    for (const source* input : inputs_of(task))
      if (!inputs_.contains({name_of(*input, task.offset_items), n})) missing += input->bytes(n);
    std::size_t free = 0, total = 0;
    ballot::bench::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free < missing;
  };
  if (!is_short()) return;
  ballot::bench::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  kept_memory::of_the_run().give_back();
  const auto earlier = [](const auto& a, const auto& b) { return a.second.used_at < b.second.used_at; };
  while (is_short() && !inputs_.empty()) inputs_.erase(std::min_element(inputs_.begin(), inputs_.end(), earlier));
  if (is_short())
    for (const auto& [buffer, bytes] : buffers) *buffer = device_memory();
}

arrays harness::arrays_of(const operation& task, const contender& who, std::uint64_t n, results& into) {
  arrays a;
  a.n = n;
  a.stream = stream_;
  const auto behind = [&](void* begin, std::size_t item_bytes) {
    return static_cast<std::byte*>(begin) + task.offset_items * item_bytes;
  };
  a.output = behind(into.first.grow(first_bytes(task, n)), task.output_bytes);
  a.second_output = behind(into.second.grow(second_bytes(task, n)), task.second_output_bytes);
  a.count = static_cast<std::uint64_t*>(into.count.grow(2 * sizeof(std::uint64_t)));
  if (who.name == "copy") {
    a.output = into.first.data();
    a.input = reference_.first.grow(copy_bytes(task, n));
    return a;
  }
  a.input = made(task.input, n, task.offset_items);
  if (task.second_input) a.second_input = made(*task.second_input, n, task.offset_items);
  if (task.third_input) a.third_input = made(*task.third_input, n, task.offset_items);
  const std::size_t bytes = who.scratch_bytes(a);
  a.scratch = {static_cast<std::byte*>(scratch_.grow(std::max<std::size_t>(1, bytes))), bytes};
  return a;
}

void harness::poison(const arrays& a, const operation& task, int byte) {
  ballot::bench::check(cudaMemsetAsync(a.output, byte, task.output_bytes * room_for(task, a.n), stream_),
                       "cudaMemsetAsync");
  ballot::bench::check(cudaMemsetAsync(a.second_output, byte, task.second_output_bytes * a.n, stream_),
                       "cudaMemsetAsync");
  ballot::bench::check(cudaMemsetAsync(a.count, byte, 2 * sizeof(std::uint64_t), stream_), "cudaMemsetAsync");
}

std::uint64_t harness::count_of(const arrays& a, const operation& task, const count_on_host& on_host) {
  ballot::bench::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  if (on_host) return *on_host;
  if (task.results) return task.results(a.n);
  std::uint64_t count = a.n;
  if (task.counts) {
    ballot::bench::check(cudaMemcpyAsync(&count, a.count, sizeof count, cudaMemcpyDeviceToHost, stream_),
                         "cudaMemcpyAsync");
    ballot::bench::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }
  return count;
}

void harness::check(const operation& task, const contender& who, mode how, std::uint64_t asked) {
  const std::uint64_t n = items_of(task, asked);
  make_room(task, n);
  if (who.name == "copy" || !who.answers) {
    arrays_of(task, who, n, results_);
    return;
  }
  const auto wrong = [&](const std::string& what) { throw std::runtime_error("wrong answer: " + what); };
  // Two kinds of poison: where neither has written anything, they differ.
  const contender& first = task.contenders.front();
  const arrays reference = arrays_of(task, first, n, reference_);
  poison(reference, task, 0x5a);
  if (first.prepare) first.prepare(reference);
  const std::uint64_t expected = count_of(reference, task, first.run(reference));
  if (expected > n) wrong("the reference counts " + std::to_string(expected) + " of " + std::to_string(n) + " items");

  const arrays a = arrays_of(task, who, n, results_);
  poison(a, task, 0xa5);
  if (who.prepare) who.prepare(a);
  count_on_host on_host;
  if (how == mode::graph) {
    const captured_graph graph(stream_, [&] { who.run(a); });
    graph.replay();
    ballot::bench::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  } else {
    on_host = who.run(a);
  }
  const std::uint64_t count = count_of(a, task, on_host);
  if (count != expected) wrong("the count is " + std::to_string(count) + ", not " + std::to_string(expected));
  if (who.reorder) who.reorder(a, count);

  const std::uint64_t items =
      task.shape == result_shape::all || task.shape == result_shape::one ? room_for(task, n) : count;
  const std::uint64_t others = task.shape == result_shape::kept_and_others ? n - count : items;
  if (const auto at = first_difference(reference.output, a.output, items * task.output_bytes, stream_))
    wrong("item " + std::to_string(*at / task.output_bytes) + " of " + std::to_string(items));
  if (task.second_output_bytes != 0 && task.compare_second)
    if (const auto at =
            first_difference(reference.second_output, a.second_output, others * task.second_output_bytes, stream_))
      wrong("item " + std::to_string(*at / task.second_output_bytes) + " of the second output's " +
            std::to_string(others));
}

harness::timing::timing(harness& owner, const operation& task, const contender& who, mode how, std::uint64_t asked,
                        room there)
    : watch_(owner.watch_), how_(how), bytes_moved_(bytes_moved(task, items_of(task, asked))) {
  const std::uint64_t n = items_of(task, asked);
  if (there == room::make) owner.make_room(task, n);
  const arrays a = owner.arrays_of(task, who, n, owner.results_);
  if (who.prepare) prepare_ = [&who, a] { who.prepare(a); };
  run_ = [&who, a] { who.run(a); };
  if (how == mode::graph) {
    graph_.emplace(owner.stream_, run_);
    run_ = [this] { graph_->replay(); };
  }
  // once for nothing: the code is on the device, and its path through the caches and the runtime is
  // known
  if (prepare_) prepare_();
  run_();
  ballot::bench::check(cudaStreamSynchronize(owner.stream_), "cudaStreamSynchronize");
}

double harness::timing::seconds() {
  return how_ == mode::call ? watch_.call(prepare_, run_, bytes_moved_) : watch_.burst(run_, burst_calls);
}

}  // namespace ballot::bench
