// Search for edges that may pierce faces at the start of a slab, among pairs of features whose
// boxes overlap there. Compiled once for every SIMD target.
//
// Which pairs. Let the edge p-q and the face T have a common point x and no common vertex. Then
//   (1) p or q lies in the box of T, or
//   (2) the box of p-q meets the box of a side of T.
// So every edge that pierces a face shows in an edge-edge pair with a side of the face, or in a
// vertex-face pair of one of its ends, and these features have no common vertex either. The search
// for pairs that may touch has all such pairs: no other pairs need be enumerated. A vertex in the
// box of a side shows in (2) for each of its edges, so that of the pairs of (1) only those remain
// whose vertex is in no box of a side. Boxes are compared by floats that are non-decreasing
// functions of the coordinates, so boxes that overlap also overlap in floats.
//
// Proof. Assume that neither p nor q is in the box of T. Then p lies beyond the box along some axis
// i, and q along some axis j. Reflect axes so that p_i and q_j, for i and j different, are above
// the box. Note that the boxes of the sides of a triangle in the plane cover the triangle: let b be
// the corner whose first coordinate lies between those of a and c. If its second coordinate does
// so, too, the box of a-c covers all. Otherwise let, by reflection, a_2 <= c_2 <= b_2. The box of
// a-c covers the heights from a_2 to c_2. Of those from c_2 to b_2 the box of a-b covers the part
// before b_1 and that of b-c the part after b_1.
//   i = j. Since x is between p and q, these lie on opposite sides, so the box of p-q contains the
//   extent of T along i. Along the other axes it contains x, which lies in the plane box of a side.
//   i != j. Let k be the third axis. A line through x in the slice of T at x_k meets the border of
//   T at u and w with w_i <= x_i <= u_i. Along i the box of p-q contains [x_i, max of T], along j
//   it contains [x_j, max of T], along k it contains x_k. If u_j >= x_j, it contains u. Otherwise
//   let u = x + (a, -b) and w = x + l (-a, b) along i and j, with a, l >= 0 and b > 0; let p = x +
//   (P, -Q) and q = x + n (-P, Q) with P, Q, n > 0. Then a < P and l b < n Q, since T ends before p
//   and q. If b P <= a Q, then b < Q, so the box contains u. If not, then l a < l b P / Q < n P,
//   and the box contains w. Both are points of sides of T.
//
// The tests. Let [a b c] be the determinant of three vectors from p. With d = q - p an edge p-q
// pierces T = a, b, c if and only if C1 = [d a b], C2 = [d b c], C3 = [d c a] have one strict sign
// and P = [a b c], the side of p, and Q = P - C1 - C2 - C3, the side of q, have opposite strict
// signs. For two edges p-q and r-s let A = d x r, B = d x s, K = r x s and V = [d r s]. For a
// vertex z let a = z.A, b = z.B, k = z.K and h = k + a - b - V. By expanding the determinants,
//   p-q against the face r, s, z: C = V, b, -a; sides k and h.
//   r-s against the face p, q, z: C = V, h, -k; sides a and b, up to a common sign.
//
// Rounding. u = 2^-23 covers every rounding mode. A stored coordinate is off by at most eta = 1.01
// u R + 2^-120, where R is the largest coordinate of the point (MovingBounds::Point has a slack of
// 2^-19 R + 2^-100, of which eta is at most 0.064). Let `reach` be at least every component of the
// differences to p, computed or exact. Such a component is off by eps = 2 eta + u reach. Replacing
// the exact by the computed differences changes a determinant by at most 6 (3 reach^2 eps + 3 reach
// eps^2 + eps^3), which is less than 18.4 reach^2 eps if 64 eps < reach. A computed determinant has
// two roundings in each product and three in the sums, so it is off by less than 5.1 u times the
// sum of six products below reach^3. In all this is less than reach^2 (37 eta + 50 u reach) <
// margin = reach^2 (40 eta + 64 u reach) + 2^-90; the last term is for denormal numbers. h and Q
// have the errors of four determinants and three roundings of sums below 24.1 reach^3: less than 5
// margin.

#if defined(GRAZE_BROAD_CROSSING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_BROAD_CROSSING_INL_H_
#undef GRAZE_BROAD_CROSSING_INL_H_
#else
#define GRAZE_BROAD_CROSSING_INL_H_
#endif

#include "graze/broad/moving/separating_direction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::tree::HWY_NAMESPACE {

using FloatMask = hn::Mask<Floats>;

// The lanes in which numbers are proven to be positive or negative.
struct Signs {
  FloatMask positive, negative;

  HWY_INLINE Signs(Many x, Many margin)
      : positive(hn::Gt(x, margin)), negative(hn::Lt(x, hn::Neg(margin))) {}
  HWY_INLINE Signs(FloatMask up, FloatMask down) : positive(up), negative(down) {}
  HWY_INLINE Signs operator-() const { return {negative, positive}; }
};

// The lanes in which an edge is proven not to pierce a face, or proven to pierce it, by the signs
// of C1, C2, C3 and of the sides of its ends.
struct Decision {
  FloatMask free, pierced;

  HWY_INLINE Decision(const Signs& x, const Signs& y, const Signs& z, const Signs& p,
                      const Signs& q) {
    const FloatMask some_up = hn::Or(x.positive, hn::Or(y.positive, z.positive));
    const FloatMask some_down = hn::Or(x.negative, hn::Or(y.negative, z.negative));
    const FloatMask same = hn::Or(hn::And(p.positive, q.positive), hn::And(p.negative, q.negative));
    free = hn::Or(hn::And(some_up, some_down), same);
    const FloatMask all_up = hn::And(x.positive, hn::And(y.positive, z.positive));
    const FloatMask all_down = hn::And(x.negative, hn::And(y.negative, z.negative));
    const FloatMask opposite =
        hn::Or(hn::And(p.positive, q.negative), hn::And(p.negative, q.positive));
    pierced = hn::And(hn::Or(all_up, all_down), opposite);
  }
};

HWY_INLINE Many largest_of(const Vectors& a) {
  return hn::Max(hn::Abs(a.x), hn::Max(hn::Abs(a.y), hn::Abs(a.z)));
}
HWY_INLINE Many fused_dot(const Vectors& a, const Vectors& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}

// Returns the margin of determinants for the largest computed component and the largest slack;
// infinite where products could overflow.
HWY_INLINE Many margin_of(Many largest, Many slack) {
  const Floats d;
  const Many eta = hn::Mul(hn::Set(d, 0.064f), slack);
  const Many reach = hn::Max(hn::MulAdd(hn::Set(d, 1.01f), largest, hn::Mul(hn::Set(d, 4.0f), eta)),
                             hn::Mul(hn::Set(d, 256.0f), eta));
  const Many margin =
      hn::MulAdd(hn::Mul(reach, reach),
                 hn::MulAdd(hn::Set(d, 0x1p-17f), reach, hn::Mul(hn::Set(d, 40.0f), eta)),
                 hn::Set(d, 0x1p-90f));
  return hn::IfThenElse(hn::Lt(reach, hn::Set(d, 0x1p20f)), margin, hn::Inf(d));
}

// Two edges per lane, by their indices in two trees.
struct EdgePairs {
  Lanes<std::uint32_t> first, second;
  // Bit i is set if the first edge of lane i is of the second tree and the second of the first.
  unsigned swapped;
};

// Tests pairs of features without a common vertex whose boxes overlap at the start of the slab, and
// reports the edges that may pierce faces. Vertices are places (MovingBounds).
class CrossingTests {
 public:
  // A null search has no pairs to test.
  HWY_INLINE explicit CrossingTests(const CrossingSearch* search)
      : search_(search), points_(search ? search->points.data() : nullptr) {}

  // Return the bits of the lanes whose pairs can still hold a piercing that is reported. Pairs of
  // edges are compared by the smaller id, pairs of a vertex and a face by the id of the vertex.
  HWY_INLINE unsigned needed_edges(const Lanes<std::uint32_t>& least_ids, unsigned bits) const {
    return up_to(last_edge(), least_ids, bits);
  }
  HWY_INLINE unsigned needed_vertices(const Lanes<std::uint32_t>& vertices, unsigned bits) const {
    // Edges are sorted by their larger vertex, which is at least v for every edge at a vertex v.
    const std::uint32_t last = last_edge();
    return last < search_->edges.size() ? up_to(search_->edges[last][1], vertices, bits) : bits;
  }

  // Tests two edges in each lane whose bit is set. `moving` has their corners.
  template <std::size_t frames>
  HWY_INLINE void test_edges(const EdgePairs& edges, const MovingPairs<2, 2, frames>& moving,
                             unsigned bits) {
    if (bits == 0) return;
    const std::array<const Wedges*, 2> trees = search_->of_trees;
    const bool further = trees[0]->has_further_faces() || trees[1]->has_further_faces();
    for (unsigned left = bits; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const std::size_t swapped = edges.swapped >> i & 1;
      const Wedges &of_first = *trees[swapped], &of_second = *trees[1 - swapped];
      const std::uint32_t first = edges.first[i], second = edges.second[i];
      const Wedges::Wedge &x = of_first[first], &y = of_second[second];
      wedges_[0][i] = x;
      wedges_[1][i] = y;
      set_point(0, i, x.apexes[0]);
      set_point(1, i, x.apexes[1]);
      set_point(2, i, y.apexes[0]);
      set_point(3, i, y.apexes[1]);
      if (search_->shifted) {
        set_point(4, i, x.ends[0]);
        set_point(5, i, x.ends[1]);
        set_point(6, i, y.ends[0]);
        set_point(7, i, y.ends[1]);
      }
      if (further) {
        add_further(of_first.id(first), x, second, of_second);
        add_further(of_second.id(second), y, first, of_first);
      }
    }
    const Floats d;
    if (search_->shifted) {
      Many slack = hn::Zero(d);
      const Vectors p = load(4, slack);
      const Vectors q = load(5, slack) - p, r = load(6, slack) - p, s = load(7, slack) - p;
      test_lanes(edges, bits, p, q, r, s, slack);
    } else {
      const Vectors& p = moving.at_begin(0);
      test_lanes(edges, bits, p, moving.at_begin(1) - p, moving.at_begin(2) - p,
                 moving.at_begin(3) - p, moving.slack());
    }
  }

  // Tests the edges at a vertex with a face, given by its id in the mesh and its corners.
  HWY_INLINE void test_vertex(std::uint32_t at, std::uint32_t face,
                              const std::array<std::uint32_t, 3>& corners) {
    for (const Wedges& wedges : search_->all)
      wedges.for_edges_at(at, [&](std::uint32_t edge) HWY_ATTR {
        const auto& ends = wedges[edge].ends;
        // If these boxes overlap, the pair of edges is tested.
        if (!overlap_sides(ends, corners)) add_unsure(wedges.id(edge), face, ends, corners);
      });
  }

  // Tests the pairs that still wait for a full set of lanes.
  HWY_INLINE void flush() {
    if (unsure_size_ > 0) test_unsure();
  }

 private:
  HWY_INLINE std::uint32_t last_edge() const {
    return search_->last_edge->load(std::memory_order_relaxed);
  }

  static HWY_INLINE unsigned up_to(std::uint32_t last, const Lanes<std::uint32_t>& numbers,
                                   unsigned bits) {
    if (last == no_edge) return bits;
    const Ids ids;
    const auto number = hn::LoadU(ids, numbers.data());
    return bits & bits_at(hn::Eq(hn::Min(number, hn::Set(ids, last)), number), 0);
  }

  HWY_INLINE void set_point(std::size_t c, std::size_t lane, std::uint32_t vertex) {
    std::copy_n(points_[vertex].data(), 4, at_[c][lane]);
  }

  // Tests two edges p-q and r-s in each lane whose bit is set; q, r and s are relative to p.
  HWY_INLINE void test_lanes(const EdgePairs& edges, unsigned bits, const Vectors& p,
                             const Vectors& q, const Vectors& r, const Vectors& s, Many slack) {
    const Floats d;
    const Vectors z0 = load(0, slack) - p, z1 = load(1, slack) - p, z2 = load(2, slack) - p,
                  z3 = load(3, slack) - p;
    const Many largest = hn::Max(
        hn::Max(hn::Max(largest_of(q), largest_of(r)), hn::Max(largest_of(s), largest_of(z0))),
        hn::Max(hn::Max(largest_of(z1), largest_of(z2)), largest_of(z3)));
    const Many margin = margin_of(largest, slack), margin_h = hn::Mul(hn::Set(d, 5.0f), margin);
    const Vectors a = cross(q, r), b = cross(q, s), k = cross(r, s);
    const Many v = fused_dot(s, a);
    const Signs of_v(v, margin);
    const Ids ids;
    hn::Vec<Ids> place[8];  // of p, q and the apexes of p-q, then the same of r-s
    hn::LoadInterleaved4(ids, wedges_[0][0].ends.data(), place[0], place[1], place[2], place[3]);
    hn::LoadInterleaved4(ids, wedges_[1][0].ends.data(), place[4], place[5], place[6], place[7]);
    const auto decide = [&](const Vectors& z, auto apex) HWY_ATTR {
      constexpr std::size_t own = apex < 2 ? 0 : 4, other = 4 - own;
      const Many along_a = fused_dot(z, a), along_b = fused_dot(z, b), along_k = fused_dot(z, k);
      const Many h = hn::Sub(hn::Sub(hn::Add(along_k, along_a), along_b), v);
      const Signs of_a(along_a, margin), of_b(along_b, margin), of_k(along_k, margin),
          of_h(h, margin_h);
      const Decision decision = apex < 2 ? Decision(of_v, of_h, -of_k, of_a, of_b)
                                         : Decision(of_v, of_b, -of_a, of_k, of_h);
      const auto at = place[own + 2 + apex % 2];
      const auto no_face = hn::Or(hn::Eq(at, place[own]),
                                  hn::Or(hn::Eq(at, place[other]), hn::Eq(at, place[other + 1])));
      const unsigned open =
          bits_at(hn::Not(hn::Or(decision.free, hn::RebindMask(d, no_face))), 0) & bits;
      if (open != 0) add_open(edges, apex, open, bits_at(decision.pierced, 0));
    };
    decide(z0, std::integral_constant<std::size_t, 0>());
    decide(z1, std::integral_constant<std::size_t, 1>());
    decide(z2, std::integral_constant<std::size_t, 2>());
    decide(z3, std::integral_constant<std::size_t, 3>());
  }

  HWY_INLINE Vectors load(std::size_t c, Many& slack) const {
    Vectors point;
    Many its_slack;
    hn::LoadInterleaved4(Floats(), at_[c][0], point.x, point.y, point.z, its_slack);
    slack = hn::Max(slack, its_slack);
    return point;
  }

  // Returns whether the box of an edge overlaps that of a side of a face.
  HWY_INLINE bool overlap_sides(const std::array<std::uint32_t, 2>& ends,
                                const std::array<std::uint32_t, 3>& corners) const {
    const auto &p = points_[ends[0]], &q = points_[ends[1]];
    bool result = false;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto &a = points_[corners[c]], &b = points_[corners[(c + 1) % 3]];
      bool overlap = true;
      for (std::size_t k = 0; k < 3; ++k) {
        overlap &= std::min(p[k], q[k]) <= std::max(a[k], b[k]);
        overlap &= std::min(a[k], b[k]) <= std::max(p[k], q[k]);
      }
      result |= overlap;
    }
    return result;
  }

  // Adds an edge with the faces of another edge beyond the first two.
  HWY_NOINLINE void add_further(std::uint32_t id, const Wedges::Wedge& piercing, std::uint32_t edge,
                                const Wedges& wedges) {
    const auto& ends = wedges[edge].ends;
    for (const Wedges::Further& further : wedges.further_faces(edge))
      add_unsure(id, further.face, piercing.ends, {ends[0], ends[1], further.apex});
  }

  // Adds the faces of an apex, in the lanes whose bits are set, with the other edges of the pairs.
  HWY_NOINLINE void add_open(const EdgePairs& edges, std::size_t apex, unsigned open,
                             unsigned pierced) {
    const std::size_t side = apex / 2, which = apex % 2;
    for (; open != 0; open &= open - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(open));
      const std::size_t tree = (edges.swapped >> i & 1) ^ side;
      const Wedges &wedges = *search_->of_trees[tree], &others = *search_->of_trees[1 - tree];
      const std::uint32_t edge = (side == 0 ? edges.first : edges.second)[i];
      const std::uint32_t other = (side == 0 ? edges.second : edges.first)[i];
      const auto& ends = wedges[edge].ends;
      const std::uint32_t id = others.id(other), face = wedges.faces(edge)[which];
      if (!(pierced >> i & 1))
        add_unsure(id, face, others[other].ends, {ends[0], ends[1], wedges[edge].apexes[which]});
      else if (id <= last_edge())
        search_->found.add({id, face});
    }
  }

  // Adds an edge and a face by their ids and corners, unless they have a common vertex.
  HWY_INLINE void add_unsure(std::uint32_t edge, std::uint32_t face,
                             const std::array<std::uint32_t, 2>& ends,
                             const std::array<std::uint32_t, 3>& corners) {
    if (edge > last_edge()) return;
    for (const std::uint32_t corner : corners)
      if (corner == ends[0] || corner == ends[1]) return;
    unsure_.set_at_rest(
        unsure_size_, {points_[ends[0]].data(), points_[ends[1]].data()},
        {points_[corners[0]].data(), points_[corners[1]].data(), points_[corners[2]].data()});
    unsure_pairs_[unsure_size_++] = {edge, face};
    if (unsure_size_ == hn::Lanes(Floats())) test_unsure();
  }

  // Passes on the pairs that no direction keeps apart. Flat parts of a mesh have many pairs with
  // determinants near 0.
  HWY_NOINLINE void test_unsure() {
    const std::size_t count = std::exchange(unsure_size_, 0);
    unsure_.load();
    const unsigned apart = unsure_.apart();
    for (std::size_t i = 0; i < count; ++i)
      if (!(apart >> i & 1)) search_->found.add(unsure_pairs_[i]);
  }

  const CrossingSearch* const search_;
  const MovingBounds::Point* const points_;
  alignas(64) std::array<Lanes<Wedges::Wedge>, 2> wedges_ = {};
  alignas(64) float at_[8][width][4] = {};
  MovingPairs<2, 3> unsure_ = {};
  std::array<Pair, width> unsure_pairs_ = {};
  std::size_t unsure_size_ = 0;
};

}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
