#pragma once

#include <atomic>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "graze/broad/meeting_vertices.h"
#include "graze/broad/per_thread.h"
#include "graze/step.h"

namespace graze {

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// Decides which crossings (broad/slab_pairs.h) are edges that pierce faces at the start of a step.
//   (1) Exact: an edge pierces a face if and only if the two share no vertex, the ends of the edge
//       lie strictly on opposite sides of the face's plane, and the edge meets that plane strictly
//       inside the face, for the positions as stored. A face without area is not pierced. An edge
//       that touches a border, lies in the plane or ends in the face is a contact of other kinds.
//   (2) Pairs that the filter leaves out do not count.
// A view: the mesh, the positions and the filter must outlive it. All functions may be called
// concurrently.
// Precondition: as many positions as vertices, all finite, and a filter that fits the mesh.
class StartPiercings {
 public:
  StartPiercings(const Mesh& mesh, std::span<const Vec3> positions, const PairFilter& filter)
      : mesh_(mesh), positions_(positions), filter_(filter), meeting_(filter) {}

  // Appends the crossings whose edge pierces the face. A crossing that is given twice is appended
  // twice.
  void find_all(std::span<const Pair> crossings, std::vector<Pair>& pierced) const;

  // Replaces `first` with the least crossing whose edge pierces the face, unless `first` is less.
  void find_first(std::span<const Pair> crossings, std::optional<Pair>& first) const;

  // Returns the first pair whose edge pierces its face if `known` is such a pair. Returns nothing
  // if it is not, or if too many edges come before that of `known` for a search without a tree.
  // Exact. Cost: linear in faces.
  std::optional<Pair> first_up_to(const Pair& known) const;

  // Returns the impacts of the first `most` pairs, sorted by pair, each once: contacts at 0 of
  // Kind::edge_face. u and v are the place on the face; the normal is that of the face
  // (counterclockwise corners as seen from its tip), up to rounding.
  std::vector<StepImpact> impacts(std::vector<Pair> pierced, std::size_t most) const;

 private:
  bool admits(const Pair& pair) const;
  bool pierces(const Pair& pair) const;
  StepImpact impact_of(const Pair& pair) const;

  const Mesh& mesh_;
  std::span<const Vec3> positions_;
  PairFilter filter_;
  broad::MeetingVertices meeting_;
};

// Collects the piercings among the crossings that one search (broad::find_pairs()) finds. Threads
// may call examine() and skip_rest() at the same time.
class PiercingSearch {
 public:
  explicit PiercingSearch(const StartPiercings& start) : start_(start) {}

  // Decides the crossings and keeps those that are piercings; only the first one if `most` is 1.
  void examine(std::span<const Pair> crossings, std::size_t most);
  // Lets the search leave out all crossings that it has not passed on.
  void skip_rest() { lower_last_edge(0); }

  // The search may leave out the crossings of later edges: the least edge known to pierce a face if
  // one piercing is enough, 0 after skip_rest(), no_edge otherwise.
  const std::atomic<std::uint32_t>& last_edge() const { return last_edge_; }
  // Returns whether a search for one piercing has found one, or skip_rest() was called.
  bool is_any_found() const { return last_edge_.load() != no_edge; }

  // Returns the first `most` piercings as StartPiercings::impacts() does, on `threads` threads.
  std::vector<StepImpact> impacts(std::size_t most, int threads) const;

 private:
  struct Found {  // by one thread
    std::vector<Pair> all;
    std::optional<Pair> first;
  };
  void lower_last_edge(std::uint32_t edge);

  const StartPiercings& start_;
  broad::PerThread<Found> found_;
  std::atomic<std::uint32_t> last_edge_ = no_edge;
};

// Returns the first `most` edges that pierce faces at the start of a step, as impacts, sorted by
// pair. Exact (StartPiercings). If run.stop is set, pairs may be missing.
// `guess`: a pair whose edge may pierce its face, such as the first of an earlier step. The answer
// does not depend on the guess, but the first pair is found faster if the guess is right and few
// edges come before it.
// Cost: near linear in faces, with the trees of moving_tree.
std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run, std::size_t most = any_number,
                                        const std::optional<Pair>& guess = {});

}  // namespace graze
