// SPDX-License-Identifier: Apache-2.0
// --verify must catch an engine that lies: each of these answers is wrong in one way, and the old
// output has to stay.
#include "verification/verify_column.hpp"

#include "base/failure.hpp"
#include "columns/raw.hpp"
#include "commands/run.hpp"
#include "files/input_file.hpp"
#include "temporary_folder.hpp"
#include "where.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace app = ballot::app;

namespace {

template <class T>
void save(const std::string& path, const std::vector<T>& items) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(items.data()), static_cast<std::streamsize>(items.size() * sizeof(T)));
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads everything and answers what it was told to.
class scripted_engine final : public app::engine {
 public:
  template <class T>
  explicit scripted_engine(const std::vector<T>& answer, std::size_t announced_too_many = 0)
      : answer_(reinterpret_cast<const std::byte*>(answer.data()),
                reinterpret_cast<const std::byte*>(answer.data() + answer.size())),
        count_(answer.size()),
        announced_too_many_(announced_too_many) {}
  std::string name() const override { return "scripted"; }
  std::string device() const override { return "none"; }
  app::item_counts sort(const app::sort_request&, app::source& in, app::sink& out, app::phase_clock& clock) override {
    app::read_all(in, clock);
    return answer(out, clock);
  }
  app::item_counts compact(const app::compact_request& request, app::source& in, app::sink& out,
                           app::phase_clock& clock) override {
    app::read_all(in, clock);
    if (request.flags != nullptr) app::read_all(*request.flags, clock);
    return answer(out, clock);
  }
  std::uint64_t sort_capacity(const app::sort_request&, std::uint64_t) override { return 1u << 20; }
  void scan(const app::scan_request&, std::span<std::byte>, app::phase_clock&) override {}  // verify_scan.cpp
  void order(std::span<const app::key_column>, std::span<std::uint64_t>, app::phase_clock&) override {}  // row_keys.cpp
  app::host_buffer select(const app::row_predicate&, std::uint64_t, app::phase_clock&) override { return {}; }

 private:
  app::item_counts answer(app::sink& out, app::phase_clock& clock) {
    out.begin(count_ + announced_too_many_);
    // In two pieces: checks have to hold across the seam.
    const std::size_t seam = count_ == 0 ? 0 : answer_.size() / count_ * (count_ / 2);
    app::write_all(out, std::span(answer_).first(seam), clock);
    app::write_all(out, std::span(answer_).subspan(seam), clock);
    return {count_, count_};
  }

  std::vector<std::byte> answer_;
  std::size_t count_;
  std::size_t announced_too_many_;
};

// True where the answer was believed; either way the output must be in the state that goes with it.
bool is_believed(const std::function<void(const std::string& input, const std::string& output, app::report&)>& run,
                 const std::function<void(const std::string& input)>& prepare) {
  const temporary_folder folder;
  const std::string input = folder / "input", output = folder / "output";
  prepare(input);
  std::ofstream(output) << "old";
  app::report facts;
  try {
    run(input, output, facts);
    CHECK(facts.verified == true);
    CHECK(contents(output) != "old");
    return true;
  } catch (const app::verification_failure&) {
    CHECK(facts.verified == false);
    CHECK(contents(output) == "old");
    CHECK(folder.file_count() == 2);
    return false;
  }
}

template <class K, class R>
bool sort_is_believed(const std::vector<K>& items, const app::sort_request& request, const std::vector<R>& answer,
                      std::size_t announced_too_many = 0) {
  return is_believed(
      [&](const std::string& input, const std::string& output, app::report& facts) {
        scripted_engine liar(answer, announced_too_many);
        app::phase_clock clock;
        const auto in = app::open_raw(app::input_file(input), request.type);
        app::output_file file(output);
        const auto out = app::make_raw_sink(file);
        app::sort_column(request, liar, *in, *out, file, true, app::run_limits{}, facts, clock);
      },
      [&](const std::string& input) { save(input, items); });
}

bool compact_is_believed(const std::vector<std::int16_t>& items, const char* where,
                         const std::vector<std::uint8_t>& flags, bool invert, const std::vector<std::int16_t>& answer) {
  return is_believed(
      [&](const std::string& input, const std::string& output, app::report& facts) {
        scripted_engine liar(answer);
        app::phase_clock clock;
        const auto in = app::open_raw(app::input_file(input), app::dtype::i16);
        const temporary_folder flags_folder;
        app::where_expression expression;
        app::compact_request request{app::dtype::i16, nullptr, nullptr, invert};
        std::unique_ptr<app::source> flag_source;
        if (where != nullptr) {
          expression = app::parse_where(where);
          request.where = &expression;
        } else {
          save(flags_folder / "flags", flags);
          flag_source = app::open_raw(app::input_file(flags_folder / "flags"), app::dtype::u8);
          request.flags = flag_source.get();
        }
        app::output_file file(output);
        const auto out = app::make_raw_sink(file);
        app::compact_column(request, nullptr, std::nullopt, liar, *in, *out, file, true, facts, clock);
      },
      [&](const std::string& input) { save(input, items); });
}

using i32s = std::vector<std::int32_t>;
using u64s = std::vector<std::uint64_t>;
using i16s = std::vector<std::int16_t>;

app::sort_request request_of(app::dtype type, ballot::bit_range bits, bool argsort = false) {
  return {type, ballot::direction::ascending, bits, argsort};
}

}  // namespace

TEST_CASE("sort") {
  const i32s items{3, -1, 2, 3, 7, 0};
  const auto request = request_of(app::dtype::i32, {0, 32});
  CHECK(sort_is_believed(items, request, i32s{-1, 0, 2, 3, 3, 7}));
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 2, 0, 3, 3, 7}));     // order
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 3, 2, 3, 7}));     // order, across the seam
  CHECK_FALSE(sort_is_believed(items, request, i32s{0, 2, 3, 3, 7, -1}));     // order, as unsigned
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 2, 3, 7}));        // one missing
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 2, 3, 3, 7, 7}));  // one more
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 2, 2, 3, 7}));     // another multiplicity
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 2, 3, 4, 6}));     // the same sum
  CHECK_FALSE(sort_is_believed(items, request, i32s{-1, 0, 2, 3, 3, 7}, 1));  // an .npy header would say one more
  CHECK_FALSE(sort_is_believed(items, request, i32s{}));
  CHECK(sort_is_believed(items, {app::dtype::i32, ballot::direction::descending, {0, 32}, false},
                         i32s{7, 3, 3, 2, 0, -1}));
  CHECK_FALSE(sort_is_believed(items, {app::dtype::i32, ballot::direction::descending, {0, 32}, false},
                               i32s{-1, 0, 2, 3, 3, 7}));
}

TEST_CASE("sort by some bits has to be stable") {
  const i32s items{0x21, 0x10, 0x11, 0x20};
  const auto request = request_of(app::dtype::i32, {0, 4});
  CHECK(sort_is_believed(items, request, i32s{0x10, 0x20, 0x21, 0x11}));
  CHECK_FALSE(sort_is_believed(items, request, i32s{0x10, 0x20, 0x11, 0x21}));
  CHECK_FALSE(sort_is_believed(items, request, i32s{0x10, 0x20, 0x21}));
  CHECK_FALSE(sort_is_believed(items, request, i32s{0x10, 0x20, 0x21, 0x11, 0x11}));
}

TEST_CASE("argsort") {
  const i32s items{5, 1, 5, 0};
  const auto request = request_of(app::dtype::i32, {0, 32}, true);
  CHECK(sort_is_believed(items, request, u64s{3, 1, 0, 2}));
  CHECK_FALSE(sort_is_believed(items, request, u64s{3, 1, 2, 0}));  // not stable
  CHECK_FALSE(sort_is_believed(items, request, u64s{1, 3, 0, 2}));  // order
  CHECK_FALSE(sort_is_believed(items, request, u64s{3, 1, 0, 0}));  // no permutation
  CHECK_FALSE(sort_is_believed(items, request, u64s{3, 1, 0, 4}));  // out of range
  CHECK_FALSE(sort_is_believed(items, request, u64s{3, 1, 0}));     // one missing
}

TEST_CASE("compact") {
  const i16s items{1, 20, 3, 40, 5};
  CHECK(compact_is_believed(items, "value > 10", {}, false, i16s{20, 40}));
  CHECK(compact_is_believed(items, "value > 10", {}, true, i16s{1, 3, 5}));
  CHECK(compact_is_believed(items, nullptr, {1, 0, 255, 0, 0}, false, i16s{1, 3}));
  CHECK(compact_is_believed(items, nullptr, {1, 0, 255, 0, 0}, true, i16s{20, 40, 5}));
  CHECK_FALSE(compact_is_believed(items, "value > 10", {}, false, i16s{40, 20}));               // order
  CHECK_FALSE(compact_is_believed(items, "value > 10", {}, false, i16s{20}));                   // last one missing
  CHECK_FALSE(compact_is_believed(items, "value > 10", {}, false, i16s{40}));                   // first one missing
  CHECK_FALSE(compact_is_believed(items, "value > 10", {}, false, i16s{20, 40, 5}));            // one more
  CHECK_FALSE(compact_is_believed(items, "value > 10", {}, false, i16s{20, 41}));               // another value
  CHECK_FALSE(compact_is_believed(items, nullptr, {1, 0, 255, 0, 0}, false, i16s{20, 40, 5}));  // inverted
}
