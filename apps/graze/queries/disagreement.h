#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/method.h"

namespace graze::queries {

// The error of an answer, the worst first. The first two let objects pass through one another.
enum class Fault : std::uint8_t {
  missed,     // separated where the truth has a contact
  late,       // contact or undecided, with toi after the true first contact
  alarm,      // contact where the truth has none
  inexact,    // an exact method gave a toi or toi_hi that is not the true one
  undecided,  // undecided, with a safe toi
  invalid,    // invalid for a valid query
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

// Returns the error of `answer`. `truth` is the answer of an exact method: its toi is the largest
// double not after the first contact.
Fault fault_of(const Impact& answer, const Impact& truth,
               Guarantee guarantee = Guarantee::heuristic);

// A query that a method answered wrongly.
struct Failure {
  std::size_t index = 0;  // in its set
  Fault fault = Fault::none;
  // The part of the step after the true contact that the answer lets pass: missed: up to t_max;
  // late: the delay; else 0.
  double harm = 0;
  Impact answer, truth;

  // Orders failures from the worst: by fault, then by harm.
  bool operator<(const Failure& other) const {
    return fault != other.fault ? fault < other.fault : harm > other.harm;
  }
};

// Returns at most `most` failures among the answers to the first answers.size() queries, worst
// first, equally bad ones by index. Faults milder than `mildest` are left out.
std::vector<Failure> worst_failures(std::span<const Impact> answers, std::span<const Impact> truth,
                                    Guarantee guarantee, double t_max, std::size_t most,
                                    Fault mildest = Fault::late);

}  // namespace graze::queries
