#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "terminal/report.h"

namespace graze::bench {

// The answers of one method to motions of one subject through one world, compared with the truth.
struct JudgedRow {
  std::string world, subject, method;
  double mean_ns = 0;     // of one answer
  std::size_t count = 0;  // motions
  std::size_t hits = 0;   // reported contacts
  std::size_t missed = 0, late = 0;
  std::size_t phantom = 0;  // contacts where the truth has none
  std::size_t early = 0;

  // Returns the number of wrong answers.
  std::size_t faults() const { return missed + late + phantom + early; }
};

// What a suite calls the parts of its rows, in tables and in JSON.
struct JudgedColumns {
  const char* title;
  const char* subject;  // "shape", "mover"
  const char* unit;     // the noun for one motion: "cast", "way"
};

report::Table judged_table(const JudgedColumns& columns, const std::vector<JudgedRow>& rows);

// Returns an array of objects {world, SUBJECT, method, ns_per_UNIT, UNITs, contacts, missed, late,
// phantom, early}.
nlohmann::ordered_json judged_json(const JudgedColumns& columns,
                                   const std::vector<JudgedRow>& rows);

}  // namespace graze::bench
