#include "graze/exact/arena/turning_paths.h"

namespace graze::exact {
namespace {

using Polynomial = ArenaPolynomialUpTo<12>;

// Returns integers along the axis. A coordinate axis becomes a unit vector: small integers make all
// polynomials small.
std::array<Integer, 3> integer_axis(const Vec3& axis, bool negated) {
  numeric::CommonScale scale;
  scale.include(axis);
  std::array<Integer, 3> result;
  for (std::size_t k = 0; k < 3; ++k) {
    result[k] = to_integer(scale.scaled(axis[static_cast<int>(k)]));
    if (negated) result[k] = -result[k];
  }
  if ((axis.array() != 0).count() == 1)
    for (Integer& x : result) x = x.sign();
  return result;
}

Integer square_of(const std::array<Integer, 3>& x) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// Scales two axes to the same length. Returns false if the ratio of their lengths is irrational.
// With L0 and L1 their squares, the ratio is rational iff L0 L1 is a square m^2. Then L1 n0 and m
// n1 have the same length: L1^2 L0 = m^2 L1. Their common divisor is divided out.
bool make_equally_long(std::array<std::array<Integer, 3>, 2>& axes) {
  const Integer square0 = square_of(axes[0]), square1 = square_of(axes[1]);
  if (square0 == square1) return true;
  const Integer product = square0 * square1;
  const Integer root = sqrt(product);
  if (root * root != product) return false;
  Integer divisor = 0;
  for (auto& [axis, factor] : {std::pair(&axes[0], &square1), std::pair(&axes[1], &root)})
    for (Integer& x : *axis) {
      x *= *factor;
      divisor = gcd(divisor, x);
    }
  for (auto& axis : axes)
    for (Integer& x : axis) x /= divisor;
  return true;
}

Polynomial times(const Polynomial& p, const ArenaInteger& factor) {
  Polynomial result = p;
  for (int i = 0; i <= p.degree; ++i) result.c[i] = p.c[i] * factor;
  return trimmed(result);
}

ArenaInteger dot_of(const IntegerVec3& x, const IntegerVec3& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// w R v and w for a rotation in c and s.
struct Rotation {
  Polynomial direct, along, across, weight;  // the factors of v, 2 n (n.v) and 2 n x v

  Rotation(const Polynomial& c, const Polynomial& s, const ArenaInteger& length_sq)
      : along(s * s), across(c * s) {
    const Polynomial cc = c * c, ss = times(along, length_sq);
    direct = cc - ss;
    weight = cc + ss;
  }
  Polynomial operator()(const IntegerVec3& v, const IntegerVec3& n, std::size_t k) const {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    return times(direct, v[k]) + times(along, (n[k] * dot_of(n, v)).times(2)) +
           times(across, (n[i] * v[j] - n[j] * v[i]).times(2));
  }
};

}  // namespace

std::optional<SharedTurn> shared_turn(const std::array<Turn, 2>& turns) {
  if (turns[0].way != turns[1].way) return {};
  const double angle[2] = {std::abs(turns[0].angle), std::abs(turns[1].angle)};
  SharedTurn result;
  if (angle[0] == 0 || angle[1] == 0 || angle[0] == angle[1]) {
    result.rate = std::max(angle[0], angle[1]);
    result.speeds = {angle[0] != 0, angle[1] != 0};
  } else {
    const std::size_t fast = angle[0] > angle[1] ? 0 : 1;
    if (angle[fast] != 2 * angle[1 - fast]) return {};
    result.rate = angle[1 - fast];
    result.speeds[fast] = 2;
    result.speeds[1 - fast] = 1;
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (result.speeds[i] != 0) result.axes[i] = integer_axis(turns[i].axis, turns[i].angle < 0);
  if (result.speeds[0] != 0 && result.speeds[1] != 0 && !make_equally_long(result.axes)) return {};
  if (result.rate != 0) result.length_sq = square_of(result.axes[result.speeds[0] != 0 ? 0 : 1]);
  return result;
}

ArenaInteger to_arena(Arena& arena, const Integer& x) {
  ArenaInteger result(arena);
  Integer rest = abs(x);
  for (int shift = 0; !rest.is_zero(); shift += 64, rest >>= 64)
    result = result + ArenaInteger(arena, static_cast<std::uint64_t>(rest & ~std::uint64_t{0}),
                                   shift, false);
  return x.sign() < 0 ? -result : result;
}

template <class Primitives>
TurningPaths<Primitives>::TurningPaths(const Turning<Primitives>& query, const SharedTurn& turn,
                                       const HalfTurn& part, Arena& arena) {
  numeric::CommonScale scale;
  for (const Vec3& corner : query.corners) scale.include(corner);
  for (std::size_t i = 0; i < 2; ++i)
    if (turn.speeds[i] != 0) scale.include(query.turns[i].point);
  const auto scaled = [&](const Vec3& x) {
    IntegerVec3 result;
    for (std::size_t k = 0; k < 3; ++k)
      result[k] = ArenaInteger(arena, scale.scaled(x[static_cast<int>(k)]));
    return result;
  };
  const ArenaInteger zero(arena), one(arena, 1, 0, false),
      length_sq = to_arena(arena, turn.length_sq);
  const int k_scale = HalfTurn::scale(turn.length_sq);
  const Polynomial c = make_polynomial<12>(
                       std::array{one << (k_scale + part.range), -(one << k_scale)}),
                   s = make_polynomial<12>(std::array{zero, one});
  const Rotation once(c, s, length_sq);
  const bool doubled = turn.speeds[0] == 2 || turn.speeds[1] == 2;
  std::optional<Rotation> twice;
  if (doubled) twice.emplace(once.direct, times(once.across, one.times(2)), length_sq);
  const Polynomial weight = turn.rate == 0 ? make_polynomial<12>(std::array{one})
                            : doubled      ? twice->weight
                                           : once.weight;
  for (std::size_t corner = 0; corner < 4; ++corner) {
    const std::size_t i = primitive_of<Primitives>(corner);
    IntegerVec3 x = scaled(query.corners[corner]);
    IntegerVec3 v, n;
    if (turn.speeds[i] != 0) {
      const IntegerVec3 point = scaled(query.turns[i].point);
      for (std::size_t k = 0; k < 3; ++k) {
        v[k] = x[k] - point[k];
        n[k] = to_arena(arena, turn.axes[i][k]);
        x[k] = point[k];
      }
    }
    if (part.half == 1) {
      for (std::size_t k = 0; k < 3; ++k) x[k] = x[k] * length_sq;
      if (turn.speeds[i] == 1) {
        const ArenaInteger along = dot_of(n, v).times(2);
        for (std::size_t k = 0; k < 3; ++k) v[k] = n[k] * along - v[k] * length_sq;
      } else if (turn.speeds[i] == 2) {
        for (std::size_t k = 0; k < 3; ++k) v[k] = v[k] * length_sq;
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      corners_[corner][k] = times(weight, x[k]);
      if (turn.speeds[i] == 2) corners_[corner][k] = corners_[corner][k] + (*twice)(v, n, k);
      if (turn.speeds[i] == 1) {
        const Polynomial turned = once(v, n, k);
        corners_[corner][k] = corners_[corner][k] + (doubled ? turned * once.weight : turned);
      }
    }
  }
  for (const auto& corner : corners_)
    for (const Polynomial& p : corner)
      for (int i = 0; i <= p.degree; ++i) scale_ = std::max(scale_, p.c[i].bit_length());
}

template <class Primitives>
Vec3 TurningPaths<Primitives>::position(std::size_t c, double y) const {
  Vec3 result = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const Polynomial& p = corners_[c][k];
    for (int i = p.degree; i >= 0; --i)
      result[static_cast<int>(k)] = result[static_cast<int>(k)] * y + p.c[i].approximate(scale_);
  }
  return result;
}

template class TurningPaths<VertexFace>;
template class TurningPaths<EdgeEdge>;

}  // namespace graze::exact
