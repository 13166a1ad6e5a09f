#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graze/io/report.h"

namespace graze::bench {

// A bound on a measured number.
struct Bar {
  std::string what, unit;  // "ns", "x", "MiB", "": a number
  double bound = 0;
  bool at_least = false;           // else: at most
  std::optional<double> measured;  // none where a set or a method it needs was not measured
  std::string note;

  bool met() const { return measured && (at_least ? *measured >= bound : *measured <= bound); }
};

// `where`: machine().
io::Table bars_table(const std::vector<Bar>& bars, const nlohmann::ordered_json& where);
nlohmann::ordered_json json_of(const std::vector<Bar>& bars);

}  // namespace graze::bench
