#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "graze/narrow/contact/tight_inclusion.h"
#include "test/support/exact_f.h"

namespace graze::test {

template <class Query>
Impact solve_tightly(const Query& query, const Options& options = {}) {
  Impact impact;
  narrow::tight_inclusion(std::span(&query, 1), {options}, std::span(&impact, 1));
  return impact;
}

template <class Query>
bool in_domain(double u, double v) {
  return u >= 0 && v >= 0 && (std::is_same_v<Query, VertexFace> ? u + v <= 1 : u <= 1 && v <= 1);
}

struct Tally {
  std::size_t queries = 0, contacts = 0, false_positives = 0, false_negatives = 0, late = 0,
              undecided = 0, too_far = 0, malformed = 0, wrong_tol = 0;
};

// Checks one answer against the truth (promise 1) and against the exact F (promises 2 and 6).
template <class Query>
void judge(const Query& query, const Options& options, const Impact& impact, const Impact& truth,
           Tally& tally) {
  ++tally.queries;
  const bool hit = truth.verdict == Verdict::contact;
  tally.contacts += hit;
  switch (impact.verdict) {
    case Verdict::separated:
      tally.false_negatives += hit;
      tally.malformed += impact.toi != Impact::inf || impact.toi_hi != Impact::inf;
      tally.wrong_tol += impact.reached_tol != 0;
      return;
    case Verdict::undecided:
      ++tally.undecided;
      tally.wrong_tol += !(impact.reached_tol >= 0);
      break;
    case Verdict::contact: {
      tally.false_positives += !hit;
      const Vec3 err = narrow::tight_inclusion_err(query, options.min_separation);
      for (int k = 0; k < 3; ++k)
        tally.too_far += abs(exact_f(query, impact, k)) > Rational(options.min_separation) +
                                                              2 * Rational(err[k]) +
                                                              Rational(options.distance_tol);
      tally.malformed += !in_domain<Query>(impact.u, impact.v);
      tally.wrong_tol += !(impact.reached_tol >= 0);
      bool inside = true;  // the finished box lies inside the cube
      for (int k = 0; k < 3; ++k) {
        const Rational cube = Rational(options.min_separation) + 2 * Rational(err[k]);
        tally.wrong_tol +=
            abs(exact_f(query, impact, k)) > cube + Rational(double{impact.reached_tol});
        inside = inside && abs(exact_f(query, impact, k)) <= cube;
      }
      tally.wrong_tol += !(impact.reached_tol < options.distance_tol * (1 + 0x1p-5) || inside);
      break;
    }
    case Verdict::invalid:
      ++tally.malformed;
      return;
  }
  tally.late += hit && impact.toi > truth.toi;
  tally.malformed += !(impact.toi >= 0 && impact.toi < options.t_max) ||
                     impact.toi_hi != options.t_max || !std::isnan(impact.normal[0]);
}

inline void expect_kept(const Tally& tally) {
  EXPECT_EQ(tally.false_negatives, 0u);
  EXPECT_EQ(tally.late, 0u);
  EXPECT_EQ(tally.too_far, 0u);
  EXPECT_EQ(tally.malformed, 0u);
  EXPECT_EQ(tally.wrong_tol, 0u);
}

inline void print(const char* name, const Tally& tally) {
  std::printf(
      "%-34s %zu queries, %zu contacts, %zu false positives, %zu undecided, "
      "%zu false negatives, %zu late\n",
      name, tally.queries, tally.contacts, tally.false_positives, tally.undecided,
      tally.false_negatives, tally.late);
}

}  // namespace graze::test
