#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graze/impact.h"
#include "graze/step.h"

// Declares a function that JavaScript calls. Arguments and results are numbers and addresses.
#define GRAZE_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace graze::wasm {

// The result of the last call. JavaScript copies it and calls release(). The module has one thread.
// The comment of an exported function names the fields that it fills: "Numbers: ...".
struct Results {
  std::vector<double> numbers;
  std::vector<std::uint32_t> indices;
  std::vector<Impact> impacts;
  std::string text;
};
Results& results();

// The options of a call, as JavaScript writes them.
struct CallOptions {
  double t_max, distance_tol, time_tol, max_checks, min_separation, norm, no_zero_toi;
  double method;                                 // index in methods(), -1: the default
  double skip_start, start_check, max_contacts;  // of a step
  double strategy;                               // index in pair_strategies(), -1: the default
  double separation, shared_vertices, stray_vertices;  // of a search for pairs
  double within_group, static_count, group_count;      // the filter: lengths of the two arrays
  const std::uint8_t* is_static;
  const std::uint32_t* group;

  Options query() const;
  StepOptions step() const;
  PairOptions pairs() const;
  const PairStrategy* pair_strategy() const;  // null: the default
};

void add(std::vector<double>& numbers, const Vec3& v);
void append_text(std::string& json, std::string_view text);  // as a JSON string

}  // namespace graze::wasm
