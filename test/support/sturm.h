#pragma once

#include <utility>
#include <vector>

#include "test/support/coplanarity.h"

namespace graze::test {

using RationalPolynomial = std::vector<Rational>;  // ascending powers, the last not zero

// Returns the quotient and the remainder of p by q.
inline std::pair<RationalPolynomial, RationalPolynomial> divide(RationalPolynomial p,
                                                                const RationalPolynomial& q) {
  RationalPolynomial quotient(p.size() < q.size() ? 0 : p.size() - q.size() + 1);
  while (p.size() >= q.size()) {
    const std::size_t shift = p.size() - q.size();
    quotient[shift] = p.back() / q.back();
    for (std::size_t i = 0; i < q.size(); ++i) p[shift + i] -= quotient[shift] * q[i];
    while (!p.empty() && p.back() == 0) p.pop_back();
  }
  return {quotient, p};
}

// Returns the number of distinct roots in [0, 1] of a nonzero polynomial, by Sturm's theorem.
inline int distinct_roots_in_unit_interval(const Cubic& cubic) {
  std::vector<RationalPolynomial> chain{{cubic.begin(), cubic.end()}};
  while (chain[0].back() == 0) chain[0].pop_back();
  RationalPolynomial next;
  for (std::size_t i = 1; i < chain[0].size(); ++i)
    next.push_back(chain[0][i] * static_cast<int>(i));
  while (!next.empty()) {
    chain.push_back(next);
    next = divide(chain[chain.size() - 2], chain.back()).second;
    for (Rational& c : next) c = -c;
  }
  // The chain divided by its last element, the greatest common divisor, is the chain of a
  // polynomial with simple roots.
  const RationalPolynomial common = chain.back();
  for (auto& p : chain) p = divide(p, common).first;
  const auto sign_at = [](const RationalPolynomial& p, int t) {
    Rational value = 0;
    for (std::size_t i = p.size(); i-- > 0;) value = value * t + p[i];
    return value.sign();
  };
  const auto variations = [&](int t) {
    int count = 0, last = 0;
    for (const auto& p : chain)
      if (const int s = sign_at(p, t)) {
        count += s == -last;
        last = s;
      }
    return count;
  };
  return variations(0) - variations(1) + (sign_at(chain[0], 0) == 0);  // (0, 1], and 0
}

}  // namespace graze::test
