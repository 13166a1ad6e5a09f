#include "graze/polyhedron/move/straight_move.h"

#include <algorithm>

#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move/exact_touch.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/position_test.h"

namespace graze::polyhedron {
namespace {

class StraightMove {
 public:
  StraightMove(std::span<const Obstacle> world, const Model& mover, const Path& path,
               const MoveOptions& options, Scratch::Data& data, const Shortcuts& shortcuts)
      : world_(world),
        mover_(mover),
        path_(path),
        front_(options.sides == Sides::front),
        shortcuts_(shortcuts),
        away_(shortcuts.sign_bits ? RoughMover::on_the_way : 0),
        data_(data),
        rough_(mover, path, data.rough, shortcuts.facet_culls),
        first_(world, mover, path, options.t_max, data, shortcuts.wide_times),
        end_(options.t_max) {
    data_.facing.clear();
  }

  MoveResult run() {
    for (std::uint32_t o = 0; o < world_.size() && !touches_at_start_; ++o) {
      data_.begin_round(world_[o].model.facets.size());
      world_[o].index->tree.visit(rough_.motion(), end_, [&](std::uint32_t entry) {
        const std::uint32_t f = world_[o].index->tree.box_of(entry);
        if (end_ < 0 || !data_.first_visit(f) || !rough_.may_touch(world_[o], entry, end_)) return;
        examine(o, f);
        end_ = touches_at_start_ ? -1 : first_.bound();
      });
    }
    if (touches_at_start_) {
      const auto contact = touching(world_, mover_, path_.start, data_);
      if (!contact) return {};  // stopped
      return {Verdict::contact, 0, 0, 0, path_.start, *contact, 0, 1};
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  using Code = RoughMover::Code;

  void examine(std::uint32_t o, std::uint32_t f) {
    const Model& world = world_[o].model;
    const Facet& facet = world.facets[f];
    const auto codes = rough_.codes(world.boxes[f]);
    if (!front_ && !apart_at_start(world, facet, codes)) {
      touches_at_start_ = true;
      return;
    }
    if (path_.way.isZero(0)) return;
    vertices_on_facet(o, f, codes);
    if (first_.bound() < end_) rough_.shorten(first_.bound());
    facets_on_vertices(o, f, codes);
    edges_on_edges(o, f, codes);
  }

  bool apart_at_start(const Model& world, const Facet& facet, std::span<const Code> codes) {
    Code common = RoughMover::at_the_start;
    for (const Code code : codes) common &= code;
    if (common != 0) return true;
    return std::none_of(mover_.facets.begin(), mover_.facets.end(), [&](const Facet& own) {
      return common_code(mover_.corners_of(own), codes, RoughMover::at_the_start) == 0 &&
             facets_touch(path_.start, kinematics(), mover_, own, world, facet, data_);
    });
  }

  void vertices_on_facet(std::uint32_t o, std::uint32_t f, std::span<const Code> codes) {
    const Model& world = world_[o].model;
    const Facet& facet = world.facets[f];
    if (facet.count == 1) return;
    int faces = 0;  // unknown
    for (const std::uint32_t v : own_vertices()) {
      if ((codes[v] & away_) != 0 || is_hidden(mover_, v)) continue;
      if (front_ && shortcuts_.back_faces && faces == 0)
        faces = world_facing(world, facet) < 0 ? 1 : -1;
      if (faces < 0) return;
      judge(rough_.vertex_on_facet(v), {Meeting::vertex_facet, o, f, v, 0, 0});
    }
  }

  void facets_on_vertices(std::uint32_t o, std::uint32_t f, std::span<const Code> codes) {
    const Model& world = world_[o].model;
    const Facet& facet = world.facets[f];
    const auto corners = world.corners_of(facet);
    if (vertices_of(world, facet).empty()) return;
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      const Facet& own = mover_.facets[m];
      if (own.count == 1) continue;
      if (common_code(mover_.corners_of(own), codes, away_) != 0) continue;
      for (const std::uint32_t w : vertices_of(world, facet)) {
        if (is_hidden(world, w)) continue;
        const auto corner = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), w) -
                                                     corners.begin());
        const Filtered filtered = rough_.facet_on_vertex(mover_, own, corner, world.vertices[w]);
        if (filtered.verdict == Filtered::apart) continue;
        if (front_ && shortcuts_.back_faces && own_facing(m) <= 0) break;
        judge(filtered, {Meeting::facet_vertex, o, w, m, 0, 0});
      }
    }
  }

  void edges_on_edges(std::uint32_t o, std::uint32_t f, std::span<const Code> codes) {
    const Model& world = world_[o].model;
    const Facet& facet = world.facets[f];
    if (edges_of(world, facet).empty()) return;
    const auto sides = world.sides_of(facet), corners = world.corners_of(facet);
    for (const std::uint32_t our_edge : own_edges()) {
      const ModelEdge& a = mover_.edges[our_edge];
      if ((codes[a.a] & codes[a.b] & away_) != 0) continue;
      for (const std::uint32_t their_edge : edges_of(world, facet)) {
        const auto side = static_cast<std::size_t>(
            std::find(sides.begin(), sides.end(), their_edge) - sides.begin());
        const std::size_t next = side + 1 < sides.size() ? side + 1 : 0;
        const Filtered filtered = rough_.edge_on_edge(a, side, world.vertices[corners[side]],
                                                      world.vertices[corners[next]]);
        if (filtered.verdict == Filtered::apart) continue;
        if (!counts(a, 1, [&](std::uint32_t m) { return own_facing(m); })) break;
        if (!counts(world.edges[their_edge], -1,
                    [&](std::uint32_t g) { return world_facing(world, world.facets[g]); }))
          continue;
        judge(filtered, {Meeting::edge_edge, o, their_edge, our_edge, 0, 0});
      }
    }
  }

  // The features tested together with a facet of the world, and those of the mover.
  std::span<const std::uint32_t> vertices_of(const Model& model, const Facet& facet) const {
    return shortcuts_.shared_features ? model.vertices_of(facet) : model.corners_of(facet);
  }
  std::span<const std::uint32_t> edges_of(const Model& model, const Facet& facet) const {
    return shortcuts_.shared_features ? model.edges_of(facet) : model.sides_of(facet);
  }
  std::span<const std::uint32_t> own_vertices() const {
    return shortcuts_.shared_features ? mover_.owned_vertices : mover_.corners;
  }
  std::span<const std::uint32_t> own_edges() const {
    return shortcuts_.shared_features ? mover_.owned_edges : mover_.sides;
  }
  bool is_hidden(const Model& model, std::uint32_t v) const {
    return front_ && shortcuts_.internal_edges && model.hidden[v];
  }

  // Returns whether contacts of the edge count. `wanted`: the sign of normal.way of a facet that
  // the motion goes against.
  template <class FacingOf>
  bool counts(const ModelEdge& edge, int wanted, const FacingOf& facing_of) {
    if (!front_ || edge.kind == EdgeKind::open) return true;
    if (edge.kind == EdgeKind::flat) return false;
    if (edge.kind == EdgeKind::internal && shortcuts_.internal_edges) return false;
    return !shortcuts_.back_faces ||
           (facing_of(edge.facets[0]) == wanted || facing_of(edge.facets[1]) == wanted);
  }

  // Returns the exact sign of normal.way.
  template <class Place>
  int facing(bool of_body, const Model& model, const Facet& facet, const Place& place) {
    if (facet.count == 1) return 0;
    const auto corner = [&](int i) { return place(interval(model.vertices[facet.plane[i]])); };
    const PlaneFrame<Interval> plane(corner(0), corner(1), corner(2));
    const int sign = clear_sign(dot(plane.normal, kinematics().way()));
    return sign != 0 ? sign : exact_facing(path_, of_body, model, facet, data_.arena);
  }
  int world_facing(const Model& world, const Facet& facet) {
    return facing(false, world, facet,
                  [&](const IntervalPoint& x) { return kinematics().world(x); });
  }
  int own_facing(std::uint32_t m) {
    constexpr std::int8_t unknown = 2;
    if (data_.facing.empty()) data_.facing.assign(mover_.facets.size(), unknown);
    if (data_.facing[m] == unknown)
      data_.facing[m] = static_cast<std::int8_t>(
          facing(true, mover_, mover_.facets[m],
                 [&](const IntervalPoint& x) { return kinematics().body(x); }));
    return data_.facing[m];
  }

  // Built on first use.
  const Kinematics<Interval>& kinematics() {
    if (!kinematics_)
      kinematics_.emplace(
          path_, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); });
    return *kinematics_;
  }

  void judge(const Filtered& filtered, Candidate pair) {
    ++examined_;
    first_.judge(filtered, pair);
  }

  std::span<const Obstacle> world_;
  const Model& mover_;
  const Path& path_;
  bool front_;
  Shortcuts shortcuts_;
  Code away_;
  Scratch::Data& data_;
  RoughMover rough_;
  FirstContact first_;
  double end_;
  bool touches_at_start_ = false;
  std::optional<Kinematics<Interval>> kinematics_;
  std::uint32_t examined_ = 0;
};

}  // namespace

MoveResult straight_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                         const MoveOptions& options, Scratch::Data& data,
                         const Shortcuts& shortcuts) {
  return StraightMove(world, mover, path, options, data, shortcuts).run();
}

}  // namespace graze::polyhedron
