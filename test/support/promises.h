#pragma once

#include <cmath>
#include <sstream>
#include <string>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/options.h"

namespace graze::test {

// Returns the truth for a smaller t_max, from the truth for t_max = 1. Since t_max is a double, the
// exact time of contact is <= t_max if and only if truth.toi_hi is.
inline Impact truth_until(double t_max, const Impact& truth) {
  return truth.toi_hi <= t_max ? truth : Impact::separated();
}

// Checks an answer against the field table of docs/contract.md. Returns an empty string if the
// answer conforms, else a description of the violation.
inline std::string broken_field(const Method& method, const Options& options,
                                const Impact& answer) {
  const bool no_place =
      std::isnan(answer.u) && std::isnan(answer.v) && answer.normal.array().isNaN().all();
  switch (answer.verdict) {
    case Verdict::separated:
      if (answer.toi != Impact::inf || answer.toi_hi != Impact::inf)
        return "separated with a finite time";
      return no_place ? "" : "separated with a place";
    case Verdict::contact:
      if (!(0 <= answer.toi && answer.toi <= answer.toi_hi && answer.toi_hi <= options.t_max))
        return "not 0 <= toi <= toi_hi <= t_max";
      if (!method.gives_time && answer.toi != 0) return "a time from a method that gives none";
      if (std::isnan(answer.u) != std::isnan(answer.v)) return "one of u and v is NaN";
      if (!(std::isnan(answer.u) ||
            (0 <= answer.u && answer.u <= 1 && 0 <= answer.v && answer.v <= 1)))
        return "u or v outside [0, 1]";
      if (!(answer.normal.array().isNaN().all() || std::abs(answer.normal.norm() - 1) < 1e-12))
        return "normal neither NaN nor of unit length";
      return "";
    case Verdict::undecided:
      if (method.guarantee == Guarantee::exact) return "undecided from an exact method";
      if (!(0 <= answer.toi && answer.toi <= options.t_max)) return "not 0 <= toi <= t_max";
      if (answer.toi_hi != options.t_max) return "undecided with toi_hi other than t_max";
      return no_place ? "" : "undecided with a place";
    case Verdict::invalid:
      if (answer.toi != 0 || !std::isnan(answer.toi_hi)) return "invalid with times";
      return no_place ? "" : "invalid with a place";
  }
  return "no verdict";
}

// Checks the promise of a method for a valid query without separation. `truth` is the answer of the
// oracle with the same options. Returns an empty string if the promise is kept, else a description
// of the violation.
inline std::string broken_promise(const Method& method, const Options& options, const Impact& truth,
                                  const Impact& answer) {
  if (auto field = broken_field(method, options, answer); !field.empty()) return field;
  if (answer.verdict == Verdict::invalid) return "a valid query called invalid";
  const bool contact = truth.verdict == Verdict::contact;
  if (method.guarantee == Guarantee::heuristic) return "";
  if (contact && answer.verdict == Verdict::separated) return "false negative";
  if (contact && !(answer.toi <= truth.toi)) return "late";
  if (contact && answer.verdict == Verdict::contact && !(answer.toi_hi >= truth.toi))
    return "toi_hi before the first contact";
  if (method.guarantee == Guarantee::conservative) return "";
  if (answer.verdict != truth.verdict) return "false positive";
  if (answer.toi != truth.toi) return "early";
  if (answer.toi_hi != truth.toi_hi) return "toi_hi not tight";
  return "";
}

inline std::string describe(const Impact& impact) {
  std::ostringstream text;
  text << std::hexfloat << name(impact.verdict) << " [" << impact.toi << ", " << impact.toi_hi
       << "] u " << impact.u << " v " << impact.v << " checks " << impact.checks;
  return text.str();
}

}  // namespace graze::test
