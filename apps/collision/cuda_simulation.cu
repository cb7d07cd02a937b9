// SPDX-License-Identifier: Apache-2.0
// The engine on the GPU: the pipeline's launches, a whole step captured once as a graph and
// replayed. Between the first step and the last nothing is read back; per-phase times come from
// events that are nodes of the graph.
#include "collision/simulation.hpp"

#include "collision/owned_graph.cuh"
#include "collision/pipeline.cuh"
#include "engines/cuda/gpu.cuh"

#include <chrono>
#include <utility>

namespace ballot::app::collision {
namespace {

static_assert(static_cast<std::size_t>(step_phase::count) == phase_names.size());

// An event at the begin of a step and one behind each phase.
class phase_events {
 public:
  phase_events() {
    for (cudaEvent_t& event : events_) simt::check(cudaEventCreate(&event), "cudaEventCreate");
  }
  ~phase_events() {
    for (cudaEvent_t event : events_)
      if (event != nullptr) cudaEventDestroy(event);
  }
  phase_events(const phase_events&) = delete;
  phase_events& operator=(const phase_events&) = delete;

  // `flags`: cudaEventRecordExternal where a graph is being captured, so that the record is a node.
  void record(std::size_t place, cudaStream_t stream, unsigned flags) const {
    simt::check(cudaEventRecordWithFlags(events_[place], stream, flags), "cudaEventRecordWithFlags");
  }
  double seconds(std::size_t phase) const {
    float milliseconds = 0;
    simt::check(cudaEventElapsedTime(&milliseconds, events_[phase], events_[phase + 1]), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) / 1000;
  }

 private:
  cudaEvent_t events_[phase_names.size() + 1]{};
};

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  simt::check(cudaGetDevice(&device), "cudaGetDevice");
  simt::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

class cuda_simulation final : public simulation {
 public:
  cuda_simulation(const scene& what, const settings& how, std::string device)
      : device_(std::move(device)),
        response_(how.response),
        pipeline_(what.spheres, what.velocities, how.grid, how.how, how.room, stream_) {}

  void advance(std::uint64_t steps) override {
    reporting([&] {
      if (steps > (steps_ == 0 ? 1u : 0u) && !step_.is_there()) {
        simt::synchronize(stream_);
        step_.capture(stream_, [&] { launch_step(true, cudaEventRecordExternal); });
      }
      simt::synchronize(stream_);
      const auto begin = std::chrono::steady_clock::now();
      for (std::uint64_t i = 0; i < steps; ++i) {
        if (steps_ + i == 0) {
          launch_step(false, cudaEventRecordDefault);
        } else {
          step_.replay(stream_);
        }
      }
      simt::synchronize(stream_);
      steps_ += steps;
      spent_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
  step_account account() override {
    return reporting([&] { return pipeline_.account(); });
  }
  std::vector<sphere> objects() override {
    return reporting([&] { return pipeline_.objects(); });
  }
  std::vector<object_pair> pairs() override {
    return reporting([&] { return pipeline_.pairs(); });
  }
  timings times() override {
    return reporting([&] {
      timings t;
      if (steps_ == 0) return t;
      t.step = spent_ / static_cast<double>(steps_);
      for (std::size_t p = 0; p < t.phases.size(); ++p) t.phases[p] = events_.seconds(p);
      return t;
    });
  }

 private:
  void launch_step(bool moves, unsigned flags) {
    // Phases without launches (n = 0, no move) are marked too, so that every event is recorded in
    // every step.
    std::size_t marked = 0;
    const auto mark_up_to = [&](std::size_t place) {
      for (; marked <= place; ++marked) events_.record(marked, stream_, flags);
    };
    const auto mark = [&](step_phase phase) { mark_up_to(static_cast<std::size_t>(phase) + 1); };
    mark_up_to(0);
    if (moves) pipeline_.move(response_, mark);
    mark(step_phase::move);
    pipeline_.detect(mark);
  }

  template <class Work>
  auto reporting(const Work& work) const -> decltype(work()) {
    return reporting_cuda_errors("the scene", device_, work);
  }

  std::string device_;
  bool response_;
  owned_stream stream_;
  pipeline pipeline_;
  phase_events events_;
  owned_graph step_;
  std::uint64_t steps_ = 0;
  double spent_ = 0;
};

}  // namespace

std::unique_ptr<simulation> make_cuda_simulation(const scene& what, const settings& how) {
  std::string device;
  return reporting_cuda_errors("the scene", "the GPU", [&] {
    device = device_name();
    require_memory("the scene", pipeline::device_bytes(what.spheres.size(), how.grid, how.room), memory_of(device));
    return std::unique_ptr<simulation>(std::make_unique<cuda_simulation>(what, how, device));
  });
}

}  // namespace ballot::app::collision
