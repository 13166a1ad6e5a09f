#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/impact.h"
#include "graze/mesh.h"
#include "graze/method.h"
#include "graze/options.h"

namespace graze {

// The treatment of pairs that are in contact at the start of a step.
enum class StartContacts : std::uint8_t {
  report,  // contact with toi 0
  // The pair's first contact after the two features have parted is reported, if there is one. A
  // pair whose features pass through each other at once, as far as their neighbours show on which
  // side they started, is reported with toi 0. A pair that starts within a separation > 0 without
  // touching is reported at its first true contact, which is found exactly.
  skip
};

// Options of a search of a step.
struct StepOptions {
  Options query = {};              // t_max, min_separation, tolerances
  PairOptions pairs = {};          // filters; query.min_separation replaces pairs.separation
  const Method* method = nullptr;  // null: default_method(query)
  // Null: for exact methods default_pair_strategy(PairSet::meeting), for all others
  // default_pair_strategy().
  const PairStrategy* strategy = nullptr;
  StartContacts at_start = StartContacts::report;  // what happens to contacts at the start
  // One radius per vertex, finite, >= 0, a length: the thickness of cloth, of a body, of a strand.
  // Empty: 0. See promise (7) of earliest_impact(). The pairs of each radius sum are tested
  // together, so that few different radii cost least. A view; must outlive the call.
  std::span<const double> radii = {};
  // The groups (pairs.filter.group) whose faces enclose a solid: see promise (8) of
  // earliest_impact(). A face belongs to a group if all its vertices do. Every side of these faces
  // must belong to an even number of them. A view; must outlive the call.
  std::span<const std::uint32_t> solids = {};
  // If true, edges that pierce faces at the start (Kind::edge_face) are searched for. Exact. The
  // search takes a fraction of the time that the first impact takes (docs/step.md). A solver
  // whose start is known to be free of intersections can switch it off; see promise (1) of
  // earliest_impact(). StepSearch leaves it out where earlier steps prove a free start.
  bool start_check = true;
  // Largest number of impacts that all_impacts() returns, 0: no limit. It also limits the memory of
  // the search to 2 * sizeof(StepImpact) bytes per impact and thread. Not read by other functions.
  std::size_t max_contacts = 0;
  // If set, called once at the end of the search with all pairs that were tested, which are stored
  // until then: 8 bytes per pair.
  MotionObserver observer = {};
};

// The answer for one pair of a mesh and its kind. u and v as in Impact; for a vertex and an edge
// the contact lies at (1-u) of the edge's first end and u of its second end, and v is NaN; for two
// vertices both are NaN. With Kind::edge_face pair.a is an edge and pair.b a face that the edge
// pierces at the start: ends strictly on opposite sides of the plane, which the edge meets strictly
// inside the face. Then toi and toi_hi are 0.
struct StepImpact {
  Kind kind = Kind::vertex_face;
  Pair pair{};
  Impact impact;
};

// The cost of a step.
struct StepWork {
  std::uint64_t pairs = 0;                       // tested; a pair counts again in each slab of time
  std::uint64_t start_contacts = 0;              // skipped
  int slabs = 0;                                 // slabs of time that were searched
  double broad_seconds = 0, narrow_seconds = 0;  // wall time, divided in proportion to the work
};

// The first impact of a step. kind and pair have no meaning if the verdict is separated or invalid,
// or if the search was stopped.
struct FirstImpact : StepImpact {
  StepWork work;
};

// All contacts of a step, with the verdict for the whole step.
struct AllImpacts {
  // The verdict of the first impact; separated without impacts; undecided if the search was
  // stopped.
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf;  // no contact in [0, toi), as for earliest_impact()
  bool complete = true;      // false: `impacts` lacks some (limit, stop or invalid input)
  // Contact or undecided, sorted by toi, kind, pair.
  std::vector<StepImpact> impacts;
  StepWork work;
};

// Finds the first impact of a mesh during a step: the one with the smallest toi; ties are broken by
// kind, then by pair.
//
// Time is cut into slabs in which features move no further than about their own size, so that few
// swept boxes overlap. The slabs are searched in the order of time until one holds a contact. Pairs
// are tested block by block as they are found, up to the smallest toi so far.
//
//   (1) verdict, toi and toi_hi have the meaning of Impact for the whole mesh: with an exact or
//       conservative method no two features touch in [0, toi), or come as close as
//       options.query.min_separation. With StartContacts::skip a pair counts only after parting.
//       Edges that pierce faces at the start are contacts at 0 with any method and with any
//       StartContacts. With start_check = false such an intersection is not seen: toi is the first
//       time at which two features touch, and the promise holds for surfaces only if no edge
//       pierces a face at the start.
//   (2) With an exact method the answer equals the first impact of all_impacts(), bit for bit.
//   (3) The answer depends only on the arguments other than `run`: same bits for any number of
//       threads and any strategy of the same PairSet. With exact methods it is the same for every
//       strategy, and all exact methods give the same pairs, verdicts and times.
//   (4) No pair is stored (except for an observer); memory is that of the strategy and of one block
//       of queries per thread.
//   (5) `invalid`, toi 0: not as many positions as vertices, a position that is NaN or infinite, an
//       option outside its range, a filter that does not fit the mesh (is_sensible), radii or
//       solids that do not, or a method that lacks a primitive of the mesh or the separation.
//   (6) If run.stop ends the search: `undecided`, toi is the end of the last slab that was searched
//       completely, so (1) holds. The flag is read before each block of work, and within queries
//       that take long.
//   (7) With radii, two features are in contact if their distance is at most
//       d = s + (r_a + r_b), as rounded to doubles, in the norm of the method:
//       s is query.min_separation, r_a and r_b are the largest radii of the vertices of each
//       feature. d takes the place of min_separation above.
//   (8) With solids, a vertex of another group that is inside a solid at the start is a contact at
//       0: kind vertex_face, with the first face that a ray from it crosses; u, v and normal are
//       NaN. One vertex of each connected piece is tested, exactly, by parity: a piece that the
//       surface does not touch or pierce is inside as a whole. The pair is subject to the filter.
FirstImpact earliest_impact(const MovingMesh& moving, const StepOptions& options = {},
                            const Run& run = {});

// Finds all impacts of a step: the first impact of every pair, sorted.
//   (1) With an exact method these are exactly the pairs that touch (or come within the
//       separation) and, with start_check, the pairs of an edge and a face that it pierces at the
//       start, each once, and the pairs of promise (8) of earliest_impact(). Its promises (3) to
//       (5) and (7) hold, except for the memory of the answer.
//   (2) If there are more than options.max_contacts > 0 impacts, the answer has the first
//       max_contacts of them, and `complete` is false. Verdict and toi do not change.
//   (3) If run.stop ends the search: verdict `undecided`, `complete` is false, `impacts` has the
//       impacts found so far, and no contact is in [0, toi).
AllImpacts all_impacts(const MovingMesh& moving, const StepOptions& options = {},
                       const Run& run = {});

// Returns the largest proven step in [0, options.query.t_max] that keeps every pair further apart
// than keep_distance (length, >= 0, finite). It replaces options.query.min_separation; radii count
// in addition.
//   (1) At no time in [0, step] are two features within keep_distance of each other, in the norm of
//       the method, if the method is exact or conservative and step > 0.
//   (2) With an exact method the step is the largest double with property (1), or t_max.
//   (3) A pair that starts within keep_distance makes the step 0, since no step keeps the distance.
//       With StartContacts::skip such a pair is only kept from touching: property (1) holds for it
//       with distance 0, and from its parting on if it touches at the start. An edge that pierces a
//       face at the start makes the step 0, unless start_check is false.
//   (4) 0 if earliest_impact() with these arguments is invalid; a stopped search returns the time
//       that is proven so far.
// sim/line_search.h has a bound that also keeps a fraction of the distance of pairs that start
// closer.
double collision_free_step(const MovingMesh& moving, double keep_distance,
                           const StepOptions& options = {}, const Run& run = {});

// The same functions for positions in other arrays, doubles or floats (see Positions). Floats are
// widened to doubles exactly, once, inside the call.
FirstImpact earliest_impact(const Mesh& mesh, const Positions& start, const Positions& end,
                            const StepOptions& options = {}, const Run& run = {});
AllImpacts all_impacts(const Mesh& mesh, const Positions& start, const Positions& end,
                       const StepOptions& options = {}, const Run& run = {});
double collision_free_step(const Mesh& mesh, const Positions& start, const Positions& end,
                           double keep_distance, const StepOptions& options = {},
                           const Run& run = {});

// The same for vertices that move on curves: the answers are exact for the given points, or for the
// given positions and velocities. Promises (1) to (6) of earliest_impact() and (1) to (3) of
// all_impacts() hold with these differences:
//   (1) options.method is null or a method that has curved queries (Method::has_curved); null:
//       default_curved_method(). options.query.min_separation is 0 and options.at_start is
//       `report`. Anything else is `invalid`. options.observer is not called.
//   (2) On lines the verdict, the times and the pairs are those of the straight step, bit for bit.
//   (3) options.max_contacts limits the answer, not the memory of the search.
// Cost: pairs are found in slabs of time, along the chords of the curves, within the distance by
// which a curve leaves its chord during the slab.
FirstImpact earliest_impact(const CurvedMesh& moving, const StepOptions& options = {},
                            const Run& run = {});
AllImpacts all_impacts(const CurvedMesh& moving, const StepOptions& options = {},
                       const Run& run = {});

// Returns the positions of all vertices at a time t in [0, 1], up to rounding.
std::vector<Vec3> positions_at(const CurvedMesh& moving, double t);

// Returns the point of contact at toi: on the face; on the first or only edge; at the second
// vertex. For an edge that pierces a face: the point on the face. NaN if the impact has no u or v
// that is needed.
Vec3 contact_position(const MovingMesh& moving, const StepImpact& impact);

// The pairs of a mesh that come close to each other during a motion, kept for many steps near that
// motion: shortened steps of a line search, a step with other separations or time limits, the
// iterations of a solver around one position. Made by find_candidates() or
// StepSearch::candidates().
//
// The motion is x_v(a) = (1-a) start_v + a end_v for vertex v and a in [0, 1]. The candidates are
// all pairs of find_pairs() that come within `margin` of each other during it, and perhaps more.
//
//   (1) A step is covered if there are a and b in [0, 1] such that every vertex v starts within h
//       of x_v(a) and ends within h of x_v(b), in the maximum norm. h is half of the margin less
//       the separation of the step. In a covered step every pair that comes within the separation
//       is a candidate. The part of a covered step up to any time is covered.
//   (2) covers() is true only for covered steps. It is true for the motion itself. It is true for
//       nearly all other covered steps, for example from `start` to x(b) as rounded to doubles, if
//       h exceeds their deviation by 2^-40 of the largest coordinate; a and b are estimated by
//       least squares over a sample of the vertices.
//   (3) Immutable: several threads may use one object at the same time. Copies share one state.
// Owns all that it keeps: the mesh (shared with a StepSearch that made it), copies of the positions
// (48 bytes per vertex), two copies of the filter, and 8 bytes per pair.
class Candidates {
 public:
  // Returns `complete`; `stopped` if the search was stopped; `invalid` if not as many positions as
  // vertices were given, if one of them is NaN or infinite, if the margin is negative, NaN or
  // infinite, or if the filter does not fit the mesh. Only complete candidates cover steps.
  PairStatus status() const;

  const Mesh& mesh() const;
  double margin() const;       // length
  const Pairs& pairs() const;  // the candidates

  // Returns whether (1) is proven for a step with this separation (length >= 0). False for
  // positions that are not as many as vertices. Cost: linear in the number of vertices.
  bool covers(const Positions& start, const Positions& end, double separation = 0) const;

  // Returns for every vertex how far it may move from a position: a Euclidean length >= 0.
  //   (4) If every vertex w of the mesh stays within bounds[w] of at[w], no two features of a pair
  //       that the filter admits come within keep_distance (length >= 0) of each other, except
  //       those that are within it at `at`. Paths need not be straight.
  //   (5) bounds[v] is at most (margin - keep_distance) / 2. It is 0 if a feature of v is within
  //       keep_distance of another. Otherwise it is the least of (d - keep_distance) / 2 over the
  //       candidates of v and proven lower bounds d of their distances at `at`, and of what the
  //       margin proves for all other pairs.
  // Surfaces that do not intersect at `at` do not intersect then; an edge that pierces a face at
  // `at` is not seen (StepOptions::start_check).
  // Returns no bounds if covers(at, at, keep_distance) is false or if run.stop ends the call. Cost:
  // linear in pairs and vertices.
  std::vector<double> step_bounds(const Positions& at, double keep_distance = 0,
                                  const Run& run = {}) const;

 private:
  struct State;
  explicit Candidates(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static Candidates find(std::shared_ptr<const Mesh> mesh, const Positions& start,
                         const Positions& end, double margin, const PairOptions& options,
                         const Run& run, bool clean_start);

  friend class StepSearch;
  friend Candidates find_candidates(Mesh, const Positions&, const Positions&, double,
                                    const PairOptions&, const Run&);
  friend FirstImpact earliest_impact(const Candidates&, const Positions&, const Positions&,
                                     const StepOptions&, const Run&);
  friend AllImpacts all_impacts(const Candidates&, const Positions&, const Positions&,
                                const StepOptions&, const Run&);

  std::shared_ptr<const State> state_;
};

// Returns the candidates of a motion. `margin` (length >= 0, finite) replaces options.separation.
// Cost: that of find_pairs() with the strategy moving_tree, and sorting the pairs.
Candidates find_candidates(Mesh mesh, const Positions& start, const Positions& end, double margin,
                           const PairOptions& options = {}, const Run& run = {});

// The same as the functions above, with the mesh and the pair options of the candidates;
// options.pairs is not read.
//   (1) Every answer has the bits of the function of the same name. Only the StepWork may differ.
//   (2) If the candidates cover the step and the method is exact, only the candidates are tested,
//       and options.strategy is not used. All other steps are searched in full.
//   (3) Edges that pierce faces at the start are searched for once if steps start where the motion
//       of the candidates does, and in each call otherwise, unless start_check is false.
FirstImpact earliest_impact(const Candidates& candidates, const Positions& start,
                            const Positions& end, const StepOptions& options = {},
                            const Run& run = {});
AllImpacts all_impacts(const Candidates& candidates, const Positions& start, const Positions& end,
                       const StepOptions& options = {}, const Run& run = {});
double collision_free_step(const Candidates& candidates, const Positions& start,
                           const Positions& end, double keep_distance,
                           const StepOptions& options = {}, const Run& run = {});

// Answers many steps of one mesh, faster than the functions above if the steps follow each
// other: frames of a simulation or an animation, parts of a step, shortened steps of a line search.
//
// The object keeps the mesh, and from one step to the next a forecast: a straight motion over
// several steps ahead with the pairs that come close to each other during it. Steps that stay close
// to the forecast, shortened ones included, are answered by testing these pairs. All other steps
// are searched anew, and if the last two steps were alike, a new forecast is made. The length of a
// forecast follows from how much the motion changes per step, how long earlier forecasts lasted and
// how many pairs they had.
//
// A step that starts where an earlier step started, or where one without contact ended, needs no
// search for edges that pierce faces: if no edge pierced a face then, none does now.
//
//   (1) Every answer has the bits of the function of the same name with the mesh and the same
//       arguments, whatever the earlier calls were. Only the StepWork may differ.
//   (2) The object keeps copies of positions, options and filters of a call, never references.
//   (3) Invalid positions or options give the same answer as there, and later answers are right.
//   (4) Memory: the mesh, 144 bytes per vertex, 8 bytes per pair of the forecast, of which there
//       are at most 4 per vertex, edge and face, and two copies of the filter.
// Forecasts are used for exact methods if options.strategy is null, and options.observer and
// options.pairs.filter.admits are empty; other steps are searched anew.
// Owns all that it keeps. One call at a time: a call changes the object. Several objects are
// independent of each other. A moved-from object may only be assigned to or destroyed.
class StepSearch {
 public:
  explicit StepSearch(Mesh mesh);
  ~StepSearch();
  StepSearch(StepSearch&&) noexcept;
  StepSearch& operator=(StepSearch&&) noexcept;

  const Mesh& mesh() const;

  // The same as the functions of this name with the mesh: see (1).
  FirstImpact earliest_impact(const Positions& start, const Positions& end,
                              const StepOptions& options = {}, const Run& run = {});
  AllImpacts all_impacts(const Positions& start, const Positions& end,
                         const StepOptions& options = {}, const Run& run = {});
  double collision_free_step(const Positions& start, const Positions& end, double keep_distance,
                             const StepOptions& options = {}, const Run& run = {});

  // Returns find_candidates() of the mesh, which is shared and not copied.
  Candidates candidates(const Positions& start, const Positions& end, double margin,
                        const PairOptions& options = {}, const Run& run = {}) const;

  // The numbers of steps answered so far by a forecast and of all steps.
  struct Use {
    std::uint64_t forecast = 0, all = 0;
  };
  Use use() const;  // so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze
