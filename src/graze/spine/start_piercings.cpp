#include "graze/spine/start_piercings.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "graze/broad/radix_sort.h"
#include "graze/broad/tree/crossing_kernel.h"
#include "graze/broad/with_threads.h"
#include "graze/exact/triangle_meet.h"

namespace graze {
namespace {

using broad::tree::width;
using crossing::BoxPacket, crossing::TriangleTree;

// The positions as floats. Each float is a non-decreasing function of the coordinate (one per
// axis), so boxes of floats that do not overlap belong to boxes of doubles that do not.
class FloatPositions {
 public:
  explicit FloatPositions(std::span<const Vec3> positions) : positions_(positions.size()) {
    const std::size_t stride = positions.size() / 512 + 1;
    std::array<double, 3> middle{};
    double reach = 0;
    std::vector<double> sample;
    for (int k = 0; k < 3; ++k) {
      sample.clear();
      for (std::size_t i = 0; i < positions.size(); i += stride) sample.push_back(positions[i][k]);
      const auto median = [&] {
        const auto half = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
        std::nth_element(sample.begin(), half, sample.end());
        return *half;
      };
      const double m = middle[static_cast<std::size_t>(k)] = median();
      for (double& x : sample) x = std::abs(x / 2 - m / 2);
      reach = std::max(reach, median());
    }
    const double scale = reach > 0 ? std::ldexp(1.0, std::min(-std::ilogb(reach), 1000)) : 1;
    constexpr double most = 0x1p61;  // from 2^60 on crossing_kernel.cpp proves nothing
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, positions.size(), 4096), [&](const auto& range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i)
            for (std::size_t k = 0; k < 3; ++k) {
              const double x = (positions[i][static_cast<int>(k)] - middle[k]) * scale;
              positions_[i][k] = static_cast<float>(std::clamp(x, -most, most));
            }
        });
  }

  const std::array<float, 3>& operator[](std::uint32_t vertex) const { return positions_[vertex]; }

  // Returns the place of a vertex on a Morton curve of 2^30 cells: 2^10 on each axis, of which the
  // outermost reach to infinity.
  std::uint32_t code(std::uint32_t vertex) const {
    const auto spread = [](std::uint32_t x) {
      x = (x | x << 16) & 0x030000ff;
      x = (x | x << 8) & 0x0300f00f;
      x = (x | x << 4) & 0x030c30c3;
      return (x | x << 2) & 0x09249249;
    };
    std::uint32_t code = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      // Half of the positions are at most 2 from the middle, on each axis.
      const float cell = std::clamp(positions_[vertex][k] * 64 + 512, 0.0f, 1023.0f);
      code |= spread(static_cast<std::uint32_t>(cell)) << k;
    }
    return code;
  }

 private:
  std::vector<std::array<float, 3>> positions_;
};

// A face, or a rod as a face that names its second vertex twice.
struct Entry {
  std::uint32_t key;  // order on the Morton curve
  std::uint32_t id;   // a face; from mesh.faces.size() on: a rod
};

class StartCheck {
 public:
  StartCheck(const MovingMesh& moving, const PairFilter& filter, const Run& run)
      : mesh_(moving.mesh), positions_(moving.start), filter_(filter), run_(run) {}

  std::vector<StepImpact> find_all() {
    search(Wanted::all);
    std::vector<Pair> pairs;
    for (const Found& found : found_)
      pairs.insert(pairs.end(), found.pierced.begin(), found.pierced.end());
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<StepImpact> impacts;
    for (const Pair& pair : pairs) impacts.push_back(impact_of(pair));
    return impacts;
  }

  std::optional<StepImpact> find_first() {
    search(Wanted::first);
    const Found* first = nullptr;
    for (const Found& found : found_)
      if (!found.pierced.empty() && (!first || found.block < first->block)) first = &found;
    if (!first) return {};
    return impact_of(*std::min_element(first->pierced.begin(), first->pierced.end()));
  }

 private:
  enum class Wanted { first, all };

  struct Planted {
    TriangleTree tree;
    std::vector<std::uint32_t> order;  // id by index in the tree
  };
  // The data of one thread.
  struct Found {
    std::vector<Pair> candidates, pierced;
    std::size_t block = none;  // Wanted::first: `pierced` has the pairs of this block
  };

  Face corners(std::uint32_t id) const {
    if (id < mesh_.faces.size()) return mesh_.faces[id];
    const Edge& rod = mesh_.edges[mesh_.rods[id - mesh_.faces.size()]];
    return {rod[0], rod[1], rod[1]};
  }
  bool is_static(std::span<const std::uint32_t> vertices) const {
    return !filter_.is_static.empty() &&
           std::all_of(vertices.begin(), vertices.end(),
                       [&](std::uint32_t vertex) { return filter_.is_static[vertex] != 0; });
  }

  // Returns the trees of the entries that have a moving vertex and of all others.
  std::array<Planted, 2> plant(const FloatPositions& floats) const {
    std::vector<std::uint32_t> code(mesh_.vertex_count);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, code.size(), 4096),
                      [&](const auto& range) {
                        for (std::size_t v = range.begin(); v < range.end(); ++v)
                          code[v] = floats.code(static_cast<std::uint32_t>(v));
                      });
    std::array<std::vector<Entry>, 2> entries;
    const std::size_t count = mesh_.faces.size() + mesh_.rods.size();
    entries[0].reserve(count);
    for (std::uint32_t id = 0; id < count; ++id) {
      const Face face = corners(id);
      const std::uint32_t key = std::min({code[face[0]], code[face[1]], code[face[2]]});
      entries[is_static(face)].push_back({key, id});
    }
    std::array<Planted, 2> planted;
    for (std::size_t side = 0; side < 2; ++side) {
      broad::radix_sort(entries[side], 30, [](const Entry& entry) { return entry.key; });
      planted[side] = plant(entries[side], floats);
    }
    return planted;
  }

  Planted plant(const std::vector<Entry>& entries, const FloatPositions& floats) const {
    Planted planted;
    TriangleTree& tree = planted.tree;
    tree.resize(entries.size(), 3);
    if (entries.empty()) return planted;
    tree.triangles.resize(tree.id.size());
    planted.order.resize(entries.size());
    tree.fit([&](BoxPacket& packet, std::size_t lane, std::size_t i) {
      const std::size_t p = i / width;
      planted.order[i] = entries[i].id;
      tree.id[p][lane] = static_cast<std::uint32_t>(i);
      const Face face = corners(entries[i].id);
      for (std::size_t c = 0; c < 3; ++c) {
        tree.corners[c][p][lane] = face[c];
        const auto& x = floats[face[c]];
        for (std::size_t k = 0; k < 3; ++k) {
          tree.triangles[p].corner[c][k][lane] = x[k];
          packet.lo[k][lane] = c == 0 ? x[k] : std::min(packet.lo[k][lane], x[k]);
          packet.hi[k][lane] = c == 0 ? x[k] : std::max(packet.hi[k][lane], x[k]);
        }
      }
    });
    set_directions(tree);
    return planted;
  }

  // Finds all piercings, or those of the first block that has any. A block is the comparison of the
  // entries in `block_size` consecutive packets of the moving entries with these, with those after
  // them and with the static ones. The first block that has a piercing is searched completely for
  // any number of threads: a block is left out only if an earlier one is known to have a piercing.
  void search(Wanted wanted) {
    if (mesh_.faces.empty()) return;
    const FloatPositions floats(positions_);
    const std::array<Planted, 2> planted = plant(floats);
    const auto &moves = planted[0], &rests = planted[1];
    if (moves.tree.size == 0) return;
    const std::size_t packets = moves.tree.levels[0].size();
    std::atomic<std::size_t> first_block = none;
    tbb::parallel_for(std::size_t{0}, (packets + block_size - 1) / block_size, [&](std::size_t i) {
      if ((run_.stop && run_.stop->load()) || i > first_block.load()) return;
      Found& found = found_.local();
      const std::size_t begin = i * block_size, end = std::min(begin + block_size, packets);
      if (wanted == Wanted::all) {
        search(moves, moves, begin, end, found, found.pierced);
        if (rests.tree.size > 0) search(moves, rests, begin, end, found, found.pierced);
        return;
      }
      std::vector<Pair> pierced;
      search(moves, moves, begin, end, found, pierced);
      if (rests.tree.size > 0) search(moves, rests, begin, end, found, pierced);
      if (pierced.empty() || i > found.block) return;
      found.block = i;
      found.pierced = std::move(pierced);
      std::size_t first = first_block.load();
      while (i < first && !first_block.compare_exchange_weak(first, i)) {
      }
    });
  }

  // Appends the piercings of the entries in packets begin <= p < end of `a` with those of `b`.
  void search(const Planted& a, const Planted& b, std::size_t begin, std::size_t end, Found& found,
              std::vector<Pair>& pierced) const {
    found.candidates.clear();
    find_candidates(a.tree, b.tree, begin, end, found.candidates);
    for (const Pair& pair : found.candidates) {
      test_sides(a.order[pair.a], b.order[pair.b], pierced);
      test_sides(b.order[pair.b], a.order[pair.a], pierced);
    }
  }

  // Appends the sides of one entry that pierce the face of another.
  void test_sides(std::uint32_t of, std::uint32_t other, std::vector<Pair>& pierced) const {
    if (other >= mesh_.faces.size()) return;
    const Face sides = corners(of), &face = mesh_.faces[other];
    const auto at = [&](std::size_t i) -> const Vec3& { return positions_[face[i]]; };
    std::array<int, 3> side_of;
    for (std::size_t i = 0; i < 3; ++i)
      side_of[i] = std::find(face.begin(), face.end(), sides[i]) != face.end()
                       ? in_face
                       : rough_side(at(0), at(1), at(2), positions_[sides[i]]);
    const std::size_t count = of < mesh_.faces.size() ? 3 : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::uint32_t a = sides[i], b = sides[j];
      if (side_of[i] == in_face || side_of[j] == in_face || a == b) continue;
      if (side_of[i] == side_of[j] && side_of[i] != hidden) continue;
      const Edge edge = {std::min(a, b), std::max(a, b)};
      const bool sides_known = side_of[i] != hidden && side_of[j] != hidden;
      if (pierces(edge, face, sides_known) && admits(edge, face))
        pierced.push_back({index_of(edge), other});
    }
  }

  bool admits(const Edge& edge, const Face& face) const {
    if (is_static(edge) && is_static(face)) return false;
    const auto groups =
        static_cast<std::size_t>(std::sqrt(static_cast<double>(filter_.meets.size())) + 0.5);
    for (const std::uint32_t p : edge)
      for (const std::uint32_t q : face) {
        const std::size_t g = filter_.group.empty() ? 0 : filter_.group[p];
        const std::size_t h = filter_.group.empty() ? 0 : filter_.group[q];
        if ((filter_.within_group || g != h) &&
            (filter_.meets.empty() || filter_.meets[g * groups + h] != 0))
          return true;
      }
    return false;
  }

  std::uint32_t index_of(const Edge& edge) const {
    const auto found = std::lower_bound(
        mesh_.edges.begin(), mesh_.edges.end(), edge,
        [](const Edge& x, const Edge& y) { return x[1] != y[1] ? x[1] < y[1] : x[0] < y[0]; });
    return static_cast<std::uint32_t>(found - mesh_.edges.begin());
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t block_size = 16;
  static constexpr int hidden = 2, in_face = 3;  // beside the signs -1 and 1

  // Returns the sign of the volume of the tetrahedron a, b, c, d; `hidden` if rounding hides it.
  // With u = 2^-53 the determinant of the rounded differences is off by at most (7 + 56 u) u times
  // the sum P of the absolute values of its six products (Shewchuk 1997, Theorem 1 and the bound
  // orient3d A). 8 u P also covers the rounding of the bound. Where no difference exceeds 2^300,
  // underflow of the products adds at most 12 * 2^-1074 * 2^300 < 2^-760.
  static int rough_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 x = a - d, y = b - d, z = c - d;
    const double xy = x[0] * y[1], yx = x[1] * y[0], yz = y[0] * z[1], zy = y[1] * z[0],
                 zx = z[0] * x[1], xz = z[1] * x[0];
    const double volume = z[2] * (xy - yx) + x[2] * (yz - zy) + y[2] * (zx - xz);
    const double size = std::abs(z[2]) * (std::abs(xy) + std::abs(yx)) +
                        std::abs(x[2]) * (std::abs(yz) + std::abs(zy)) +
                        std::abs(y[2]) * (std::abs(zx) + std::abs(xz));
    const double largest = std::max(
        {x.lpNorm<Eigen::Infinity>(), y.lpNorm<Eigen::Infinity>(), z.lpNorm<Eigen::Infinity>()});
    if (!(largest < 0x1p300) || !(std::abs(volume) > 0x1p-50 * size + 0x1p-760)) return hidden;
    return volume > 0 ? 1 : -1;
  }

  // `sides_known`: the ends lie strictly on opposite sides of the face's plane.
  bool pierces(const Edge& edge, const Face& face, bool sides_known) const {
    const Vec3 &p = positions_[edge[0]], &q = positions_[edge[1]];
    const Vec3 &a = positions_[face[0]], &b = positions_[face[1]], &c = positions_[face[2]];
    const int x = rough_side(p, q, a, b), y = rough_side(p, q, b, c), z = rough_side(p, q, c, a);
    if (x + y == 0 || y + z == 0 || z + x == 0) return false;  // opposite signs
    if (sides_known && x != hidden && y != hidden && z != hidden) return true;
    numeric::CommonScale scale;
    for (const Vec3* point : {&p, &q, &a, &b, &c}) scale.include(*point);
    const auto integers = [&](const Vec3& point) {
      exact::IntegerPoint result;
      for (std::size_t k = 0; k < 3; ++k)
        result[k] = exact::to_integer(scale.scaled(point[static_cast<int>(k)]));
      return result;
    };
    return exact::segment_pierces(integers(p), integers(q),
                                  {integers(a), integers(b), integers(c)});
  }

  StepImpact impact_of(const Pair& pair) const {
    StepImpact found{Kind::edge_face, pair, Impact::contact(0, 0)};
    Impact& impact = found.impact;
    impact.kind = ContactKind::interior;
    const Face& face = mesh_.faces[pair.b];
    const Edge& edge = mesh_.edges[pair.a];
    std::array<Vec3, 5> x = {positions_[face[0]], positions_[face[1]], positions_[face[2]],
                             positions_[edge[0]], positions_[edge[1]]};
    double largest = 0;
    for (const Vec3& point : x) largest = std::max(largest, point.lpNorm<Eigen::Infinity>());
    if (largest < 0x1p-200 || largest > 0x1p200)  // products would underflow or overflow
      for (Vec3& point : x)
        for (double& coordinate : point) coordinate = std::ldexp(coordinate, -std::ilogb(largest));
    const Vec3 first = x[1] - x[0], second = x[2] - x[0], p = x[3] - x[0], q = x[4] - x[0];
    impact.normal = first.cross(second).stableNormalized();
    const double at_p = impact.normal.dot(p), at_q = impact.normal.dot(q);
    const Vec3 place = p + std::clamp(at_p / (at_p - at_q), 0.0, 1.0) * (q - p);
    const double area = impact.normal.dot(first.cross(second));
    impact.u = std::clamp(impact.normal.dot(place.cross(second)) / area, 0.0, 1.0);
    impact.v = std::clamp(impact.normal.dot(first.cross(place)) / area, 0.0, 1.0);
    return found;
  }

  const Mesh& mesh_;
  std::span<const Vec3> positions_;
  const PairFilter& filter_;
  const Run& run_;
  tbb::enumerable_thread_specific<Found> found_;
};

}  // namespace

std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run) {
  std::vector<StepImpact> impacts;
  broad::with_threads(run.threads, [&] { impacts = StartCheck(moving, filter, run).find_all(); });
  return impacts;
}

std::optional<StepImpact> first_start_piercing(const MovingMesh& moving, const PairFilter& filter,
                                               const Run& run) {
  std::optional<StepImpact> first;
  broad::with_threads(run.threads, [&] { first = StartCheck(moving, filter, run).find_first(); });
  return first;
}

}  // namespace graze
