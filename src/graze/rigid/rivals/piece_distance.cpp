#include "graze/rigid/rivals/piece_distance.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/simplex.h"

namespace graze::rigid {
namespace {

struct PiecePair {
  std::uint32_t a, b;
};

// Finds extreme vertices of a piece. A climb starts from the vertex at which the last search ended.
struct Climber {
  const ConvexPiece& piece;
  const PieceWays& ways;
  std::uint32_t last;

  std::uint32_t extreme(const Vec3& n) {
    return last = ways.climb ? piece.climb(n, last) : piece.scan(n);
  }
};

}  // namespace

double extreme_value(const ConvexPiece& piece, const Vec3& n, const PieceWays& ways) {
  double most = n.dot(piece.points[piece.scan(n)]);
  if (ways.climb) most = std::max(most, n.dot(piece.points[piece.climb(n, piece.look_up(n))]));
  return most;
}

// The bounds and their rounding are those of convex_distance(), whose derivation holds for any
// number of points with coordinates within the reach of the placement.
PieceDistance piece_distance(const ConvexPiece& a, const ConvexPiece& b,
                             const RelativePlacement& placement, const PieceWays& ways,
                             PieceWitness& witness) {
  constexpr std::uint32_t max_iterations = 64;
  constexpr double tol = 1e-3;
  const Vec3& offset = placement.offset;
  const double scale = placement.scale;
  const auto add = [&](Simplex<PiecePair>& to, std::uint32_t i, std::uint32_t j) {
    to.points[to.size] = scale * (a.points[i] - (placement.rotation * b.points[j] + offset));
    to.from[to.size] = {i, j};
    ++to.size;
  };
  Simplex<PiecePair> s;
  if (ways.warm)
    for (std::uint32_t k = 0; k < witness.size; ++k) add(s, witness.a[k], witness.b[k]);
  Place place = s.size > 0 ? reduce(s) : Place::lost;
  if (place == Place::lost) {
    s.size = 0;
    add(s, 0, 0);
    place = reduce(s);
  }
  Climber on_a{a, ways, s.from[0].a}, on_b{b, ways, s.from[0].b};
  PieceDistance result;
  double best_lo = 0;
  for (std::uint32_t i = 0; i < max_iterations && place == Place::outside; ++i) {
    const double sq = s.closest.squaredNorm(), length = std::sqrt(sq);
    if (!(length > 0x1p-400)) break;
    const Vec3 n = s.closest / length, m = placement.rotation.transpose() * n;
    std::uint32_t at_a = on_a.extreme(-n), at_b = on_b.extreme(m);
    const double gap = length / scale;
    const auto value = [&] {
      return n.dot(a.points[at_a]) - m.dot(b.points[at_b]) - n.dot(offset) - placement.slack;
    };
    const auto is_known = [&] {
      return std::any_of(s.from.begin(), s.from.begin() + s.size,
                         [&](const PiecePair& pair) { return pair.a == at_a && pair.b == at_b; });
    };
    bool last = gap - value() <= tol * gap || s.size == 4 || is_known();
    if (last && ways.climb) {  // a scan proves the bound or finds a better vertex
      at_a = on_a.last = a.scan(-n);
      at_b = on_b.last = b.scan(m);
      last = gap - value() <= tol * gap || s.size == 4 || is_known();
    }
    // The value of climbed vertices is no bound.
    if (last || !ways.climb) {
      if (value() > best_lo) {
        best_lo = value();
        result.normal = n;
      }
    }
    if (last) break;
    Simplex<PiecePair> next = s;
    add(next, at_a, at_b);
    place = reduce(next);
    if (place == Place::lost || !(next.closest.squaredNorm() < sq)) {
      // Rounding allows no progress: the present direction is the last.
      at_a = a.scan(-n);
      at_b = b.scan(m);
      if (value() > best_lo) {
        best_lo = value();
        result.normal = n;
      }
      break;
    }
    s = next;
  }
  // |n| is 1 within 2^-51.
  if (best_lo > 0) result.lo = best_lo * (1 - 0x1p-48);
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  witness.size = static_cast<std::uint8_t>(s.size);
  for (std::uint32_t k = 0; k < s.size; ++k) {
    point_a += s.weights[k] * a.points[s.from[k].a];
    point_b += s.weights[k] * b.points[s.from[k].b];
    witness.a[k] = s.from[k].a;
    witness.b[k] = s.from[k].b;
  }
  const Vec3 between = point_a - (placement.rotation * point_b + offset);
  result.hi = (scale * between).norm() / scale * (1 + 0x1p-49) + placement.slack;
  return result;
}

}  // namespace graze::rigid
