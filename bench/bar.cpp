#include "bench/bar.h"

#include <fmt/format.h>

#include <cmath>

namespace graze::bench {
namespace {

using io::Cell;
using io::Tone;
using Json = nlohmann::ordered_json;

std::string show(const Bar& bar, double value) {
  if (bar.unit == "ns") return io::format_nanoseconds(value);
  if (bar.unit == "x") return fmt::format("{:.{}f}x", value, value < 10 ? 2 : 0);
  if (bar.unit == "MiB") return fmt::format("{:.1f} MiB", value);
  if (value == std::floor(value) && value >= 0)
    return io::format_count(static_cast<std::uint64_t>(value));
  return fmt::format("{:.3g}", value);
}

}  // namespace

io::Table bars_table(const std::vector<Bar>& bars, const Json& where) {
  const std::string caption = fmt::format(
      "Bars ({} cores, load of others before the run: {})", where["cores"].get<unsigned>(),
      where["load"].is_null() ? "unknown" : fmt::format("{:.1f}", where["load"].get<double>()));
  io::Table table{caption, {{"bar", false}, {"measured"}, {"bound"}, {"", false}, {"", false}}, {}};
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
