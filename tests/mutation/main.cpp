// SPDX-License-Identifier: Apache-2.0
// The main function of the tests of scripts/mutation-test.
//
// BALLOT_MUTANT=number makes that mistake. BALLOT_MUTATION_REACHED=file: for each test case that
// was run, a line is written there. It has its number, the processor's seconds, and the numbers of
// the switches that it reached.
#define DOCTEST_CONFIG_IMPLEMENT
#include <mutation/switch.hpp>
#include <support/main.hpp>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace ballot_mutation {

static unsigned active_from_environment() {
  const char* const number = std::getenv("BALLOT_MUTANT");
  return number == nullptr ? 0 : static_cast<unsigned>(std::strtoul(number, nullptr, 10));
}
unsigned active = active_from_environment();
unsigned char reached[numbers];

bool is_on(unsigned number) {
  reached[number] = 1;
  return number == active;
}

class reached_writer : public doctest::IReporter {
  std::FILE* file_ = nullptr;
  unsigned test_ = 0;
  std::clock_t begin_ = 0;

 public:
  explicit reached_writer(const doctest::ContextOptions&) {
    if (const char* const name = std::getenv("BALLOT_MUTATION_REACHED")) file_ = std::fopen(name, "w");
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {
    if (file_ != nullptr) std::fclose(file_);
  }
  void test_case_start(const doctest::TestCaseData&) override {
    ++test_;
    std::memset(reached, 0, sizeof reached);
    begin_ = std::clock();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    if (file_ == nullptr) return;
    std::fprintf(file_, "%u %.3f", test_, static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC);
    for (unsigned number = 0; number < numbers; ++number)
      if (reached[number] != 0) std::fprintf(file_, " %u", number);
    std::fputc('\n', file_);
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("reached_writer", 2, reached_writer);

}  // namespace ballot_mutation

int main(int argc, char** argv) { return ballot::test::run_tests(argc, argv); }
