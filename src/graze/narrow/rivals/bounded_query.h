#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/rivals/bounded.h"
#include "graze/narrow/rivals/sign_classification.h"
#include "graze/query.h"

namespace graze::narrow::bernstein {

// A computed number and its size: the same expression with every term replaced by its absolute
// value. If no term has met more than n roundings, |exact - v| <= ((1+u)^n - 1) * exact size, and
// the computed size is at least (1-u)^n of the exact one.
struct Sized {
  double v, size;

  friend Sized operator+(const Sized& a, const Sized& b) { return {a.v + b.v, a.size + b.size}; }
  friend Sized operator-(const Sized& a, const Sized& b) { return {a.v - b.v, a.size + b.size}; }
  friend Sized operator*(const Sized& a, const Sized& b) { return {a.v * b.v, a.size * b.size}; }
};
inline Sized times(const Sized& a, unsigned factor) {
  return {a.v * factor, a.size * factor};
}

// The polynomials of a query with bounds on their errors, each up to a positive factor. `Number` is
// Bounded, or Unscaled, whose bounds do not cover underflow.
template <class Query, class Number = Bounded>
class BoundedQuery {
  using R = Roles<Query>;

 public:
  explicit BoundedQuery(const Query& query) {
    double largest = subtract(query, [](double x, double y) { return x - y; });
    if (!(largest >= 0x1p-100 && largest <= 0x1p100)) {
      // Differences of huge numbers overflow; halving first loses at most a denormal beside them.
      const int first = largest > 1 ? -1 : 0;
      const auto scaled = [&](int then) {
        return subtract(query, [&](double x, double y) {
          return std::ldexp(std::ldexp(x, first) - std::ldexp(y, first), then);
        });
      };
      largest = scaled(0);
      if (largest > 0) scaled(-std::ilogb(largest));
    }
    normal_ = normal(motion_);
  }

  Polynomial<Number, 3> coplanarity() const {
    return bounded(bernstein::coplanarity(motion_, normal_), coplanarity_err);
  }

  // The three quartics that are >= 0 at a contact.
  Polynomial<Number, 4> inside(std::size_t i) const {
    const auto g = bounded(bernstein::inside(motion_, normal_, i), inside_err);
    return R::last_negated && i == 2 ? negated(g) : g;
  }

 private:
  // A term of n has 5 roundings: 2 differences, a product, a difference and a sum; so has a term of
  // m. A term of coplanarity has 10: those of n, a difference, a product, 2 sums of the dot
  // product, and either a sum or the factor 3. A term of inside has 16: 5 of n, 5 of m, a product
  // and 2 sums, 2 more sums and the factor. Two more units of u cover (1+u)^n - 1 > n u and the
  // roundings of the size and of the bound itself, which are relative: (10 u)(1 + 30 u) < 12 u.
  static constexpr double coplanarity_err = 12 * numeric::u, inside_err = 18 * numeric::u;
  // Differences are at most 2^100, so what underflow takes from a product (2^-1075), or scaling
  // from a difference, is multiplied by less than 2^203 on its way, and there are fewer than 2^12
  // of them.
  static constexpr double underflow_err = std::is_same_v<Number, Bounded> ? 0x1p-800 : 0;

  // Fills motion_; returns the largest difference, infinity where one overflows.
  template <class Difference>
  double subtract(const Query& query, Difference&& difference) {
    double largest = 0;
    const auto vector = [&](std::array<Vector<Sized>, 2>& out, std::size_t to, std::size_t from) {
      for (int k = 0; k < 3; ++k) {
        const double d[2] = {difference(query.start[to][k], query.start[from][k]),
                             difference(query.end[to][k], query.end[from][k])};
        for (std::size_t t = 0; t < 2; ++t) {
          const double size = std::abs(d[t]);
          largest = std::max(largest, size);
          out[t][static_cast<std::size_t>(k)] = {d[t], size};
        }
      }
    };
    for (std::size_t i = 0; i < 3; ++i) {
      vector(motion_.offset[i], R::triangle[i], R::point);
      vector(motion_.side[i], R::triangle[(i + 1) % 3], R::triangle[i]);
    }
    return largest;
  }

  template <std::size_t N>
  static std::array<Number, N> bounded(const std::array<Sized, N>& polynomial, double err) {
    std::array<Number, N> result;
    for (std::size_t i = 0; i < N; ++i)
      result[i] = {polynomial[i].v, err * polynomial[i].size + underflow_err};
    normalize(result);
    return result;
  }

  Motion<Sized> motion_;
  std::array<Vector<Sized>, 3> normal_;
};

// Collects signs of bounded numbers and records whether one of them was unknown.
struct CertifiedSign {
  static constexpr bool exact = false, guesses = false;
  bool unsure = false;

  int operator()(const Bounded& x) {
    const int result = x.sign();
    unsure |= result == 0;
    return result;
  }
};

// The signs of the public code of [Wang 2015].
struct PublishedSign {
  static constexpr bool exact = false, guesses = true;

  int operator()(const Unscaled& x) const { return x.sign(); }
};

}  // namespace graze::narrow::bernstein
