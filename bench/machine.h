#pragma once

#include <nlohmann/json.hpp>

namespace graze::bench {

// Where and with what a benchmark ran: cpu, cores, load (waiting processes over the last minute),
// compiler, flags, commit, version, date (UTC).
nlohmann::ordered_json machine();

}  // namespace graze::bench
