#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/disagreement.h"
#include "bench/query_sets.h"
#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/io/report.h"
#include "graze/narrow/method.h"

namespace graze::bench {

// Called now and then with what is being done and how much of it is; may be empty.
using Progress = std::function<void(std::string_view doing, double fraction)>;

// What is known of every query of a set: exact times from the oracle, contact from the truth the
// file carries where it does (and the options ask for contact in the whole step), else from the
// oracle.
struct Truth {
  std::vector<Impact> impacts;
  std::vector<std::uint8_t> contact;
  std::size_t disagreements = 0;  // between the file and the oracle
};

// `norm`: of options.min_separation where that is above 0; none stands for l2.
Truth find_truth(const NamedSet& set, const Options& options, int threads,
                 const Progress& progress = {}, Norm norm = Norm::l2);

// The counting rules of CONTRACT.md.
struct Counts {
  std::size_t hits = 0;                        // verdict contact
  std::optional<std::size_t> false_positives;  // contact where the truth has none
  std::size_t false_negatives = 0;             // separated where the truth has a contact
  std::size_t undecided = 0;
  std::size_t late = 0;  // contact or undecided, with toi after the true first contact
  std::size_t invalid = 0;

  // `toi`: the largest double not after the true first contact; infinite where it is not known.
  void add(const Impact& answer, bool contact, double toi);
};

// Counts the answers to the first answers.size() queries of a set.
Counts count(std::span<const Impact> answers, const Truth& truth);

struct Row {
  std::string method, set, group;
  Guarantee guarantee;
  Kind kind;
  std::size_t queries = 0, set_size = 0;  // measured; there are
  Counts counts;
  // One thread. ns_per_query: median processor time of `repeats` runs of the batch, so that what
  // else the machine does counts less. The rest: queries asked one
  // per call, each timed, less the clock's own time; the least of up to three passes, as far as
  // time allows, so that what else the machine does shows less. NaN where nothing was measured.
  double ns_per_query, p50_ns, p99_ns, max_ns;
  int repeats = 0;
  io::LogHistogram hit_times, miss_times;  // by the truth
  std::vector<Failure> worst;              // the worst few of what was missed or late
  std::string note;                        // what a reader of the numbers must know; often empty
};

bool has_primitive(const Method& method, Kind kind);

// Measures a method on a set within about `seconds`. When that is not enough, the row tells of
// the part that was reached (`queries`, `note`); nothing is extrapolated. The method must have the
// primitive.
Row measure(const Method& method, const NamedSet& set, const Truth& truth, const Options& options,
            double seconds);

// The time that two readings of the clock take, which is subtracted from per-query times.
double clock_overhead_ns();

}  // namespace graze::bench
