#include "graze/gpu/mesh_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "graze/broad/meeting_vertices.h"
#include "graze/broad/moving/slab_lengths.h"
#include "graze/broad/with_threads.h"
#include "graze/first_contact.h"
#include "graze/gpu/answer_each.h"
#include "graze/gpu/open_answer.h"
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

// Answers an open query. A kind with fewer corners has the first ones of OpenQuery.
template <class Query>
Impact answer(const OpenQuery& open, OpenStage stage, const Options& options) {
  Query query;
  for (std::size_t c = 0; c < std::tuple_size_v<decltype(Query::start)>; ++c) {
    query.start[c] = Vec3::Map(open.corners + 3 * c);
    query.end[c] = Vec3::Map(open.corners + 3 * (c + 4));
  }
  if constexpr (kind_of<Query> == Kind::vertex_face || kind_of<Query> == Kind::edge_edge)
    return answer_from(query, stage, options);
  else
    return first_contact(query, options);
}

template <class T>
const T* address_of(const std::vector<T>& array) {
  return array.empty() ? nullptr : array.data();
}

// Queries of SlabQuestion::most_deep per thread. Integers take about 5 us for a query, other stages
// 1 us; the next stages of the device take 20 us for a few queries.
constexpr std::size_t most_deep = 12;

}  // namespace

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

bool comes_before(const StepImpact& a, const StepImpact& b) {
  return std::tie(a.impact.toi, a.kind, a.pair) < std::tie(b.impact.toi, b.kind, b.pair);
}

MeshSearch::MeshSearch(const Mesh& mesh, const EngineSettings& settings) : mesh_(mesh) {
  // Points meet rods and points as faces without area.
  std::vector<Face> faces;
  std::vector<std::uint8_t> is_point;
  if (!mesh.points.empty()) {
    faces = mesh.faces;
    for (const std::uint32_t rod : mesh.rods)
      faces.push_back({mesh.edges[rod][0], mesh.edges[rod][1], mesh.edges[rod][1]});
    for (const std::uint32_t point : mesh.points) faces.push_back({point, point, point});
    is_point.resize(mesh.vertex_count);
    for (const std::uint32_t point : mesh.points) is_point[point] = 1;
  }
  const std::vector<Face>& all = faces.empty() ? mesh.faces : faces;
  Topology topology;
  topology.vertices = mesh.vertex_count;
  topology.edges = mesh.edges.empty() ? nullptr : mesh.edges[0].data();
  topology.edge_count = mesh.edges.size();
  topology.faces = all.empty() ? nullptr : all[0].data();
  topology.face_count = all.size();
  topology.true_face_count = mesh.faces.size();
  topology.is_point = address_of(is_point);
  outcome_ = outcome_of(engine_maker(settings, topology, engine_));
}

Outcome MeshSearch::begin(const StepPositions& positions, const StepOptions& options,
                          const RunOptions& run) {
  now_ = positions;
  options_ = options;
  options_.pairs.separation = options.query.min_separation;
  run_ = run;
  sent_ = false;
  return outcome_ ? set_filter() : outcome_;
}

// Gives the engine the filter of the options, unless it has it already.
Outcome MeshSearch::set_filter() {
  const PairFilter& filter = options_.pairs.filter;
  FilterCopy copy;
  copy.is_static.assign(filter.is_static.begin(), filter.is_static.end());
  copy.group.assign(filter.group.begin(), filter.group.end());
  copy.meets.assign(filter.meets.begin(), filter.meets.end());
  copy.within_group = filter.within_group;
  copy.listed_only = filter.listed == ListedPairs::only;
  for (const CategoryMask& mask : filter.masks)
    copy.masks.insert(copy.masks.end(), {mask.categories, mask.meets});
  for (const GroupPair& pair : filter.group_pairs) copy.listed.push_back(group_key(pair.a, pair.b));
  std::sort(copy.listed.begin(), copy.listed.end());
  copy.active = !copy.is_static.empty() || !copy.meets.empty() || !copy.within_group ||
                !copy.masks.empty() || !copy.listed.empty() || copy.listed_only;
  if (!copy.active) copy = {};
  if (copy == filter_) return {};
  VertexFilter view;
  view.active = copy.active;
  view.within_group = copy.within_group;
  view.listed_only = copy.listed_only;
  view.groups = static_cast<std::uint32_t>(std::sqrt(double(copy.meets.size())) + 0.5);
  view.is_static = address_of(copy.is_static);
  view.group = address_of(copy.group);
  view.meets = address_of(copy.meets);
  view.masks = address_of(copy.masks);
  view.listed = address_of(copy.listed);
  view.listed_count = copy.listed.size();
  const Fault fault = engine_->set_filter(view);
  filter_ = {};
  if (fault) {
    engine_->set_filter({});
    return outcome_of(fault);
  }
  filter_ = std::move(copy);
  return {};
}

Outcome MeshSearch::search(double begin_time, double end_time, Wanted wanted, SlabAnswer& answer,
                           bool to_host, AnswerOpen answer_open) {
  SlabQuestion question;
  question.on_device = now_.on_device;
  question.start =
      now_.on_device ? now_.device_start.rows : reinterpret_cast<const double*>(now_.start.data());
  question.end =
      now_.on_device ? now_.device_end.rows : reinterpret_cast<const double*>(now_.end.data());
  question.new_positions = !sent_;
  question.begin = begin_time;
  question.until = end_time;
  if (wanted == Wanted::overlapping || wanted == Wanted::candidates)
    question.separation = options_.pairs.separation;
  question.wanted = wanted;
  question.to_host = to_host;
  question.answer_open = std::move(answer_open);
  if (wake_helpers_ && question.answer_open) {
    question.started = [this] { helpers_->wake(); };
    question.most_deep = static_cast<std::uint32_t>(most_deep * helpers_->size());
  }
  question.crossings = options_.start_check && begin_time == 0 && wanted != Wanted::overlapping;
  question.new_order = std::exchange(renew_, false);
  question.stream = run_.stream;
  const Fault fault = engine_->search(question, answer);
  if (fault) return outcome_of(fault);
  sent_ = true;
  if (answer.finite) motion_ = answer.motion;
  if (question.crossings) static_moves_ = answer.static_moves;
  return {};
}

// Returns the kind of a pair of the engine and replaces its indices by those of the mesh.
Kind MeshSearch::kind_and_pair(std::uint32_t kind, Pair& pair) const {
  if (kind == 1) {
    if (pair.b < pair.a) std::swap(pair.a, pair.b);
    return Kind::edge_edge;
  }
  if (pair.b < mesh_.faces.size()) return Kind::vertex_face;
  const std::size_t rod = pair.b - mesh_.faces.size();
  if (rod < mesh_.rods.size()) {
    pair.b = mesh_.rods[rod];
    return Kind::vertex_edge;
  }
  pair.b = mesh_.points[rod - mesh_.rods.size()];
  return Kind::vertex_vertex;
}

// Answers the pairs that are not proven to have no contact up to `latest`. Appends their contacts
// in [0, t_max] to `found`. `of_whole_step`: the search that left the pairs was one for all
// contacts in [0, t_max], so stages of the device need not be repeated.
void MeshSearch::answer_on_host(std::span<const OpenQuery> open, double latest, double t_max,
                                bool of_whole_step, std::vector<StepImpact>& found) const {
  std::vector<const OpenQuery*> asked;
  for (const OpenQuery& query : open)
    if (query.earliest <= latest) asked.push_back(&query);
  std::vector<StepImpact> impacts(asked.size());
  Options options = options_.query;
  options.t_max = t_max;
  answer_each(
      asked.size(), run_.threads, wake_helpers_ ? helpers_.get() : nullptr, [&](std::size_t i) {
        const OpenQuery& query = *asked[i];
        const OpenStage stage = of_whole_step ? query.stage : OpenStage::any;
        Pair pair{query.a, query.b};
        const Kind kind = kind_and_pair(query.kind, pair);
        impacts[i] = {kind, pair,
                      kind == Kind::vertex_face   ? answer<VertexFace>(query, stage, options)
                      : kind == Kind::edge_edge   ? answer<EdgeEdge>(query, stage, options)
                      : kind == Kind::vertex_edge ? answer<VertexEdge>(query, stage, options)
                                                  : answer<VertexVertex>(query, stage, options)};
      });
  for (const StepImpact& impact : impacts)
    if (impact.impact.verdict == Verdict::contact) found.push_back(impact);
}

// Sets `found` to the first `most` edges that pierce faces at the start, of those that the device
// did not rule out. Each is decided exactly, as a mesh of one edge and one face.
void MeshSearch::pierced(SlabAnswer& slab, std::size_t most, std::vector<StepImpact>& found) {
  static const Mesh crossing{5, {{0, 1}}, {{2, 3, 4}}, {0}, {}};
  if (most == 1) {
    // Only pairs before the first certain one matter.
    const auto comes_after = [](const Crossing& a, const Crossing& b) {
      return std::tie(a.edge, a.face) > std::tie(b.edge, b.face);
    };
    std::optional<Crossing> first;
    for (const Crossing& one : slab.crossings)
      if (one.certain && (!first || comes_after(*first, one))) first = one;
    if (first)
      std::erase_if(slab.crossings, [&](const Crossing& one) { return comes_after(one, *first); });
  }
  const std::size_t count = slab.crossings.size();
  std::vector<StepImpact> impacts(count);
  std::vector<std::uint8_t> is_pierced(count);
  const auto decide = [&](std::size_t i) {
    const Crossing& one = slab.crossings[i];
    std::array<Vec3, 5> corners;
    for (std::size_t c = 0; c < 5; ++c) corners[c] = Vec3::Map(one.corners + 3 * c);
    const StartPiercings piercings(crossing, corners, {});
    const Pair pair{0, 0};
    std::vector<Pair> pairs;
    if (one.certain)
      pairs.push_back(pair);
    else
      piercings.find_all({&pair, 1}, pairs);
    is_pierced[i] = !pairs.empty();
    if (pairs.empty()) return;
    impacts[i] = piercings.impacts(std::move(pairs), 1)[0];
    impacts[i].pair = {one.edge, one.face};
  };
  if (count < 64)
    for (std::size_t i = 0; i < count; ++i) decide(i);
  else
    broad::with_threads(run_.threads, [&] { broad::for_indices(count, decide); });
  for (std::size_t i = 0; i < count; ++i)
    if (is_pierced[i]) found.push_back(impacts[i]);
  std::sort(found.begin(), found.end(), comes_before);
  if (found.size() > most) found.resize(most);
  if (found.empty() && !slab.start_is_free) engine_->keep_free_start();
}

// Called after a search that found no impact. Keeps the end of the step if no edge pierces a face
// there: if the start was checked, and the whole step was searched for contacts of every pair of
// vertices. The claim is proven at StepSearch::State::learn() in spine/step_search.cpp. Its method
// is exact and reports contacts at the start, as MeshSearch does, static vertices do not move, and
// the filter has no callback. The engine keeps nothing when the filter changes.
//
// Only the end itself is kept. After a contact at t a caller moves to positions s + x (e - s) with
// x < t, which are rounded: they are not on the path of the search, so nothing is proven there.
void MeshSearch::keep_free_end() {
  if (options_.start_check && options_.query.t_max == 1 && !static_moves_ &&
      broad::MeetingVertices(options_.pairs.filter).all())
    engine_->keep_free_end();
}

Outcome MeshSearch::pairs(PairSet set, const broad::Slab& slab_of_time, Pairs& pairs,
                          std::vector<StepImpact>* pierced_at_start) {
  pairs = {};
  pairs.status = PairStatus::invalid;
  const bool overlapping = set == PairSet::overlapping;
  options_.start_check = pierced_at_start != nullptr;
  SlabAnswer slab;
  if (Outcome bad = search(slab_of_time.begin, slab_of_time.end,
                           overlapping ? Wanted::overlapping : Wanted::candidates, slab);
      !bad)
    return bad;
  if (!slab.finite)
    return {Status::unsupported, "the GPU search does not support positions that are not finite"};
  static_assert(sizeof(Pair) == 2 * sizeof(std::uint32_t));
  std::vector<Pair> with_faces(slab.vertex_face);
  pairs.edge_edge.resize(slab.edge_edge);
  if (mesh_.vertex_count > 0)
    if (const Fault fault =
            engine_->pairs(reinterpret_cast<std::uint32_t*>(with_faces.data()),
                           reinterpret_cast<std::uint32_t*>(pairs.edge_edge.data())))
      return outcome_of(fault);
  if (mesh_.points.empty()) {
    pairs.vertex_face = std::move(with_faces);
  } else {
    for (Pair pair : with_faces) {
      const Kind kind = kind_and_pair(0, pair);
      pairs.of(kind).push_back(pair);
    }
  }
  if (pierced_at_start) pierced(slab, any_number, *pierced_at_start);
  pairs.status = PairStatus::complete;
  return {};
}

double MeshSearch::slab_end(double begin_time, double t_max, double& length) const {
  if (motion_ < 0) return begin_time == 0 ? t_max / 16 : t_max;
  if (motion_ * t_max <= 1 && begin_time == 0) return t_max;
  const double end = begin_time + length / motion_;
  const bool last = !(end + length / motion_ / 2 < t_max);
  length = std::min(4 * length, 1.0);
  return last ? t_max : end;
}

Outcome MeshSearch::earliest(FirstImpact& first) {
  const auto began = Clock::now();
  const double t_max = options_.query.t_max;
  double length = first_length;
  for (double from = 0; from < t_max || first.work.slabs == 0;) {
    const double until = slab_end(from, t_max, length);
    SlabAnswer slab;
    if (Outcome bad = search(from, until, Wanted::first, slab); !bad) return bad;
    if (!slab.finite) {
      first.impact = Impact::invalid();
      return {};
    }
    ++first.work.slabs;
    first.work.pairs += slab.tested;
    if (slab.has_winner) slab.open.push_back({slab.kind, slab.a, slab.b, {}, slab.best, {}});
    if (slab.has_winner) std::copy_n(slab.corners, 24, slab.open.back().corners);
    // slab.best bounds the first contact; without a winner it may be that of an open query. The
    // winner alone is answered for the whole step at once.
    const bool whole_step = slab.has_winner && slab.open.size() == 1;
    bool unchecked = from == 0 && options_.start_check;
    std::vector<StepImpact> edge_face;
    if (unchecked && slab.best > 0) {
      pierced(slab, 1, edge_face);
      unchecked = false;
    }
    // Only contacts at 0 come before an edge that pierces a face.
    const double latest = edge_face.empty() ? slab.best : 0;
    std::vector<StepImpact> found;
    answer_on_host(slab.open, latest,
                   whole_step ? t_max : std::min(until, std::nextafter(slab.best, Impact::inf)),
                   false, found);
    for (const StepImpact& impact : found)
      if (comes_before(impact, first)) static_cast<StepImpact&>(first) = impact;
    if (slab.has_winner && edge_face.empty() && found.empty())
      return {Status::failed, "the GPU found a contact that the host does not confirm"};
    if (unchecked && first.impact.toi > 0) pierced(slab, 1, edge_face);
    if (!edge_face.empty() && first.impact.toi > 0) static_cast<StepImpact&>(first) = edge_face[0];
    if (first.impact.verdict != Verdict::separated) {
      // The other fields of the impact are those of the whole step.
      if (first.kind == Kind::edge_face || whole_step) break;
      std::erase_if(slab.open, [&](const OpenQuery& query) {
        Pair pair{query.a, query.b};
        return kind_and_pair(query.kind, pair) != first.kind || pair != first.pair;
      });
      found.clear();
      answer_on_host(slab.open, Impact::inf, t_max, false, found);
      first.impact = found.at(0).impact;
      break;
    }
    from = until;
  }
  if (first.impact.verdict == Verdict::separated) keep_free_end();
  first.work.broad_seconds = Seconds(Clock::now() - began).count();
  return {};
}

// Returns true only if the last motion is that of a step of one slab. The motion is a sum of at
// most 4096 terms in another order than that of broad::relative_motion(): off by less than 2^-40.
bool MeshSearch::is_one_slab() const {
  return motion_ * options_.query.t_max <= 1 - 0x1p-40;
}

Outcome MeshSearch::slabs_of_all(std::vector<broad::Slab>& slabs) {
  constexpr double long_slab = 4;
  const double t_max = options_.query.t_max;
  slabs = {{0, t_max}};
  if (is_one_slab()) return {};
  std::vector<double> motions;
  const Fault fault = engine_->sampled_motions(motions);
  if (fault) return outcome_of(fault);
  double sum = 0;
  for (const double one : motions) sum += one;
  if (motions.empty()) return {};
  slabs = broad::slabs_of_motion(sum / static_cast<double>(motions.size()), t_max, long_slab);
  return {};
}

Outcome MeshSearch::all(bool to_host, std::span<const broad::Slab> given, FoundImpacts& all) {
  constexpr std::size_t many_open = 16, too_many_open = 4096;
  SlabAnswer slab;
  const double t_max = options_.query.t_max;
  std::size_t open = 0;  // queries that were answered during the search
  const auto answer_open = [&](const OpenQuery* queries, std::uint64_t count,
                               std::vector<ImpactRecord>& contacts) {
    std::vector<StepImpact> found;
    answer_on_host({queries, count}, t_max, t_max, true, found);
    open += count;
    const auto* const records = reinterpret_cast<const ImpactRecord*>(found.data());
    contacts.insert(contacts.end(), records, records + found.size());
  };
  // A step of several slabs is searched once more, slab by slab, and so are its open queries.
  const bool one_slab = given.empty() ? motion_ >= 0 && is_one_slab() : given.size() == 1;
  Outcome done = search(0, t_max, Wanted::all, slab, to_host,
                        one_slab ? AnswerOpen(answer_open) : AnswerOpen());
  if (done && slab.finite) done = finish_all(to_host, given, slab, all);
  all.finite = slab.finite;
  if (helpers_) helpers_->sleep();
  open = std::max(open, slab.open.size());
  wake_helpers_ = run_.threads != 1 && open >= many_open && open < too_many_open;
  if (wake_helpers_ && !helpers_) helpers_ = std::make_unique<HelperThreads>(run_.threads);
  return done;
}

// Completes a search of the whole step, whose answer is `slab`.
Outcome MeshSearch::finish_all(bool to_host, std::span<const broad::Slab> given, SlabAnswer& slab,
                               FoundImpacts& all) {
  const double t_max = options_.query.t_max;
  std::vector<StepImpact> extra;
  all.toi = slab.first_toi;
  std::vector<broad::Slab> slabs(given.begin(), given.end());
  if (slabs.empty())
    if (Outcome bad = slabs_of_all(slabs); !bad) return bad;
  all.work.slabs = static_cast<int>(slabs.size());
  all.work.pairs = slab.tested;
  std::vector<StepImpact> edge_face;
  if (options_.start_check) {
    const std::size_t most = options_.max_contacts == 0 ? any_number : options_.max_contacts + 1;
    pierced(slab, most, edge_face);
  }
  if (slabs.size() == 1) {
    all.count = slab.contacts;
    answer_on_host(slab.open, t_max, t_max, true, extra);
  } else {
    for (const broad::Slab& part : slabs) {
      if (Outcome bad = search(part.begin, part.end, Wanted::all, slab, to_host); !bad) return bad;
      all.work.pairs += slab.tested;
      std::vector<StepImpact> found;
      std::span<const StepImpact> sorted;
      if (Outcome bad = fetch(slab.contacts, sorted); !bad) return bad;
      found.assign(sorted.begin(), sorted.end());
      answer_on_host(slab.open, part.end, part.end, false, found);
      for (const StepImpact& impact : found)
        if (part.begin == 0 || impact.impact.toi_hi > part.begin) extra.push_back(impact);
    }
  }
  extra.insert(extra.end(), edge_face.begin(), edge_face.end());
  if (extra.empty() && all.count == 0) keep_free_end();
  if (!extra.empty()) {
    std::sort(extra.begin(), extra.end(), comes_before);
    std::span<const StepImpact> sorted;
    if (Outcome bad = fetch(all.count, sorted); !bad) return bad;
    merge(sorted, extra);
    all.impacts = merged_;
    all.count = merged_.size();
    all.toi = merged_[0].impact.toi;
  } else if (to_host) {
    return fetch(all.count, all.impacts);
  }
  return {};
}

// Sets merged_ to the impacts of two sorted lists, the second one short. The memory of earlier
// calls is used again.
void MeshSearch::merge(std::span<const StepImpact> sorted, const std::vector<StepImpact>& extra) {
  std::vector<StepImpact>& to = merged_;
  to.resize(sorted.size() + extra.size());
  std::vector<std::size_t> place(extra.size());  // elements of `sorted` before each of `extra`
  for (std::size_t e = 0; e < extra.size(); ++e) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), extra[e], comes_before);
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
  broad::with_threads(run_.threads, [&] { broad::for_ranges(sorted.size(), 4096, copy); });
}

// Sets `impacts` to the contacts of the last search on the host.
Outcome MeshSearch::fetch(std::uint64_t count, std::span<const StepImpact>& impacts) {
  impacts = {};
  if (count == 0) return {};
  if (const ImpactRecord* const records = engine_->contacts_on_host()) {
    impacts = {reinterpret_cast<const StepImpact*>(records), count};
    return {};
  }
  fetched_.resize(count);
  impacts = fetched_;
  return outcome_of(engine_->contacts(reinterpret_cast<ImpactRecord*>(fetched_.data()), count));
}

}  // namespace graze::gpu
