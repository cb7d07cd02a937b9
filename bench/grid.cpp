// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "grid.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace ballot::bench {
namespace {

constexpr std::uint64_t largest_graph = std::uint64_t{1} << 20;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

bool takes_part(const contender& who, mode how) {
  if (who.only_reference || !who.answers) return false;
  return how == mode::call || (!who.waits && !who.prepare);
}

struct timed_contender {
  const contender* who;
  std::unique_ptr<harness::timing> timing;
  std::vector<double> seconds;  // one a round
};

grid_row measure(harness& device, const operation& task, std::uint64_t n, mode how, const grid_effort& effort) {
  std::vector<timed_contender> all;
  for (const contender& who : task.contenders)
    if (takes_part(who, how))
      all.push_back({&who, std::make_unique<harness::timing>(device, task, who, how, n, harness::room::made), {}});
  const int calls = how == mode::call ? grid_effort::calls_a_round(n) : 1;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::minstd_rand random(1);
  for (int round = 0; round < effort.rounds(); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t which : order) {
      double sum = 0;
      for (int call = 0; call < calls; ++call) sum += all[which].timing->seconds();
      all[which].seconds.push_back(sum / calls);
    }
  }
  grid_row row{task.name, n, how, {}};
  for (const timed_contender& one : all) row.seconds[one.who->name] = median(one.seconds);
  return row;
}

}  // namespace

std::vector<grid_row> measure_case(harness& device, const operation& task, std::uint64_t n, const grid_effort& effort) {
  const bool graphs = n <= largest_graph;
  for (const contender& who : task.contenders) {
    if (!takes_part(who, mode::call)) continue;
    device.check(task, who, mode::call, n);
    if (graphs && takes_part(who, mode::graph)) device.check(task, who, mode::graph, n);
  }
  std::vector<grid_row> rows{measure(device, task, n, mode::call, effort)};
  if (graphs) rows.push_back(measure(device, task, n, mode::graph, effort));
  return rows;
}

}  // namespace ballot::bench
