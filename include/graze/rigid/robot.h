#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"
#include "graze/rigid/path.h"

namespace graze::rigid {

// Robots: links that joints connect to a tree, and paths in joint space with a proof that they are
// free of contact. Lengths and angles are in the units of the caller; files use metres and radians.

// The geometry of a link: a mesh, which is its surface, or a solid primitive around the origin.
struct RobotShape {
  // The form of a shape.
  enum class Kind : std::uint8_t { mesh, box, sphere, cylinder, capsule };
  Kind kind = Kind::mesh;            // chooses the fields below that are read
  std::vector<Vec3> vertices;        // of a mesh
  std::vector<Face> faces;           // of a mesh
  Vec3 half_extents = Vec3::Zero();  // of a box
  double radius = 0;                 // of a sphere, cylinder or capsule
  double half_height = 0;            // of a cylinder or capsule along z, without caps
  Pose at;                           // in the coordinates of the link
};

// A rigid part of a robot and the shapes that count for contact.
struct RobotLink {
  std::string name;                // different from those of other links
  std::vector<RobotShape> shapes;  // may be empty
};

// A joint moves its child in the frame `origin` of its parent: about `axis` (revolute, continuous)
// or along it (prismatic). A floating joint is six joints, NAME/x, /y, /z, /yaw, /pitch and /roll;
// a planar joint is three, NAME/x, /y and /yaw.
struct RobotJoint {
  // The motion of the child of a joint; continuous: revolute without limits.
  enum class Kind : std::uint8_t { fixed, revolute, continuous, prismatic, planar, floating };
  std::string name;  // different from those of other joints
  Kind kind = Kind::fixed;
  std::string parent, child;  // links
  Pose origin;
  Vec3 axis = Vec3::UnitX();  // of any length but 0, in the frame of the joint
  double lower = -std::numeric_limits<double>::infinity();  // the least value of the coordinate
  double upper = std::numeric_limits<double>::infinity();   // the greatest
  // If not empty: the coordinate is that of this joint times `multiplier` plus `shift`. Limits of
  // both joints hold for it: Robot::lower() and upper() are the narrower ones.
  std::string mimic;
  double multiplier = 1, shift = 0;  // of `mimic`
};

// The links and joints of a robot, as a URDF file or a program states them.
struct RobotDescription {
  std::string name;  // of the robot
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;
  std::vector<std::array<std::string, 2>> may_touch;  // pairs of links that are not tested
  bool neighbours_may_touch = true;  // links that one movable joint connects are not tested
};

struct Mechanism;  // private: frames, joints and shapes in one list each

// A robot that is prepared for paths. A handle: copies share one immutable model, and threads may
// use the same robot. Unless problem() is empty, every query is `invalid`.
class Robot {
 public:
  Robot();
  explicit Robot(std::shared_ptr<const Mechanism> mechanism) : mechanism_(std::move(mechanism)) {}

  const std::string& name() const;              // of the description
  const std::string& problem() const;           // the reason why the robot cannot be used, or ""
  std::span<const std::string> joints() const;  // the coordinates of a configuration, in order
  std::span<const double> lower() const;        // their lower limits; infinite if there are none
  std::span<const double> upper() const;        // their upper limits; infinite if there are none
  std::span<const std::string> links() const;   // the names of all links
  std::vector<std::string> links_without_shapes() const;  // the names of links that cannot touch

  // Returns the bodies of a link, in its coordinates.
  std::vector<Body> bodies(std::size_t link) const;
  // Returns the placement of a link at a configuration of joints().size() entries, up to rounding.
  Placement placement(std::size_t link, std::span<const double> configuration) const;

  const Mechanism& mechanism() const { return *mechanism_; }  // for the library's own code

 private:
  std::shared_ptr<const Mechanism> mechanism_;  // never null
};

// Prepares a robot.
//   (1) Never throws, except for lack of memory: problem() names the link or joint at fault: a name
//       that is used twice or does not exist, a loop, a link that two joints move, more than one
//       root, an axis of length 0, a number that is not finite, a mesh that is no body, a mimic of
//       a mimic.
//   (2) A sphere, a capsule and a box are exact; a cylinder becomes an enclosing prism that exceeds
//       it by at most 1e-4 of a unit of length and at most a hundredth of its radius.
//   (3) Links that no joint moves against each other are not tested.
// The robot is the set that the stored doubles define: origins and fixed joints are multiplied out
// once, which changes positions by about 2^-50 of their size.
Robot make_robot(const RobotDescription& description);

// Returns the robot with a body that a link carries, such as a grasped part: a further link, at a
// pose in the coordinates of its carrier. The body is not tested against the links of `may_touch`
// and links that no joint moves against it, nor, with neighbours_may_touch, against links that one
// movable joint connects to its carrier. problem() names a defect, as after make_robot(). The parts
// of the robot are shared, not prepared again.
Robot attached(const Robot& robot, const std::string& name, const Body& body,
               const std::string& link, const Pose& at,
               std::span<const std::string> may_touch = {});

// A path in joint space: on each piece, every joint follows a polynomial.
struct Trajectory {
  std::size_t joints = 0;     // as many as the robot has
  std::size_t degree = 1;     // 1 to 5
  std::vector<double> times;  // of the ends of the pieces, increasing; one more than pieces
  // Joint j on piece i is the sum over k of coefficients[(i joints + j)(degree + 1) + k] s^k, where
  // s in [0, 1] is the fraction of the piece.
  std::vector<double> coefficients;

  // The number of pieces.
  std::size_t pieces() const { return times.empty() ? 0 : times.size() - 1; }
  // Returns the degree + 1 coefficients of a joint on a piece.
  std::span<const double> polynomial(std::size_t piece, std::size_t joint) const {
    return std::span(coefficients).subspan((piece * joints + joint) * (degree + 1), degree + 1);
  }
};

// Returns the straight lines between configurations, which are stored one after the other. Without
// times, each piece takes one unit of time. One configuration is a path that stays there. An empty
// trajectory if the sizes do not fit.
Trajectory straight_path(std::span<const double> configurations, std::size_t joints,
                         std::span<const double> times = {});

// Returns the cubic pieces with these velocities, or with accelerations the quintic pieces, at the
// configurations. Both are per unit of time and as many as the configurations.
Trajectory smooth_path(std::span<const double> configurations, std::size_t joints,
                       std::span<const double> times, std::span<const double> velocities,
                       std::span<const double> accelerations = {});

// The obstacles of a robot. Bodies are meshes, with or without radius (make_body(), make_box(),
// make_sphere(), make_capsule(), enclosing_prism()). Each follows its motion during the path, from
// its first time (0) to its last (1); resting() for static bodies.
struct RobotWorld {
  std::vector<std::string> names;  // as many as bodies, different from those of links
  std::vector<MovingBody> bodies;
  std::vector<std::array<std::string, 2>> may_touch;  // a body and a link that are not tested
};

// A margin of its own for two links a and b, or a link and a body.
struct PairMargin {
  std::string a, b;
  double margin = 0;  // length, finite, >= 0
};

// Options of a PathChecker.
struct RobotOptions {
  double margin = 0;                     // length, finite, >= 0: a distance up to this is contact
  std::vector<PairMargin> margins = {};  // take the place of `margin`
  double threshold = 1e-7;  // length, finite, > 0: how close to contact the search stops
  std::uint64_t max_checks = 10'000'000;  // budget of tests of two parts per path; 0: no limit
  bool joint_limits = true;               // a path that leaves them is invalid
  bool proof = false;                     // collect RobotCheck::proof
};

// A claim: while s is in [s0, s1] of a piece of the path, the plane with this normal separates part
// of shape a from part of shape b by more than their radii and the margin. The normal is fixed in
// the frame of the last link in the tree that carries both shapes, or of the world. The parts are
// ranges of faces in the order of RobotProof::orders.
struct ProofInterval {
  std::uint32_t pair = 0;                                        // index in RobotProof::pairs
  std::uint32_t piece = 0;                                       // of the path
  double s0 = 0, s1 = 0;                                         // fractions of the piece
  std::uint32_t a_begin = 0, a_end = 0, b_begin = 0, b_end = 0;  // ranges of faces
  Vec3 normal = Vec3::Zero();                                    // from b to a
};

// A proof that a path is free: for every pair of shapes that may not touch, intervals that cover
// all times and all pairs of faces. Names and shapes are those of the robot and the world.
struct RobotProof {
  // Two shapes that the intervals prove to be apart.
  struct Pair {
    std::string a, b;                        // links, or a link and a body
    std::uint32_t shape_a = 0, shape_b = 0;  // numbered in their link
    std::uint32_t order_a = 0, order_b = 0;  // index in `orders`
    double margin = 0;                       // length
  };
  std::vector<Pair> pairs;
  std::vector<std::vector<std::uint32_t>> orders;  // permutations of the faces of a shape
  std::vector<ProofInterval> intervals;
};

// The answer for one path.
struct RobotCheck {
  Verdict verdict = Verdict::invalid;  // separated: the whole path is free
  std::string problem;                 // if invalid: the reason
  // The end of the free part, unless the verdict is separated or invalid: the first contact, or the
  // first time that is not decided.
  std::uint32_t piece = 0;
  double s = Impact::nan;     // within the piece, in [0, 1]
  double time = Impact::nan;  // in the unit of Trajectory::times
  std::string a, b;           // the links, or the link and the body, in contact or undecided
  std::uint32_t shape_a = 0, shape_b = 0, face_a = 0, face_b = 0;  // numbered in link and shape
  Vec3 point_a = Vec3::Constant(Impact::nan);                      // in the world
  Vec3 point_b = Vec3::Constant(Impact::nan);                      // likewise
  double distance = Impact::nan;  // of the two points; those of rounded shapes lie on the rounding
  std::uint64_t checks = 0;       // tests of two parts
  RobotProof proof;               // with RobotOptions::proof, if the verdict is separated
};

// A robot in a world with options, prepared for many paths. Threads may share a checker.
//   (1) Separated: at every time of the path the distance of every two shapes that are tested
//       exceeds their margin, in real arithmetic; rounding is included.
//   (2) Contact: (1) holds before (piece, s), where the distance of the two shapes is at most their
//       margin plus the threshold.
//   (3) Undecided: (1) holds before (piece, s). The budget is spent, the call was stopped, or the
//       threshold is smaller than the rounding of positions.
//   (4) The result depends on the arguments alone, not on the number of threads.
//   (5) With options.proof, verify() accepts the proof of every path that is separated.
// `invalid`, with a problem: a robot with a problem, a body of the world that is no mesh, names
// that do not exist, numbers that are not finite, a path outside of the limits of a joint, angles
// beyond 2^20.
// Cost: docs/robots.md has measured times of arms among obstacles.
class PathChecker {
 public:
  PathChecker(const Robot& robot, const RobotWorld& world, const RobotOptions& options = {});

  const std::string& problem() const;  // why every check is invalid, or ""
  // Checks one path, with the promises above. If another thread sets *stop (may be null), the call
  // ends soon, mostly `undecided`.
  RobotCheck check(const Trajectory& path, const std::atomic<bool>* stop = nullptr) const;

  // Checks edges of a roadmap or tree: edge i is the straight path from from[i] to to[i], rows of
  // joints().size() numbers. Work is shared by run.threads threads. A stopped run leaves
  // `undecided` at 0. Proofs are not collected.
  std::vector<RobotCheck> check_edges(std::span<const double> from, std::span<const double> to,
                                      const Run& run = {}) const;

  struct Scene;  // private
  const Scene& scene() const { return *scene_; }

 private:
  std::shared_ptr<const Scene> scene_;
};

// Returns PathChecker(robot, world, options).check(path, stop).
RobotCheck check_path(const Robot& robot, const Trajectory& path, const RobotWorld& world = {},
                      const RobotOptions& options = {}, const std::atomic<bool>* stop = nullptr);

// The answer of verify().
struct ProofCheck {
  bool valid = false;   // the proof was accepted
  std::string problem;  // the reason why not, which names the pair and the interval
  std::size_t interval =
      ~std::size_t{0};            // the first interval of the proof that fails, if one does
  std::uint64_t evaluations = 0;  // evaluations of positions of links on a piece of time
};

// Checks a proof by interval arithmetic of its own: it shares no code and no bound with the search.
// Only the margins of the options are read.
//   (1) valid: every pair of shapes that may not touch is covered at all times of the path by
//       intervals whose claims hold in real arithmetic, with the margins of the options.
//   (2) Accepts or rejects anything: a wrong or damaged proof is never accepted.
ProofCheck verify(const RobotProof& proof, const Robot& robot, const Trajectory& path,
                  const RobotWorld& world = {}, const RobotOptions& options = {});

}  // namespace graze::rigid
