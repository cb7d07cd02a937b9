// SPDX-License-Identifier: Apache-2.0
// Plans: what options become, and what is refused before any work. No file is opened but an .npy
// whose header decides.
#include "base/failure.hpp"
#include "plans/collide_plan.hpp"
#include "plans/compact_plan.hpp"
#include "plans/scan_plan.hpp"
#include "plans/sort_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

namespace app = ballot::app;

namespace {

app::sort_options sort_of(const std::string& input) {
  app::sort_options options;
  options.column.input = input;
  options.column.output = "-";
  return options;
}

}  // namespace

TEST_CASE("plan of a sort of a column") {
  auto options = sort_of("in.raw");
  CHECK_THROWS_AS(app::plan_sort(options), app::usage_error);  // raw data without a type
  options.column.type = "u16";
  options.column.output = "out.npy";
  options.descending = true;
  options.bits = "4:";
  const auto plan = std::get<app::column_sort_plan>(app::plan_sort(options));
  CHECK(plan.input == "in.raw");
  CHECK(plan.output == "out.npy");
  CHECK(plan.input_format == app::format::raw);
  CHECK(plan.output_format == app::format::npy);
  CHECK(plan.type == app::dtype::u16);
  CHECK(plan.order == ballot::direction::descending);
  CHECK(plan.bits.of(app::dtype::u16).low == 4);
  CHECK(plan.bits.of(app::dtype::u16).high == 16);
  CHECK(plan.bits.of(app::dtype::u64).high == 64);
  CHECK_FALSE(plan.argsort);
  CHECK(plan.limits.directory == ".");
  CHECK(plan.limits.shows_progress);
}

TEST_CASE("plan of a sort of a table") {
  auto options = sort_of("in.csv");
  options.rows.by = {"b:desc", "a"};
  options.top = 3;
  const auto plan = std::get<app::table_sort_plan>(app::plan_sort(options));
  CHECK(plan.request.format == app::table_format::csv);
  CHECK(plan.keys == options.rows.by);
  CHECK(plan.top == 3u);
  CHECK(plan.result.result == app::table_result::rows);
  options.argsort = true;
  CHECK(std::get<app::table_sort_plan>(app::plan_sort(options)).result.result == app::table_result::row_numbers);
  options.memory = 1 << 20;
  CHECK_THROWS_AS(app::plan_sort(options), app::usage_error);  // positions are sorted in memory
}

TEST_CASE("what a sort refuses before any work") {
  for (const char* bits : {"4", "a:b", ":-1", "1:2:3"}) {
    CAPTURE(bits);
    auto options = sort_of("in.txt");
    options.bits = bits;
    CHECK_THROWS_AS(app::plan_sort(options), app::usage_error);
  }
  auto engine = sort_of("in.txt");
  engine.column.engine = "gpu";
  CHECK_THROWS_AS(app::plan_sort(engine), app::usage_error);
  auto directory = sort_of("in.txt");
  directory.run_directory = "/nowhere/at/all";
  CHECK_THROWS_AS(app::plan_sort(directory), app::usage_error);
  auto both = sort_of("in.csv");
  both.rows.indices = both.rows.count = true;
  CHECK_THROWS_AS(app::plan_sort(both), app::usage_error);
}

TEST_CASE("plan of a compaction") {
  app::compact_options options;
  options.column.input = "in.txt";
  options.column.output = "-";
  CHECK_THROWS_AS(app::plan_compact(options), app::usage_error);  // neither a condition nor flags
  options.where = "value > 1";
  CHECK(std::get<app::column_compact_plan>(app::plan_compact(options)).where.has_value());
  options.rows.unique = true;
  options.mask = "mask.npy";
  const auto plan = std::get<app::table_compact_plan>(app::plan_compact(options));
  CHECK(plan.request.format == app::table_format::text);
  CHECK(plan.unique);
  CHECK(plan.mask_format == app::format::npy);
  options.where = "value >";
  CHECK_THROWS_AS(app::plan_compact(options), app::usage_error);
  options.where.reset();
  options.flags = "-";
  options.column.input = "-";
  CHECK_THROWS_AS(app::plan_compact(options), app::usage_error);  // one standard input
}

TEST_CASE("plan of a scan") {
  app::scan_options options;
  options.input = "in.npy";
  options.output = "out.npy";
  options.accumulate = "double";
  const app::scan_plan plan = app::plan_scan(options);
  CHECK(plan.request.format == app::array_format::npy);
  CHECK(plan.accumulate.of(app::dtype::f32) == app::row_accumulator::float64);
  CHECK(plan.accumulate.of(app::dtype::f64) == app::row_accumulator::item);
  CHECK_THROWS_AS(plan.accumulate.of(app::dtype::i32), app::usage_error);
  options.accumulate = "half";
  CHECK_THROWS_AS(app::plan_scan(options), app::usage_error);
}

TEST_CASE("plan of a search for collisions") {
  app::collide_options options;
  options.output = "pairs.npy";
  CHECK_THROWS_AS(app::plan_collide(options), app::usage_error);  // nothing to collide
  options.particles = 10;
  CHECK_THROWS_AS(app::plan_collide(options), app::usage_error);  // no radius
  options.radius = 0.5f;
  const app::collide_plan plan = app::plan_collide(options);
  CHECK(std::get<app::collision::particle_request>(plan.objects).count == 10);
  CHECK(plan.pairs == app::collision::pairs_format::npy);
  CHECK_FALSE(plan.pictures.has_value());
  options.picture = "film.webp";
  options.size = "320x200";
  options.view = "-45:90";
  options.up = "z";
  options.frame_rate = 50;
  const auto pictures = app::plan_collide(options).pictures;
  REQUIRE(pictures.has_value());
  CHECK(pictures->wants_film(2));
  CHECK_FALSE(pictures->wants_film(1));
  CHECK(pictures->how.size.width == 320);
  CHECK(pictures->how.size.height == 200);
  CHECK(pictures->how.from.azimuth == -45);
  CHECK(pictures->how.from.up == 'z');
  CHECK(pictures->pictures_a_second == 50);
  options.engine = "cpu";
  options.compare = true;
  CHECK_THROWS_AS(app::plan_collide(options), app::usage_error);  // no step on Thrust
}
