#include "graze/check_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <numeric>

#include "graze/broad/per_thread.h"
#include "graze/broad/radix_sort.h"
#include "graze/broad/search_monitor.h"
#include "graze/broad/tree/box_tree_kernel.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/common_scale.h"
#include "graze/exact/rough_side.h"
#include "graze/exact/triangle_meet.h"
#include "graze/separation.h"

namespace graze {
namespace {

using broad::PairBlock;
using broad::tree::PackedTree, broad::tree::RankPacket, broad::tree::width;
using exact::hidden, exact::Meeting, exact::rough_side;

using Triangle = std::array<Vec3, 3>;

// ---- two triangles -----------------------------------------------------------------------------

exact::IntegerTriangle to_integers(const Triangle& triangle, const numeric::CommonScale& scale) {
  exact::IntegerTriangle result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      result[i][k] = exact::to_integer(scale.scaled(triangle[i][static_cast<int>(k)]));
  return result;
}

// Returns rule(a, b) for the triangles in integers.
template <class Rule>
Meeting by_integers(const Triangle& a, const Triangle& b, const Rule& rule) {
  numeric::CommonScale scale;
  for (const Triangle* t : {&a, &b})
    for (const Vec3& corner : *t) scale.include(corner);
  return rule(to_integers(a, scale), to_integers(b, scale));
}

// Returns, exactly, whether a triangle has area. A coordinate of the computed cross product of two
// sides of at most E and F is off by less than 8 u E F, and underflow adds less than 2^-600 where
// no side exceeds 2^400.
bool has_area(const Triangle& t) {
  const Vec3 e = t[1] - t[0], f = t[2] - t[0];
  const double size_e = e.lpNorm<Eigen::Infinity>(), size_f = f.lpNorm<Eigen::Infinity>();
  if (std::max(size_e, size_f) < 0x1p400 &&
      e.cross(f).lpNorm<Eigen::Infinity>() > 0x1p-49 * size_e * size_f + 0x1p-600)
    return true;
  numeric::CommonScale scale;
  for (const Vec3& corner : t) scale.include(corner);
  return exact::has_area(to_integers(t, scale));
}

// Returns true only if the direction n separates the triangles: n.x at all corners of one is above
// n.x at all corners of the other. Any n may be passed.
// The computed n.x, three products and two sums, is off by less than 4 u |n|_1 m, with u = 2^-53
// and m the largest absolute coordinate; the difference of two is off by less than 8 u |n|_1 m plus
// its rounding. The bound 2^-49 |n|_1 m = 16 u |n|_1 m also covers the rounding of the bound
// itself, and 2^-1000 covers underflow.
bool separates(const Vec3& n, const Triangle& a, const Triangle& b) {
  double a_lo = n.dot(a[0]), a_hi = a_lo, b_lo = n.dot(b[0]), b_hi = b_lo, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double at_a = n.dot(a[i]), at_b = n.dot(b[i]);
    a_lo = std::min(a_lo, at_a);
    a_hi = std::max(a_hi, at_a);
    b_lo = std::min(b_lo, at_b);
    b_hi = std::max(b_hi, at_b);
    largest = std::max({largest, a[i].lpNorm<Eigen::Infinity>(), b[i].lpNorm<Eigen::Infinity>()});
  }
  const double err = 0x1p-49 * n.lpNorm<1>() * largest + 0x1p-1000;
  return a_lo - b_hi > err || b_lo - a_hi > err;
}

Meeting meeting(const Triangle& a, const Triangle& b) {
  for (const Triangle* t : {&a, &b})
    if (separates(((*t)[1] - (*t)[0]).cross((*t)[2] - (*t)[0]), a, b)) return Meeting::none;
  return by_integers(a, b, exact::meeting);
}

// Returns true only if a plane through the common corner a[0] = b[0] = v has the other corners of a
// strictly on one side and those of b strictly on the other: then v is the only common point. Its
// normal n is a guess. A computed n.(x - v), with a rounded difference, is off by less than
// 8 u |n|_1 m, m the largest absolute coordinate of such a difference.
bool plane_separates(const Triangle& a, const Triangle& b) {
  const Vec3 x = a[1] - a[0], y = a[2] - a[0], z = b[1] - b[0], w = b[2] - b[0];
  const Vec3 n = x.normalized() + y.normalized() - z.normalized() - w.normalized();
  double largest = 0;
  for (const Vec3* e : {&x, &y, &z, &w}) largest = std::max(largest, e->lpNorm<Eigen::Infinity>());
  const double err = 0x1p-49 * n.lpNorm<1>() * largest + 0x1p-1000;
  return n.dot(x) > err && n.dot(y) > err && n.dot(z) < -err && n.dot(w) < -err;
}

// Returns how triangles with the common corner a[0] = b[0] meet in other points. Without a meaning
// if a triangle has no area.
Meeting meeting_beyond_corner(const Triangle& a, const Triangle& b) {
  const auto is_beside = [](const Triangle& t, const Triangle& plane) {
    const int side = rough_side(plane[0], plane[1], plane[2], t[1]);
    return side != hidden && side == rough_side(plane[0], plane[1], plane[2], t[2]);
  };
  if (is_beside(a, b) || is_beside(b, a) || plane_separates(a, b)) return Meeting::none;
  return by_integers(a, b, exact::meeting_beyond_corner);
}

// Returns true only if the half planes from the common side to the corners a[2] and b[2] include an
// angle above 90 degrees: (e x p).(e x q) < 0 for the common side e and the sides p and q to these
// corners. The triangles then have only that side in common. With rounded differences of at most E,
// P and Q a coordinate of a cross product is off by 8 u E P (or E Q) and at most 2 E P, so the
// product of two by 36 u E^2 P Q, and the sum by less than 2^-45 of E^2 P Q. Underflow adds less
// than 2^-850 where no difference exceeds 2^100.
bool opposite(const Triangle& a, const Triangle& b) {
  const Vec3 e = a[1] - a[0], p = a[2] - a[0], q = b[2] - b[0];
  const double size_e = e.lpNorm<Eigen::Infinity>(), size_p = p.lpNorm<Eigen::Infinity>(),
               size_q = q.lpNorm<Eigen::Infinity>();
  return std::max({size_e, size_p, size_q}) < 0x1p100 &&
         e.cross(p).dot(e.cross(q)) < -0x1p-45 * (size_e * size_p) * (size_e * size_q) - 0x1p-850;
}

// Returns how triangles with the common side a[0] = b[0], a[1] = b[1] meet in other points. Without
// a meaning if a triangle has no area.
Meeting meeting_beyond_side(const Triangle& a, const Triangle& b) {
  if (rough_side(a[0], a[1], a[2], b[2]) != hidden || opposite(a, b)) return Meeting::none;
  return by_integers(a, b, exact::meeting_beyond_side);
}

// ---- faces -------------------------------------------------------------------------------------

// Moves the common vertices of two faces to the front, in the same order. Returns their number.
std::size_t align(Face& a, Face& b) {
  std::size_t common = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto same = std::find(b.begin() + static_cast<std::ptrdiff_t>(common), b.end(), a[i]);
    if (same == b.end()) continue;
    std::swap(a[common], a[i]);
    std::iter_swap(b.begin() + static_cast<std::ptrdiff_t>(common), same);
    ++common;
  }
  return common;
}

bool repeats_vertex(const Face& face) {
  return face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
}

// The faces of one or two meshes at one moment. The faces of the second mesh have ids after those
// of the first.
struct Faces {
  const Mesh &first, &second;
  std::span<const Vec3> at_first, at_second;

  bool is_one() const { return &first == &second; }
  bool is_second(std::uint32_t id) const { return id >= first.faces.size(); }
  Face face(std::uint32_t id) const {
    return is_second(id) ? second.faces[id - first.faces.size()] : first.faces[id];
  }
  Triangle corners(std::uint32_t id, const Face& face) const {
    const std::span<const Vec3> x = is_second(id) ? at_second : at_first;
    return {x[face[0]], x[face[1]], x[face[2]]};
  }

  Meeting meeting_of(std::uint32_t a, std::uint32_t b) const {
    Face face_a = face(a), face_b = face(b);
    if (!is_one()) return meeting(corners(a, face_a), corners(b, face_b));
    const std::size_t common = align(face_a, face_b);
    const Triangle x = corners(a, face_a), y = corners(b, face_b);
    if (common == 0) return meeting(x, y);
    const Meeting found = common == 1   ? meeting_beyond_corner(x, y)
                          : common == 2 ? meeting_beyond_side(x, y)
                                        : Meeting::overlapping;
    return found != Meeting::none && has_area(x) && has_area(y) ? found : Meeting::none;
  }
};

// ---- pairs of faces whose boxes overlap --------------------------------------------------------

// Returns a number that does not decrease with x: if the numbers of two coordinates are in strict
// order, so are the coordinates. It is the bits of x as a float, since rounding is monotone.
std::int32_t rank_of(double x) {
  const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(x) + 0.0f);  // -0 becomes 0
  return bits >= 0 ? bits : std::numeric_limits<std::int32_t>::min() - bits;
}

broad::RankBox box_of(const Triangle& t) {
  broad::RankBox box;
  for (int k = 0; k < 3; ++k) {
    const auto [lo, hi] = std::minmax({t[0][k], t[1][k], t[2][k]});
    box.lo[static_cast<std::size_t>(k)] = rank_of(lo);
    box.hi[static_cast<std::size_t>(k)] = rank_of(hi);
  }
  return box;
}

// Returns the ids of faces along a Morton curve through the box around their middles. The order
// affects the time of a search, not its answer.
std::vector<std::uint32_t> spatial_order(const Faces& faces, std::uint32_t begin,
                                         std::uint32_t end) {
  constexpr int bits = 10;  // per axis
  Eigen::AlignedBox3d around;
  std::vector<Vec3> middles(end - begin);
  for (std::uint32_t id = begin; id < end; ++id) {
    const Triangle t = faces.corners(id, faces.face(id));
    Vec3& middle = middles[id - begin] = t[0] / 3 + t[1] / 3 + t[2] / 3;
    around.extend(middle);
  }
  struct Placed {
    std::uint32_t code, id;
  };
  std::vector<Placed> placed(middles.size());
  for (std::size_t i = 0; i < middles.size(); ++i) {
    placed[i] = {0, begin + static_cast<std::uint32_t>(i)};
    for (int k = 0; k < 3; ++k) {
      const double length = around.max()[k] - around.min()[k];
      const double place = length > 0 ? (middles[i][k] - around.min()[k]) / length : 0;
      const auto cell = static_cast<std::uint32_t>(std::clamp(place, 0.0, 1.0) * ((1 << bits) - 1));
      for (int b = 0; b < bits; ++b) placed[i].code |= (cell >> b & 1) << (3 * b + k);
    }
  }
  broad::radix_sort(placed, 3 * bits, [](const Placed& p) { return p.code; });
  std::vector<std::uint32_t> order;
  order.reserve(placed.size());
  for (const Placed& p : placed) order.push_back(p.id);
  return order;
}

PackedTree<RankPacket> tree_of(const Faces& faces, std::uint32_t begin, std::uint32_t end,
                               broad::SearchMemory& memory) {
  PackedTree<RankPacket> tree;
  const std::vector<std::uint32_t> order = spatial_order(faces, begin, end);
  // A feature shares its one "corner", its id, with itself alone.
  tree.resize(order.size(), 1, memory);
  for (std::size_t i = 0; i < order.size(); ++i)
    tree.id[i / width][i % width] = tree.corners[0][i / width][i % width] = order[i];
  tree.fit([&](RankPacket& packet, std::size_t lane, std::size_t i) {
    packet.set(lane, box_of(faces.corners(order[i], faces.face(order[i]))));
  });
  return tree;
}

// Calls consumer(pairs) for all pairs of faces whose boxes overlap, from several threads. May add
// pairs that are apart by less than the precision of floats.
void find_face_pairs(const Faces& faces, const PairConsumer& consumer, const Run& run) {
  const auto first_size = static_cast<std::uint32_t>(faces.first.faces.size()),
             second_size = static_cast<std::uint32_t>(faces.second.faces.size());
  if (first_size == 0 || second_size == 0) return;
  broad::SearchMonitor monitor(run);
  broad::SearchMemory memory;
  const PackedTree<RankPacket> first = tree_of(faces, 0, first_size, memory);
  PackedTree<RankPacket> other;
  if (!faces.is_one()) other = tree_of(faces, first_size, first_size + second_size, memory);
  const PackedTree<RankPacket>& second = faces.is_one() ? first : other;
  const std::size_t packets = first.levels[0].size();
  broad::for_parts(packets, 16, [&](std::size_t begin, std::size_t end) {
    monitor.poll();
    PairBlock block(Kind::vertex_face, consumer);
    broad::tree::find(first, second, begin, end, block);
    block.flush();
    monitor.add(static_cast<double>(end - begin) / static_cast<double>(packets));
  });
}

// ---- answers -----------------------------------------------------------------------------------

bool are_valid(const Mesh& mesh, std::span<const Vec3> positions) {
  return positions.size() == mesh.vertex_count &&
         std::all_of(positions.begin(), positions.end(),
                     [](const Vec3& x) { return x.allFinite(); });
}

FaceContact contact_of(Meeting meeting) {
  return meeting == Meeting::crossing      ? FaceContact::crossing
         : meeting == Meeting::overlapping ? FaceContact::overlapping
                                           : FaceContact::touching;
}

// Returns a point near the intersection of two triangles: the middle of the points at which sides
// of one cross the other, or else the closest point of a corner or a side.
Vec3 place_of(const Triangle& a, const Triangle& b) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (const auto& [sides, t] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Vec3 &o = (*t)[0], e = (*t)[1] - o, f = (*t)[2] - o, n = e.cross(f);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 p = (*sides)[i] - o, q = (*sides)[(i + 1) % 3] - o;
      const double at_p = n.dot(p), at_q = n.dot(q);
      if (!(at_p * at_q < 0)) continue;
      const Vec3 x = p + at_p / (at_p - at_q) * (q - p);
      const double area = n.squaredNorm(), u = n.dot(x.cross(f)) / area,
                   v = n.dot(e.cross(x)) / area;
      if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
      sum += o + x;
      ++count;
    }
  }
  if (count > 0) return sum / count;
  Vec3 place = a[0];
  double least = Impact::inf;
  const auto offer = [&](const auto& query, const Vec3& point) {
    const double distance = closest_points(query, 0).distance;
    if (distance < least) place = point;
    least = std::min(least, distance);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::array<Vec3, 4> x = {a[i], b[0], b[1], b[2]}, y = {b[i], a[0], a[1], a[2]};
    offer(VertexFace{x, x}, a[i]);
    offer(VertexFace{y, y}, b[i]);
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3 &from = a[i], &to = a[(i + 1) % 3];
      const std::array<Vec3, 4> x = {from, to, b[j], b[(j + 1) % 3]};
      const EdgeEdge query{x, x};
      offer(query, from + closest_points(query, 0).u * (to - from));
    }
  return place;
}

// Returns the intersections of all pairs of faces for which leaves_out(pair) is false.
template <class LeavesOut>
Intersections find(const Faces& faces, const Run& run, const LeavesOut& leaves_out) {
  Intersections result;
  broad::PerThread<std::vector<FaceIntersection>> found;
  const broad::SearchMonitor monitor(run);
  const PairConsumer test = [&](Kind, std::span<const Pair> pairs) {
    monitor.poll();  // a part of the search may have millions of pairs
    std::vector<FaceIntersection>& own = found.local();
    for (const Pair& pair : pairs) {
      if (leaves_out(pair)) continue;
      const Meeting meeting = faces.meeting_of(pair.a, pair.b);
      if (meeting == Meeting::none) continue;
      const Triangle a = faces.corners(pair.a, faces.face(pair.a)),
                     b = faces.corners(pair.b, faces.face(pair.b));
      own.push_back({pair.a, pair.b, contact_of(meeting), place_of(a, b)});
    }
  };
  bool is_stopped = false;
  broad::with_threads(run.threads, [&] {
    try {
      find_face_pairs(faces, test, run);
    } catch (const broad::SearchMonitor::Stopped&) {
      is_stopped = true;
    }
  });
  for (const auto& part : found) result.faces.insert(result.faces.end(), part.begin(), part.end());
  std::sort(result.faces.begin(), result.faces.end(),
            [](const FaceIntersection& x, const FaceIntersection& y) {
              return x.a != y.a ? x.a < y.a : x.b < y.b;
            });
  if (!faces.is_one())
    for (FaceIntersection& pair : result.faces)
      pair.b -= static_cast<std::uint32_t>(faces.first.faces.size());
  result.verdict = is_stopped             ? Verdict::undecided
                   : result.faces.empty() ? Verdict::separated
                                          : Verdict::contact;
  return result;
}

Intersections invalid() {
  Intersections result;
  result.verdict = Verdict::invalid;
  return result;
}

}  // namespace

const char* name(FaceContact contact) {
  switch (contact) {
    case FaceContact::touching:
      return "touching";
    case FaceContact::crossing:
      return "crossing";
    case FaceContact::overlapping:
      return "overlapping";
  }
  return "?";
}

Intersections find_intersections(const Mesh& mesh, const Positions& positions,
                                 std::span<const std::uint8_t> is_static, const Run& run) {
  const std::span<const Vec3> x = positions.rows();
  if (!are_valid(mesh, x) || (!is_static.empty() && is_static.size() != mesh.vertex_count))
    return invalid();
  const auto is_static_face = [&](std::uint32_t face) {
    const Face& f = mesh.faces[face];
    return is_static[f[0]] != 0 && is_static[f[1]] != 0 && is_static[f[2]] != 0;
  };
  return find({mesh, mesh, x, x}, run, [&](const Pair& pair) {
    return !is_static.empty() && is_static_face(pair.a) && is_static_face(pair.b);
  });
}

Intersections find_intersections(const Mesh& mesh_a, const Positions& positions_a,
                                 const Mesh& mesh_b, const Positions& positions_b, const Run& run) {
  const std::span<const Vec3> a = positions_a.rows(), b = positions_b.rows();
  if (!are_valid(mesh_a, a) || !are_valid(mesh_b, b)) return invalid();
  if (&mesh_a != &mesh_b)
    return find({mesh_a, mesh_b, a, b}, run, [](const Pair&) { return false; });
  const Mesh copy = mesh_b;  // one mesh at two places
  return find({mesh_a, copy, a, b}, run, [](const Pair&) { return false; });
}

// ---- faults of a surface -----------------------------------------------------------------------

namespace {

// A side of a face.
struct Side {
  std::uint32_t edge, face;
  bool forward;  // the face traverses the edge from its smaller vertex to its larger one
};

// Returns the sides of all faces that name three vertices, by edge, then by face.
std::vector<Side> sides_of(const Mesh& mesh) {
  std::vector<Edge> edges;
  std::vector<Side> sides;
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    if (repeats_vertex(mesh.faces[f])) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = mesh.faces[f][i], b = mesh.faces[f][(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b)});
      sides.push_back({0, f, a < b});
    }
  }
  const std::vector<std::uint32_t> indices = edge_indices(mesh, edges);
  for (std::size_t i = 0; i < sides.size(); ++i) sides[i].edge = indices[i];
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& x, const Side& y) { return x.edge < y.edge; });
  return sides;
}

// Returns the vertices whose faces form more than one fan. Two corners of faces at a vertex belong
// to one fan if the faces share a side at that vertex. Union-find computes the classes of corners.
std::vector<std::uint32_t> pinched_vertices(const Mesh& mesh, std::span<const Side> sides) {
  std::vector<std::uint32_t> parent(3 * mesh.faces.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t corner) {
    while (parent[corner] != corner) corner = parent[corner] = parent[parent[corner]];
    return corner;
  };
  const auto corner_at = [&](std::uint32_t face, std::uint32_t vertex) {
    const Face& f = mesh.faces[face];
    return 3 * face + static_cast<std::uint32_t>(std::find(f.begin(), f.end(), vertex) - f.begin());
  };
  for (std::size_t i = 1; i < sides.size(); ++i)
    if (sides[i].edge == sides[i - 1].edge)
      for (const std::uint32_t vertex : mesh.edges[sides[i].edge])
        parent[root(corner_at(sides[i].face, vertex))] = root(corner_at(sides[i - 1].face, vertex));
  std::vector<std::uint8_t> fans(mesh.vertex_count, 0);
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    if (repeats_vertex(mesh.faces[f])) continue;
    for (std::uint32_t i = 0; i < 3; ++i)
      if (root(3 * f + i) == 3 * f + i && fans[mesh.faces[f][i]] < 2) ++fans[mesh.faces[f][i]];
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t v = 0; v < fans.size(); ++v)
    if (fans[v] > 1) result.push_back(v);
  return result;
}

std::vector<std::uint32_t> repeated_positions(std::span<const Vec3> positions) {
  std::vector<std::uint32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto less = [&](std::uint32_t i, std::uint32_t j) {
    const Vec3 &x = positions[i], &y = positions[j];
    for (int k = 0; k < 3; ++k)
      if (x[k] != y[k]) return x[k] < y[k];
    return i < j;
  };
  std::sort(order.begin(), order.end(), less);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (positions[order[i]] == positions[order[i - 1]]) result.push_back(order[i]);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

MeshCheck check_mesh(const Mesh& mesh, const Positions& positions, const Run& run) {
  MeshCheck check;
  const std::vector<Side> sides = sides_of(mesh);
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    if (end - i == 1) check.border_edges.push_back(sides[i].edge);
    if (end - i > 2) check.branched_edges.push_back(sides[i].edge);
    if (end - i == 2 && sides[i].forward == sides[i + 1].forward)
      check.turned_edges.push_back(sides[i].edge);
  }
  check.pinched_vertices = pinched_vertices(mesh, sides);
  check.intersections = find_intersections(mesh, positions, {}, run);
  if (check.intersections.verdict == Verdict::invalid) return check;
  const std::span<const Vec3> x = positions.rows();
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    const Face& face = mesh.faces[f];
    if (!has_area({x[face[0]], x[face[1]], x[face[2]]})) check.flat_faces.push_back(f);
  }
  check.repeated_positions = repeated_positions(x);
  return check;
}

}  // namespace graze
