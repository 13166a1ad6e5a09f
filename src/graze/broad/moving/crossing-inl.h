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

// Tests pairs of features without a common vertex whose boxes overlap at the start of the slab, and
// reports the edges that may pierce faces. Vertices are places (MovingBounds).
class CrossingTests {
 public:
  // A null search has no pairs to test.
  HWY_INLINE explicit CrossingTests(const CrossingSearch* search)
      : search_(search), points_(search ? search->points : MovingBounds::Points(nullptr, 0)) {}

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

  // Tests an edge of the first tree and one of the second, by their indices, when a full set of
  // lanes waits or in flush(). (In most batches of pairs few boxes overlap at the start.)
  HWY_INLINE void add_edges(std::uint32_t first, std::uint32_t second) {
    const std::size_t i = size_++;
    set_edge(0, i, first);
    set_edge(1, i, second);
    const Wedges &of_first = *search_->of_trees[0], &of_second = *search_->of_trees[1];
    if (of_first.has_further_faces() || of_second.has_further_faces()) {
      add_further(of_first.id(first), wedges_[0][i], second, of_second);
      add_further(of_second.id(second), wedges_[1][i], first, of_first);
    }
    if (size_ == hn::Lanes(Floats())) test_edges();
  }

  // Tests the edges at a vertex with a face, given by its id in the mesh and its corners.
  HWY_INLINE void test_vertex(std::uint32_t at, std::uint32_t face,
                              const std::array<std::uint32_t, 3>& corners) {
    for (const Wedges& wedges : search_->all)
      wedges.for_edges_at(at, [&](std::uint32_t edge) HWY_ATTR {
        const auto& ends = wedges[edge].ends;
        add_unsure(wedges.id(edge), face, ends, corners);
      });
  }

  // Tests the pairs that still wait for a full set of lanes.
  HWY_INLINE void flush() {
    if (size_ > 0) test_edges();
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

  HWY_INLINE void set_edge(std::size_t side, std::size_t lane, std::uint32_t edge) {
    const Wedges::Wedge& wedge = (*search_->of_trees[side])[edge];
    edges_[side][lane] = edge;
    wedges_[side][lane] = wedge;
    for (std::size_t c = 0; c < 2; ++c) {
      std::copy_n(points_[wedge.ends[c]], 4, corners_[4 * side + c][lane]);
      std::copy_n(points_[wedge.apexes[c]], 4, corners_[4 * side + 2 + c][lane]);
    }
  }

  // Tests the two edges p-q and r-s that wait in each lane. q, r, s and the apexes z are relative
  // to p.
  HWY_NOINLINE void test_edges() {
    const Floats d;
    const unsigned bits = (1u << std::exchange(size_, 0)) - 1;
    Many slack = hn::Zero(d);
    const Vectors p = load(0, slack);
    const Vectors q = load(1, slack) - p, z0 = load(2, slack) - p, z1 = load(3, slack) - p;
    const Vectors r = load(4, slack) - p, s = load(5, slack) - p;
    const Vectors z2 = load(6, slack) - p, z3 = load(7, slack) - p;
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
      if (open != 0) add_open(apex, open, bits_at(decision.pierced, 0));
    };
    decide(z0, std::integral_constant<std::size_t, 0>());
    decide(z1, std::integral_constant<std::size_t, 1>());
    decide(z2, std::integral_constant<std::size_t, 2>());
    decide(z3, std::integral_constant<std::size_t, 3>());
  }

  HWY_INLINE Vectors load(std::size_t c, Many& slack) const {
    Vectors point;
    Many its_slack;
    hn::LoadInterleaved4(Floats(), corners_[c][0], point.x, point.y, point.z, its_slack);
    slack = hn::Max(slack, its_slack);
    return point;
  }

  // Adds an edge with the faces of another edge beyond the first two.
  HWY_NOINLINE void add_further(std::uint32_t id, const Wedges::Wedge& piercing, std::uint32_t edge,
                                const Wedges& wedges) {
    const auto& ends = wedges[edge].ends;
    for (const Wedges::Further& further : wedges.further_faces(edge))
      add_unsure(id, further.face, piercing.ends, {ends[0], ends[1], further.apex});
  }

  // Adds the faces of an apex, in the lanes whose bits are set, with the other edges of the pairs.
  HWY_NOINLINE void add_open(std::size_t apex, unsigned open, unsigned pierced) {
    const std::size_t side = apex / 2, which = apex % 2;
    for (; open != 0; open &= open - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(open));
      const Wedges::Wedge &wedge = wedges_[side][i], &other = wedges_[1 - side][i];
      const std::uint32_t id = search_->of_trees[1 - side]->id(edges_[1 - side][i]);
      const std::uint32_t face = search_->of_trees[side]->faces(edges_[side][i])[which];
      if (!(pierced >> i & 1))
        add_unsure(id, face, other.ends, {wedge.ends[0], wedge.ends[1], wedge.apexes[which]});
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
    unsure_.set(unsure_size_, {points_[ends[0]], points_[ends[1]]},
                {points_[corners[0]], points_[corners[1]], points_[corners[2]]});
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
  const MovingBounds::Points points_;
  // Pairs of edges that wait: their indices in the trees, and the ends and apexes of the first and
  // of the second edge.
  std::size_t size_ = 0;
  std::array<Lanes<std::uint32_t>, 2> edges_ = {};
  alignas(64) std::array<Lanes<Wedges::Wedge>, 2> wedges_ = {};
  alignas(64) float corners_[8][width][4] = {};
  MovingPairs<2, 3, 1> unsure_ = {};
  std::array<Pair, width> unsure_pairs_ = {};
  std::size_t unsure_size_ = 0;
};

}  // namespace graze::broad::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
