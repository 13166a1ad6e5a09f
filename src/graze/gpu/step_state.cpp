#include "graze/gpu/step_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graze/aabb.h"
#include "graze/broad/meeting_vertices.h"
#include "graze/gpu/mesh_parts.h"
#include "graze/spine/search_step.h"

namespace graze::gpu {
namespace {

void sort_pairs(Pairs& pairs) {
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    std::vector<Pair>& list = pairs.of(static_cast<Kind>(kind));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

// Sorts the impacts and removes duplicates.
void sort_impacts(std::vector<StepImpact>& impacts) {
  std::sort(impacts.begin(), impacts.end(), comes_before);
  const auto same = [](const StepImpact& a, const StepImpact& b) {
    return a.kind == b.kind && a.pair == b.pair;
  };
  impacts.erase(std::unique(impacts.begin(), impacts.end(), same), impacts.end());
}

bool are_finite(std::span<const Vec3> positions) {
  return std::all_of(positions.begin(), positions.end(),
                     [](const Vec3& x) { return x.allFinite(); });
}

}  // namespace

StepSearch::State::State(Mesh mesh_of_search, const Settings& settings)
    : mesh(std::move(mesh_of_search)) {
  engine_settings.device = settings.device;
  engine_settings.capacities = {settings.first_packets, settings.first_pairs,
                                settings.first_contacts};
  engine_settings.memory_limit = settings.memory_limit;
  renew();
}

void StepSearch::State::renew() {
  if (whole) return whole->renew_order();
  if (!outcome) return;
  whole = std::make_unique<MeshSearch>(mesh, engine_settings);
  groups_ = 0;
  if (whole->outcome()) return;
  if (whole->outcome().status != Status::out_of_memory) outcome = whole->outcome();
  whole.reset();
}

// Returns whether the device finds only the pairs, and the host their impacts.
bool StepSearch::State::needs_candidates(const StepOptions& options) const {
  return options.query.min_separation > 0 || options.at_start == StartContacts::skip ||
         (options.method && options.method != &default_method()) || options.pairs.filter.admits ||
         options.observer || (options.pairs.shared_vertices && !mesh.rods.empty()) ||
         (!options.pairs.stray_vertices && !mesh.points.empty());
}

Outcome StepSearch::State::to_host(const StepPositions& positions, const RunOptions& run,
                                   HostPositions& copy) const {
  copy.start = positions.start;
  copy.end = positions.end;
  if (!positions.on_device) return {};
  copy.start_copy.resize(mesh.vertex_count);
  copy.end_copy.resize(mesh.vertex_count);
  copy.start = copy.start_copy;
  copy.end = copy.end_copy;
  if (mesh.vertex_count == 0) return {};
  Fault fault = position_fetcher(engine_settings.device, positions.device_start.rows,
                                 3 * mesh.vertex_count, copy.start_copy[0].data(), run.stream);
  if (!fault)
    fault = position_fetcher(engine_settings.device, positions.device_end.rows,
                             3 * mesh.vertex_count, copy.end_copy[0].data(), run.stream);
  return outcome_of(fault);
}

// Calls work(search, part) for each part of the mesh.
template <class Work>
Outcome StepSearch::State::try_parts(const MovingMesh& moving, const StepOptions& options,
                                     const RunOptions& run, Work&& work) {
  const MeshParts parts(moving, options.query.min_separation, groups_);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const MeshPart part = parts[i];
    MeshSearch search(part.mesh, engine_settings);
    if (!search.outcome()) return search.outcome();
    const std::vector<Vec3> start = part.gather(moving.start), end = part.gather(moving.end);
    PartFilter filter;
    StepOptions of_part = options;
    of_part.pairs.filter = filter.of(options.pairs.filter, part);
    of_part.max_contacts = 0;
    if (Outcome bad = search.begin(StepPositions::on_host(start, end), of_part, run); !bad)
      return bad;
    if (Outcome bad = work(search, part); !bad) return bad;
  }
  return {};
}

// Calls reset(), then work(search, part) for each part of the mesh. Repeats this with smaller parts
// if memory does not suffice.
template <class Reset, class Work>
Outcome StepSearch::State::in_parts(const HostPositions& host, const StepOptions& options,
                                    const RunOptions& run, Reset&& reset, Work&& work) {
  whole.reset();
  constexpr std::size_t least_features = 4;  // of a group
  const std::size_t features = mesh.points.size() + mesh.edges.size() + mesh.faces.size();
  // A part may join two groups, which are the whole mesh if there are only two: so 4 at least.
  for (groups_ = std::max<std::size_t>(groups_, 4);; groups_ *= 2) {
    reset();
    Outcome outcome_of_parts = try_parts({mesh, host.start, host.end}, options, run, work);
    if (outcome_of_parts.status != Status::out_of_memory ||
        features / (2 * groups_) < least_features)
      return outcome_of_parts;
  }
}

// Searches slabs of time, one after the other, until one holds a contact. All contacts of a slab
// are contacts of its candidates.
Outcome StepSearch::State::first_of_candidates(const StepPositions& positions,
                                               const StepOptions& options, const RunOptions& run,
                                               FirstImpact& first) {
  HostPositions host;
  if (Outcome bad = to_host(positions, run, host); !bad) return bad;
  const MovingMesh moving{mesh, host.start, host.end};
  const Run run_on_host{.threads = run.threads};
  if (!are_finite(host.start) || !are_finite(host.end)) {
    first.impact = Impact::invalid();
    return {};
  }
  const double t_max = options.query.t_max;
  double length = MeshSearch::first_length;
  StepOptions of_slab = options;
  Pairs pairs;
  std::vector<StepImpact> pierced;
  StepWork work;
  for (double from = 0; from < t_max; from = of_slab.query.t_max) {
    // An observer receives the pairs of the whole step.
    const double until = whole && !options.observer ? whole->slab_end(from, t_max, length) : t_max;
    of_slab.query.t_max = until;
    of_slab.start_check = options.start_check && from == 0;
    if (Outcome bad =
            find_pairs(PairSet::meeting, {from, until}, positions, of_slab, run, pairs, &pierced);
        !bad)
      return bad;
    first = spine::earliest_impact(moving, of_slab, run_on_host, {&pairs, &pierced});
    work.pairs += first.work.pairs;
    if (from == 0) work.start_contacts = first.work.start_contacts;
    work.narrow_seconds += first.work.narrow_seconds;
    ++work.slabs;
    if (first.impact.verdict != Verdict::separated) break;
  }
  if (first.impact.verdict == Verdict::contact && first.kind != Kind::edge_face &&
      of_slab.query.t_max < t_max) {
    // The other fields of the impact are those of the whole step.
    of_slab.query.t_max = t_max;
    of_slab.start_check = false;
    Pairs one;
    one.of(first.kind) = {first.pair};
    first = spine::earliest_impact(moving, of_slab, run_on_host, {&one, &pierced});
  }
  first.work = work;
  return {};
}

Outcome StepSearch::State::earliest(const StepPositions& positions, const StepOptions& options,
                                    const RunOptions& run, FirstImpact& first) {
  if (needs_candidates(options)) return first_of_candidates(positions, options, run, first);
  if (whole) {
    Outcome done = whole->begin(positions, options, run);
    if (done) done = whole->earliest(first);
    if (done.status != Status::out_of_memory) return done;
  }
  HostPositions host;
  if (Outcome bad = to_host(positions, run, host); !bad) return bad;
  if (!are_finite(host.start) || !are_finite(host.end)) {
    first.impact = Impact::invalid();
    return {};
  }
  return in_parts(
      host, options, run, [&] { first = {}; },
      [&](MeshSearch& search, const MeshPart& part) {
        FirstImpact found;
        if (Outcome bad = search.earliest(found); !bad) return bad;
        first.work.pairs += found.work.pairs;
        first.work.slabs = std::max(first.work.slabs, found.work.slabs);
        if (found.impact.verdict == Verdict::separated) return Outcome();
        found.pair = part.in_whole(found.kind, found.pair);
        if (comes_before(found, first)) static_cast<StepImpact&>(first) = found;
        return Outcome();
      });
}

Outcome StepSearch::State::all(const StepPositions& positions, const StepOptions& options,
                               const RunOptions& run, bool to_host_memory, FoundImpacts& found) {
  const auto keep = [&] {
    found.impacts = kept_;
    found.count = kept_.size();
    if (!kept_.empty()) found.toi = kept_[0].impact.toi;
  };
  if (needs_candidates(options)) {
    HostPositions host;
    if (Outcome bad = to_host(positions, run, host); !bad) return bad;
    found.finite = are_finite(host.start) && are_finite(host.end);
    if (!found.finite) return {};
    Pairs pairs;
    std::vector<StepImpact> pierced;
    if (Outcome bad = find_pairs(PairSet::meeting, {0, options.query.t_max}, positions, options,
                                 run, pairs, &pierced);
        !bad)
      return bad;
    StepOptions unlimited = options;
    unlimited.max_contacts = 0;
    AllImpacts impacts = spine::all_impacts({mesh, host.start, host.end}, unlimited,
                                            {.threads = run.threads}, {&pairs, &pierced});
    if (impacts.verdict == Verdict::invalid) {
      found.finite = false;
      return {};
    }
    kept_ = std::move(impacts.impacts);
    found.work = impacts.work;
    keep();
    return {};
  }
  if (whole) {
    Outcome done = whole->begin(positions, options, run);
    if (done) done = whole->all(to_host_memory, {}, found);
    if (done.status != Status::out_of_memory) return done;
  }
  HostPositions host;
  if (Outcome bad = to_host(positions, run, host); !bad) return bad;
  found.finite = are_finite(host.start) && are_finite(host.end);
  if (!found.finite) return {};
  constexpr double long_slab = 4;  // as graze::all_impacts()
  const std::vector<broad::Slab> slabs =
      broad::time_slabs({mesh, host.start, host.end}, options.query.t_max, long_slab);
  Outcome done = in_parts(
      host, options, run,
      [&] {
        kept_.clear();
        found.work = {};
      },
      [&](MeshSearch& search, const MeshPart& part) {
        FoundImpacts of_part;
        if (Outcome bad = search.all(true, slabs, of_part); !bad) return bad;
        found.work.pairs += of_part.work.pairs;
        found.work.slabs = of_part.work.slabs;
        for (StepImpact impact : of_part.impacts) {
          impact.pair = part.in_whole(impact.kind, impact.pair);
          kept_.push_back(impact);
        }
        return Outcome();
      });
  sort_impacts(kept_);
  keep();
  return done;
}

Outcome StepSearch::State::overlapping(const StepPositions& positions, const PairOptions& options,
                                       const RunOptions& run, Pairs& pairs) {
  StepOptions step;
  step.pairs = options;
  step.query.min_separation = options.separation;
  if (Outcome bad = find_pairs(PairSet::overlapping, {0, 1}, positions, step, run, pairs, nullptr);
      !bad)
    return bad;
  // Pairs with shared vertices were not compared on the device.
  const auto box = [&](std::uint32_t v) {
    return swept_box(positions.start[v], positions.end[v], options.separation);
  };
  std::erase_if(pairs.vertex_edge, [&](const Pair& pair) {
    Aabb edge = box(mesh.edges[pair.b][0]);
    edge.include(box(mesh.edges[pair.b][1]));
    return !overlap(box(pair.a), edge);
  });
  return {};
}

// Sets `pairs` to the pairs of the set that the options admit, sorted, and pairs with shared
// vertices, which may be far apart.
Outcome StepSearch::State::find_pairs(PairSet set, const broad::Slab& slab,
                                      const StepPositions& positions, const StepOptions& options,
                                      const RunOptions& run, Pairs& pairs,
                                      std::vector<StepImpact>* pierced) {
  if (pierced) pierced->clear();
  if (!options.start_check) pierced = nullptr;
  Outcome done{Status::out_of_memory, {}};
  if (whole) {
    // Later slabs of a step use the positions of the first one.
    done = slab.begin == 0 ? whole->begin(positions, options, run) : Outcome();
    if (done) done = whole->pairs(set, slab, pairs, pierced);
  }
  if (done.status == Status::out_of_memory) {
    HostPositions host;
    if (Outcome bad = to_host(positions, run, host); !bad) return bad;
    if (!are_finite(host.start) || !are_finite(host.end))
      return {Status::unsupported, "the GPU search does not support positions that are not finite"};
    done = in_parts(
        host, options, run,
        [&] {
          pairs = {};
          if (pierced) pierced->clear();
        },
        [&](MeshSearch& search, const MeshPart& part) {
          Pairs of_part;
          std::vector<StepImpact> pierced_part;
          if (Outcome bad = search.pairs(set, slab, of_part, pierced ? &pierced_part : nullptr);
              !bad)
            return bad;
          for (std::size_t k = 0; k < kind_count; ++k)
            for (const Pair& pair : of_part.of(static_cast<Kind>(k)))
              pairs.of(static_cast<Kind>(k)).push_back(part.in_whole(static_cast<Kind>(k), pair));
          for (StepImpact impact : pierced_part) {
            impact.pair = part.in_whole(impact.kind, impact.pair);
            pierced->push_back(impact);
          }
          return Outcome();
        });
  }
  if (!done) return done;
  apply_rest_of_filter(options.pairs, pairs, pierced);
  sort_pairs(pairs);
  if (pierced) sort_impacts(*pierced);
  return {};
}

// Applies the options that the device does not test.
void StepSearch::State::apply_rest_of_filter(const PairOptions& options, Pairs& pairs,
                                             std::vector<StepImpact>* pierced) const {
  if (!options.stray_vertices && !mesh.points.empty()) {
    std::vector<std::uint8_t> stray(mesh.vertex_count);
    for (const std::uint32_t point : mesh.points) stray[point] = 1;
    for (const Face& face : mesh.faces)
      for (const std::uint32_t vertex : face) stray[vertex] = 0;
    for (const Kind kind : {Kind::vertex_face, Kind::vertex_edge, Kind::vertex_vertex})
      std::erase_if(pairs.of(kind), [&](const Pair& pair) {
        return stray[pair.a] || (kind == Kind::vertex_vertex && stray[pair.b]);
      });
  }
  if (options.shared_vertices) {
    const broad::MeetingVertices meeting(options.filter);
    const auto& is_static = options.filter.is_static;
    for (const Pair& pair : shared_vertex_pairs()) {
      const Edge& rod = mesh.edges[pair.b];
      const bool moves =
          is_static.empty() || !is_static[pair.a] || !is_static[rod[0]] || !is_static[rod[1]];
      if (moves && meeting.any(std::array{pair.a}, rod)) pairs.vertex_edge.push_back(pair);
    }
  }
  const auto& admits_pair = options.filter.admits;
  if (!admits_pair) return;
  for (std::size_t k = 0; k < kind_count; ++k)
    std::erase_if(pairs.of(static_cast<Kind>(k)),
                  [&](const Pair& pair) { return !admits_pair(static_cast<Kind>(k), pair); });
  if (pierced)
    std::erase_if(*pierced,
                  [&](const StepImpact& impact) { return !admits_pair(impact.kind, impact.pair); });
}

// Returns every rod with every vertex that an edge joins to one of its ends.
std::vector<Pair> StepSearch::State::shared_vertex_pairs() const {
  std::vector<std::vector<std::uint32_t>> rods_at(mesh.vertex_count);
  for (const std::uint32_t rod : mesh.rods)
    for (const std::uint32_t vertex : mesh.edges[rod]) rods_at[vertex].push_back(rod);
  std::vector<Pair> pairs;
  const auto add = [&](std::uint32_t vertex, std::uint32_t joined_to) {
    for (const std::uint32_t rod : rods_at[joined_to])
      if (mesh.edges[rod][0] != vertex && mesh.edges[rod][1] != vertex)
        pairs.push_back({vertex, rod});
  };
  for (const auto& [a, b] : mesh.edges) {
    add(a, b);
    add(b, a);
  }
  return pairs;
}

}  // namespace graze::gpu
