#pragma once

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "graze/broad/moving/search_scale.h"
#include "graze/broad/moving/time_slabs.h"
#include "graze/step.h"

namespace graze::spine {

// The place of a search of a part of a mesh within the search of the whole mesh.
struct PartOf {
  broad::Slab slab;          // the only slab to search
  broad::SearchScale scale;  // of the whole mesh
  // Called between blocks of pairs, perhaps by several threads at once, with the smallest toi of
  // this search so far. Returns the smallest toi that any part has found so far, or a larger one.
  std::function<double(double)> exchange;
};

// Facts about a step that are proven before its search. Views; null: unknown.
struct Known {
  // Contains every pair of the mesh that the filter admits and that comes within
  // largest_separation(options) during the step, in the norm of the method; the strategy of the
  // options is then not used.
  // Precondition: null unless the method is exact, since only its answers do not depend on further
  // pairs.
  const Pairs* pairs = nullptr;
  // All edges that pierce faces at the start and that the filter admits, sorted by pair.
  const std::vector<StepImpact>* piercings = nullptr;
  // If set, the mesh is a part of a mesh, and only the slab of the part is searched.
  const PartOf* part = nullptr;
  // A pair whose edge may pierce its face at the start; see start_piercings().
  std::optional<Pair> pierced_guess = {};
};

// The order of impacts: by toi, kind, pair.
inline bool before(const StepImpact& a, const StepImpact& b) {
  return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
}

enum class Wanted { first, all };

// Returns the slabs of the search of a mesh of this relative_motion().
std::vector<broad::Slab> slabs_of_search(Wanted wanted, const StepOptions& options, double motion);

// The kinds of features that a mesh has.
struct FeatureKinds {
  bool edges, faces, rods, points;
};

// Returns whether the options are in their ranges and the method answers them for such a mesh. The
// pair options are not tested.
bool can_answer(const StepOptions& options, const FeatureKinds& kinds);

// The functions of graze/step.h.
FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options, const Run& run,
                            const Known& known);
AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options, const Run& run,
                       const Known& known);

// Returns the answer of collision_free_step() for the first impact with these options.
double free_step(const Impact& impact, const StepOptions& options);

}  // namespace graze::spine
