#include "bench/harness/bar.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace graze::bench {
namespace {

using report::Cell;
using report::Tone;
using Json = nlohmann::ordered_json;

std::string show(const Bar& bar, double value) {
  if (bar.unit == "ns") return report::format_nanoseconds(value);
  if (bar.unit == "x") return fmt::format("{:.{}f}x", value, value < 10 ? 2 : 0);
  if (bar.unit == "MiB") return fmt::format("{:.1f} MiB", value);
  if (value == std::floor(value) && value >= 0)
    return report::format_count(static_cast<std::uint64_t>(value));
  return fmt::format("{:.3g}", value);
}

}  // namespace

report::Table bars_table(const std::vector<Bar>& bars, const Machine& machine) {
  const std::string caption =
      fmt::format("Bars ({} cores, load before the run: {})", machine.cores,
                  machine.load ? fmt::format("{:.1f}", *machine.load) : "unknown");
  report::Table table{
      caption, {{"bar", false}, {"measured"}, {"bound"}, {"", false}, {"", false}}, {}};
  for (const Bar& bar : bars)
    table.rows.push_back(
        {{bar.what},
         bar.measured ? Cell{show(bar, *bar.measured)} : Cell{"-", Tone::faint},
         {fmt::format("{} {}", bar.at_least ? "at least" : "at most", show(bar, bar.bound))},
         !bar.measured ? Cell{"not measured", Tone::faint}
         : bar.met()   ? Cell{"met", Tone::good}
                       : Cell{"not met", Tone::bad},
         {bar.note, Tone::faint}});
  return table;
}

Json json_of(const std::vector<Bar>& bars) {
  Json json = Json::array();
  for (const Bar& bar : bars)
    json.push_back(
        {{"bar", bar.what},
         {"unit", bar.unit},
         {bar.at_least ? "at_least" : "at_most", bar.bound},
         {"measured", bar.measured && std::isfinite(*bar.measured) ? Json(*bar.measured) : Json()},
         {"met", bar.measured ? Json(bar.met()) : Json()},
         {"note", bar.note}});
  return json;
}

}  // namespace graze::bench
