#pragma once

#include <cstdint>
#include <vector>

#include "graze/broad/find_pairs.h"
#include "graze/core/impact.h"
#include "graze/core/mesh.h"
#include "graze/core/options.h"
#include "graze/core/positions.h"
#include "graze/narrow/method.h"

namespace graze {

// What becomes of pairs that are in contact at the start of the step.
enum class StartContacts : std::uint8_t {
  report,  // toi 0
  // The pair's first contact after it has parted, if there is one: a return or a passing through.
  // A pair that goes through at once, as far as its neighbours tell (start_sides.h), is reported.
  // One that starts within a separation > 0 is watched for true contact, by `exact`.
  skip
};

struct StepOptions {
  Options query;                   // t_max, min_separation, tolerances
  PairOptions pairs;               // threads and filters; separation: query.min_separation
  const Method* method = nullptr;  // null: exact; separation_root for a separation > 0
  // Null: for exact methods only the pairs that may meet (find_meeting_pairs), for others those of
  // default_pair_strategy().
  const PairStrategy* strategy = nullptr;
  StartContacts at_start = StartContacts::report;
  PairConsumer observer;  // where given, is shown the pairs that are examined
};

// The answer to one pair of a mesh. u and v as Impact says; of a vertex and an edge the contact
// lies at (1-u) of the edge's first end and u of its second, and v is NaN; so are both of two
// vertices.
struct StepImpact {
  PairKind kind = PairKind::vertex_face;
  Pair pair{};
  Impact impact;
};

// What a step cost.
struct StepWork {
  std::uint64_t pairs = 0;           // examined; again in each slab of time where boxes overlap
  std::uint64_t start_contacts = 0;  // skipped
  int slabs = 0;
  double broad_seconds = 0, narrow_seconds = 0;  // wall time; shared between them by their work
};

struct FirstImpact : StepImpact {  // kind and pair mean nothing where separated or invalid
  StepWork work;
};

struct AllImpacts {
  Verdict verdict = Verdict::separated;  // of the step: that of the first impact
  std::vector<StepImpact> impacts;       // contact or undecided, by toi, kind, pair.a, pair.b
  StepWork work;
};

// Finds the first impact of a mesh that moves through a step: of all impacts that with the smallest
// toi; of equal ones the first by kind and pair.
//
// Time is cut into slabs, in each of which features move no further than about their own size, so
// that few boxes overlap; the slabs are searched in the order of time until one holds a contact.
// Pairs are examined block by block as they are found, in [0, the best time so far].
//
//   (1) verdict, toi and toi_hi have their meaning for the whole mesh: with an exact or
//       conservative method nothing touches in [0, toi), or comes as close as
//       options.query.min_separation. With StartContacts::skip pairs count only after they parted.
//   (2) With an exact method the answer is the first of all_impacts(), bit for bit.
//   (3) The answer depends on the arguments alone: same bits for any number of threads and any
//       strategy; any exact method gives the same pairs, verdicts and times.
//   (4) No pair is stored; memory is that of the strategy and of the boxes of the vertices.
//   (5) `invalid`, toi 0, where there are not as many positions as vertices or one is NaN or
//       infinite, an option is nonsensical, or the method lacks a primitive that the mesh needs or
//       the separation.
FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options = {});

// Finds every impact of the step: for each pair its first, sorted.
//   (1) With an exact method these are exactly the pairs that touch, each once. Promises (3) to (5)
//       hold, but for the memory of the answer.
AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options = {});

// The same of positions in Eigen matrices (Positions says which are free of a copy).
FirstImpact earliest_impact(const Mesh& mesh, const Positions& start, const Positions& end,
                            const StepOptions& options = {});
AllImpacts all_impacts(const Mesh& mesh, const Positions& start, const Positions& end,
                       const StepOptions& options = {});

// Where the contact lies at toi: on the face; on the first or only edge; at the second vertex. NaN
// where the impact does not know it.
Vec3 contact_position(const MovingMesh& moving, const StepImpact& impact);

}  // namespace graze
