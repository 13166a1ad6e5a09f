#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/first_contact.h"
#include "graze/impact.h"
#include "graze/method.h"
#include "graze/options.h"
#include "queries/answer.h"
#include "queries/disagreement.h"
#include "queries/query_sets.h"
#include "terminal/report.h"

namespace graze::bench {

using namespace queries;  // sets, answers and faults are those of the command

// The truth of every query of a set.
struct Truth {
  std::vector<Impact> impacts;  // of the oracle
  // 1 for contact: from the file where it stores the truth and the options ask for contact in the
  // whole step, else from the oracle.
  std::vector<std::uint8_t> contact;
  std::size_t disagreements = 0;  // between the file and the oracle
};

// `norm`: that of options.min_separation where it is above 0; none means l2.
Truth find_truth(const NamedSet& set, const Options& options, int threads,
                 const Progress& progress = {}, Norm norm = Norm::l2);

// Numbers of answers, counted as docs/contract.md defines.
struct Counts {
  std::size_t hits = 0;                        // verdict contact
  std::optional<std::size_t> false_positives;  // contact where the truth has none
  std::size_t false_negatives = 0;             // separated where the truth has a contact
  std::size_t undecided = 0;
  std::size_t late = 0;  // contact or undecided, with toi after the true first contact
  std::size_t invalid = 0;

  // `toi`: the largest double not after the true first contact; infinite where unknown.
  void add(const Impact& answer, bool contact, double toi);
};

// Counts the answers to the first answers.size() queries of a set.
Counts count(std::span<const Impact> answers, const Truth& truth);

struct Row {
  std::string method, set, group;
  Guarantee guarantee;
  Kind kind;
  std::size_t queries = 0, set_size = 0;  // queries measured; queries in the set
  Counts counts;
  // Times on one thread; NaN where nothing was measured. ns_per_query: median processor time of
  // `repeats` runs of the batch. The others: one query per call, wall time less the overhead of the
  // clock, the least of up to three passes.
  double ns_per_query, p50_ns, p99_ns, max_ns;
  int repeats = 0;
  report::LogHistogram hit_times, miss_times;  // by the truth
  std::vector<Failure> worst;                  // the worst few missed or late contacts
  std::string note;                            // a remark for the reader; often empty
};

// Measures a method on a set within about `seconds`. If the time does not suffice for the set, the
// row covers its first `queries` queries and the note states that; nothing is extrapolated. The
// method must answer the kind of the set.
Row measure(const Method& method, const NamedSet& set, const Truth& truth, const Options& options,
            double seconds);

// Measures the exact method on a GPU, which must answer the kind of the set: wall time of the whole
// batch, copies from and to the host included. Single queries are not timed. If the GPU cannot
// answer, the note of the row states why, and no query is measured.
Row measure_on_gpu(int gpu, const NamedSet& set, const Truth& truth, const Options& options,
                   double seconds);

// Returns the time of two readings of the clock, which is subtracted from the times of single
// queries.
double clock_overhead_ns();

}  // namespace graze::bench
