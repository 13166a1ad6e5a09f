#include "graze/rigid/rivals/advance_pieces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/rivals/rival_query.h"

namespace graze::rigid {
namespace {

// One body at one time.
struct PlacedBody {
  const MovingModel& moving;
  Placement at;
  Vec3 centre;  // of the rotation, in world coordinates
  double err;   // of c.(x - centre) for body points x and |c| <= 1: see turn_bound()

  PlacedBody(const MovingModel& body, double t)
      : moving(body),
        at(placement_at(body.motion, t)),
        centre(body.motion.centre + t * body.motion.velocity),
        err(2 * body.bound.error +
            0x1p-46 * (body.model.tree.reach() + at.offset.lpNorm<Eigen::Infinity>() +
                       body.motion.centre.lpNorm<Eigen::Infinity>() +
                       body.motion.velocity.lpNorm<Eigen::Infinity>())) {}
};

// Bounds how far points move along a direction within a time s after t: at most linear s +
// quadratic s^2.
struct Travel {
  double linear = 0, quadratic = 0;
};

// Bounds the travel that the rotation of a body adds along n within s <= rest.
//
// Let w = |w| k be the rotation, r the vector from its centre to a point at t, and x = |w| s. At
// t + s the point has moved along n by
//   n.(Rot(x k) - 1) r = sin x  c.r + (1 - cos x) m.r,  c = n x k, m = (n.k) k - n,
// which is linear in r. So extremal vertices along c and m bound it: with C >= c.r and M >= m.r for
// all points, by x C for C >= 0, by x C + x^3 |C| / 6 for C < 0 (sin x >= x - x^3 / 6), and by
// x^2/2 max(M, 0). x^3 is at most x^2 |w| rest. DEVIATION: [Zhang 2006] Eq. 5 is |w| C alone. It is
// no bound over a time, because r rotates; the terms of second and third order make it one.
//
// Rounding: `extreme` computes the largest d.x of the points for d = R^T c, and c.(offset - centre)
// is added. In units of 2^-53 the errors are below 8 (reach + |offset| + |centre| + |velocity|),
// those of c and m included, which PlacedBody::err covers with the error of the placement.
template <class Extreme>
Travel turn_bound(const PlacedBody& body, const Vec3& n, double rest, const Extreme& extreme) {
  const MotionBound& bound = body.moving.bound;
  if (!bound.rotates()) return {};
  const auto most = [&](const Vec3& c) {
    return extreme(Vec3(body.at.rotation.transpose() * c)) + c.dot(body.at.offset - body.centre) +
           body.err;
  };
  const Vec3& k = bound.world_axis;
  const double along = most(n.cross(k)), across = std::max(most(n.dot(k) * k - n), 0.0);
  const double turn_sq = bound.turn * bound.turn;
  Travel travel;
  travel.linear = bound.turn * along + 0x1p-40 * bound.turn * std::abs(along);
  travel.quadratic = turn_sq * across * (0.5 + 0x1p-40);
  if (along < 0) travel.quadratic += turn_sq * bound.turn * rest * -along * (1 / 6.0 + 0x1p-40);
  return travel;
}

// Returns the time after t up to which a gap stays open, rounded down; at most 2. The gap shrinks
// by at most linear s + quadratic s^2, so the step is the positive zero of g - linear s - quadratic
// s^2, less 2^-38 of it for rounding: both forms below have no cancellation.
double time_open(double t, double gap, const Travel& travel) {
  if (!(gap > 0)) return t;
  const auto [linear, quadratic] = travel;
  const double root = std::sqrt(linear * linear + 4 * quadratic * gap);
  double step = 2;
  if (linear > 0)
    step = 2 * gap / (linear + root);
  else if (quadratic > 0)
    step = (root - linear) / (2 * quadratic);
  step *= 1 - 0x1p-38;
  if (std::isnan(step)) return t;
  return step < 2 ? std::max(t, std::nextafter(t + step, -1.0)) : 2;
}

class PieceSearch {
 public:
  PieceSearch(RivalQuery& query, const PieceWays& ways)
      : query_(query),
        ways_(ways),
        pieces_a_(query.a.model.pieces->of(query.a.model.vertices, query.a.model.faces)),
        pieces_b_(query.b.model.pieces->of(query.b.model.vertices, query.b.model.faces)),
        leaves_a_(leaves(query.a.model.tree)),
        leaves_b_(leaves(query.b.model.tree)) {
    const auto sweep = [](const MovingModel& body, const std::vector<ConvexPiece>& pieces) {
      std::vector<double> speeds;
      for (const ConvexPiece& piece : pieces)
        speeds.push_back(body.bound.turn * body.bound.axis_distance(piece.centre, piece.radius) *
                         (1 + 0x1p-40));
      return speeds;
    };
    turning_a_ = sweep(query.a, pieces_a_);
    turning_b_ = sweep(query.b, pieces_b_);
    speed_ = (query.a.motion.velocity - query.b.motion.velocity).stableNorm() * (1 + 0x1p-40);
  }

  // Returns the time after t up to which no pair touches; t if a pair is not proven apart. Sets the
  // result of the query if a pair is in contact.
  double step(double t) {
    t_ = t;
    next_ = 2;
    const PlacedBody a(query_.a, t), b(query_.b, t);
    a_ = &a;
    b_ = &b;
    seen_ =
        relative_placement(a.at, query_.a.model.tree.reach(), b.at, query_.b.model.tree.reach());
    err_ = seen_.err + query_.error;
    test(closest_a_, closest_b_);  // of the last step: makes the step short at once
    std::vector<Vec3> centres;
    for (const ConvexPiece& piece : pieces_b_)
      centres.push_back(seen_.scale * (seen_.rotation * piece.centre + seen_.offset));
    nearest_ = Impact::inf;
    for (std::uint32_t i = 0; i < pieces_a_.size() && !query_.answered(); ++i) {
      const Vec3 centre = seen_.scale * pieces_a_[i].centre;
      for (std::uint32_t j = 0; j < pieces_b_.size(); ++j) {
        const double apart = seen_.scale * balls_need(pieces_a_[i].radius + pieces_b_[j].radius,
                                                      speed_ + turning_a_[i] + turning_b_[j]);
        if ((centre - centres[j]).squaredNorm() > apart * apart) continue;
        test(i, j);
        if (query_.answered()) break;
      }
    }
    return next_;
  }

 private:
  // Returns the leaf of each triangle.
  static std::vector<std::uint32_t> leaves(const HullTree& tree) {
    std::vector<std::uint32_t> result(tree.size() / 2 + 1);
    for (std::uint32_t i = 0; i < tree.size(); ++i)
      if (tree.box(i).child == 0) result[tree.box(i).face] = i;
    return result;
  }

  // Returns a distance of the centres beyond which two balls with this sum of radii, which approach
  // each other at most at `speed`, are neither in contact now nor closed before next_. The factor
  // covers the rounding of the caller's squares as well.
  double balls_need(double radii, double speed) const {
    const double gap = std::max(query_.threshold, (next_ - t_) * speed + query_.options.margin);
    return (radii + gap + err_ + seen_.slack) * (1 + 0x1p-40);
  }

  void test(std::uint32_t i, std::uint32_t j) {
    const ConvexPiece &a = pieces_a_[i], &b = pieces_b_[j];
    PieceWitness& witness = witnesses_[std::uint64_t{i} * pieces_b_.size() + j];
    const PieceDistance found = piece_distance(a, b, seen_, ways_, witness);
    if (found.hi < nearest_) {
      nearest_ = found.hi;
      closest_a_ = i;
      closest_b_ = j;
    }
    const double gap = found.lo - err_ - query_.options.margin;
    if (!(gap > 0) || found.hi + err_ <= query_.threshold) return test_triangles(i, j);
    const auto extreme = [&](const ConvexPiece& piece) {
      return [&](const Vec3& n) { return extreme_value(piece, n, ways_); };
    };
    advance(gap, a_->at.rotation * found.normal, extreme(a), extreme(b), [&] {
      return std::pair(query_.a.bound.axis_distance(a.centre, a.radius),
                       query_.b.bound.axis_distance(b.centre, b.radius));
    });
  }

  void test_triangles(std::uint32_t i, std::uint32_t j) {
    const ConvexPiece &a = pieces_a_[i], &b = pieces_b_[j];
    const auto in_a = [&](const Vec3& p) { return Vec3(seen_.rotation * p + seen_.offset); };
    collect(query_.a, a, leaves_a_, in_a(b.centre), b.radius, turning_b_[j], near_a_,
            [](const Vec3& p) { return p; });
    if (near_a_.empty()) return;
    collect(query_.b, b, leaves_b_, a.centre, a.radius, turning_a_[i], near_b_, in_a);
    const HullTree &tree_a = query_.a.model.tree, &tree_b = query_.b.model.tree;
    for (const NearTriangle& f : near_a_)
      for (const NearTriangle& g : near_b_) {
        if (ball_separation(*f.leaf, *g.leaf, seen_) > balls_need(0, speed_ + f.speed + g.speed))
          continue;
        const ConvexDistance found =
            triangle_distance(polytope(tree_a, *f.leaf), polytope(tree_b, *g.leaf), seen_);
        if (found.hi + err_ <= query_.threshold) return report(found, f.face, g.face);
        const auto extreme = [](const HullTree& tree, const HullNode& leaf) {
          return [&](const Vec3& n) { return support(tree, leaf, n).value; };
        };
        advance(found.lo - err_ - query_.options.margin, a_->at.rotation * found.normal,
                extreme(tree_a, *f.leaf), extreme(tree_b, *g.leaf),
                [&] { return std::pair(f.rho, g.rho); });
      }
  }

  struct NearTriangle {
    std::uint32_t face;
    const HullNode* leaf;
    double rho, speed;  // distance from the axis; speed by rotation
  };

  // Collects the triangles of a piece whose balls the ball of the other piece may reach. Centres
  // are compared in the coordinates of a: `other`, and seen(centre) for a leaf.
  template <class Seen>
  void collect(const MovingModel& body, const ConvexPiece& piece,
               const std::vector<std::uint32_t>& leaves, const Vec3& other, double radius,
               double turning, std::vector<NearTriangle>& near, const Seen& seen) const {
    near.clear();
    for (const std::uint32_t f : piece.faces) {
      const HullNode& leaf = body.model.tree.node(leaves[f]);
      const double rho = body.axis_distance(leaves[f]),
                   speed = body.bound.turn * rho * (1 + 0x1p-40);
      const double apart = seen_.scale * balls_need(leaf.radius + radius, speed_ + speed + turning);
      if ((seen_.scale * (seen(leaf.centre) - other)).squaredNorm() > apart * apart) continue;
      near.push_back({f, &leaf, rho, speed});
    }
  }

  // Shortens the step to the time up to which a gap along n, which points from b to a, stays open.
  template <class ExtremeA, class ExtremeB, class Radii>
  void advance(double gap, const Vec3& n, const ExtremeA& extreme_a, const ExtremeB& extreme_b,
               const Radii& radii) {
    if (!ways_.extremal) {
      const auto [rho_a, rho_b] = radii();
      next_ = std::min(next_, RivalQuery::after(t_, gap, query_.approach(n, rho_a, rho_b)));
      return;
    }
    const MotionBound &bound_a = query_.a.bound, &bound_b = query_.b.bound;
    const double rest = query_.options.t_max - t_;
    const Travel of_a = turn_bound(*a_, -n, rest, extreme_a);
    const Travel of_b = turn_bound(*b_, n, rest, extreme_b);
    const double towards = n.dot(query_.b.motion.velocity - query_.a.motion.velocity);
    Travel both{towards + 0x1p-40 * std::abs(towards) + 0x1p-45 * (bound_a.speed + bound_b.speed) +
                    of_a.linear + of_b.linear,
                of_a.quadratic + of_b.quadratic};
    // The sums and the length of n have relative errors below 2^-44.
    both.linear += 0x1p-43 * (std::abs(towards) + std::abs(of_a.linear) + std::abs(of_b.linear));
    next_ = std::min(next_, time_open(t_, gap, both));
  }

  void report(const ConvexDistance& found, std::uint32_t f, std::uint32_t g) {
    BodyImpact& result = query_.result;
    result.impact = Impact::contact(t_, query_.options.t_max, result.impact.checks);
    result.impact.normal = a_->at.rotation * found.normal;
    result.face_a = f;
    result.face_b = g;
    result.point_a = a_->at * found.point_a;
    result.point_b = a_->at * found.point_b;
    result.distance = (result.point_a - result.point_b).norm();
  }

  RivalQuery& query_;
  const PieceWays& ways_;
  const std::vector<ConvexPiece>&pieces_a_, &pieces_b_;
  std::vector<std::uint32_t> leaves_a_, leaves_b_;
  std::vector<double> turning_a_, turning_b_;  // speeds by rotation, for each piece
  double speed_;                               // of the centres, relative
  std::unordered_map<std::uint64_t, PieceWitness> witnesses_;
  std::uint32_t closest_a_ = 0, closest_b_ = 0;
  std::vector<NearTriangle> near_a_, near_b_;

  // The state of the current step.
  double t_ = 0, next_ = 2, err_ = 0, nearest_ = Impact::inf;
  const PlacedBody *a_ = nullptr, *b_ = nullptr;
  RelativePlacement seen_;
};

}  // namespace

BodyImpact advance_pieces(const Model& a, const Motion& motion_a, const Model& b,
                          const Motion& motion_b, const StoppableOptions& options,
                          const PieceWays& ways) {
  const FloatEnvironment environment;
  RivalQuery query(a, motion_a, b, motion_b, options);
  if (query.answered()) return query.result;
  PieceSearch search(query, ways);
  for (double t = 0;;) {
    ++query.result.impact.checks;
    ++query.result.iterations;
    const double next = search.step(t);
    if (query.answered() || next > options.t_max) return query.result;
    if (next <= t || is_over(query.result.impact.checks, options)) return query.undecided(t);
    t = next;
  }
}

}  // namespace graze::rigid
