#include "graze/gpu.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include "graze/broad/moving/slab_lengths.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/gpu/engine.h"
#include "graze/spine/start_piercings.h"

namespace graze::gpu {
namespace {

static_assert(sizeof(ImpactRecord) == sizeof(StepImpact) && sizeof(ImpactBody) == sizeof(Impact));
static_assert(offsetof(ImpactRecord, impact) == offsetof(StepImpact, impact) &&
              offsetof(ImpactRecord, a) == offsetof(StepImpact, pair));
static_assert(offsetof(ImpactBody, toi) == offsetof(Impact, toi) &&
              offsetof(ImpactBody, checks) == offsetof(Impact, checks) &&
              offsetof(ImpactBody, reached_tol) == offsetof(Impact, reached_tol) &&
              offsetof(ImpactBody, normal) == offsetof(Impact, normal));

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

Outcome outcome_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::none:
      return {};
    case FaultKind::no_device:
      return {Status::no_device, fault.message};
    case FaultKind::out_of_memory:
      return {Status::out_of_memory, fault.message};
    case FaultKind::failed:
      break;
  }
  return {Status::failed, fault.message};
}

// The order of impacts of graze/step.h.
bool before(const StepImpact& a, const StepImpact& b) {
  return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
}

Outcome unsupported(const Mesh& mesh, const StepOptions& options) {
  const PairFilter& filter = options.pairs.filter;
  const char* what = nullptr;
  if (!mesh.rods.empty()) what = "rods";
  if (!mesh.points.empty()) what = "points without edges";
  if (options.query.min_separation > 0) what = "a separation (min_separation > 0)";
  if (options.method && options.method != &default_method()) what = "a method other than exact";
  if (options.at_start == StartContacts::skip) what = "StartContacts::skip";
  if (!filter.is_static.empty() || !filter.group.empty() || !filter.meets.empty() ||
      !filter.within_group || !filter.masks.empty() || !filter.group_pairs.empty() ||
      filter.listed != ListedPairs::ignored || filter.admits)
    what = "filters of pairs";
  if (!options.radii.empty()) what = "radii of vertices";
  if (!options.solids.empty()) what = "solids";
  if (options.observer) what = "an observer of the pairs";
  if (!what) return {};
  return {Status::unsupported, std::string("the GPU search does not support ") + what};
}

// Answers single queries, which need integers: microseconds each, so a few suffice for a thread.
template <class Query>
void answer_each(std::span<const Query> queries, const Options& options, int threads,
                 std::span<Impact> impacts) {
  const auto answer = [&](std::size_t i) {
    impacts[i] = graze::first_contact(queries[i], options);
  };
  if (queries.size() < 8)
    for (std::size_t i = 0; i < queries.size(); ++i) answer(i);
  else
    broad::with_threads(threads, [&] { broad::for_indices(queries.size(), answer); });
}

}  // namespace

const char* name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::no_device:
      return "no device";
    case Status::out_of_memory:
      return "out of memory";
    case Status::unsupported:
      return "unsupported";
    case Status::failed:
      return "failed";
  }
  return "?";
}

Devices devices() {
  Devices result;
  std::vector<DeviceName> names;
  result.outcome = outcome_of(list_devices(names));
  for (DeviceName& found : names)
    result.list.push_back({found.index, std::move(found.name), found.memory});
  return result;
}

struct StepSearch::State {
  // The positions of a call, on the host or on the device.
  struct Motion {
    std::span<const Vec3> start, end;  // on the host; empty if on the device
    DevicePositions device_start, device_end;
    bool on_device = false;

    static Motion on_host(const Positions& start, const Positions& end) {
      return {start.rows(), end.rows(), {}, {}, false};
    }
    static Motion of_device(const DevicePositions& start, const DevicePositions& end) {
      return {{}, {}, start, end, true};
    }
    bool fits(std::size_t vertices) const {
      return on_device ? device_start.count == vertices && device_end.count == vertices
                       : start.size() == vertices && end.size() == vertices;
    }
  };

  Mesh mesh;
  Outcome outcome;
  std::unique_ptr<Engine> engine;
  bool renew = false;
  double motion = -1;  // of the last step; negative: unknown

  // One call.
  Motion now;
  StepOptions options;
  RunOptions run;
  bool sent = false;                        // the positions are on the device
  std::vector<StepImpact> fetched, merged;  // impacts of the device, and together with others

  // Returns whether the positions and options are such that graze/step.h answers `invalid`, apart
  // from positions that are not finite.
  bool invalid() const {
    return !now.fits(mesh.vertex_count) || !is_sensible(options.query) ||
           !is_sensible(options.pairs, mesh);
  }

  Outcome begin(const Motion& motion_of_call, const StepOptions& options_of_call,
                const RunOptions& run_of_call) {
    now = motion_of_call;
    options = options_of_call;
    options.pairs.separation = options.query.min_separation;
    run = run_of_call;
    sent = false;
    if (!outcome) return outcome;
    return unsupported(mesh, options);
  }

  Outcome search(double begin_time, double end_time, Wanted wanted, SlabAnswer& answer,
                 bool to_host = false) {
    SlabQuestion question;
    question.on_device = now.on_device;
    question.start =
        now.on_device ? now.device_start.rows : reinterpret_cast<const double*>(now.start.data());
    question.end =
        now.on_device ? now.device_end.rows : reinterpret_cast<const double*>(now.end.data());
    question.new_positions = !sent;
    question.begin = begin_time;
    question.until = end_time;
    question.wanted = wanted;
    question.to_host = to_host;
    question.crossings = options.start_check && begin_time == 0 && wanted != Wanted::overlapping;
    question.new_order = std::exchange(renew, false);
    question.stream = run.stream;
    const Fault fault = engine->search(question, answer);
    if (fault) return outcome_of(fault);
    sent = true;
    if (answer.finite) motion = answer.motion;
    return {};
  }

  // Appends to `found` the contacts of these pairs in [0, t_max], as the host finds them.
  template <class Query>
  void answer_on_host(const std::vector<const OpenQuery*>& open, double t_max,
                      std::vector<StepImpact>& found) const {
    std::vector<Query> queries(open.size());
    for (std::size_t i = 0; i < open.size(); ++i)
      for (std::size_t c = 0; c < 8; ++c)
        (c < 4 ? queries[i].start[c] : queries[i].end[c - 4]) = Vec3::Map(open[i]->corners + 3 * c);
    Options query_options = options.query;
    query_options.t_max = t_max;
    std::vector<Impact> impacts(open.size());
    answer_each<Query>(queries, query_options, run.threads, impacts);
    for (std::size_t i = 0; i < open.size(); ++i)
      if (impacts[i].verdict == Verdict::contact)
        found.push_back({kind_of<Query>, {open[i]->a, open[i]->b}, impacts[i]});
  }
  // Leaves out pairs without a contact before or at `latest`.
  void answer_on_host(const std::vector<OpenQuery>& open, double latest, double t_max,
                      std::vector<StepImpact>& found) const {
    std::vector<const OpenQuery*> pairs[2];
    for (const OpenQuery& query : open)
      if (query.earliest <= latest) pairs[query.kind].push_back(&query);
    answer_on_host<VertexFace>(pairs[0], t_max, found);
    answer_on_host<EdgeEdge>(pairs[1], t_max, found);
  }

  // Sets `found` to the first `most` edges that pierce faces at the start, of those that the device
  // did not rule out. The host decides exactly.
  Outcome pierced(const SlabAnswer& slab, std::size_t most, std::vector<StepImpact>& found) {
    if (slab.crossings.empty()) return {};
    std::vector<Vec3> copy;
    std::span<const Vec3> start = now.start;
    if (now.on_device) {
      copy.resize(mesh.vertex_count);
      const Fault fault = engine->positions(copy[0].data(), nullptr);
      if (fault) return outcome_of(fault);
      start = copy;
    }
    // A crossing names edge e by the number of faces plus e.
    const auto faces = static_cast<std::uint32_t>(mesh.faces.size());
    const StartPiercings piercings(mesh, start, {});
    std::vector<std::uint8_t> is_pierced(slab.crossings.size());
    broad::with_threads(run.threads, [&] {
      broad::for_indices(slab.crossings.size(), [&](std::size_t i) {
        const SlabAnswer::Crossing& one = slab.crossings[i];
        std::vector<PiercedFace> found_one;
        const Pair crossing{faces + one.edge, one.face};
        if (!one.certain) piercings.find_all({&crossing, 1}, found_one);
        is_pierced[i] = one.certain || !found_one.empty();
      });
      std::vector<PiercedFace> all;
      for (std::size_t i = 0; i < slab.crossings.size(); ++i) {
        const Edge& edge = mesh.edges[slab.crossings[i].edge];
        if (is_pierced[i]) all.push_back({edge[1], edge[0], slab.crossings[i].face});
      }
      found = piercings.impacts(std::move(all), most);
    });
    return {};
  }

  // The end of the slab that begins at `begin_time`. Any end gives the same answer.
  double slab_end(double begin_time, double& length) const {
    const double t_max = options.query.t_max;
    if (motion < 0) return begin_time == 0 ? t_max / 16 : t_max;
    if (motion * t_max <= 1 && begin_time == 0) return t_max;
    const double end = begin_time + length / motion;
    const bool last = !(end + length / motion / 2 < t_max);
    length = std::min(4 * length, 1.0);
    return last ? t_max : end;
  }

  Outcome earliest(FirstImpact& first) {
    const auto began = Clock::now();
    const double t_max = options.query.t_max;
    double length = 0.125;
    for (double from = 0; from < t_max || first.work.slabs == 0;) {
      const double until = slab_end(from, length);
      SlabAnswer slab;
      if (Outcome bad = search(from, until, Wanted::first, slab); !bad) return bad;
      if (!slab.finite) {
        first.impact = Impact::invalid();
        return {};
      }
      ++first.work.slabs;
      first.work.pairs += slab.tested;
      if (slab.has_winner) slab.open.push_back({slab.kind, slab.a, slab.b, 0, slab.best, {}});
      if (slab.has_winner) std::copy_n(slab.corners, 24, slab.open.back().corners);
      // slab.best bounds the first contact; without a winner it may be that of an open query.
      std::vector<StepImpact> found;
      answer_on_host(slab.open, slab.best, std::min(until, std::nextafter(slab.best, Impact::inf)),
                     found);
      for (const StepImpact& impact : found)
        if (before(impact, first)) static_cast<StepImpact&>(first) = impact;
      if (slab.has_winner && found.empty())
        return {Status::failed, "the GPU found a contact that the host does not confirm"};
      if (from == 0 && options.start_check && first.impact.toi > 0) {
        std::vector<StepImpact> edge_face;
        if (Outcome bad = pierced(slab, 1, edge_face); !bad) return bad;
        if (!edge_face.empty()) static_cast<StepImpact&>(first) = edge_face[0];
      }
      if (first.impact.verdict != Verdict::separated) {
        // The other fields of the impact are those of the whole step.
        if (first.kind == Kind::edge_face) break;
        std::erase_if(slab.open, [&](const OpenQuery& query) {
          return static_cast<Kind>(query.kind) != first.kind || query.a != first.pair.a ||
                 query.b != first.pair.b;
        });
        found.clear();
        answer_on_host(slab.open, Impact::inf, t_max, found);
        first.impact = found.at(0).impact;
        break;
      }
      from = until;
    }
    first.work.broad_seconds = Seconds(Clock::now() - began).count();
    return {};
  }

  // The slabs in which graze::all_impacts() searches: the number of checks of an impact depends on
  // them.
  Outcome slabs_of_all(std::vector<broad::Slab>& slabs) {
    constexpr double long_slab = 4;
    const double t_max = options.query.t_max;
    slabs = {{0, t_max}};
    // The motion is a sum of at most 4096 terms in another order: off by less than 2^-40.
    if (motion * t_max <= 1 - 0x1p-40) return {};
    std::vector<double> motions;
    const Fault fault = engine->sampled_motions(motions);
    if (fault) return outcome_of(fault);
    double sum = 0;
    for (const double one : motions) sum += one;
    if (motions.empty()) return {};
    slabs = broad::slabs_of_motion(sum / static_cast<double>(motions.size()), t_max, long_slab);
    return {};
  }

  // All impacts of a step, sorted: on the device alone (impacts is empty), or on the host.
  struct Found {
    bool finite = true;
    std::uint64_t count = 0;
    std::span<const StepImpact> impacts;
    StepWork work;
  };
  Outcome find_all(bool to_host, Found& all) {
    const double t_max = options.query.t_max;
    SlabAnswer slab;
    std::vector<StepImpact> extra;
    if (Outcome bad = search(0, t_max, Wanted::all, slab, to_host); !bad) return bad;
    all.finite = slab.finite;
    if (!all.finite) return {};
    std::vector<broad::Slab> slabs;
    if (Outcome bad = slabs_of_all(slabs); !bad) return bad;
    all.work.slabs = static_cast<int>(slabs.size());
    all.work.pairs = slab.tested;
    std::vector<StepImpact> edge_face;
    if (options.start_check) {
      const std::size_t most = options.max_contacts == 0 ? any_number : options.max_contacts + 1;
      if (Outcome bad = pierced(slab, most, edge_face); !bad) return bad;
    }
    if (slabs.size() == 1) {
      all.count = slab.contacts;
      answer_on_host(slab.open, t_max, t_max, extra);
    } else {
      for (const broad::Slab& part : slabs) {
        if (Outcome bad = search(part.begin, part.end, Wanted::all, slab, to_host); !bad)
          return bad;
        all.work.pairs += slab.tested;
        std::vector<StepImpact> found;
        std::span<const StepImpact> sorted;
        if (Outcome bad = fetch(slab.contacts, sorted); !bad) return bad;
        found.assign(sorted.begin(), sorted.end());
        answer_on_host(slab.open, part.end, part.end, found);
        for (const StepImpact& impact : found)
          if (part.begin == 0 || impact.impact.toi_hi > part.begin) extra.push_back(impact);
      }
    }
    extra.insert(extra.end(), edge_face.begin(), edge_face.end());
    if (!extra.empty()) {
      std::sort(extra.begin(), extra.end(), before);
      std::span<const StepImpact> sorted;
      if (Outcome bad = fetch(all.count, sorted); !bad) return bad;
      merge(sorted, extra);
      all.impacts = merged;
      all.count = merged.size();
    } else if (to_host) {
      return fetch(all.count, all.impacts);
    }
    return {};
  }

  // Sets `merged` to the impacts of two sorted lists, the second one short. The memory of earlier
  // calls is used again.
  void merge(std::span<const StepImpact> sorted, const std::vector<StepImpact>& extra) {
    std::vector<StepImpact>& to = merged;
    to.resize(sorted.size() + extra.size());
    std::vector<std::size_t> place(extra.size());  // elements of `sorted` before each of `extra`
    for (std::size_t e = 0; e < extra.size(); ++e) {
      const auto at = std::lower_bound(sorted.begin(), sorted.end(), extra[e], before);
      place[e] = static_cast<std::size_t>(at - sorted.begin());
      to[place[e] + e] = extra[e];
    }
    const auto copy = [&](std::size_t begin, std::size_t end) {
      const auto first = std::upper_bound(place.begin(), place.end(), begin);
      auto e = static_cast<std::size_t>(first - place.begin());
      for (std::size_t i = begin; i < end; ++i) {
        while (e < place.size() && place[e] <= i) ++e;
        to[i + e] = sorted[i];
      }
    };
    broad::with_threads(run.threads, [&] { broad::for_ranges(sorted.size(), 4096, copy); });
  }

  // Sets `impacts` to the contacts of the last search on the host.
  Outcome fetch(std::uint64_t count, std::span<const StepImpact>& impacts) {
    impacts = {};
    if (count == 0) return {};
    if (const ImpactRecord* const records = engine->contacts_on_host()) {
      impacts = {reinterpret_cast<const StepImpact*>(records), count};
      return {};
    }
    fetched.resize(count);
    impacts = fetched;
    return outcome_of(engine->contacts(reinterpret_cast<ImpactRecord*>(fetched.data()), count));
  }
};

StepSearch::StepSearch(Mesh mesh, const Settings& settings) : state_(std::make_unique<State>()) {
  state_->mesh = std::move(mesh);
  const Mesh& kept = state_->mesh;
  Topology topology;
  topology.vertices = kept.vertex_count;
  topology.edges = kept.edges.empty() ? nullptr : kept.edges[0].data();
  topology.edge_count = kept.edges.size();
  topology.faces = kept.faces.empty() ? nullptr : kept.faces[0].data();
  topology.face_count = kept.faces.size();
  const Capacities capacities{settings.first_packets, settings.first_pairs,
                              settings.first_contacts};
  state_->outcome = outcome_of(
      make_engine(settings.device, topology, capacities, settings.memory_limit, state_->engine));
}
StepSearch::~StepSearch() = default;
StepSearch::StepSearch(StepSearch&&) noexcept = default;
StepSearch& StepSearch::operator=(StepSearch&&) noexcept = default;

const Mesh& StepSearch::mesh() const {
  return state_->mesh;
}
const Outcome& StepSearch::outcome() const {
  return state_->outcome;
}
std::size_t StepSearch::memory() const {
  return state_->engine ? state_->engine->memory() : 0;
}
void StepSearch::renew_order() {
  state_->renew = true;
}

namespace {

template <class State, class Motion>
FirstAnswer first_of(State& state, const Motion& motion, const StepOptions& options,
                     const RunOptions& run) {
  const FloatEnvironment environment;
  FirstAnswer answer;
  answer.outcome = state.begin(motion, options, run);
  if (answer.outcome && !state.invalid()) answer.outcome = state.earliest(answer);
  if (!answer.outcome || state.invalid()) {
    static_cast<FirstImpact&>(answer) = {};
    answer.impact = Impact::invalid();
  }
  return answer;
}

// Searches for all impacts, on the host or left on the device. Sets `all` if the outcome is `ok`
// and the input valid.
template <class State, class Motion, class Found>
Outcome search_all(State& state, const Motion& motion, const StepOptions& options,
                   const RunOptions& run, bool to_host, Found& all) {
  const FloatEnvironment environment;
  const auto began = Clock::now();
  all.finite = false;
  Outcome outcome = state.begin(motion, options, run);
  if (!outcome || state.invalid()) return outcome;
  outcome = state.find_all(to_host, all);
  all.work.broad_seconds = Seconds(Clock::now() - began).count();
  return outcome;
}

template <class Found, class State, class Motion>
AllAnswer all_of(State& state, const Motion& motion, const StepOptions& options,
                 const RunOptions& run) {
  AllAnswer answer;
  Found found;
  answer.outcome = search_all(state, motion, options, run, true, found);
  if (!answer.outcome || !found.finite) {
    answer.verdict = Verdict::invalid;
    answer.toi = 0;
    answer.complete = false;
    return answer;
  }
  answer.work = found.work;
  answer.complete = options.max_contacts == 0 || found.impacts.size() <= options.max_contacts;
  if (!answer.complete) found.impacts = found.impacts.first(options.max_contacts);
  answer.impacts.assign(found.impacts.begin(), found.impacts.end());
  if (!answer.impacts.empty()) {
    answer.verdict = answer.impacts[0].impact.verdict;
    answer.toi = answer.impacts[0].impact.toi;
  }
  return answer;
}

template <class Found, class State, class Motion>
ViewAnswer view_of(State& state, const Motion& motion, StepOptions options, const RunOptions& run) {
  options.max_contacts = 0;
  ViewAnswer answer;
  Found found;
  answer.outcome = search_all(state, motion, options, run, true, found);
  if (!answer.outcome || !found.finite) return answer;
  answer.work = found.work;
  answer.impacts = found.impacts;
  answer.verdict = found.impacts.empty() ? Verdict::separated : found.impacts[0].impact.verdict;
  answer.toi = found.impacts.empty() ? Impact::inf : found.impacts[0].impact.toi;
  return answer;
}

template <class Query>
Outcome answer_batch(std::span<const Query> queries, std::span<Impact> impacts,
                     const Options& options, const RunOptions& run, int device) {
  const FloatEnvironment environment;
  std::fill(impacts.begin(), impacts.end(), Impact::invalid());
  if (!is_sensible(options)) return {};
  if (options.min_separation > 0)
    return {Status::unsupported,
            "the GPU search does not support a separation (min_separation > 0)"};
  std::vector<std::uint64_t> open;
  const Fault fault = answer_queries(
      device, static_cast<std::uint32_t>(kind_of<Query>),
      queries.empty() ? nullptr : queries[0].start[0].data(), queries.size(), false, options.t_max,
      reinterpret_cast<ImpactBody*>(impacts.data()), open, run.stream);
  if (fault) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    return outcome_of(fault);
  }
  std::vector<Query> left(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) left[i] = queries[open[i]];
  std::vector<Impact> answers(open.size());
  answer_each<Query>(left, options, run.threads, answers);
  for (std::size_t i = 0; i < open.size(); ++i) impacts[open[i]] = answers[i];
  return {};
}

}  // namespace

FirstAnswer StepSearch::earliest_impact(const Positions& start, const Positions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return first_of(*state_, State::Motion::on_host(start, end), options, run);
}
FirstAnswer StepSearch::earliest_impact(const DevicePositions& start, const DevicePositions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return first_of(*state_, State::Motion::of_device(start, end), options, run);
}
AllAnswer StepSearch::all_impacts(const Positions& start, const Positions& end,
                                  const StepOptions& options, const RunOptions& run) {
  return all_of<State::Found>(*state_, State::Motion::on_host(start, end), options, run);
}
AllAnswer StepSearch::all_impacts(const DevicePositions& start, const DevicePositions& end,
                                  const StepOptions& options, const RunOptions& run) {
  return all_of<State::Found>(*state_, State::Motion::of_device(start, end), options, run);
}
ViewAnswer StepSearch::view_all_impacts(const Positions& start, const Positions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return view_of<State::Found>(*state_, State::Motion::on_host(start, end), options, run);
}
ViewAnswer StepSearch::view_all_impacts(const DevicePositions& start, const DevicePositions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return view_of<State::Found>(*state_, State::Motion::of_device(start, end), options, run);
}

DeviceAnswer StepSearch::all_impacts_on_device(const DevicePositions& start,
                                               const DevicePositions& end,
                                               const StepOptions& options, const RunOptions& run) {
  DeviceAnswer answer;
  StepOptions unlimited = options;
  unlimited.max_contacts = 0;
  State::Found found;
  answer.outcome =
      search_all(*state_, State::Motion::of_device(start, end), unlimited, run, false, found);
  if (!answer.outcome || !found.finite) return answer;
  if (!found.impacts.empty())
    answer.outcome = outcome_of(state_->engine->store_contacts(
        reinterpret_cast<const ImpactRecord*>(found.impacts.data()), found.count));
  StepImpact first;
  if (answer.outcome && found.count > 0)
    answer.outcome =
        outcome_of(state_->engine->contacts(reinterpret_cast<ImpactRecord*>(&first), 1));
  if (!answer.outcome) return answer;
  answer.verdict = first.impact.verdict;
  answer.toi = first.impact.toi;
  answer.count = found.count;
  answer.impacts = found.count > 0 ? state_->engine->contacts_on_device() : nullptr;
  return answer;
}

PairsAnswer StepSearch::find_pairs(const Positions& start, const Positions& end,
                                   const RunOptions& run) {
  PairsAnswer answer;
  answer.status = PairStatus::invalid;
  State& state = *state_;
  answer.outcome = state.begin(State::Motion::on_host(start, end), {}, run);
  if (!answer.outcome || !state.now.fits(state.mesh.vertex_count)) return answer;
  SlabAnswer slab;
  answer.outcome = state.search(0, 1, Wanted::overlapping, slab);
  if (!answer.outcome) return answer;
  if (!slab.finite) {
    answer.outcome = {Status::unsupported,
                      "the GPU search does not support positions that are not finite"};
    return answer;
  }
  static_assert(sizeof(Pair) == 2 * sizeof(std::uint32_t));
  answer.vertex_face.resize(slab.vertex_face);
  answer.edge_edge.resize(slab.edge_edge);
  if (state.mesh.vertex_count > 0)
    answer.outcome =
        outcome_of(state.engine->pairs(reinterpret_cast<std::uint32_t*>(answer.vertex_face.data()),
                                       reinterpret_cast<std::uint32_t*>(answer.edge_edge.data())));
  std::sort(answer.vertex_face.begin(), answer.vertex_face.end());
  std::sort(answer.edge_edge.begin(), answer.edge_edge.end());
  if (answer.outcome) answer.status = PairStatus::complete;
  return answer;
}

Outcome first_contact(std::span<const VertexFace> queries, std::span<Impact> impacts,
                      const Options& options, const RunOptions& run, int device) {
  return answer_batch(queries, impacts, options, run, device);
}
Outcome first_contact(std::span<const EdgeEdge> queries, std::span<Impact> impacts,
                      const Options& options, const RunOptions& run, int device) {
  return answer_batch(queries, impacts, options, run, device);
}

}  // namespace graze::gpu
