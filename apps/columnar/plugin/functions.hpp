// SPDX-License-Identifier: Apache-2.0
// The functions of the table in columnar/plugin.hpp.
#pragma once

#include "columnar/plugin.hpp"

namespace ballot_arrow {

ballot_arrow_reader* open(const ballot_arrow_source*, bool is_parquet, ballot_arrow_error*) noexcept;
bool schema(ballot_arrow_reader*, ArrowSchema*, ballot_arrow_error*) noexcept;
bool choose(ballot_arrow_reader*, const std::int32_t*, std::int32_t, ballot_arrow_error*) noexcept;
bool next(ballot_arrow_reader*, ArrowArray*, ballot_arrow_error*) noexcept;
void close(ballot_arrow_reader*) noexcept;

ballot_arrow_writer* create(const ballot_arrow_sink*, ballot_arrow_format, ArrowSchema*, ballot_arrow_error*) noexcept;
bool write(ballot_arrow_writer*, ArrowArray*, ballot_arrow_error*) noexcept;
bool finish(ballot_arrow_writer*, ballot_arrow_error*) noexcept;
void abandon(ballot_arrow_writer*) noexcept;

}  // namespace ballot_arrow
