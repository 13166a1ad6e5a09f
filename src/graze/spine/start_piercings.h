#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "graze/broad/meeting_vertices.h"
#include "graze/step.h"

namespace graze {

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// An edge that pierces a face. Pairs are in the order of the indices of edge and face.
struct PiercedFace {
  std::uint32_t upper, lower;  // the ends of the edge, the larger vertex first
  std::uint32_t face;
  auto operator<=>(const PiercedFace&) const = default;
};

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

  // Appends the sides of one feature of a crossing that pierce the other. An edge of two faces may
  // be appended twice.
  void find_all(std::span<const Pair> crossings, std::vector<PiercedFace>& pierced) const;

  // Replaces `first` with the least of them that comes before it, if there is one.
  void find_first(std::span<const Pair> crossings, std::optional<PiercedFace>& first) const;

  // Returns the first `most` impacts, sorted by pair, each once: contact at 0 of Kind::edge_face. u
  // and v are the place on the face; the normal is that of the face, counterclockwise corners seen
  // from its tip, up to rounding.
  std::vector<StepImpact> impacts(std::vector<PiercedFace> pierced, std::size_t most) const;

 private:
  template <class Pierced>
  void test(const Pair& crossing, Pierced&& pierced) const;
  template <class Pierced>
  bool test_sides(std::uint32_t of, std::uint32_t other, Pierced&& pierced) const;
  Face corners(std::uint32_t id) const;
  std::array<std::uint32_t, 2> least_side(std::uint32_t id) const;
  bool admits(const Edge& edge, std::uint32_t face) const;
  bool pierces(const Edge& edge, const Face& face, bool sides_known) const;
  StepImpact impact_of(const Pair& pair) const;

  const Mesh& mesh_;
  std::span<const Vec3> positions_;
  PairFilter filter_;
  broad::MeetingVertices meeting_;
};

// Returns the first `most` edges that pierce faces at the start of a step, as impacts, sorted by
// pair. Exact (StartPiercings). If run.stop is set, pairs may be
// missing. Cost: near linear in faces, with the trees of moving_tree.
std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run, std::size_t most = any_number);

}  // namespace graze
