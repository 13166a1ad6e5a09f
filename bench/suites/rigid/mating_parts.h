#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/bar.h"
#include "graze/impact.h"
#include "terminal/report.h"

namespace graze::bench {

// One motion of two parts that fit into each other, answered by one method.
struct MatingRow {
  std::string motion, method;
  std::size_t triangles = 0;
  Verdict verdict = Verdict::invalid;
  double free = 0;  // the fraction of the step that is proven free of contact
  std::uint32_t checks = 0;
  double seconds = 0;  // processor time
  // The checks of an earlier advance(), as recorded: it tested only directions fixed in the world.
  double checks_before = 0;
};

// Measures a nut on its bolt, a comb in a comb and a drawer in its cabinet, generated models that
// slide along each other at a small distance: advance(), and advancement by distance over speed
// with a budget of `budget` distances.
std::vector<MatingRow> measure_mating_parts(std::uint32_t budget);

report::Table mating_table(const std::vector<MatingRow>& rows);
std::vector<Bar> mating_bars(const std::vector<MatingRow>& rows);

}  // namespace graze::bench
