#include <algorithm>
#include <cmath>
#include <map>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/proof/link_row.h"
#include "graze/rigid/robot.h"

namespace graze::rigid {
namespace {

using proof::LinkRow;
using proof::LinkRows;
using proof::Range;

constexpr int most_bisections = 24;

// A box of faces of a, faces of b and times of one piece.
struct ProofRegion {
  std::uint32_t a0, a1, b0, b1;
  double s0, s1;
};

bool overlap(const ProofRegion& region, const ProofInterval& i) {
  return i.a_begin < region.a1 && i.a_end > region.a0 && i.b_begin < region.b1 &&
         i.b_end > region.b0 && i.s0 < region.s1 && i.s1 > region.s0;
}

// Returns whether the intervals cover the region. If none covers it alone, the region is cut at a
// bound of an interval that lies inside of it, and both parts must be covered.
bool covers(const std::vector<const ProofInterval*>& intervals, const ProofRegion& region) {
  std::vector<const ProofInterval*> near;
  for (const ProofInterval* i : intervals) {
    if (!overlap(region, *i)) continue;
    if (i->a_begin <= region.a0 && i->a_end >= region.a1 && i->b_begin <= region.b0 &&
        i->b_end >= region.b1 && i->s0 <= region.s0 && i->s1 >= region.s1)
      return true;
    near.push_back(i);
  }
  if (near.empty()) return false;
  ProofRegion low = region, high = region;
  // Cuts the longest interval in time first: the search halves times last.
  const ProofInterval* widest = *std::max_element(
      near.begin(), near.end(),
      [](const ProofInterval* x, const ProofInterval* y) { return x->s1 - x->s0 < y->s1 - y->s0; });
  const auto inside = [](auto cut, auto lo, auto hi) { return lo < cut && cut < hi; };
  if (inside(widest->s0, region.s0, region.s1))
    low.s1 = high.s0 = widest->s0;
  else if (inside(widest->s1, region.s0, region.s1))
    low.s1 = high.s0 = widest->s1;
  else if (inside(widest->a_begin, region.a0, region.a1))
    low.a1 = high.a0 = widest->a_begin;
  else if (inside(widest->a_end, region.a0, region.a1))
    low.a1 = high.a0 = widest->a_end;
  else if (inside(widest->b_begin, region.b0, region.b1))
    low.b1 = high.b0 = widest->b_begin;
  else
    low.b1 = high.b0 = widest->b_end;
  return covers(near, low) && covers(near, high);
}

class Verifier {
 public:
  Verifier(const RobotProof& proof, const Mechanism& mechanism, const Trajectory& path,
           const Margins& margins)
      : proof_(proof), mechanism_(mechanism), path_(path), margins_(margins) {}

  ProofCheck run() {
    for (const auto& order : proof_.orders)
      if (!is_permutation(order)) return rejected("an order of faces is no permutation");
    for (std::size_t piece = 0; piece < path_.pieces(); ++piece)
      curves_.push_back(curves_of(mechanism_, path_, piece));
    std::map<std::array<std::uint32_t, 2>, std::uint32_t> known;  // shapes -> pair of the proof
    for (std::uint32_t k = 0; k < proof_.pairs.size(); ++k) {
      std::array<std::uint32_t, 2> shapes{};
      if (!find_shapes(proof_.pairs[k], shapes))
        return rejected("pair " + std::to_string(k) +
                        " names no shapes of the robot and the world");
      known[shapes] = k;
    }
    by_pair_.resize(proof_.pairs.size() * path_.pieces());
    for (std::size_t k = 0; k < proof_.intervals.size(); ++k)
      if (!admit(k)) return std::move(result_);
    for (std::uint32_t i = 0; i < mechanism_.shapes.size(); ++i)
      for (std::uint32_t j = i + 1; j < mechanism_.shapes.size(); ++j) {
        const FrameShape &a = mechanism_.shapes[i], &b = mechanism_.shapes[j];
        if (a.frame == b.frame) continue;
        if (mechanism_.may_touch.count({std::min(a.item, b.item), std::max(a.item, b.item)}) > 0)
          continue;
        const auto pair = known.find({i, j});
        if (pair == known.end())
          return rejected(pair_name(a, b) + ": the proof does not have this pair");
        if (!verify_pair(pair->second, a, b)) return std::move(result_);
      }
    result_.valid = true;
    return std::move(result_);
  }

 private:
  ProofCheck rejected(std::string problem) {
    result_.problem = std::move(problem);
    return std::move(result_);
  }
  bool reject(const std::string& problem, std::size_t interval = ~std::size_t{0}) {
    result_.problem = problem;
    result_.interval = interval;
    return false;
  }

  std::string pair_name(const FrameShape& a, const FrameShape& b) const {
    return mechanism_.items[a.item] + " (shape " + std::to_string(a.number) + ") and " +
           mechanism_.items[b.item] + " (shape " + std::to_string(b.number) + ")";
  }

  static bool is_permutation(const std::vector<std::uint32_t>& order) {
    std::vector<bool> seen(order.size());
    for (const std::uint32_t face : order) {
      if (face >= order.size() || seen[face]) return false;
      seen[face] = true;
    }
    return true;
  }

  bool find_shapes(const RobotProof::Pair& pair, std::array<std::uint32_t, 2>& shapes) const {
    const auto find = [&](const std::string& name, std::uint32_t number, std::uint32_t order,
                          std::uint32_t& shape) {
      for (shape = 0; shape < mechanism_.shapes.size(); ++shape) {
        const FrameShape& at = mechanism_.shapes[shape];
        if (mechanism_.items[at.item] == name && at.number == number)
          return order < proof_.orders.size() &&
                 proof_.orders[order].size() == at.body.faces().size();
      }
      return false;
    };
    return find(pair.a, pair.shape_a, pair.order_a, shapes[0]) &&
           find(pair.b, pair.shape_b, pair.order_b, shapes[1]) && shapes[0] < shapes[1];
  }

  bool admit(std::size_t k) {
    const ProofInterval& i = proof_.intervals[k];
    const std::string where = "interval " + std::to_string(k) + ": ";
    if (i.pair >= proof_.pairs.size() || i.piece >= path_.pieces())
      return reject(where + "names no pair or no piece", k);
    const RobotProof::Pair& pair = proof_.pairs[i.pair];
    if (!(i.s0 >= 0 && i.s0 < i.s1 && i.s1 <= 1) || !(i.a_begin < i.a_end) ||
        !(i.b_begin < i.b_end) || i.a_end > proof_.orders[pair.order_a].size() ||
        i.b_end > proof_.orders[pair.order_b].size() || !i.normal.allFinite() ||
        i.normal.isZero(0) || !(i.normal.cwiseAbs().maxCoeff() <= 2))
      return reject(where + "its numbers are out of range", k);
    by_pair_[i.pair * path_.pieces() + i.piece].push_back(&i);
    return true;
  }

  bool verify_pair(std::uint32_t index, const FrameShape& a, const FrameShape& b) {
    const RobotProof::Pair& pair = proof_.pairs[index];
    const double clear = margins_.of(a.item, b.item);
    if (pair.margin < clear)
      return reject(pair_name(a, b) + ": the proof is for the margin " +
                    std::to_string(pair.margin) + ", not " + std::to_string(clear));
    const Range room = Range::of(clear) + Range::of(a.body.radius()) + Range::of(b.body.radius());
    const std::uint32_t base = common_frame(a.frame, b.frame);
    const auto &order_a = proof_.orders[pair.order_a], &order_b = proof_.orders[pair.order_b];
    bool apart_once = false;  // a plane separates the shapes as a whole at some time
    for (std::size_t piece = 0; piece < path_.pieces(); ++piece) {
      const auto& intervals = by_pair_[index * path_.pieces() + piece];
      for (const ProofInterval* i : intervals) {
        const Part part_a = part(a, order_a, i->a_begin, i->a_end);
        const Part part_b = part(b, order_b, i->b_begin, i->b_end);
        if (!holds(*i, base, part_a, part_b, room.hi))
          return reject(pair_name(a, b) + ": interval " +
                            std::to_string(i - proof_.intervals.data()) + ", piece " +
                            std::to_string(piece) + ", s from " + std::to_string(i->s0) + " to " +
                            std::to_string(i->s1) + ": the plane does not separate",
                        static_cast<std::size_t>(i - proof_.intervals.data()));
        apart_once = apart_once || (part_a.whole && part_b.whole);
      }
      const ProofRegion all{0, static_cast<std::uint32_t>(order_a.size()),
                            0, static_cast<std::uint32_t>(order_b.size()),
                            0, 1};
      if (!covers(intervals, all))
        return reject(pair_name(a, b) + ": the intervals do not cover piece " +
                      std::to_string(piece));
    }
    if (!apart_once && (!is_outside(a, b, base) || !is_outside(b, a, base)))
      return reject(pair_name(a, b) + ": not proven that the solid does not contain the other");
    return true;
  }

  std::uint32_t common_frame(std::uint32_t a, std::uint32_t b) const {
    std::vector<bool> above(mechanism_.frames.size());
    for (above[a] = true; a != 0;) above[a = mechanism_.frames[a].parent] = true;
    while (!above[b]) b = mechanism_.frames[b].parent;
    return b;
  }

  // The vertices of a range of faces, in the coordinates of the frame of the shape.
  struct Part {
    const FrameShape* shape;
    std::vector<std::uint32_t> vertices;
    bool whole;
  };
  Part part(const FrameShape& shape, const std::vector<std::uint32_t>& order, std::uint32_t begin,
            std::uint32_t end) const {
    Part result{&shape, {}, begin == 0 && end == order.size()};
    for (std::uint32_t k = begin; k < end; ++k)
      for (const std::uint32_t v : shape.body.faces()[order[k]]) result.vertices.push_back(v);
    std::sort(result.vertices.begin(), result.vertices.end());
    result.vertices.erase(std::unique(result.vertices.begin(), result.vertices.end()),
                          result.vertices.end());
    return result;
  }

  // Returns a lower bound on the least n.x - n.y over vertices x of a and y of b.
  static double gap(const Part& a, const LinkRow& row_a, const Part& b, const LinkRow& row_b) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const std::uint32_t v : a.vertices)
      low = std::min(low, row_a.at(a.shape->body.vertices()[v]).lo);
    for (const std::uint32_t v : b.vertices)
      high = std::max(high, row_b.at(b.shape->body.vertices()[v]).hi);
    return Range::down(low - high);
  }
  static double largest(const Part& part, const LinkRow& row) {
    double most = 0;
    for (const std::uint32_t v : part.vertices)
      most = std::max(most, row.at(part.shape->body.vertices()[v]).magnitude());
    return most;
  }

  // Returns whether n.(x - y) exceeds the room on the whole interval, for all vertices and thereby
  // for all points of the faces. A function f with |f''| <= m on an interval of length h is at
  // least the smaller of its values at the ends minus m h^2/8. Where that does not decide, the
  // interval is bisected.
  bool holds(const ProofInterval& i, std::uint32_t base, const Part& a, const Part& b,
             double room) {
    // |n| is at most this; the room is measured along n.
    const double length = i.normal.norm() * (1 + 0x1p-48);
    return holds(i, base, a, b, Range::up(room * length), i.s0, i.s1, most_bisections);
  }
  bool holds(const ProofInterval& i, std::uint32_t base, const Part& a, const Part& b, double room,
             double s0, double s1, int bisections) {
    ++result_.evaluations;
    const PieceCurves& curves = curves_[i.piece];
    const auto rows = [&](const Part& part, const Range& s) {
      return rows_of(mechanism_, curves, base, part.shape->frame, s, i.normal);
    };
    double least = HUGE_VAL;
    for (const double s : {s0, s1})
      least = std::min(least, gap(a, rows(a, Range::of(s))[0], b, rows(b, Range::of(s))[0]));
    if (!(least > room)) return false;
    const Range whole{s0, s1};
    const double curvature =
        Range::up(largest(a, rows(a, whole)[2]) + largest(b, rows(b, whole)[2]));
    const double width = Range::up(s1 - s0);
    const double sag = Range::up(Range::up(curvature * Range::up(width * width)) * 0.125);
    if (Range::down(least - sag) > room) return true;
    const double middle = 0.5 * (s0 + s1);
    if (bisections == 0 || !(s0 < middle && middle < s1)) return false;
    return holds(i, base, a, b, room, s0, middle, bisections - 1) &&
           holds(i, base, a, b, room, middle, s1, bisections - 1);
  }

  // Returns whether each vertex of `inner` is separated from `outer`, if that is solid, by a plane
  // parallel to a face of it, at the start of the path. Complete for convex solids.
  bool is_outside(const FrameShape& inner, const FrameShape& outer, std::uint32_t base) {
    if (!outer.body.model().solid) return true;
    const auto vertices = outer.body.vertices();
    const auto all = [](const FrameShape& shape) {
      Part part{&shape, {}, true};
      for (std::uint32_t v = 0; v < shape.body.vertices().size(); ++v) part.vertices.push_back(v);
      return part;
    };
    const Part solid = all(outer);
    std::vector<bool> is_out(inner.body.vertices().size());
    for (const Face& face : outer.body.faces()) {
      const Vec3 side = vertices[face[1]] - vertices[face[0]];
      const Vec3 in_frame = side.cross(vertices[face[2]] - vertices[face[0]]).stableNormalized();
      // The direction in the base, up to rounding: any direction that separates will do.
      Vec3 n;
      for (int k = 0; k < 3; ++k) {
        const LinkRow unit =
            rows_of(mechanism_, curves_[0], base, outer.frame, Range::of(0), Vec3::Unit(k))[0];
        n[k] = unit.row[0].lo * in_frame[0] + unit.row[1].lo * in_frame[1] +
               unit.row[2].lo * in_frame[2];
      }
      for (const double sign : {1.0, -1.0}) {
        const Vec3 direction = sign * n;
        const LinkRow row_in =
            rows_of(mechanism_, curves_[0], base, inner.frame, Range::of(0), direction)[0];
        const LinkRow row_out =
            rows_of(mechanism_, curves_[0], base, outer.frame, Range::of(0), direction)[0];
        double high = -HUGE_VAL;
        for (const std::uint32_t v : solid.vertices)
          high = std::max(high, row_out.at(vertices[v]).hi);
        for (std::size_t v = 0; v < is_out.size(); ++v)
          is_out[v] = is_out[v] || row_in.at(inner.body.vertices()[v]).lo > high;
      }
    }
    return std::all_of(is_out.begin(), is_out.end(), [](bool out) { return out; });
  }

  const RobotProof& proof_;
  const Mechanism& mechanism_;
  const Trajectory& path_;
  const Margins& margins_;
  std::vector<PieceCurves> curves_;
  std::vector<std::vector<const ProofInterval*>> by_pair_;
  ProofCheck result_;
};

}  // namespace

ProofCheck verify(const RobotProof& proof, const Robot& robot, const Trajectory& path,
                  const RobotWorld& world, const RobotOptions& options) {
  const FloatEnvironment environment;
  const Mechanism mechanism = in_world(robot.mechanism(), world);
  const Margins margins(mechanism, options);
  ProofCheck check;
  check.problem = !mechanism.problem.empty()   ? mechanism.problem
                  : !margins.problem().empty() ? margins.problem()
                                               : path_problem(mechanism, path, false);
  if (!check.problem.empty()) return check;
  return Verifier(proof, mechanism, path, margins).run();
}

}  // namespace graze::rigid
