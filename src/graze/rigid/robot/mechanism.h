#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graze/rigid/robot.h"

namespace graze::rigid {

// A frame that one joint moves in its parent frame. At the coordinate q it has the placement
// origin . Rot(axis, q) (revolute), or origin . Translation(q axis), where
//   Rot(a, q) = a a^T + cos q (1 - a a^T) + sin q [a]x.
// The doubles are exact real numbers: they define the robot. The axis has length 1 and the origin
// is a rotation up to 2^-50.
struct MovingFrame {
  std::uint32_t parent = 0;
  bool revolute = false;
  Placement origin{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  Vec3 axis = Vec3::UnitZ();
  std::uint32_t source = 0;  // the coordinate that moves it
  double scale = 1, shift = 0;
};

// A mesh, perhaps with a radius, in the coordinates of its frame.
struct FrameShape {
  Body body;
  std::uint32_t frame = 0;
  std::uint32_t item = 0;    // the link or the body of the world, in `items`
  std::uint32_t number = 0;  // within the item
};

// Returns a body in other coordinates: its mesh, with its radius, at a placement.
Body moved(const Body& body, const Placement& at);

// A robot, or a robot in a world, as one tree of frames. Frame 0 is the world.
struct Mechanism {
  std::string name, problem;
  std::vector<std::string> coordinates;  // of a configuration
  std::vector<double> lower, upper;
  std::vector<MovingFrame> frames{1};  // parents come first
  std::vector<std::string> items;      // links, then bodies of the world
  std::size_t links = 0;               // the number of links
  bool neighbours_may_touch = true;    // RobotDescription::neighbours_may_touch
  std::vector<std::uint32_t> item_frames;
  std::vector<Placement> item_placements;            // of a link in its frame
  std::vector<FrameShape> shapes;                    // ordered by item
  std::set<std::array<std::uint32_t, 2>> may_touch;  // pairs of items, the smaller first
  // Coordinates of moving bodies of the world come after those of the robot: rates[i] is the change
  // of coordinate coordinates.size() + i over the whole path.
  std::vector<double> rates;

  // Returns whether two shapes are tested: their items may not touch and a joint can move one
  // against the other.
  bool is_tested(const FrameShape& a, const FrameShape& b) const;
};

// Returns the robot in the world; a mechanism with a problem if a body or a name is unusable.
Mechanism in_world(const Mechanism& robot, const RobotWorld& world);

// The polynomials of one piece of a path, one row of degree + 1 coefficients for each frame, those
// of frame 0 being 0. They define the motion: mimicking joints and moving bodies are rounded once.
struct PieceCurves {
  std::size_t degree = 1;
  std::vector<double> coefficients;
  std::span<const double> of(std::uint32_t frame) const {
    return std::span(coefficients).subspan(frame * (degree + 1), degree + 1);
  }
};
PieceCurves curves_of(const Mechanism& mechanism, const Trajectory& path, std::size_t piece);

// Returns the begin and the end of a piece in fractions of the time of the path.
std::array<double, 2> part_of_path(const Trajectory& path, std::size_t piece);

// Returns the reason why the path cannot be checked, or "".
std::string path_problem(const Mechanism& mechanism, const Trajectory& path, bool joint_limits);

// The margins of pairs of items.
class Margins {
 public:
  Margins(const Mechanism& mechanism, const RobotOptions& options);
  const std::string& problem() const { return problem_; }
  double of(std::uint32_t item_a, std::uint32_t item_b) const;

 private:
  double common_;
  std::vector<std::pair<std::array<std::uint32_t, 2>, double>> own_;
  std::string problem_;
};

}  // namespace graze::rigid
