#include "bench/harness/targets.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <utility>

#include "bench/harness/real_data.h"
#include "bench/harness/timing.h"
#include "terminal/machine.h"

namespace graze::bench {

std::vector<std::int64_t> supported_targets() {
  std::vector<std::int64_t> result;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1)
    result.push_back(left & -left);
  return result;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const std::int64_t target : supported_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void use_target(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<KernelTimes> measure_kernels(std::span<const Kernel> kernels, double seconds) {
  const std::vector<std::int64_t> all = supported_targets();
  std::vector<KernelTimes> results;
  for (const Kernel& kernel : kernels) {
    std::vector<std::uint64_t> answers(all.size());
    std::vector<std::function<void()>> passes;
    for (std::size_t i = 0; i < all.size(); ++i)
      passes.push_back([&, i] {
        use_target(all[i]);
        answers[i] = kernel.call();
      });
    std::vector<double> times = time_in_turns(passes, seconds);
    use_target(0);
    for (double& time : times) time *= 1e9 / static_cast<double>(kernel.items);
    const bool same = std::ranges::count(answers, answers[0]) == std::ssize(answers);
    results.push_back({kernel.name, kernel.data, kernel.items, std::move(times), same});
  }
  return results;
}

Result kernels_result(std::string_view suite, const std::vector<KernelTimes>& times,
                      std::vector<std::string> missing) {
  using Json = nlohmann::ordered_json;
  const std::vector<std::string> names = target_names();
  report::Table table{"Kernels by instruction set, ns per item, one thread, medians",
                      {{"kernel", false}, {"data", false}, {"items"}},
                      {}};
  for (const std::string& name : names) table.columns.push_back({name});
  table.columns.push_back({"answers", false});
  Json rows = Json::array();
  for (const KernelTimes& kernel : times) {
    std::vector<report::Cell> cells = {
        {kernel.name}, {kernel.data}, {report::format_count(kernel.items)}};
    Json by_target;
    for (std::size_t i = 0; i < names.size(); ++i) {
      cells.push_back({fmt::format("{:.3g}", kernel.ns_per_item[i])});
      by_target[names[i]] = kernel.ns_per_item[i];
    }
    cells.push_back({kernel.same_answers ? "same" : "differ",
                     kernel.same_answers ? report::Tone::good : report::Tone::bad});
    table.rows.push_back(std::move(cells));
    rows.push_back({{"kernel", kernel.name},
                    {"data", kernel.data},
                    {"items", kernel.items},
                    {"ns_per_item", by_target},
                    {"same_answers", kernel.same_answers}});
  }
  Machine where = machine();
  std::vector<report::Table> tables;
  if (!missing.empty()) tables.push_back(missing_table(missing));
  tables.push_back(table);
  report::Report report("Kernels by instruction set", describe(where));
  for (const report::Table& each : tables) report.table(each);
  return {.suite = suite,
          .machine = std::move(where),
          .missing = std::move(missing),
          .measurements = {{"kernels", std::move(rows)}},
          .tables = std::move(tables),
          .report = std::move(report)};
}

}  // namespace graze::bench
