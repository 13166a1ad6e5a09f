#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graze/rigid/robot/mechanism.h"
#include "graze/rigid/robot/still_tree.h"

namespace graze::rigid {

// The way from a base frame to a frame below it. Placements along a route are in the coordinates of
// the base, so that joints above the base do not enter.
struct Route {
  std::uint32_t frame;
  std::uint32_t up;  // the route to the parent frame; its own index if the frame is the base
};

// A shape seen from a base frame.
struct Limb {
  std::uint32_t shape, route;
  Vec3 centre;    // of the ball around the shape, in the coordinates of its frame
  double radius;  // of the ball; without the radius of the body
  // LinkMotion::error() of a limb that does not move against its base.
  double still_error = 0;
};

// Two shapes that are tested, in the coordinates of the lowest frame that both depend on.
struct LimbPair {
  std::uint32_t a, b;  // limbs
  std::uint32_t base;  // frame
  double margin;       // the margin plus both radii, rounded up
  double clear;        // the margin alone
  bool solid;          // one of the shapes is a solid mesh
};

// The data that are constant over many paths.
struct PathChecker::Scene {
  static constexpr std::uint32_t none = 0xffffffff;

  Mechanism mechanism;
  std::vector<Route> routes;  // `up` comes first
  std::vector<Limb> limbs;    // those that move against their base first
  std::uint32_t moving = 0;   // the number of these
  std::vector<LimbPair> pairs;
  // Obstacles are the limbs that do not move, and `movers`: bodies of the world that do. A tree of
  // boxes around the former, with their radii, and one around the motions of the latter (NearPairs)
  // give the obstacles that a limb may reach; all other pairs are in `close_pairs`.
  StillTree obstacles;
  std::vector<std::uint32_t> movers;  // limbs
  std::vector<std::uint32_t> close_pairs;
  // By moving limb, unless it has no obstacles: for each obstacle the pair, or none; and the
  // largest margin of these pairs, without radii. Obstacles are numbered: limbs that do not move
  // (the index less `moving`), then movers.
  struct Reached {
    std::vector<std::uint32_t> pair_of;
    double margin = 0;
  };
  std::vector<Reached> reached;
  RobotOptions options;
  std::string problem;
  // By frame, for revolute ones: the rotation origin . Rot(axis, q) is along + cos q across + sin q
  // turn, each rounded.
  struct Turn {
    Eigen::Matrix3d along, across, turn;
  };
  std::vector<Turn> turns;
};

// Searches one path. Keeps directions between paths, which changes the cost and the reported time
// within the threshold, never a promise. Not for two threads at once.
class PathSearch {
 public:
  explicit PathSearch(const PathChecker::Scene& scene);
  ~PathSearch();
  RobotCheck run(const Trajectory& path, const std::atomic<bool>* stop = nullptr);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace graze::rigid
