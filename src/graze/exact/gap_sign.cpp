#include "graze/exact/gap_sign.h"

#include <type_traits>
#include <vector>

#include "graze/exact/integer_motion.h"

namespace graze::exact {
namespace {

using IntegerVector = std::array<Integer, 3>;

IntegerVector operator-(const IntegerVector& a, const IntegerVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Integer dot(const IntegerVector& a, const IntegerVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
IntegerVector cross(const IntegerVector& a, const IntegerVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Query>
int sign_of(const Query& query, std::size_t feature, double d, double t) {
  const Dyadic time = Dyadic::of(t);
  const auto [points, length] = integer_motion(query, d);
  std::vector<IntegerVector> x;
  for (const PolynomialVector& point : points) {
    IntegerVector at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = value_at(point[k], time, 1);
    x.push_back(at);
  }
  std::vector<IntegerVector> e;
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    e = {x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]};
  else
    for (std::size_t i = 1; i < x.size(); ++i) e.push_back(x[i] - x[0]);
  const Integer reach = length << time.shift, d_sq = reach * reach;
  if (feature < e.size()) return sign(dot(e[feature], e[feature]) - d_sq);
  const std::size_t edges = e.size() > 2 ? e.size() : e.size() - 1;
  if (feature < e.size() + edges) {
    const IntegerVector &a = e[feature - e.size()], &b = e[(feature - e.size() + 1) % e.size()];
    const IntegerVector turn = cross(a, b), along = b - a;
    return sign(dot(turn, turn) - d_sq * dot(along, along));
  }
  const IntegerVector normal = cross(e[1] - e[0], e.back() - e[0]);
  const Integer offset = dot(normal, e[0]);
  return sign(offset * offset - d_sq * dot(normal, normal));
}

}  // namespace

int gap_sign(const VertexFace& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const EdgeEdge& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const PointEdge& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const PointPoint& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}

}  // namespace graze::exact
