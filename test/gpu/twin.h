#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "graze/first_contact.h"
#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/moving_codes.h"
#include "graze/gpu/separating_direction.h"
#include "graze/step.h"

namespace graze::test {

// The search of the device for all impacts of a step in one slab, on one thread of the host: the
// same functions, with loops in place of kernels.
class Twin {
 public:
  explicit Twin(const MovingMesh& moving) : moving_(moving) {
    const std::size_t n = moving.mesh.vertex_count;
    frame_ = frame_of(moving.start);
    corner_.resize(n);
    std::vector<gpu::MovingBox> codes(n);
    for (std::size_t v = 0; v < n; ++v)
      gpu::place_vertex(frame_, moving.start[v].data(), moving.end[v].data(), 0, 1, corner_[v],
                        codes[v]);
    for (std::uint32_t v = 0; v < n; ++v) vertices_.add(v, codes[v]);
    for (std::uint32_t e = 0; e < moving.mesh.edges.size(); ++e) {
      gpu::MovingBox box = codes[moving.mesh.edges[e][0]];
      gpu::extend(box, codes[moving.mesh.edges[e][1]]);
      edges_.add(e, box);
    }
    for (std::uint32_t f = 0; f < moving.mesh.faces.size(); ++f) {
      const Face& face = moving.mesh.faces[f];
      gpu::MovingBox box = codes[face[0]];
      gpu::extend(box, codes[face[1]]);
      gpu::extend(box, codes[face[2]]);
      faces_.add(f, box);
    }
    for (Features* features : {&vertices_, &edges_, &faces_}) features->sort();
  }

  // All impacts, sorted.
  std::vector<StepImpact> all() {
    search<gpu::vertex_face_query>(vertices_, faces_);
    search<gpu::edge_edge_query>(edges_, edges_);
    std::sort(found_.begin(), found_.end(), [](const StepImpact& a, const StepImpact& b) {
      return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
    });
    return found_;
  }
  struct Work {
    std::size_t met = 0, left = 0, deep = 0, open = 0;
  };
  const Work& work() const { return work_; }

 private:
  static constexpr std::size_t leaf_size = 16;
  struct Features {
    std::vector<std::uint32_t> id;
    std::vector<gpu::MovingBox> box, leaf;

    void add(std::uint32_t feature, const gpu::MovingBox& bounds) {
      id.push_back(feature);
      box.push_back(bounds);
    }
    void sort() {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed(id.size());
      for (std::uint32_t i = 0; i < id.size(); ++i) keyed[i] = {gpu::curve_code(box[i]), i};
      std::sort(keyed.begin(), keyed.end());
      const std::vector<gpu::MovingBox> unsorted = box;
      for (std::size_t i = 0; i < id.size(); ++i) {
        id[i] = keyed[i].second;
        box[i] = unsorted[id[i]];
        if (i % leaf_size == 0) leaf.push_back(gpu::empty_box());
        gpu::extend(leaf.back(), box[i]);
      }
    }
  };

  static gpu::Frame frame_of(std::span<const Vec3> positions) {
    double middle[3], reach = 0, extent = 0;
    for (int k = 0; k < 3; ++k) {
      std::vector<double> values;
      for (std::size_t i = 0; i < positions.size(); i += positions.size() / 1024 + 1)
        values.push_back(positions[i][k]);
      std::sort(values.begin(), values.end());
      middle[k] = values[values.size() / 2];
      for (double& x : values) x = std::abs(x / 2 - middle[k] / 2);
      std::sort(values.begin(), values.end());
      reach = std::max(reach, values[values.size() / 2]);
      extent = std::max(extent, 2 * values.back());
    }
    return gpu::make_frame(middle, reach, extent);
  }

  template <gpu::QueryKind kind>
  void search(const Features& a, const Features& b) {
    constexpr bool edges = kind == gpu::edge_edge_query;
    for (std::size_t p = 0; p < a.leaf.size(); ++p)
      for (std::size_t q = edges ? p : 0; q < b.leaf.size(); ++q) {
        if (gpu::stay_apart(a.leaf[p], b.leaf[q])) continue;
        for (std::size_t i = leaf_size * p; i < std::min(leaf_size * (p + 1), a.id.size()); ++i)
          for (std::size_t j = leaf_size * q; j < std::min(leaf_size * (q + 1), b.id.size()); ++j) {
            if ((edges && p == q && i >= j) || gpu::stay_apart(a.box[i], b.box[j])) continue;
            Pair pair{a.id[i], b.id[j]};
            if (edges && pair.b < pair.a) std::swap(pair.a, pair.b);
            examine<kind>(pair);
          }
      }
  }

  template <gpu::QueryKind kind>
  void examine(const Pair& pair) {
    constexpr bool edges = kind == gpu::edge_edge_query;
    std::array<std::uint32_t, 4> corner;
    if constexpr (edges) {
      const Edge &a = moving_.mesh.edges[pair.a], &b = moving_.mesh.edges[pair.b];
      corner = {a[0], a[1], b[0], b[1]};
    } else {
      const Face& face = moving_.mesh.faces[pair.b];
      corner = {pair.a, face[0], face[1], face[2]};
    }
    for (std::size_t i = 0; i < (edges ? 2 : 1); ++i)
      for (std::size_t j = edges ? 2 : 1; j < 4; ++j)
        if (corner[i] == corner[j]) return;
    ++work_.met;
    gpu::FloatPair<kind> floats;
    for (int c = 0; c < 4; ++c) floats.set(c, corner_[corner[static_cast<std::size_t>(c)]]);
    if (floats.stays_apart()) return;
    ++work_.left;
    gpu::MovingCorners x;
    for (std::size_t c = 0; c < 4; ++c) {
      const Vec3 &start = moving_.start[corner[c]], &end = moving_.end[corner[c]];
      x.at[0][c] = {start[0], start[1], start[2]};
      x.at[1][c] = {end[0], end[1], end[2]};
    }
    gpu::Bracket root{};
    gpu::Stage stage = gpu::examine_step<kind>(x, 1, root);
    if (stage == gpu::Stage::unknown) {
      ++work_.deep;
      stage = gpu::examine_pieces<kind>(x, 1, root);
    }
    if (stage == gpu::Stage::miss || stage == gpu::Stage::rootless) return;
    constexpr Kind of = edges ? Kind::edge_edge : Kind::vertex_face;
    double toi = 0, toi_hi = 0;
    gpu::ContactPlace place{};
    if (stage == gpu::Stage::contact && gpu::tightest_times<kind>(x, root, toi, toi_hi) &&
        gpu::locate_contact<kind>(x, toi, place)) {
      Impact impact = Impact::contact(toi, toi_hi, 1);
      impact.kind = ContactKind::interior;
      impact.u = place.first;
      impact.v = place.second;
      impact.normal = Vec3(place.normal.x, place.normal.y, place.normal.z);
      found_.push_back({of, pair, impact});
      return;
    }
    ++work_.open;
    Impact impact;
    if constexpr (edges)
      impact = first_contact(moving_.edge_edge(pair.a, pair.b));
    else
      impact = first_contact(moving_.vertex_face(pair.a, pair.b));
    if (impact.verdict == Verdict::contact) found_.push_back({of, pair, impact});
  }

  MovingMesh moving_;
  gpu::Frame frame_;
  std::vector<gpu::FloatCorner> corner_;
  Features vertices_, edges_, faces_;
  std::vector<StepImpact> found_;
  Work work_;
};

}  // namespace graze::test
