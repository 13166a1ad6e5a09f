#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "graze/polyhedron/move.h"
#include "graze/polyhedron/move/filtered.h"
#include "graze/polyhedron/move/rough_mover.h"
#include "graze/polyhedron/turn/rough_turn.h"

namespace graze::polyhedron {

// Two features that touch at a time in [lo, hi]. tight: lo and hi are the doubles next to it.
struct Candidate {
  Meeting meeting;
  std::uint32_t obstacle, world_feature, mover_feature;
  double lo, hi;
  bool tight = false, slides = false;
};

struct Scratch::Data {
  exact::Arena arena;
  std::vector<Candidate> candidates;

  const std::atomic<bool>* stop = nullptr;
  bool is_stopped() const { return stop && stop->load(std::memory_order_relaxed); }

  // Per facet of one obstacle: the last round in which it was visited.
  std::vector<std::uint32_t> seen;
  std::uint32_t round = 0;

  void begin_round(std::size_t facets) {
    if (seen.size() < facets) seen.resize(facets, 0);
    if (++round == 0) {
      std::fill(seen.begin(), seen.end(), 0u);
      round = 1;
    }
  }
  // A stopped search visits no further facet.
  bool first_visit(std::uint32_t facet) {
    if (seen[facet] == round || is_stopped()) return false;
    seen[facet] = round;
    return true;
  }

  RoughMover::Memory rough;
  std::vector<std::int8_t> facing;  // of the mover's facets: the sign of normal.way

  RoughTurn::Memory rough_turn;

  // The mover along a rotation: curves of its vertices, lines of its edges, planes and corners of
  // its facets, each made when first needed.
  std::vector<std::optional<CurveVector<Interval>>> curves;
  std::vector<std::optional<std::array<Line<Interval>, 3>>> lines;
  std::vector<std::optional<PlaneFrame<Interval>>> planes;
  std::vector<IntervalPoint> corners;

  std::vector<std::uint32_t> near;  // features of a facet of the world in the box of the mover

  // The facets being tested.
  std::vector<IntervalPoint> own_corners, world_corners;
};

// Returns the answer of a move that was stopped: the body stays at the start of the path.
inline MoveResult stopped_move(const Path& path, double t_max) {
  MoveResult result;
  result.verdict = Verdict::undecided;
  result.toi_hi = t_max;
  result.end = pose_at(path, 0);
  return result;
}

// Collects pairs of features that touch and finds the first contact. `enters`: only contacts of a
// rotation count at which features pass from the front (exact_touch.h).
class FirstContact {
 public:
  FirstContact(std::span<const Obstacle> world, const Model& mover, const Path& path, double t_max,
               Scratch::Data& data, bool wide_times = true, bool enters = false)
      : world_(world),
        mover_(mover),
        path_(path),
        t_max_(t_max),
        wide_times_(wide_times),
        enters_(enters),
        data_(data),
        bound_(t_max) {
    data_.candidates.clear();
  }

  const double& bound() const { return bound_; }  // a later contact cannot be the first
  std::uint32_t exact_calls() const { return exact_calls_; }

  // Decides a pair by integers and adds it if it touches.
  void decide(Candidate pair);
  // Adds a pair that touches.
  void add(const Candidate& pair) {
    if (pair.lo > bound_) return;
    bound_ = std::min(bound_, pair.hi);
    data_.candidates.push_back(pair);
  }
  void judge(const Filtered& filtered, Candidate pair) {
    if (filtered.verdict == Filtered::unclear) {
      decide(pair);
    } else if (filtered.verdict == Filtered::touching) {
      pair.lo = filtered.time.lo;
      pair.hi = filtered.time.hi;
      add(pair);
    }
  }
  MoveResult result();

 private:
  std::optional<struct Touch> touch(const Candidate& pair);
  Contact contact_of(const Candidate& pair, double f) const;

  std::span<const Obstacle> world_;
  const Model& mover_;
  const Path& path_;
  double t_max_;
  bool wide_times_, enters_;
  Scratch::Data& data_;
  double bound_;
  std::uint32_t exact_calls_ = 0;
};

}  // namespace graze::polyhedron
