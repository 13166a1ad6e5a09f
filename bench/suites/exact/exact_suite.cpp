#include "bench/suites/exact/exact_suite.h"

#include <fmt/format.h>

#include <stdexcept>
#include <tuple>

#include "bench/harness/scene_pairs.h"
#include "bench/suites/exact/exact_kernels.h"
#include "bench/suites/exact/exact_report.h"
#include "graze/generate/families.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

// Runs the measurements of the suite `exact`.
class ExactSuite {
 public:
  ExactSuite(const Request& request, const Progress& progress)
      : request_(request), progress_(progress), methods_(request.methods) {
    if (methods_.empty())
      for (const Method& method : methods()) methods_.push_back(&method);
    std::erase(methods_, find_method("exact"));
    const std::size_t sets = 2 * (exact_scenes.size() + exact_handcrafted.size() + 1);
    steps_ = static_cast<double>(sets * (methods_.size() + 1) + exact_scenes.size());
  }

  ExactMeasurements run(const fs::path& data) {
    for (const std::string& scene : exact_scenes)
      if (const fs::path folder = inside(data, fs::path("scenes") / scene);
          fs::is_directory(folder))
        measure_scene(folder, scene);
      else
        skip("scene", scene);
    measure_random<VertexFace>();
    measure_random<EdgeEdge>();
    for (const std::string& name_ : exact_handcrafted)
      measure_handcrafted(inside(data, "queries"), name_);
    if (request_.explain) {
      step("the stages in cache", 0);
      measure_stages<VertexFace>();
      measure_stages<EdgeEdge>();
    }
    return std::move(all_);
  }

 private:
  void step(const std::string& doing, double steps = 1) {
    if (progress_) progress_(doing, step_ / steps_);
    step_ += steps;
  }

  void skip(const char* what, const std::string& set) {
    all_.missing.push_back(fmt::format("{} {}", what, set));
  }

  // rival_times: the seconds of every other method, as a multiple of request.seconds.
  template <class Query>
  void measure_set(const Workload<Query>& set, double rival_times, bool threads, bool integers) {
    constexpr Kind kind = kind_of_queries<Query>;
    const Options& options = request_.options;
    step(fmt::format("exact on {}", set.name));
    all_.streams.push_back(measure_stream(set, options, 10 * request_.seconds));
    add_exact_row(all_.streams.back());
    if (threads) all_.threads.push_back(measure_threads(set, options, 10 * request_.seconds));

    constexpr std::size_t most_sampled = 200'000;
    const auto sample = shuffled(set, most_sampled, request_.seed);
    for (const Method* method : methods_) {
      step(fmt::format("{} on {}", method->name, set.name));
      if (method->has(kind))
        all_.rows.push_back(measure_sample(*method, sample, set.queries.size(), options,
                                           rival_times * request_.seconds));
    }

    auto stages = divide_by_stage(sample, options, integers ? sample.queries.size() : in_cache);
    if (integers && !stages.back().queries.empty()) {
      all_.integer_alone.push_back(
          measure_integer_alone(stages.back(), options, 5 * request_.seconds));
      all_.integer_alone.back().stage = exact_stages.back().name;
    }
    auto& pool = std::get<StageQueries<Query>>(pools_);
    for (std::size_t k = 0; k < pool.size(); ++k) {
      const std::size_t some = std::min(in_cache, stages[k].queries.size());
      for (std::size_t i = 0; i < some; ++i) {
        pool[k].queries.push_back(stages[k].queries[i]);
        pool[k].truth.push_back(stages[k].truth[i]);
      }
    }
  }

  void add_exact_row(const StreamResult& stream) {
    Row row;
    row.method = "exact";
    row.guarantee = Guarantee::exact;
    row.set = row.group = stream.set;
    row.kind = stream.kind;
    row.queries = row.set_size = stream.queries;
    row.counts = stream.counts;
    row.ns_per_query = stream.exact_ns;
    row.p50_ns = row.p99_ns = row.max_ns = std::numeric_limits<double>::quiet_NaN();
    if (stream.checked < stream.queries)
      row.note = fmt::format("hits and errors among the first {}", stream.checked);
    all_.rows.push_back(row);
  }

  void measure_scene(const fs::path& folder, const std::string& scene) {
    step(fmt::format("pairs of {}", scene));
    const ScenePairs pairs = read_scene_pairs(folder, request_.threads);
    const MovingMesh moving = pairs.scene.motion.moving();
    const auto measure_kind = [&]<class Query>(const std::vector<Pair>& list,
                                               const std::vector<std::uint8_t>& contact, Query) {
      Workload<Query> set{scene, std::vector<Query>(list.size()), {}, &moving, list};
      fill_queries(moving, list, set.queries);
      set.truth = find_times(std::span<const Query>(set.queries), contact, request_.threads);
      const bool largest = scene == "cloth-ball" && kind_of_queries<Query> == Kind::edge_edge;
      measure_set(set, 5, largest, scene == "cloth-funnel");
    };
    measure_kind(pairs.pairs.vertex_face, pairs.vertex_face_truth, VertexFace());
    measure_kind(pairs.pairs.edge_edge, pairs.edge_edge_truth, EdgeEdge());
  }

  template <class Query>
  void measure_random() {
    const generate::Family& family = *generate::find_family("random");
    const std::size_t count = request_.count.value_or(1'000'000), checked = 50'000;
    Workload<Query> set{"random", {}, {}, nullptr, {}};
    if constexpr (kind_of_queries<Query> == Kind::vertex_face)
      set.queries = generate::generate_vertex_face(family, count, request_.seed);
    else
      set.queries = generate::generate_edge_edge(family, count, request_.seed);
    set.truth = find_times(std::span<const Query>(set.queries).first(std::min(count, checked)), {},
                           request_.threads);
    measure_set(set, 5, true, false);
  }

  // Measures all sets of the folder whose name begins with the prefix as one set.
  void measure_handcrafted(const fs::path& folder, const std::string& prefix) {
    std::vector<fs::path> folders;
    if (fs::is_directory(folder))
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with(prefix)) folders.push_back(entry.path());
    if (folders.empty()) return skip("queries", prefix);
    std::sort(folders.begin(), folders.end());
    const auto measure_kind = [&]<class Query>(Query) {
      Workload<Query> set{prefix, {}, {}, nullptr, {}};
      std::vector<std::uint8_t> contact;
      for (const NamedSet& file : read_sets(folders, kind_of_queries<Query>)) {
        const auto queries = file.data.as<Query>();
        set.queries.insert(set.queries.end(), queries.begin(), queries.end());
        contact.insert(contact.end(), file.data.truth().begin(), file.data.truth().end());
      }
      if (contact.size() != set.queries.size())
        throw io::FileError(folder.string(), fmt::format("{} has a file without truth", prefix));
      set.truth = find_times(std::span<const Query>(set.queries), contact, request_.threads);
      measure_set(set, 50, false, true);
    };
    measure_kind(VertexFace());
    measure_kind(EdgeEdge());
  }

  template <class Query>
  void measure_stages() {
    const auto& pool = std::get<StageQueries<Query>>(pools_);
    for (std::size_t k = 0; k < pool.size(); ++k) {
      if (pool[k].queries.empty()) continue;
      all_.stages.push_back(measure_stage(shuffled(pool[k], in_cache, request_.seed),
                                          request_.options, request_.seconds));
      all_.stages.back().stage = exact_stages[k].name;
      all_.stages.back().set = "all sets";
    }
  }

  static constexpr std::size_t in_cache = 512;  // 96 KiB of queries
  const Request& request_;
  const Progress& progress_;
  std::vector<const Method*> methods_;  // all but `exact`
  double steps_ = 0, step_ = 0;
  std::tuple<StageQueries<VertexFace>, StageQueries<EdgeEdge>> pools_;
  ExactMeasurements all_;
};

}  // namespace

Result run_exact(const Request& request, const Progress& progress) {
  if (request.count == std::size_t{0}) throw std::invalid_argument("--count must be at least 1");
  if (request.targets) return run_exact_kernels(request, progress);
  const fs::path data = real_data(request.paths);
  const Machine where = machine();
  const ExactMeasurements all = ExactSuite(request, progress).run(data);
  if (progress) progress("report", 1);
  return result_of(all, request, where);
}

}  // namespace graze::bench
