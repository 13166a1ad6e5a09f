#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graze/find_pairs.h"

namespace graze::broad {

// A copy of pair options with the storage of their views.
class SelectedPairs {
 public:
  SelectedPairs() = default;
  explicit SelectedPairs(const PairOptions& options);

  // Returns the options, valid as long as this object.
  PairOptions options() const;

  // Returns whether both options select the same pairs, whatever their separations are. Callbacks
  // cannot be compared: false if one of the options has one.
  bool equal(const PairOptions& options) const;

 private:
  PairOptions options_;  // the spans have no meaning
  std::vector<std::uint8_t> is_static_, meets_;
  std::vector<std::uint32_t> group_;
  std::vector<CategoryMask> masks_;
  std::vector<GroupPair> group_pairs_;
};

// A straight motion of a mesh over several steps to come, and the pairs that may meet in steps that
// stay close to this motion. Positions of the motion: x_v(a) = (1-a) first_v + a last_v for vertex
// v and a in [0, 1].
class PairForecast {
 public:
  // Finds the pairs that come within `separation` (length >= 0, finite) of each other during the
  // motion, in the maximum norm, and stores them. Returns false, and then covers no step, if there
  // are more than `most` pairs, if a position is not finite, or if the search was stopped or is
  // invalid.
  bool make(const MovingMesh& motion, const PairOptions& options, double separation,
            std::size_t most, const Run& run);

  // Returns whether pairs() contains all pairs that come within `separation` of each other in a
  // step of the same mesh with these options. The separation replaces that of the options.
  //   (1) If true: a pair of find_pairs() that is not in pairs() is further apart than `separation`
  //       at every time of the step, in the maximum norm and in the Euclidean norm.
  // Cost: linear in the number of vertices.
  bool covers(std::span<const Vec3> start, std::span<const Vec3> end, const PairOptions& options,
              double separation) const;
  // The same for the options that the forecast was made with.
  bool covers(std::span<const Vec3> start, std::span<const Vec3> end, double separation) const;

  // Returns an upper bound of the distance of positions from those of the motion at some time: the
  // largest over all vertices, in the maximum norm. Precondition: one finite position per vertex.
  double distance(std::span<const Vec3> positions) const;

  // Sorts the pairs of each kind.
  void sort(const Run& run);

  // Makes the forecast cover no step.
  void clear();

  std::span<const Vec3> first() const { return first_; }
  const Pairs& pairs() const { return pairs_; }
  std::size_t size() const;  // number of pairs

 private:
  double nearest_time(std::span<const Vec3> positions) const;
  bool are_near(std::span<const Vec3> positions, double time, double distance) const;

  std::vector<Vec3> first_, last_;
  double largest_ = 0;      // of all coordinates, in absolute value
  double separation_ = -1;  // of the forecast; negative: covers no step
  SelectedPairs selection_;
  Pairs pairs_;
};

// Passes all pairs to a consumer in blocks, as find_pairs() does. Returns `complete` or `stopped`.
PairStatus pass_on(const Pairs& pairs, const PairConsumer& consumer, const Run& run);

}  // namespace graze::broad
