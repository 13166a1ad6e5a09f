#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graze/polyhedron/model/facet_frame.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/sweep.h"

namespace graze::polyhedron {

// Finds where a moving body enters the zone of a feature that it would hit: a vertex and a facet,
// or two edges, along a translation or a rotation. The zone of a facet or of two edges extends e
// beyond them to each side and is e high.
//
// DEVIATION: the paper stops the body at the distance e from the *plane* ahead, however far away
// the polygon is along a grazing way. Here the body must be next to the polygon itself, so that it
// never stops in mid-air. At a sharp edge or corner the box of the facet limits the zone to within
// 3 e (the paper moves the intersection line of both planes back). Since move() keeps the bodies
// apart exactly, the zone may have holes, need not be extended at open edges, and is computed in
// plain doubles.
class StopZone {
 public:
  struct Stop {
    double at;      // parameter of the sweep
    double facing;  // cosine of the angle between the normal and the velocity
    Contact contact;
  };

  // `e`: the height of the zone; `rounding`: a bound of the errors of poses and heights; both are
  // lengths. The path is searched up to f = `until`. The arguments must outlive this object.
  StopZone(std::span<const Obstacle> world, const Model& mover, const Path& path, double until,
           double e, double rounding, Scratch::Data& data);

  // Returns the first stop; nothing if the body enters no zone.
  std::optional<Stop> run();

  const Sweep& sweep() const { return sweep_; }
  // Returns the largest speed of a vertex with respect to f, or to the angle.
  double speed() const;

 private:
  struct Polygon {
    const FacetFrame& frame;
    std::span<const Vec3> points;
    std::span<const std::uint32_t> corners;
    const Aabb& box;
    bool one_sided;
  };

  void examine(std::uint32_t o, std::uint32_t f);
  // Finds the stop of a vertex at a facet: [van Waveren 2005] 3.1 and 3.3. `sign`: 1 for a vertex
  // of the mover and a facet of the world, -1 for a vertex of the world and a facet of the mover.
  void vertex(const Vec3& x, double sign, const Polygon& polygon, Contact contact);
  // Finds the stop of two edges: [van Waveren 2005] 3.2 and 3.4. The sidedness of the lines is
  // their distance times |A x B|.
  void edges(std::uint32_t o, const Model& world, std::uint32_t mine, std::uint32_t other);
  // Returns a direction of the body at the parameter.
  Vec3 turned(const Vec3& direction, double at) const;
  // Keeps the first stop; of several at one parameter, the one that faces the motion most.
  void keep(double at, const Contact& contact);

  std::span<const Obstacle> world_;
  const Model& mover_;
  const Path& path_;
  Sweep sweep_;
  double until_, e_, tol_;
  Scratch::Data& data_;
  std::vector<Vec3> vertices_;  // of the mover at the start
  std::vector<FacetFrame> frames_;
  std::vector<Aabb> boxes_, swept_, swept_boxes_;
  Aabb start_box_, swept_box_;
  std::optional<Stop> first_;
};

}  // namespace graze::polyhedron
