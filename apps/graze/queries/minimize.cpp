#include "queries/minimize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>

namespace graze::queries {
namespace {

using Clock = std::chrono::steady_clock;

// The coordinate k of corner i at t = 0 is number 3 i + k, at t = 1 number 12 + 3 i + k.
using Coordinates = std::array<double, 24>;

template <class Query>
Coordinates coordinates_of(const Query& query) {
  Coordinates x;
  for (std::size_t i = 0; i < 24; ++i)
    x[i] = (i < 12 ? query.start : query.end)[i / 3 % 4][static_cast<int>(i % 3)];
  return x;
}

template <class Query>
Query query_of(const Coordinates& x) {
  Query query;
  for (std::size_t i = 0; i < 24; ++i)
    (i < 12 ? query.start : query.end)[i / 3 % 4][static_cast<int>(i % 3)] = x[i];
  return query;
}

std::size_t complexity(double x) {
  if (!std::isfinite(x)) return 10'000;
  if (x == 0) return std::signbit(x) ? 1 : 0;
  int exponent = 0;
  const auto mantissa =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), 53));
  const int trailing = std::countr_zero(mantissa), bits = 53 - trailing;
  const int unit = exponent - 53 + trailing;  // x is an odd number of `bits` bits times 2^unit
  return static_cast<std::size_t>(2 + 3 * bits + (unit < 0 ? -3 * unit : 2 * unit) + (x < 0));
}

std::size_t complexity(const Coordinates& x) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 24; ++i) sum += complexity(x[i]) + (i < 12 && x[i] != x[i + 12]);
  return sum;
}

double with_bits(double x, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

// Returns the values that may replace a coordinate, the simplest first.
std::array<double, 18> simpler_values(double x) {
  return {0,
          1,
          -1,
          2,
          -2,
          std::trunc(x),
          std::nearbyint(x),
          std::nearbyint(x / 2),
          std::nearbyint(x * 2) / 2,
          with_bits(x, 1),
          with_bits(x, 2),
          with_bits(x, 4),
          with_bits(x, 8),
          with_bits(x, 16),
          with_bits(x, 24),
          with_bits(x, 32),
          with_bits(x, 44),
          with_bits(x, 52)};
}

class Search {
 public:
  Search(Coordinates start, std::function<bool(const Coordinates&)> fails,
         const MinimizeLimits& limits)
      : best_(start), least_(complexity(start)), fails_(std::move(fails)), limits_(limits) {}

  void run() {
    for (std::size_t before = least_ + 1; before > least_ && !spent();) {
      before = least_;
      whole();
      blocks();
      corners();
      single();
    }
  }

  const Coordinates& best() const { return best_; }
  std::size_t tries() const { return tries_; }
  bool spent() const {
    return tries_ >= limits_.tries ||
           std::chrono::duration<double>(Clock::now() - begin_).count() > limits_.seconds;
  }

 private:
  bool attempt(const Coordinates& candidate) {
    const std::size_t price = complexity(candidate);
    if (price >= least_ || spent()) return false;
    ++tries_;
    if (!fails_(candidate)) return false;
    best_ = candidate;
    least_ = price;
    return true;
  }

  // Tries the query in which `change` replaces the coordinates for which `chosen` holds.
  template <class Chosen, class Change>
  bool attempt(Chosen&& chosen, Change&& change) {
    Coordinates candidate = best_;
    for (std::size_t i = 0; i < 24; ++i)
      if (chosen(i)) candidate[i] = change(candidate[i]);
    return attempt(candidate);
  }

  // Changes the origin, the unit, an axis or the direction of time.
  void whole() {
    const auto all = [](std::size_t) { return true; };
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto on_axis = [&](std::size_t i) { return i % 3 == axis; };
      attempt(on_axis, [](double) { return 0.0; });
      for (std::size_t i = axis; i < 24; i += 3) {
        const double origin = best_[i];
        attempt(on_axis, [&](double x) { return x - origin; });
      }
      attempt(on_axis, [](double x) { return -x; });
      for (const int shift : {512, 64, 8, 1}) {
        const auto scaled = [&](int power) {
          return attempt(on_axis, [&](double x) { return std::ldexp(x, power); });
        };
        while (scaled(shift) || scaled(-shift)) continue;
      }
    }
    for (const int shift : {512, 64, 8, 1}) {
      const auto scaled = [&](int power) {
        return attempt(all, [&](double x) { return std::ldexp(x, power); });
      };
      while (scaled(shift) || scaled(-shift)) continue;
    }
    Coordinates reversed = best_;
    std::rotate(reversed.begin(), reversed.begin() + 12, reversed.end());
    attempt(reversed);
  }

  // Delta debugging: sets to zero or shortens all coordinates, halves, quarters.
  void blocks() {
    for (const std::size_t size : {24u, 12u, 6u, 3u})
      for (std::size_t first = 0; first < 24; first += size) {
        const auto inside = [&](std::size_t i) { return i >= first && i < first + size; };
        attempt(inside, [](double) { return 0.0; });
        attempt(inside, [](double x) { return std::nearbyint(x); });
        for (const int bits : {1, 2, 4, 8, 16, 24, 32, 44})
          if (attempt(inside, [&](double x) { return with_bits(x, bits); })) break;
      }
  }

  // Sets a corner at rest, at its start or at its end.
  void corners() {
    for (std::size_t i = 0; i < 12; i += 3)
      for (const bool to_start : {true, false}) {
        Coordinates rest = best_;
        const std::size_t from = i + (to_start ? 0 : 12), to = i + (to_start ? 12 : 0);
        std::copy_n(best_.begin() + std::ptrdiff_t(from), 3, rest.begin() + std::ptrdiff_t(to));
        attempt(rest);
      }
  }

  // Changes one coordinate, or the two coordinates of a corner on one axis.
  void single() {
    for (std::size_t i = 0; i < 24; ++i) {
      const auto is_it = [&](std::size_t j) { return j == i; };
      for (const double value : simpler_values(best_[i]))
        if (attempt(is_it, [&](double) { return value; })) break;
      if (i >= 12) continue;
      const auto both = [&](std::size_t j) { return j % 12 == i; };
      for (const double value : simpler_values(best_[i]))
        if (attempt(both, [&](double) { return value; })) break;
      attempt(is_it, [&](double) { return best_[i + 12]; });
      attempt([&](std::size_t j) { return j == i + 12; }, [&](double) { return best_[i]; });
      for (const int step : {1, -1})
        while (attempt(both, [&](double x) { return x + step; })) continue;
    }
    for (std::size_t i = 0; i < 24; ++i)  // copy another coordinate on the axis
      for (std::size_t j = i % 3; j < 24; j += 3)
        attempt([&](std::size_t k) { return k == i; }, [&](double) { return best_[j]; });
  }

  Coordinates best_;
  std::size_t least_, tries_ = 0;
  std::function<bool(const Coordinates&)> fails_;
  const MinimizeLimits limits_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

template <class Query>
Minimized<Query> minimize(const Query& query, const std::function<bool(const Query&)>& fails,
                          const MinimizeLimits& limits) {
  Search search(
      coordinates_of(query), [&](const Coordinates& x) { return fails(query_of<Query>(x)); },
      limits);
  search.run();
  return {query_of<Query>(search.best()), search.tries(), !search.spent()};
}

template <class Query>
std::size_t complexity(const Query& query) {
  return complexity(coordinates_of(query));
}

template Minimized<VertexFace> minimize(const VertexFace&,
                                        const std::function<bool(const VertexFace&)>&,
                                        const MinimizeLimits&);
template Minimized<EdgeEdge> minimize(const EdgeEdge&, const std::function<bool(const EdgeEdge&)>&,
                                      const MinimizeLimits&);
template std::size_t complexity(const VertexFace&);
template std::size_t complexity(const EdgeEdge&);

}  // namespace graze::queries
