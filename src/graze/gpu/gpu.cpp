#include "graze/gpu.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <mutex>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/gpu/answer_each.h"
#include "graze/gpu/step_state.h"
#include "graze/spine/search_step.h"

namespace graze::gpu {
namespace {

// Returns `unsupported` and the reason if the device cannot answer with these options, else `ok`.
Outcome unsupported(const StepOptions& options) {
  const Method& method = options.method ? *options.method : default_method(options.query);
  const char* what = nullptr;
  if (method.guarantee != Guarantee::exact) what = "methods that are not exact";
  if (!options.radii.empty()) what = "radii of vertices";
  if (!options.solids.empty()) what = "solids";
  if (!what) return {};
  return {Status::unsupported, std::string("the GPU search does not support ") + what};
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

Outcome copy_to_host(const DevicePositions& positions, std::span<Vec3> rows, int device,
                     const RunOptions& run) {
  if (rows.empty()) return {};
  return outcome_of(
      position_fetcher(device, positions.rows, 3 * rows.size(), rows[0].data(), run.stream));
}

StepSearch::StepSearch(Mesh mesh, const Settings& settings)
    : state_(std::make_unique<State>(std::move(mesh), settings)) {}
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
  return state_->whole ? state_->whole->memory() : 0;
}
void StepSearch::renew_order() {
  state_->renew();
}

namespace {

// Returns whether the positions and options are such that graze/step.h answers `invalid`, apart
// from positions that are not finite.
bool is_invalid(const Mesh& mesh, const StepPositions& positions, const StepOptions& options) {
  PairOptions pairs = options.pairs;
  pairs.separation = options.query.min_separation;
  const Method& method = options.method ? *options.method : default_method(options.query);
  return !positions.fit(mesh.vertex_count) || !is_sensible(options.query) ||
         !is_sensible(pairs, mesh) || !method.takes(options.query);
}

template <class State>
FirstAnswer first_of(State& state, const StepPositions& positions, const StepOptions& options,
                     const RunOptions& run) {
  const FloatEnvironment environment;
  FirstAnswer answer;
  answer.outcome = state.outcome ? unsupported(options) : state.outcome;
  const bool invalid = !answer.outcome || is_invalid(state.mesh, positions, options);
  const auto began = std::chrono::steady_clock::now();
  if (!invalid) answer.outcome = state.earliest(positions, options, run, answer);
  if (invalid || !answer.outcome) {
    static_cast<FirstImpact&>(answer) = {};
    answer.impact = Impact::invalid();
  }
  answer.work.broad_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() -
      answer.work.narrow_seconds;
  return answer;
}

// Returns the answer of collision_free_step(). Without an answer the impact is `invalid` at 0,
// which gives the step 0.
template <class State>
FreeStepAnswer free_step_of(State& state, const StepPositions& positions, double keep_distance,
                            StepOptions options, const RunOptions& run) {
  options.query.min_separation = keep_distance;
  const FirstAnswer first = first_of(state, positions, options, run);
  return {first.outcome, spine::free_step(first.impact, options)};
}

// Searches for all impacts, on the host or left on the device. Sets `found` if the outcome is `ok`
// and the input valid.
template <class State>
Outcome search_all(State& state, const StepPositions& positions, const StepOptions& options,
                   const RunOptions& run, bool to_host, FoundImpacts& found) {
  const FloatEnvironment environment;
  const auto began = std::chrono::steady_clock::now();
  found.finite = false;
  Outcome outcome = state.outcome ? unsupported(options) : state.outcome;
  if (!outcome || is_invalid(state.mesh, positions, options)) return outcome;
  outcome = state.all(positions, options, run, to_host, found);
  found.work.broad_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() -
      found.work.narrow_seconds;
  return outcome;
}

template <class State>
AllAnswer all_of(State& state, const StepPositions& positions, const StepOptions& options,
                 const RunOptions& run) {
  AllAnswer answer;
  FoundImpacts found;
  answer.outcome = search_all(state, positions, options, run, true, found);
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

template <class State>
ViewAnswer view_of(State& state, const StepPositions& positions, StepOptions options,
                   const RunOptions& run) {
  options.max_contacts = 0;
  ViewAnswer answer;
  FoundImpacts found;
  answer.outcome = search_all(state, positions, options, run, true, found);
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
  const Fault fault =
      query_answerer(device, static_cast<std::uint32_t>(kind_of<Query>),
                     queries.empty() ? nullptr : queries[0].start[0].data(), queries.size(),
                     options.t_max, reinterpret_cast<ImpactBody*>(impacts.data()), open);
  if (fault) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    return outcome_of(fault);
  }
  answer_each(open.size(), run.threads, nullptr, [&](std::size_t i) {
    impacts[open[i]] = graze::first_contact(queries[open[i]], options);
  });
  return {};
}

}  // namespace

namespace {

// Completes the arguments of a query for times and passes them to `ask`.
template <class Ask>
TimesAnswer times_of(TimesQuestion question, Kind kind, const Options& options,
                     const RunOptions& run, Ask&& ask) {
  const FloatEnvironment environment;
  if (kind != Kind::vertex_face && kind != Kind::edge_edge)
    return {{Status::unsupported,
             std::string("the GPU search does not support queries of the kind ") + name(kind)},
            0};
  if (options.min_separation > 0 || !is_sensible(options))
    return {{Status::unsupported,
             "the GPU search of times supports neither a separation nor invalid options"},
            0};
  question.kind = static_cast<std::uint32_t>(kind);
  question.t_max = options.t_max;
  question.stream = run.stream;
  question.answer_open = [&](const double* corners, std::uint64_t count, double* times) {
    const auto answer = [&]<class Query>(const double* of, const Query*) {
      Query query;
      for (std::size_t c = 0; c < 4; ++c) {
        query.start[c] = Vec3::Map(of + 3 * c);
        query.end[c] = Vec3::Map(of + 3 * (c + 4));
      }
      return graze::first_contact(query, options).toi;
    };
    answer_each(count, run.threads, nullptr, [&](std::size_t i) {
      times[i] = kind == Kind::vertex_face
                     ? answer(corners + 24 * i, static_cast<VertexFace*>(nullptr))
                     : answer(corners + 24 * i, static_cast<EdgeEdge*>(nullptr));
    });
    return static_cast<std::uint64_t>(
        std::count_if(times, times + count, [](double t) { return t < Impact::inf; }));
  };
  TimesResult result;
  const Fault fault = ask(question, result);
  return {outcome_of(fault), fault ? 0 : result.contacts};
}

}  // namespace

TimesAnswer StepSearch::pair_times(Kind kind, const std::uint32_t* pairs, std::size_t count,
                                   const DevicePositions& start, const DevicePositions& end,
                                   double* times, const Options& options, const RunOptions& run) {
  if (!state_->outcome) return {state_->outcome, 0};
  if (start.count != mesh().vertex_count || end.count != mesh().vertex_count)
    return {{Status::unsupported, "the number of positions is not that of the vertices"}, 0};
  if (!state_->whole)
    return {{Status::out_of_memory, "the GPU has too little memory to keep the mesh"}, 0};
  TimesQuestion question;
  question.pairs = pairs;
  question.count = count;
  question.times = times;
  return times_of(
      question, kind, options, run, [&](const TimesQuestion& full, TimesResult& result) {
        return count == 0 ? Fault()
                          : state_->whole->engine().pair_times(full, start.rows, end.rows, result);
      });
}

struct QuerySearch::State {
  Outcome outcome;
  std::unique_ptr<QueryEngine> engine;
};
QuerySearch::QuerySearch(int device) : state_(std::make_unique<State>()) {
  state_->outcome = outcome_of(query_engine_maker(device, state_->engine));
}
QuerySearch::~QuerySearch() = default;
QuerySearch::QuerySearch(QuerySearch&&) noexcept = default;
QuerySearch& QuerySearch::operator=(QuerySearch&&) noexcept = default;

TimesAnswer QuerySearch::times(Kind kind, const double* queries, std::size_t count, double* times,
                               const Options& options, const RunOptions& run) {
  if (!state_->outcome) return {state_->outcome, 0};
  TimesQuestion question;
  question.queries = queries;
  question.count = count;
  question.times = times;
  return times_of(question, kind, options, run,
                  [&](const TimesQuestion& full, TimesResult& result) {
                    return state_->engine->times(full, result);
                  });
}

FirstAnswer StepSearch::earliest_impact(const Positions& start, const Positions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return first_of(*state_, StepPositions::on_host(start, end), options, run);
}
FirstAnswer StepSearch::earliest_impact(const DevicePositions& start, const DevicePositions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return first_of(*state_, StepPositions::of_device(start, end), options, run);
}
FreeStepAnswer StepSearch::collision_free_step(const Positions& start, const Positions& end,
                                               double keep_distance, const StepOptions& options,
                                               const RunOptions& run) {
  return free_step_of(*state_, StepPositions::on_host(start, end), keep_distance, options, run);
}
FreeStepAnswer StepSearch::collision_free_step(const DevicePositions& start,
                                               const DevicePositions& end, double keep_distance,
                                               const StepOptions& options, const RunOptions& run) {
  return free_step_of(*state_, StepPositions::of_device(start, end), keep_distance, options, run);
}
AllAnswer StepSearch::all_impacts(const Positions& start, const Positions& end,
                                  const StepOptions& options, const RunOptions& run) {
  return all_of(*state_, StepPositions::on_host(start, end), options, run);
}
AllAnswer StepSearch::all_impacts(const DevicePositions& start, const DevicePositions& end,
                                  const StepOptions& options, const RunOptions& run) {
  return all_of(*state_, StepPositions::of_device(start, end), options, run);
}
ViewAnswer StepSearch::view_all_impacts(const Positions& start, const Positions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return view_of(*state_, StepPositions::on_host(start, end), options, run);
}
ViewAnswer StepSearch::view_all_impacts(const DevicePositions& start, const DevicePositions& end,
                                        const StepOptions& options, const RunOptions& run) {
  return view_of(*state_, StepPositions::of_device(start, end), options, run);
}

DeviceAnswer StepSearch::all_impacts_on_device(const DevicePositions& start,
                                               const DevicePositions& end,
                                               const StepOptions& options, const RunOptions& run) {
  DeviceAnswer answer;
  StepOptions unlimited = options;
  unlimited.max_contacts = 0;
  FoundImpacts found;
  answer.outcome =
      search_all(*state_, StepPositions::of_device(start, end), unlimited, run, false, found);
  if (!answer.outcome || !found.finite) return answer;
  if (found.count > 0 && !state_->whole) {
    answer.outcome = {Status::out_of_memory,
                      "the GPU has too little memory to keep the impacts of a mesh in parts"};
    return answer;
  }
  if (!found.impacts.empty())
    answer.outcome = outcome_of(state_->whole->engine().store_contacts(
        reinterpret_cast<const ImpactRecord*>(found.impacts.data()), found.count));
  if (!answer.outcome) return answer;
  answer.verdict = found.count > 0 ? Verdict::contact : Verdict::separated;
  answer.toi = found.toi;
  answer.count = found.count;
  answer.impacts = found.count > 0 ? state_->whole->engine().contacts_on_device() : nullptr;
  return answer;
}

PairsAnswer StepSearch::find_pairs(const Positions& start, const Positions& end,
                                   const PairOptions& options, const RunOptions& run) {
  const FloatEnvironment environment;
  PairsAnswer answer;
  answer.status = PairStatus::invalid;
  const StepPositions positions = StepPositions::on_host(start, end);
  answer.outcome = state_->outcome;
  if (!answer.outcome || !positions.fit(mesh().vertex_count) || !is_sensible(options, mesh()))
    return answer;
  answer.outcome = state_->overlapping(positions, options, run, answer);
  if (!answer.outcome) {
    static_cast<Pairs&>(answer) = {};
    answer.status = PairStatus::invalid;
  }
  return answer;
}

PairsAnswer find_pairs(const MovingMesh& moving, const PairOptions& options, const RunOptions& run,
                       const StepSearch::Settings& settings) {
  return StepSearch(moving.mesh, settings).find_pairs(moving.start, moving.end, options, run);
}

Outcome first_contact(std::span<const VertexFace> queries, std::span<Impact> impacts,
                      const Options& options, const RunOptions& run, int device) {
  return answer_batch(queries, impacts, options, run, device);
}
Outcome first_contact(std::span<const EdgeEdge> queries, std::span<Impact> impacts,
                      const Options& options, const RunOptions& run, int device) {
  return answer_batch(queries, impacts, options, run, device);
}

struct StepQueue::State {
  // A search takes one call at a time.
  struct Worker {
    Worker(const Mesh& mesh, int device) : search(mesh, {.device = device}) {}
    StepSearch search;
    std::mutex busy;
  };
  std::deque<Worker> workers;
  std::size_t next = 0;                      // the worker of the next step
  std::deque<std::future<AllAnswer>> steps;  // in the order of push()
};

StepQueue::StepQueue(Mesh mesh, std::span<const int> devices) : state_(std::make_unique<State>()) {
  for (const int device : devices) state_->workers.emplace_back(mesh, device);
}
StepQueue::~StepQueue() = default;
StepQueue::StepQueue(StepQueue&&) noexcept = default;
StepQueue& StepQueue::operator=(StepQueue&&) noexcept = default;

void StepQueue::push(std::vector<Vec3> start, std::vector<Vec3> end, const StepOptions& options,
                     const RunOptions& run) {
  State::Worker& worker = state_->workers[state_->next];
  state_->next = (state_->next + 1) % state_->workers.size();
  state_->steps.push_back(std::async(
      std::launch::async, [&worker, options, run, x0 = std::move(start), x1 = std::move(end)] {
        const std::lock_guard lock(worker.busy);
        return worker.search.all_impacts(x0, x1, options, run);
      }));
}

std::size_t StepQueue::size() const {
  return state_->steps.size();
}

AllAnswer StepQueue::pop() {
  AllAnswer answer = state_->steps.front().get();
  state_->steps.pop_front();
  return answer;
}

}  // namespace graze::gpu
