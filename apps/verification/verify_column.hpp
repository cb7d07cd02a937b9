// SPDX-License-Identifier: Apache-2.0
// Checks of an engine's result that share no code with the engine: from the definitions, on all
// cores.
//
// A check is a sink between the engine and the output, and sees every chunk before it is passed on.
// A wrong result throws verification_failure, which leaves the output file as it was.
#pragma once

#include <ballot/core/namespace.hpp>
#include "columns/stream.hpp"
#include "engines/engine.hpp"
#include "verification/multiset_checksum.hpp"

#include <cstdint>
#include <memory>

namespace ballot::app {

// Passes a column on and records what a check needs: the checksum, and the items if `keep_items`.
class recording_source final : public source {
 public:
  recording_source(source& inner, bool keep_items, phase_clock& clock)
      : inner_(inner), keeps_(keep_items), clock_(clock) {}

  const std::string& name() const override { return inner_.name(); }
  dtype type() const override { return inner_.type(); }
  std::optional<std::uint64_t> count() const override { return inner_.count(); }
  std::size_t read(std::span<std::byte> into) override;

  const multiset_checksum& checksum() const { return checksum_; }
  const host_buffer& items() const { return items_; }

 private:
  source& inner_;
  bool keeps_;
  phase_clock& clock_;
  multiset_checksum checksum_;
  host_buffer items_;
};

// Whether the check needs the items, and not only their checksum.
bool check_needs_items(const sort_request& request);

// The checks refer to their arguments; `in` and `flags` must have been read through by the time the
// engine writes.
std::unique_ptr<sink> check_sort(const sort_request& request, const recording_source& in, sink& next,
                                 phase_clock& clock);
std::unique_ptr<sink> check_compact(const compact_request& request, const recording_source& in,
                                    const recording_source* flags, sink& next, phase_clock& clock);

}  // namespace ballot::app
