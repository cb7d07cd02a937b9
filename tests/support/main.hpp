// SPDX-License-Identifier: Apache-2.0
// Shared by the test binaries' main functions: a run whose filters match no test is a failure, not
// a pass.
#pragma once

#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include <cstdio>

namespace ballot::test {

inline unsigned tests_matched = 0;

class match_counter : public doctest::IReporter {
 public:
  explicit match_counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override { tests_matched = 1; }  // a listing, not a run
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& s) override { tests_matched = s.numTestCasesPassingFilters; }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("match_counter", 1, match_counter);

inline int run_tests(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;
  if (tests_matched == 0) {
    std::fputs("no test matches\n", stderr);
    return 1;
  }
  return result;
}

}  // namespace ballot::test
