#include "graze/polyhedron/turn/turning_move.h"

#include <algorithm>
#include <optional>

#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/position_test.h"
#include "graze/polyhedron/turn/rotate.h"

namespace graze::polyhedron {
namespace {

// Returns the plane of the facet; meaningless for a single point.
template <class Place>
PlaneFrame<Interval> plane_of(const Facet& facet, const Place& place) {
  if (facet.count == 1) return {IntervalPoint(), IntervalPoint(), IntervalPoint()};
  return {place(facet.plane[0]), place(facet.plane[1]), place(facet.plane[2])};
}

class TurningMove {
 public:
  TurningMove(std::span<const Obstacle> world, const Model& mover, const Path& path,
              const MoveOptions& options, Scratch::Data& data)
      : world_(world),
        mover_(mover),
        path_(path),
        front_(options.sides == Sides::front),
        data_(data),
        rough_(mover, path, data.rough_turn),
        first_(world, mover, path, options.t_max, data, true, front_) {}

  MoveResult run() {
    for (std::size_t part = 0; part < rough_.parts(); ++part) {
      if (rough_.begin_of(part) > first_.bound()) break;
      enter(rough_.begin_of(part), std::min(rough_.begin_of(part + 1), first_.bound()));
      search(part == 0 && path_.begins_at_start() && !front_);
      if (!touches_at_start_) continue;
      const auto contact = touching(world_, mover_, path_.start, data_);
      if (!contact) return {};  // stopped
      return {Verdict::contact, 0, 0, 0, path_.start, *contact, 0, 1};
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  using Code = RoughTurn::Code;

  void enter(double from, double until) {
    from_ = from;
    until_ = until;
    rough_.enter(from, until);
  }

  // Searches the part that was entered last. Contacts that are found shorten the part.
  void search(bool from_start) {
    const double here = 0;
    const BoxMotion motion{rough_.box(), Vec3::Zero()};
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      const Model& model = world_[o].model;
      if (!overlap(rough_.box(), model.box)) continue;
      data_.begin_round(model.facets.size());
      world_[o].index->tree.visit(motion, here, [&](std::uint32_t entry) {
        if (!rough_.box_meets(world_[o].index->planes[entry])) return;
        const std::uint32_t f = world_[o].index->tree.box_of(entry);
        if (touches_at_start_ || !data_.first_visit(f) || !overlap(rough_.box(), model.boxes[f]) ||
            !rough_.may_touch(world_[o], entry))
          return;
        rough_.set_codes(model.boxes[f]);
        if (from_start && touches(model, model.facets[f])) {
          touches_at_start_ = true;
          return;
        }
        examine(o, f);
        // A shorter part excludes more facets.
        if (first_.bound() < from_ + 0.75 * (until_ - from_)) enter(from_, first_.bound());
      });
    }
  }

  // Returns whether the mover touches the facet at the start.
  bool touches(const Model& world, const Facet& facet) {
    Code common = RoughTurn::at_the_start;
    for (const Code code : rough_.codes()) common &= code;
    if (common != 0) return false;
    return std::any_of(mover_.facets.begin(), mover_.facets.end(), [&](const Facet& own) {
      if (common_turn_code(mover_.corners_of(own), rough_.codes(), RoughTurn::at_the_start) != 0)
        return false;
      if (!still_)
        still_.emplace(
            translating(path_.start, Vec3::Zero()), [](const Vec3& x) { return interval(x); },
            [](double x) { return Interval(x); });
      return facets_touch(path_.start, *still_, mover_, own, world, facet, data_);
    });
  }

  void examine(std::uint32_t o, std::uint32_t f) {
    const Model& world = world_[o].model;
    const Facet& theirs = world.facets[f];
    const auto codes = rough_.codes();
    std::optional<PlaneFrame<Interval>> plane;  // of the facet, placed when first needed
    if (theirs.count > 1)
      for (const std::uint32_t v : mover_.owned_vertices) {
        if ((codes[v] & RoughTurn::on_the_way) != 0 || is_hidden(mover_, v)) continue;
        if (!plane) place_world(world, theirs, plane);
        judge(rotate_vertex_facet(curve(v), weights(), {data_.world_corners, *plane}, front_),
              {Meeting::vertex_facet, o, f, v, 0, 0});
      }
    auto& near = data_.near;
    near.clear();
    for (const std::uint32_t w : world.vertices_of(theirs)) {
      const Vec3& x = world.vertices[w];
      if (!is_hidden(world, w) && overlap(rough_.box(), {x, x})) near.push_back(w);
    }
    for (std::uint32_t m = 0; !near.empty() && m < mover_.facets.size(); ++m) {
      const Facet& ours = mover_.facets[m];
      const auto corners = mover_.corners_of(ours);
      if (ours.count == 1 || common_turn_code(corners, codes, RoughTurn::on_the_way) != 0) continue;
      const Aabb box = rough_.box_of(corners);
      for (const std::uint32_t w : near) {
        const Vec3& x = world.vertices[w];
        if (!overlap(box, {x, x}) || !rough_.may_reach(corners, ours, x)) continue;
        judge(rotate_vertex_facet(kinematics().moving_world(world_point(world, w)), weights(),
                                  own_facet(m), front_),
              {Meeting::facet_vertex, o, w, m, 0, 0});
      }
    }
    near.clear();
    for (const std::uint32_t their_edge : world.edges_of(theirs)) {
      const ModelEdge& b = world.edges[their_edge];
      if (!is_groove(b) && overlap(rough_.box(), edge_box(world, b))) near.push_back(their_edge);
    }
    if (near.empty()) return;
    for (const std::uint32_t our_edge : mover_.owned_edges) {
      const ModelEdge& a = mover_.edges[our_edge];
      if ((codes[a.a] & codes[a.b] & RoughTurn::on_the_way) != 0 || is_groove(a)) continue;
      const std::array<std::uint32_t, 2> ends = {a.a, a.b};
      const Aabb box = rough_.box_of(ends);
      for (const std::uint32_t their_edge : near) {
        const ModelEdge& b = world.edges[their_edge];
        if (!overlap(box, edge_box(world, b)) ||
            !rough_.may_cross(a, world.vertices[b.a], world.vertices[b.b]))
          continue;
        Filtered filtered = rotate_edge_edge(line(our_edge), curve(a.a), curve(a.b), weights(),
                                             world_point(world, b.a), world_point(world, b.b));
        // Integers decide whether the edges pass each other from the front.
        if (front_ && filtered.verdict == Filtered::touching) filtered.verdict = Filtered::unclear;
        judge(filtered, {Meeting::edge_edge, o, their_edge, our_edge, 0, 0});
      }
    }
  }

  static Aabb edge_box(const Model& model, const ModelEdge& edge) {
    const Vec3 &x = model.vertices[edge.a], &y = model.vertices[edge.b];
    return {x.cwiseMin(y), x.cwiseMax(y)};
  }
  bool is_hidden(const Model& model, std::uint32_t v) const { return front_ && model.hidden[v]; }
  bool is_groove(const ModelEdge& edge) const { return front_ && edge.kind == EdgeKind::internal; }

  void judge(const Filtered& filtered, const Candidate& pair) {
    ++examined_;
    first_.judge(filtered, pair);
  }

  // ---- The same in intervals, made when first needed.

  const Kinematics<Interval>& kinematics() {
    if (kinematics_) return *kinematics_;
    kinematics_.emplace(
        path_, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); });
    for (std::size_t i = 0; i < 3; ++i) weight_[i] = kinematics_->weight(i);
    const auto clear = [](auto& list, std::size_t size) {
      list.resize(size);
      for (auto& known : list) known.reset();
    };
    clear(data_.curves, mover_.vertices.size());
    clear(data_.lines, mover_.edges.size());
    clear(data_.planes, mover_.facets.size());
    data_.corners.resize(mover_.corners.size());
    return *kinematics_;
  }
  const Curve<Interval>& weights() {
    kinematics();
    return weight_;
  }
  IntervalPoint own_point(std::uint32_t v) {
    return kinematics().body(interval(mover_.vertices[v]));
  }
  IntervalPoint world_point(const Model& world, std::uint32_t v) {
    return kinematics().world(interval(world.vertices[v]));
  }
  const CurveVector<Interval>& curve(std::uint32_t v) {
    const IntervalPoint x = own_point(v);  // also prepares the lists
    auto& known = data_.curves[v];
    if (!known) known = kinematics().moving_body(x);
    return *known;
  }
  const std::array<Line<Interval>, 3>& line(std::uint32_t e) {
    const ModelEdge& edge = mover_.edges[e];
    const IntervalPoint a = own_point(edge.a), b = own_point(edge.b);
    auto& known = data_.lines[e];
    if (!known) known = kinematics().moving_line(a, b);
    return *known;
  }
  IntervalFacet own_facet(std::uint32_t m) {
    const Facet& ours = mover_.facets[m];
    kinematics();
    auto& known = data_.planes[m];
    if (!known) {
      known = plane_of(ours, [&](std::uint32_t v) { return own_point(v); });
      for (std::uint32_t i = 0; i < ours.count; ++i)
        data_.corners[ours.first + i] = own_point(mover_.corners[ours.first + i]);
    }
    return {std::span<const IntervalPoint>(data_.corners).subspan(ours.first, ours.count), *known};
  }
  void place_world(const Model& world, const Facet& facet,
                   std::optional<PlaneFrame<Interval>>& plane) {
    const auto place = [&](std::uint32_t v) { return world_point(world, v); };
    data_.world_corners.clear();
    for (const std::uint32_t corner : world.corners_of(facet))
      data_.world_corners.push_back(place(corner));
    plane = plane_of(facet, place);
  }

  std::span<const Obstacle> world_;
  const Model& mover_;
  const Path& path_;
  bool front_;
  Scratch::Data& data_;
  RoughTurn rough_;
  FirstContact first_;
  std::optional<Kinematics<Interval>> kinematics_, still_;
  Curve<Interval> weight_;
  double from_ = 0, until_ = 1;  // the part that is searched
  bool touches_at_start_ = false;
  std::uint32_t examined_ = 0;
};

}  // namespace

MoveResult turning_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                        const MoveOptions& options, Scratch::Data& data) {
  return TurningMove(world, mover, path, options, data).run();
}

}  // namespace graze::polyhedron
