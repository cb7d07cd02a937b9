// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow_writer.hpp"

#include "base/failure.hpp"
#include "columnar/library.hpp"

#include <fmt/format.h>

#include <exception>
#include <span>

namespace ballot::app {

arrow_writer::arrow_writer(const std::string& name, ballot_arrow_format format, const arrow_schema& schema)
    : name_(name), library_(arrow_library(name)) {
  sink_.self = this;
  sink_.write = take;
  arrow_owned<ArrowSchema> made;
  make_arrow_schema(schema, *made.get());
  ballot_arrow_error error{};
  writer_ = library_.create(&sink_, format, made.get(), &error);
  if (writer_ == nullptr) throw_problem(error);
}

arrow_writer::~arrow_writer() {
  if (writer_ != nullptr) library_.abandon(writer_);
}

bool arrow_writer::take(void* self, const void* bytes, std::int64_t count) {
  auto& writer = *static_cast<arrow_writer*>(self);
  try {
    writer.bytes_.append({static_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
    return true;
  } catch (const std::exception& problem) {
    writer.problem_ = problem.what();
    return false;
  }
}

void arrow_writer::throw_problem(const ballot_arrow_error& error) {
  throw failure(fmt::format("{}: cannot be written: {}", name_, problem_.empty() ? error.text : problem_));
}

void arrow_writer::write(batch_maker& batch) {
  arrow_owned<ArrowArray> array;
  batch.give(*array.get());
  ballot_arrow_error error{};
  if (!library_.write(writer_, array.get(), &error)) throw_problem(error);
}

void arrow_writer::finish() {
  ballot_arrow_error error{};
  if (!library_.finish(writer_, &error)) throw_problem(error);
}

}  // namespace ballot::app
