#include "graze/generate/decimate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace graze::generate {
namespace {

constexpr double least_cosine = 0.2;  // of the angle by which a normal turns

// A mesh whose edges can be contracted.
class Contraction {
 public:
  explicit Contraction(const SurfaceModel& model)
      : vertices_(model.vertices), faces_(model.faces), around_(model.vertices.size()) {
    for (std::uint32_t f = 0; f < faces_.size(); ++f)
      for (const std::uint32_t v : faces_[f]) around_[v].push_back(f);
    stamp_.assign(vertices_.size(), 0);
    left_ = faces_.size();
    for (const Face& face : faces_)
      for (std::size_t i = 0; i < 3; ++i)
        if (face[i] < face[(i + 1) % 3]) add(face[i], face[(i + 1) % 3]);
  }

  void run(std::size_t wanted) {
    while (left_ > wanted && !edges_.empty()) {
      const Shortest edge = edges_.top();
      edges_.pop();
      if (edge.stamp == stamp_of(edge.a, edge.b) && may_contract(edge.a, edge.b))
        contract(edge.a, edge.b);
    }
  }

  SurfaceModel result() const {
    constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(vertices_.size(), unused);
    SurfaceModel model;
    for (Face face : faces_) {
      if (is_gone(face)) continue;
      for (std::uint32_t& v : face) {
        if (place[v] == unused) {
          place[v] = static_cast<std::uint32_t>(model.vertices.size());
          model.vertices.push_back(vertices_[v]);
        }
        v = place[v];
      }
      model.faces.push_back(face);
    }
    return model;
  }

 private:
  struct Shortest {
    double length_sq;
    std::uint32_t a, b;
    std::uint64_t stamp;  // of both ends when the edge was measured
    friend bool operator<(const Shortest& x, const Shortest& y) {
      return std::tie(y.length_sq, y.a, y.b) < std::tie(x.length_sq, x.a, x.b);
    }
  };

  static bool is_gone(const Face& face) { return face[0] == face[1]; }
  std::uint64_t stamp_of(std::uint32_t a, std::uint32_t b) const {
    return (std::uint64_t{stamp_[a]} << 32) + stamp_[b];
  }
  void add(std::uint32_t a, std::uint32_t b) {
    edges_.push({(vertices_[a] - vertices_[b]).squaredNorm(), a, b, stamp_of(a, b)});
  }

  std::vector<std::uint32_t> neighbours(std::uint32_t v) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t f : around_[v])
      for (const std::uint32_t w : faces_[f])
        if (w != v) all.push_back(w);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  static bool has(const Face& face, std::uint32_t v) {
    return face[0] == v || face[1] == v || face[2] == v;
  }
  // Returns whether a vertex is not on a border; a border vertex has one neighbour more than faces.
  bool is_inner(std::uint32_t v) const { return neighbours(v).size() == around_[v].size(); }

  bool may_contract(std::uint32_t a, std::uint32_t b) const {
    const auto of_a = neighbours(a), of_b = neighbours(b);
    if (!std::binary_search(of_a.begin(), of_a.end(), b) || !is_inner(a) || !is_inner(b))
      return false;
    std::vector<std::uint32_t> common;
    std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                          std::back_inserter(common));
    if (common.size() != 2) return false;
    for (const std::uint32_t c : common)
      if (around_[c].size() < 4) return false;  // would be left with two faces
    const Vec3 middle = (vertices_[a] + vertices_[b]) / 2;
    return keeps_normals(a, b, middle) && keeps_normals(b, a, middle);
  }
  bool keeps_normals(std::uint32_t v, std::uint32_t other, const Vec3& to) const {
    for (const std::uint32_t f : around_[v]) {
      const Face& face = faces_[f];
      if (has(face, other)) continue;
      const auto normal = [&](const Vec3& at) -> Vec3 {
        const auto place = [&](std::size_t i) { return face[i] == v ? at : vertices_[face[i]]; };
        const Vec3 p = place(0);
        return (place(1) - p).cross(place(2) - p);
      };
      const Vec3 before = normal(vertices_[v]), after = normal(to);
      if (!(before.dot(after) > least_cosine * before.norm() * after.norm())) return false;
    }
    return true;
  }

  // Moves a to the middle and replaces b by a.
  void contract(std::uint32_t a, std::uint32_t b) {
    vertices_[a] = (vertices_[a] + vertices_[b]) / 2;
    for (const std::uint32_t f : around_[b]) {
      Face& face = faces_[f];
      if (has(face, a)) {
        for (const std::uint32_t v : face)
          if (v != b) std::erase(around_[v], f);
        face = {a, a, a};
        --left_;
      } else {
        for (std::uint32_t& v : face)
          if (v == b) v = a;
        around_[a].push_back(f);
      }
    }
    around_[b].clear();
    ++stamp_[a];
    ++stamp_[b];
    for (const std::uint32_t v : neighbours(a)) add(std::min(a, v), std::max(a, v));
  }

  std::vector<Vec3> vertices_;
  std::vector<Face> faces_;  // a contracted one has three equal corners
  std::vector<std::vector<std::uint32_t>> around_;
  std::vector<std::uint32_t> stamp_;  // how often a vertex has moved
  std::priority_queue<Shortest> edges_;
  std::size_t left_ = 0;
};

}  // namespace

SurfaceModel decimated(const SurfaceModel& model, std::size_t faces) {
  Contraction contraction(model);
  contraction.run(faces);
  return contraction.result();
}

}  // namespace graze::generate
