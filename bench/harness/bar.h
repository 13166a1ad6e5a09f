#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "terminal/machine.h"
#include "terminal/report.h"

namespace graze::bench {

// A bound that a measured number should meet.
struct Bar {
  std::string what, unit;  // unit: "ns", "x", "MiB", or "" for a plain number
  double bound = 0;
  bool at_least = false;           // false: the bound is an upper one
  std::optional<double> measured;  // none where data or a method was absent
  std::string note;

  bool met() const { return measured && (at_least ? *measured >= bound : *measured <= bound); }
};

// `machine`: as it was before the run; the caption states its load.
report::Table bars_table(const std::vector<Bar>& bars, const Machine& machine);
nlohmann::ordered_json json_of(const std::vector<Bar>& bars);

}  // namespace graze::bench
