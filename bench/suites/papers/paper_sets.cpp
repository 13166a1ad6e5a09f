#include "bench/suites/papers/paper_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "bench/harness/real_data.h"
#include "bench/harness/scene_pairs.h"
#include "bench/suites/papers/paper_scenes.h"
#include "bench/suites/papers/simulated_sets.h"
#include "graze/generate/families.h"
#include "graze/generate/random.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

// Collected queries of one kind.
struct Heap {
  std::vector<double> coordinates;
  std::vector<std::uint8_t> truth;  // 2: unknown

  void add(const io::QuerySet& set) {
    const auto numbers = set.coordinates();
    coordinates.insert(coordinates.end(), numbers.begin(), numbers.end());
    truth.insert(truth.end(), set.truth().begin(), set.truth().end());
    truth.resize(coordinates.size() / 24, 2);
  }
  template <class Query>
  void add(const Query& query, std::uint8_t contact) {
    const auto* first = reinterpret_cast<const double*>(&query);
    coordinates.insert(coordinates.end(), first, first + 24);
    truth.push_back(contact);
  }

  // Returns the shuffled queries, with the truth where all of it is known.
  io::QuerySet shuffled(std::uint64_t seed) const {
    std::vector<std::size_t> order(truth.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    generate::Random random("paper", 0, seed, 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    std::vector<double> numbers;
    numbers.reserve(coordinates.size());
    std::vector<std::uint8_t> known;
    for (const std::size_t i : order) {
      const auto place = coordinates.begin() + static_cast<std::ptrdiff_t>(24 * i);
      numbers.insert(numbers.end(), place, place + 24);
      known.push_back(truth[i]);
    }
    if (std::find(known.begin(), known.end(), 2) != known.end()) known.clear();
    return {std::move(numbers), std::move(known)};
  }
};

class Collector {
 public:
  Collector(const fs::path& data, std::size_t count, std::uint64_t seed, int threads,
            const Progress& progress)
      : data_(data), count_(count), seed_(seed), threads_(threads), progress_(progress) {}

  PaperSets run() {
    handcrafted();
    simulation();
    stand_ins();
    random();
    return std::move(sets_);
  }

 private:
  static constexpr Kind kinds[] = {Kind::vertex_face, Kind::edge_edge};

  void tell(const std::string& doing) const {
    if (progress_) progress_(doing, 0);
  }
  void finish(std::vector<NamedSet>& where, const std::string& set, const char* group, Kind kind,
              const Heap& heap) {
    where.push_back({set, group, kind, heap.shuffled(seed_), {}});
  }

  void handcrafted() {
    tell("handcrafted queries");
    Heap heaps[2];
    if (const fs::path folder = inside(data_, "queries"); fs::is_directory(folder)) {
      std::size_t sizes[2] = {0, 0};
      for (const NamedSet& file : read_sets({folder}, {})) {
        if (file.kind != Kind::vertex_face && file.kind != Kind::edge_edge) continue;
        heaps[static_cast<int>(file.kind)].add(file.data);
        sizes[static_cast<int>(file.kind)] += file.size();
      }
      for (const Kind kind : kinds) {
        const std::size_t size = sizes[static_cast<int>(kind)];
        sets_.parts.push_back({"handcrafted", "public sample of the benchmark", kind, size, size});
      }
    } else {
      sets_.missing.push_back(
          "queries: the public sample of the benchmark; handcrafted has generated families only");
    }
    for (const Kind kind : kinds) {
      Heap& heap = heaps[static_cast<int>(kind)];
      std::size_t size = 0;
      for (const NamedSet& family : generate_sets(count_, seed_, kind))
        if (family.group == "degenerate") heap.add(family.data), size += family.size();
      sets_.parts.push_back({"handcrafted", "generated degenerate families", kind, size, size});
      finish(sets_.wang, "handcrafted", "handcrafted", kind, heap);
    }
  }

  template <class Query>
  std::size_t add_sample(Heap& heap, const MovingMesh& moving, const std::vector<Pair>& pairs,
                         const std::vector<std::uint8_t>& truth) const {
    std::size_t added = 0;
    for (const std::size_t i : sample(pairs.size(), paper_scene_sample, seed_)) {
      Query query;
      fill_queries(moving, {&pairs[i], 1}, {&query, 1});
      heap.add(query, truth.empty() ? std::uint8_t{2} : truth[i]);
      ++added;
    }
    return added;
  }

  void simulation() {
    Heap heaps[2];
    bool any = false;
    for (const char* scene : {"armadillo-rollers", "cloth-ball", "cloth-funnel"}) {
      const fs::path folder = inside(data_, fs::path("scenes") / scene);
      if (!fs::is_directory(folder)) {
        sets_.missing.push_back(fmt::format("simulation: the scene {}", scene));
        continue;
      }
      any = true;
      tell(fmt::format("pairs of {}", scene));
      const ScenePairs all = read_scene_pairs(folder, threads_);
      const MovingMesh moving = all.scene.motion.moving();
      const auto &vertex_face = all.pairs.vertex_face, &edge_edge = all.pairs.edge_edge;
      const std::size_t used[] = {
          add_sample<VertexFace>(heaps[0], moving, vertex_face, all.vertex_face_truth),
          add_sample<EdgeEdge>(heaps[1], moving, edge_edge, all.edge_edge_truth)};
      sets_.parts.push_back({"simulation", scene, Kind::vertex_face, used[0], vertex_face.size()});
      sets_.parts.push_back({"simulation", scene, Kind::edge_edge, used[1], edge_edge.size()});
      if (std::string_view(scene) == "cloth-ball") {
        Heap heap;
        add_sample<VertexFace>(heap, moving, vertex_face, all.vertex_face_truth);
        finish(sets_.huh, "Cloth-ball", "scenes", Kind::vertex_face, heap);
        sets_.parts.push_back({"Cloth-ball", "one step of the scene cloth-ball", Kind::vertex_face,
                               used[0], vertex_face.size()});
      }
    }
    if (any) {
      tell("own simulations");
      fs::path cow = inside(data_, "models/spot.obj");
      if (!fs::exists(cow)) {
        sets_.missing.push_back(
            "models/spot.obj: Figure 3 of [Wang 2021] has no queries of two falling cows");
        cow.clear();
      }
      for (const NamedSet& own : simulated_sets(paper_scene_sample, {}, cow)) {
        heaps[static_cast<int>(own.kind)].add(own.data);
        sets_.parts.push_back({"simulation", fmt::format("own run of {}", own.name), own.kind,
                               own.size(), own.size()});
      }
    }
    for (const Kind kind : kinds) {
      Heap& heap = heaps[static_cast<int>(kind)];
      if (!any) {
        const generate::Family& family = *generate::find_family("simulation_like");
        const std::size_t size = 100 * count_;
        for (std::size_t i = 0; i < size; ++i)
          if (kind == Kind::vertex_face)
            heap.add(family.vertex_face(seed_, i), 2);
          else
            heap.add(family.edge_edge(seed_, i), 2);
        sets_.parts.push_back({"simulation", "generated family simulation_like", kind, size, size});
      }
      finish(sets_.wang, "simulation", "simulation", kind, heap);
    }
    if (!any) sets_.missing.push_back("Table 2 of [Huh 2014]: the scene cloth-ball");
  }

  void stand_ins() {
    for (const PaperScene& scene : paper_scenes(std::min<std::size_t>(count_, 300), seed_)) {
      tell(fmt::format("pairs of {}", scene.name));
      const MovingMesh moving{scene.mesh, scene.start, scene.end};
      const auto pairs =
          collect_pairs(moving, {}, {.threads = threads_}, *find_pair_strategy("sweep_and_prune"))
              .vertex_face;
      Heap heap;
      const std::size_t used = add_sample<VertexFace>(heap, moving, pairs, {});
      sets_.parts.push_back({scene.name, scene.description, Kind::vertex_face, used, pairs.size()});
      finish(sets_.huh, scene.name, "scenes", Kind::vertex_face, heap);
    }
  }

  void random() {
    const generate::Family& family = *generate::find_family("random");
    const std::size_t size = 300 * count_;
    Heap heap;
    for (std::size_t i = 0; i < size; ++i) heap.add(family.vertex_face(seed_, i), 2);
    sets_.parts.push_back({"random", "uniform in the unit cube", Kind::vertex_face, size, size});
    finish(sets_.huh, "random", "random", Kind::vertex_face, heap);
  }

  const fs::path& data_;
  const std::size_t count_;
  const std::uint64_t seed_;
  const int threads_;
  const Progress& progress_;
  PaperSets sets_;
};

}  // namespace

PaperSets read_paper_sets(const fs::path& data, std::size_t count, std::uint64_t seed, int threads,
                          const Progress& progress) {
  return Collector(data, count, seed, threads, progress).run();
}

NamedSet first_of(const NamedSet& set, std::size_t size) {
  size = std::min(size, set.size());
  const auto numbers = set.data.coordinates().first(24 * size);
  const auto truth = set.data.truth().first(std::min(size, set.data.truth().size()));
  NamedSet first = set;
  first.data = {std::vector<double>(numbers.begin(), numbers.end()),
                std::vector<std::uint8_t>(truth.begin(), truth.end())};
  return first;
}

}  // namespace graze::bench
