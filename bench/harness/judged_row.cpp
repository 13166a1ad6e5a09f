#include "bench/harness/judged_row.h"

#include <nlohmann/json.hpp>

namespace graze::bench {

report::Table judged_table(const JudgedColumns& columns, const std::vector<JudgedRow>& rows) {
  const std::string unit = columns.unit;
  report::Table table{columns.title,
                      {{"world", false},
                       {columns.subject, false},
                       {"method", false},
                       {"per " + unit},
                       {unit + "s"},
                       {"contacts"},
                       {"missed"},
                       {"late"},
                       {"phantom"},
                       {"early"}},
                      {}};
  const auto fault = [](std::size_t count) {
    return report::Cell{report::format_count(count),
                        count > 0 ? report::Tone::bad : report::Tone::good};
  };
  for (const JudgedRow& row : rows)
    table.rows.push_back({{row.world},
                          {row.subject},
                          {row.method},
                          {report::format_nanoseconds(row.mean_ns)},
                          {report::format_count(row.count)},
                          {report::format_count(row.hits)},
                          fault(row.missed),
                          fault(row.late),
                          fault(row.phantom),
                          fault(row.early)});
  return table;
}

nlohmann::ordered_json judged_json(const JudgedColumns& columns,
                                   const std::vector<JudgedRow>& rows) {
  const std::string unit = columns.unit;
  auto json = nlohmann::ordered_json::array();
  for (const JudgedRow& row : rows)
    json.push_back({{"world", row.world},
                    {columns.subject, row.subject},
                    {"method", row.method},
                    {"ns_per_" + unit, row.mean_ns},
                    {unit + "s", row.count},
                    {"contacts", row.hits},
                    {"missed", row.missed},
                    {"late", row.late},
                    {"phantom", row.phantom},
                    {"early", row.early}});
  return json;
}

}  // namespace graze::bench
