#include "graze/polyhedron/move.h"

#include <algorithm>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/move/containment.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/position_test.h"
#include "graze/polyhedron/move/straight_move.h"
#include "graze/polyhedron/turn/turning_move.h"

namespace graze::polyhedron {
namespace {

bool all_ok(std::span<const Obstacle> world) {
  return std::all_of(world.begin(), world.end(), [](const Obstacle& o) { return o.ok(); });
}

}  // namespace

const char* name(Meeting meeting) {
  switch (meeting) {
    case Meeting::start:
      return "start";
    case Meeting::vertex_facet:
      return "vertex-facet";
    case Meeting::facet_vertex:
      return "facet-vertex";
    case Meeting::edge_edge:
      return "edge-edge";
  }
  return "?";
}

Scratch::Scratch() : data_(std::make_unique<Data>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

void Scratch::stop_on(const std::atomic<bool>* flag) {
  data_->stop = flag;
}
bool Scratch::is_stopped() const {
  return data_->is_stopped();
}

MoveResult move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                Scratch& scratch, const MoveOptions& options) {
  const FloatEnvironment environment;
  if (!path.is_valid() || !mover.ok() || !all_ok(world)) return {};
  if (!(options.t_max > 0 && options.t_max <= 1)) return {};
  if (options.sides == Sides::front && options.solid) return {};
  if (options.solid && path.begins_at_start())
    if (const auto contact = contained(world, mover, path.start, scratch.data()))
      return {Verdict::contact, 0, 0, 0, path.start, *contact, 0, 1};
  const MoveResult result = path.turns ? turning_move(world, mover, path, options, scratch.data())
                                       : straight_move(world, mover, path, options, scratch.data());
  return scratch.is_stopped() ? stopped_move(path, options.t_max) : result;
}

MoveResult move(std::span<const Obstacle> world, const Model& mover, std::span<const Path> pieces,
                Scratch& scratch, const MoveOptions& options) {
  MoveResult result;
  if (options.t_max != 1) return result;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    result = move(world, mover, pieces[i], scratch, options);
    result.piece = i;
    if (result.verdict != Verdict::separated) break;
  }
  return result;
}

TouchResult position_test(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                          Scratch& scratch) {
  const FloatEnvironment environment;
  if (!translating(pose, Vec3::Zero()).is_valid() || !mover.ok() || !all_ok(world)) return {};
  const std::optional<Contact> found = touching(world, mover, pose, scratch.data());
  if (scratch.is_stopped()) return {Verdict::undecided, {}};
  if (!found) return {Verdict::separated, {}};
  return {Verdict::contact, *found};
}

}  // namespace graze::polyhedron
