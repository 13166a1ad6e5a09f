#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/impact.h"
#include "graze/narrow/method.h"

namespace graze::bench {

// How an answer departs from the truth, the worst first. The first two let things pass through one
// another; the others only cost time.
enum class Fault : std::uint8_t {
  missed,     // separated where there is a contact
  late,       // contact or undecided, with toi after the first contact
  alarm,      // contact where there is none
  inexact,    // contact at other times than the true ones, from a method that promises them
  undecided,  // and not late
  invalid,    // a query the truth calls valid
  none
};

constexpr const char* name(Fault fault) {
  switch (fault) {
    case Fault::missed:
      return "missed";
    case Fault::late:
      return "late";
    case Fault::alarm:
      return "false alarm";
    case Fault::inexact:
      return "inexact";
    case Fault::undecided:
      return "undecided";
    case Fault::invalid:
      return "invalid";
    case Fault::none:
      return "none";
  }
  return "?";
}

constexpr bool is_harmful(Fault fault) {
  return fault == Fault::missed || fault == Fault::late;
}

// `truth`: of an exact method; its toi is the largest double not after the first contact.
Fault fault_of(const Impact& answer, const Impact& truth,
               Guarantee guarantee = Guarantee::heuristic);

// A query that a method answered wrongly.
struct Failure {
  std::size_t index = 0;  // in its set
  Fault fault = Fault::none;
  // How much of the step is lost: missed: what remains of it after the first contact; late: the
  // delay; else 0.
  double harm = 0;
  Impact answer, truth;

  // Worse failures are less: by fault, then by harm.
  bool operator<(const Failure& other) const {
    return fault != other.fault ? fault < other.fault : harm > other.harm;
  }
};

// The worst `most` among the answers to the first answers.size() queries, worst first; of equally
// bad ones the first. Faults milder than `mildest` are left out.
std::vector<Failure> worst_failures(std::span<const Impact> answers, std::span<const Impact> truth,
                                    Guarantee guarantee, double t_max, std::size_t most,
                                    Fault mildest = Fault::late);

}  // namespace graze::bench
