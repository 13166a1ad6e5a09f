#include "graze/narrow/rivals/tight_bernstein.h"

#include <array>

#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/bounded_query.h"

namespace graze::narrow {
namespace {

using namespace bernstein;

// A stretch of the cubic with the roots on it that are not excluded yet.
template <class Number>
struct Piece {
  Curve<Number> curve;
  unsigned roots;
};

// The time at which a polynomial is cut, as weights: t = q / (p+q).
template <class Number>
struct Cut {
  std::array<Number, 2> weight;

  template <std::size_t N>
  std::array<Number, N> operator()(const std::array<Number, N>& c, Part which) const {
    return part(c, weight[0], weight[1], which);
  }
};

template <class Number>
Curve<Number> curve_of(const std::array<Number, 4>& y, int bend) {
  return {y, differences(y), bend};
}

template <class Number, class Sign, class Query>
Impact answer(const Query& query, const Options& options) {
  const BoundedQuery<Query, Number> polynomials(query);
  Sign sign;
  const Classifier<Sign> classify(sign);
  std::uint32_t checks = 0;
  const auto contact = [&] { return Impact::contact(0, options.t_max, checks); };

  // 1 - t_max is exact if t_max >= 1/2 and has a relative error of at most u otherwise.
  const Cut<Number> end{{{{1 - options.t_max, numeric::u}, {options.t_max, 0}}}};
  const auto until_end = [&](const auto& c) { return options.t_max < 1 ? end(c, Part::left) : c; };

  const auto y = until_end(polynomials.coplanarity());
  if (classify.common_sign(y) != 0) return Impact::separated();

  std::array<Piece<Number>, 2> pieces;
  std::size_t count = 1;
  Cut<Number> inflection;
  if (classify.crosses_once(y)) {
    pieces[0] = {curve_of(y, sign(y[0])), crossing};
  } else {
    const auto slope = differences(y);
    Polynomial<Number, 1> bend{slope[1] - slope[0], slope[2] - slope[1]};  // a sixth of Y''
    const int first = sign(bend[0]), last = sign(bend[1]);
    // DEVIATION: [Wang 2015] continues where one of these signs is unknown. Then the inflection is
    // at an end of [0, 1] or just beyond it, where the signs of the pieces decide nothing.
    if (first == 0 || last == 0) return contact();
    if (first == last) {
      pieces[0].curve = curve_of(y, first);
    } else {
      // The weights enclose those of the exact inflection, so the exact pieces, which the computed
      // ones enclose, have one bend each.
      normalize(bend);
      inflection = {zero_of(bend, first)};
      pieces[0].curve = curve_of(inflection(y, Part::left), first);
      pieces[1].curve = curve_of(inflection(y, Part::right), last);
      count = 2;
    }
    for (std::size_t i = 0; i < count; ++i) pieces[i].roots = classify.roots(pieces[i].curve);
  }

  for (std::size_t i = 0; i < 3; ++i) {
    if (pieces[0].roots == none && (count == 1 || pieces[1].roots == none)) break;
    const auto g = until_end(polynomials.inside(i));
    for (std::size_t k = 0; k < count; ++k) {
      auto& [curve, roots] = pieces[k];
      if (roots == none) continue;
      ++checks;
      roots = classify.inside_at(roots, curve,
                                 count == 1 ? g : inflection(g, k == 0 ? Part::left : Part::right));
    }
  }
  for (std::size_t k = 0; k < count; ++k)
    if (pieces[k].roots != none) return contact();
  return Impact::separated(checks);
}

template <class Number, class Sign, class Query>
void solve_all(std::span<const Query> queries, const MethodOptions& options,
               std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer<Number, Sign>(query, options); });
}

}  // namespace

void tight_bernstein(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve_all<Bounded, CertifiedSign>(queries, options, impacts);
}
void tight_bernstein(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve_all<Bounded, CertifiedSign>(queries, options, impacts);
}
void tight_bernstein_published(std::span<const VertexFace> queries, const MethodOptions& options,
                               std::span<Impact> impacts) {
  solve_all<Unscaled, PublishedSign>(queries, options, impacts);
}
void tight_bernstein_published(std::span<const EdgeEdge> queries, const MethodOptions& options,
                               std::span<Impact> impacts) {
  solve_all<Unscaled, PublishedSign>(queries, options, impacts);
}

}  // namespace graze::narrow
