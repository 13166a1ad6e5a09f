#include "graze/narrow/rivals/bernstein_sign.h"

#include <array>
#include <type_traits>

#include "graze/exact/arena/exact_query.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/bounded_query.h"

namespace graze::narrow {
namespace bernstein {
namespace {

struct Exact {
  exact::ArenaInteger x;

  Exact operator-() const { return {-x}; }
  friend Exact operator+(const Exact& a, const Exact& b) { return {a.x + b.x}; }
  friend Exact operator-(const Exact& a, const Exact& b) { return {a.x - b.x}; }
  friend Exact operator*(const Exact& a, const Exact& b) { return {a.x * b.x}; }
};
Exact times(const Exact& a, unsigned factor) {
  return {a.x.times(factor)};
}
template <std::size_t N>
void normalize(std::array<Exact, N>&) {}

struct ExactSign {
  static constexpr bool exact = true, guesses = false;
  int operator()(const Exact& a) const { return a.x.sign(); }
};

// The polynomials of a query, each times a power of two.
template <class Query>
class IntegerQuery {
  using R = Roles<Query>;

 public:
  IntegerQuery(const Query& query, exact::Arena& arena) {
    numeric::CommonScale scale;
    scale.include_corners(query);
    const auto corner = [&](const Vec3& position) {
      Vector<Exact> result;
      for (int k = 0; k < 3; ++k)
        result[static_cast<std::size_t>(k)] = {{arena, scale.scaled(position[k])}};
      return result;
    };
    std::array<std::array<Vector<Exact>, 2>, 4> at;
    for (std::size_t i = 0; i < 4; ++i) at[i] = {corner(query.start[i]), corner(query.end[i])};
    const auto difference = [&](std::size_t to, std::size_t from) {
      std::array<Vector<Exact>, 2> result;
      for (std::size_t t = 0; t < 2; ++t)
        for (std::size_t k = 0; k < 3; ++k) result[t][k] = at[to][t][k] - at[from][t][k];
      return result;
    };
    for (std::size_t i = 0; i < 3; ++i) {
      motion_.offset[i] = difference(R::triangle[i], R::point);
      motion_.side[i] = difference(R::triangle[(i + 1) % 3], R::triangle[i]);
    }
    normal_ = normal(motion_);
  }

  Polynomial<Exact, 3> coplanarity() const { return bernstein::coplanarity(motion_, normal_); }
  Polynomial<Exact, 4> inside(std::size_t i) const {
    const auto g = bernstein::inside(motion_, normal_, i);
    return R::last_negated && i == 2 ? negated(g) : g;
  }

 private:
  Motion<Exact> motion_;
  std::array<Vector<Exact>, 3> normal_;
};

// Returns whether the signs leave a contact possible. `until_end` restricts a polynomial to
// [0, t_max].
template <class Sign, class Polynomials, class Restrict>
bool may_touch(Sign& sign, const Polynomials& polynomials, Restrict&& until_end,
               BernsteinReading reading, std::uint32_t& checks) {
  const Classifier<Sign> classify(sign);
  const auto y = until_end(polynomials.coplanarity());
  if (classify.common_sign(y) != 0) return false;

  Curve<std::decay_t<decltype(y[0])>> curve{y, differences(y), 0};
  unsigned roots = none;
  if (classify.crosses_once(y)) {
    curve.bend = sign(y[0]);
    roots = crossing;
  } else {
    const int first = sign(curve.slope[1] - curve.slope[0]);
    const int last = sign(curve.slope[2] - curve.slope[1]);
    if (!Sign::exact && first * last == 0) return true;  // unknown: integers decide
    if (first * last < 0 && reading != BernsteinReading::original) return true;
    if (first * last < 0) {
      curve.bend = sign(curve.slope[0]) < 0 ? 1 : -1;
    } else if (first + last != 0) {
      curve.bend = first + last > 0 ? 1 : -1;
    } else {  // a linear function, or zero: treated as convex
      curve.bend = 1;
      if (sign(y[0]) == 0 && sign(y[3]) == 0) return reading == BernsteinReading::repaired;
    }
    roots = classify.roots(curve);
  }
  for (std::size_t i = 0; i < 3 && roots != none; ++i) {
    ++checks;
    roots = classify.inside_at(roots, curve, until_end(polynomials.inside(i)));
  }
  return roots != none;
}

template <class Query>
bool may_touch(const Query& query, double t_max, BernsteinReading reading, std::uint32_t& checks) {
  CertifiedSign certified;
  // 1 - t_max is exact if t_max >= 1/2 and has a relative error of at most u otherwise.
  const Bounded before_end{t_max, 0}, after_end{1 - t_max, numeric::u};
  const bool possible = may_touch(
      certified, BoundedQuery<Query>(query),
      [&](const auto& c) { return t_max < 1 ? part(c, after_end, before_end, Part::left) : c; },
      reading, checks);
  // An unknown sign counts as a contact, so that the absence of a contact is certain even then. It
  // is not in the original reading, which guesses such signs.
  if (!certified.unsure || (!possible && reading != BernsteinReading::original)) return possible;

  exact::Arena arena;
  const auto [mantissa, exponent] = numeric::decompose(t_max);
  const Exact q{{arena, static_cast<std::uint64_t>(mantissa), 0, false}};
  const Exact p = Exact{{arena, 1, -exponent, false}} - q;
  ExactSign sign;
  checks = 0;
  return may_touch(
      sign, IntegerQuery<Query>(query, arena),
      [&](const auto& c) { return t_max < 1 ? part(c, p, q, Part::left) : c; }, reading, checks);
}

template <class Query>
Impact answer(const Query& query, const Options& options, BernsteinReading reading) {
  std::uint32_t checks = 0;
  return may_touch(query, options.t_max, reading, checks)
             ? Impact::contact(0, options.t_max, checks)
             : Impact::separated(checks);
}

template <class Query>
void solve_all(std::span<const Query> queries, const MethodOptions& options,
               std::span<Impact> impacts, BernsteinReading reading) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer(query, options, reading); });
}

template <class Query>
Impact solve_one(const Query& query, const Options& options, BernsteinReading reading) {
  Impact impact;
  solve_all<Query>({&query, 1}, {options}, {&impact, 1}, reading);
  return impact;
}

}  // namespace
}  // namespace bernstein

Impact bernstein_sign(const VertexFace& query, const Options& options, BernsteinReading reading) {
  return bernstein::solve_one(query, options, reading);
}
Impact bernstein_sign(const EdgeEdge& query, const Options& options, BernsteinReading reading) {
  return bernstein::solve_one(query, options, reading);
}
void bernstein_sign(std::span<const VertexFace> queries, const MethodOptions& options,
                    std::span<Impact> impacts) {
  bernstein::solve_all(queries, options, impacts, BernsteinReading::repaired);
}
void bernstein_sign(std::span<const EdgeEdge> queries, const MethodOptions& options,
                    std::span<Impact> impacts) {
  bernstein::solve_all(queries, options, impacts, BernsteinReading::repaired);
}

void bernstein_sign_published(std::span<const VertexFace> queries, const MethodOptions& options,
                              std::span<Impact> impacts) {
  bernstein::solve_all(queries, options, impacts, BernsteinReading::published);
}
void bernstein_sign_published(std::span<const EdgeEdge> queries, const MethodOptions& options,
                              std::span<Impact> impacts) {
  bernstein::solve_all(queries, options, impacts, BernsteinReading::published);
}

}  // namespace graze::narrow
