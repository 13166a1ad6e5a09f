#include "bench/harness/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "graze/io/queries/corpus_file.h"
#include "queries/shrink.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Shown {
  const Row* row;
  const Failure* failure;
};

struct FailingMethod {
  std::string name;
  Guarantee guarantee;
  std::size_t queries, missed, late, alarms;
  std::vector<Shown> worst;  // worst first
};

std::vector<FailingMethod> find_failing(const std::vector<Row>& rows) {
  std::vector<FailingMethod> found;
  for (const Row& row : rows) {
    auto method = std::find_if(found.begin(), found.end(),
                               [&](const auto& other) { return other.name == row.method; });
    if (method == found.end())
      method = found.insert(found.end(), FailingMethod{row.method, row.guarantee, 0, 0, 0, 0, {}});
    method->queries += row.queries;
    method->missed += row.counts.false_negatives;
    method->late += row.counts.late;
    method->alarms += row.counts.false_positives.value_or(0);
    for (const Failure& failure : row.worst) method->worst.push_back({&row, &failure});
  }
  std::erase_if(found, [](const auto& method) { return method.worst.empty(); });
  const auto worse = [](const Shown& a, const Shown& b) { return *a.failure < *b.failure; };
  for (auto& method : found) std::stable_sort(method.worst.begin(), method.worst.end(), worse);
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return worse(a.worst[0], b.worst[0]); });
  return found;
}

const NamedSet* find_set(const Row& row, const std::vector<NamedSet>& sets) {
  for (const NamedSet& set : sets)
    if (set.name == row.set && set.kind == row.kind && set.group == row.group &&
        set.size() == row.set_size)
      return &set;
  return nullptr;
}

std::string file_of(const Row& row, const std::vector<NamedSet>& sets) {
  const NamedSet* set = find_set(row, sets);
  return set && !set->file.empty() ? set->file.string()
                                   : fmt::format("{} {}", row.set, name(row.kind));
}

std::string truth_of(const Impact& truth) {
  if (truth.verdict != Verdict::contact) return name(truth.verdict);
  return truth.toi == truth.toi_hi ? fmt::format("contact at {}", truth.toi)
                                   : fmt::format("contact just after {}", truth.toi);
}

std::string lost(const Failure& failure) {
  return failure.harm >= 1e-3 ? fmt::format("{:.3g} %", 100 * failure.harm)
                              : fmt::format("{:.1e}", failure.harm);
}

constexpr std::size_t most_shown = 5;

}  // namespace

report::Table failing_methods(const std::vector<Row>& rows) {
  report::Table table{"Methods that missed a contact or were late, the worst first",
                      {{"method", false},
                       {"guarantee", false},
                       {"queries"},
                       {"missed"},
                       {"late"},
                       {"false alarms"},
                       {"worst in", false},
                       {"query"},
                       {"answer", false},
                       {"truth", false}},
                      {}};
  for (const FailingMethod& method : find_failing(rows)) {
    const auto& [row, failure] = method.worst[0];
    table.rows.push_back({{method.name, report::Tone::bad},
                          {name(method.guarantee)},
                          {report::format_count(method.queries)},
                          {report::format_count(method.missed)},
                          {report::format_count(method.late)},
                          {report::format_count(method.alarms)},
                          {fmt::format("{} {}", row->set, name(row->kind))},
                          {fmt::format("{}", failure->index)},
                          {describe(failure->answer)},
                          {truth_of(failure->truth)}});
  }
  return table;
}

std::string query_id(std::string_view set, Kind kind, std::size_t index) {
  std::string id;
  for (const char c : set) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    id += plain ? std::string(1, c) : fmt::format("_{:02x}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}-{}-{}", id, name(kind), index);
}

void add_failures(report::Report& report, const std::vector<Row>& rows,
                  const std::vector<NamedSet>& sets, const std::string& page) {
  const auto found = find_failing(rows);
  report.heading("Missed and late contacts");
  if (found.empty()) {
    report.paragraph("No method measured here missed a contact or was late on these queries.");
    return;
  }
  report.paragraph(
      "These methods missed a contact, so that objects pass through one another, or reported a "
      "time after the first contact. Misses come first, the earliest true contact first; then late "
      "times, the longest delay first. Lost: the part of the step after the true contact that the "
      "answer lets pass.");
  report.table(failing_methods(rows));
  for (const FailingMethod& method : found) {
    report::Table table{fmt::format("{} ({})", method.name, name(method.guarantee)),
                        {{"file", false},
                         {"query"},
                         {"fault", false},
                         {"answer", false},
                         {"truth", false},
                         {"lost"}},
                        {}};
    for (std::size_t i = 0; i < std::min(most_shown, method.worst.size()); ++i) {
      const auto& [row, failure] = method.worst[i];
      const std::string link =
          page.empty() ? page : page + "#" + query_id(row->set, row->kind, failure->index);
      table.rows.push_back({{file_of(*row, sets)},
                            {fmt::format("{}", failure->index), report::Tone::plain, link},
                            {name(failure->fault), report::Tone::bad},
                            {describe(failure->answer)},
                            {truth_of(failure->truth)},
                            {lost(*failure)}});
    }
    report.table(table);
    const auto& [row, failure] = method.worst[0];
    const NamedSet* set = find_set(*row, sets);
    if (!set) continue;
    std::string text = fmt::format("# Query {} of {}: {} answers {}.\n", failure->index,
                                   file_of(*row, sets), method.name, describe(failure->answer));
    const Failure& worst = *failure;
    visit(set->kind, set->data,
          [&](auto queries) { text += io::corpus_text(queries[worst.index], worst.truth); });
    if (!set->file.empty())
      text += fmt::format("# graze minimize {} --kind {} --method {} --index {}\n",
                          set->file.string(), name(set->kind), method.name, failure->index);
    report.preformatted(text);
  }
}

std::vector<ShownFailure> shown_failures(const std::vector<Row>& rows,
                                         const std::vector<NamedSet>& sets) {
  std::vector<ShownFailure> shown;
  for (const FailingMethod& method : find_failing(rows))
    for (std::size_t i = 0; i < std::min(most_shown, method.worst.size()); ++i) {
      const auto& [row, failure] = method.worst[i];
      shown.push_back({method.name, row->set, row->kind, {}, *failure, {}});
      const NamedSet* set = find_set(*row, sets);
      if (!set) continue;
      shown.back().file = set->file;
      const auto coordinates = set->data.coordinates().subspan(24 * failure->index, 24);
      shown.back().coordinates.assign(coordinates.begin(), coordinates.end());
    }
  return shown;
}

Json json_of(const std::vector<ShownFailure>& failures) {
  Json list = Json::array();
  const auto time = [](double t) { return std::isfinite(t) ? Json(t) : Json(); };
  for (const ShownFailure& shown : failures)
    list.push_back({{"method", shown.method},
                    {"set", shown.set},
                    {"kind", name(shown.kind)},
                    {"file", shown.file.string()},
                    {"index", shown.failure.index},
                    {"fault", name(shown.failure.fault)},
                    {"harm", shown.failure.harm},
                    {"verdict", name(shown.failure.answer.verdict)},
                    {"toi", time(shown.failure.answer.toi)},
                    {"true_toi", time(shown.failure.truth.toi)},
                    {"true_toi_hi", time(shown.failure.truth.toi_hi)},
                    {"coordinates", shown.coordinates}});
  return list;
}

}  // namespace graze::bench
