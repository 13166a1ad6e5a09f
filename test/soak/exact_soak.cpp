// Compares the exact method with the oracle on varied queries for a given time:
//   exact_soak MINUTES SEED [FOLDER]     one line per family at the end, exit 1 at a disagreement,
//                                        whose query is written to FOLDER as a corpus entry
//   exact_soak replay FAMILY KIND SEED INDEX     prints that query as a corpus entry
//
// Query INDEX of a family is made by the family and then varied: unchanged, nudged by ulps, scaled
// by a power of two, or with coordinates and corners copied over others. It is answered in a batch
// and alone, for the whole step and for a shorter one, on every SIMD target in turn.

#include <hwy/targets.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "graze/generate/families.h"
#include "graze/generate/frame.h"
#include "graze/narrow/contact/exact_root.h"
#include "test/support/workload.h"

namespace graze {
namespace {

using generate::Random;

constexpr double largest = std::numeric_limits<double>::max();

template <class Query>
constexpr const char* kind_name = std::is_same_v<Query, VertexFace> ? "vertex-face" : "edge-edge";

template <class Query>
double& coordinate(Query& query, std::uint64_t i) {
  return (i < 12 ? query.start : query.end)[i / 3 % 4][static_cast<int>(i % 3)];
}

template <class Query>
Query coincidence(Random& random, Query query) {
  for (int i = random.integer(1, 4); i > 0; --i) {
    const auto from = random.below(4), to = random.below(4), where = random.below(24);
    switch (random.below(5)) {
      case 0:
        query.start[to] = query.start[from];
        break;
      case 1:
        query.end[to] = query.end[from];
        break;
      case 2:
        query.end[to] = query.start[to];
        break;
      case 3:
        coordinate(query, where) = coordinate(query, random.below(24));
        break;
      default:
        coordinate(query, where) = 0;
    }
  }
  return query;
}

// Replaces infinite coordinates by the largest double.
template <class Query>
void clamp(Query& query) {
  for (std::uint64_t i = 0; i < 24; ++i)
    coordinate(query, i) = std::clamp(coordinate(query, i), -largest, largest);
}

// Scales by a power of two, near 1 or any.
template <class Query>
Query rescaled(Random& random, Query query) {
  const int reach = random.one_in(2) ? 40 : 1000;
  const int power = random.integer(-reach, reach);
  for (std::uint64_t i = 0; i < 24; ++i)
    coordinate(query, i) = std::ldexp(coordinate(query, i), power);
  clamp(query);
  return query;
}

template <class Query>
Query varied(const generate::Family& family, std::uint64_t seed, std::uint64_t index) {
  Query query;
  if constexpr (std::is_same_v<Query, VertexFace>)
    query = family.vertex_face(seed, index);
  else
    query = family.edge_edge(seed, index);
  Random random("soak", std::is_same_v<Query, EdgeEdge>, seed, index);
  const auto variation = random.below(16);  // bits: 1 nudge, 2 coincidence, 4 scale; 8 and up: none
  if (variation >= 8) return query;
  if (variation & 2) query = coincidence(random, query);
  if (variation & 4) query = rescaled(random, query);
  if (variation & 1) query = generate::nudged(random, query);
  clamp(query);
  return query;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct FamilyTally {
  std::uint64_t queries = 0, hits = 0;
  narrow::ExactTally stages;
  double slowest_s = 0;
  std::uint64_t slowest_seed = 0, slowest_index = 0;
};

class Soak {
 public:
  Soak(double minutes, std::uint64_t seed, std::string folder)
      : until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(60 * minutes))),
        seed_(seed),
        folder_(std::move(folder)) {}

  int run() {
    const auto targets = hwy::SupportedAndGeneratedTargets();
    for (std::uint64_t round = 0; Clock::now() < until_; ++round) {
      hwy::SetSupportedTargetsForTest(targets[round % targets.size()]);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      for (const generate::Family& family : generate::families()) {
        compare<VertexFace>(family, round);
        compare<EdgeEdge>(family, round);
      }
    }
    report(targets.size());
    return disagreements_ > 0 ? 1 : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t batch = 37;  // a multiple of no SIMD width

  template <class Query>
  void compare(const generate::Family& family, std::uint64_t round) {
    std::vector<Query> queries;
    std::vector<Impact> truth;
    for (std::uint64_t i = 0; i < batch; ++i) {
      queries.push_back(varied<Query>(family, seed_, batch * round + i));
      truth.push_back(exact::oracle(queries.back()));
    }
    FamilyTally& tally = tallies_[std::string(family.name) + ' ' + kind_name<Query>];
    std::vector<Impact> together(batch);
    narrow::exact_root(std::span<const Query>(queries), {}, std::span<Impact>(together),
                       tally.stages);
    Random random("t_max", 0, seed_, round);
    const double shared_t_max = t_max(random, truth[random.below(batch)]);
    std::vector<Impact> shorter(batch);
    narrow::exact_root(std::span<const Query>(queries), {{.t_max = shared_t_max}},
                       std::span<Impact>(shorter));
    for (std::size_t i = 0; i < batch; ++i) {
      const std::uint64_t index = batch * round + i;
      ++tally.queries;
      tally.hits += truth[i].verdict == Verdict::contact;
      Impact alone;
      time_one(tally, queries[i], alone, index);
      check(family, queries[i], {}, truth[i], together[i], index);
      check(family, queries[i], {}, truth[i], alone, index);
      const Options until{.t_max = shared_t_max};
      check(family, queries[i], until, test::truth_until(shared_t_max, truth[i]), shorter[i],
            index);
    }
  }

  // Returns a time in (0, 1], often one at which the answer changes.
  static double t_max(Random& random, const Impact& truth) {
    const auto choice = random.below(6);
    double t = random.uniform();
    if (choice == 0) t = std::ldexp(t, -random.integer(1, 1074));
    if (choice == 1) t = truth.toi;
    if (choice == 2) t = truth.toi_hi;
    if (choice == 3) t = std::nextafter(truth.toi_hi, 0);
    return t > 0 && t <= 1 ? t : 1;
  }

  template <class Query>
  void time_one(FamilyTally& tally, const Query& query, Impact& answer, std::uint64_t index) {
    const auto once = [&] {
      const double begin = cpu_seconds();
      narrow::exact_root(std::span<const Query>(&query, 1), {}, std::span<Impact>(&answer, 1));
      return cpu_seconds() - begin;
    };
    double seconds = once();
    for (int i = 0; i < 4 && seconds > tally.slowest_s; ++i) seconds = std::min(seconds, once());
    if (seconds <= tally.slowest_s) return;
    tally.slowest_s = seconds;
    tally.slowest_seed = seed_;
    tally.slowest_index = index;
  }

  template <class Query>
  void check(const generate::Family& family, const Query& query, const Options& options,
             const Impact& truth, const Impact& answer, std::uint64_t index) {
    const std::string offence = test::broken_promise(method_, options, truth, answer);
    if (offence.empty()) return;
    std::printf("%s: %s %s %llu %llu, t_max %a, target %s: answer %s\n", offence.c_str(),
                std::string(family.name).c_str(), kind_name<Query>,
                static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(index),
                options.t_max, hwy::TargetName(hwy::SupportedTargets()),
                test::describe(answer).c_str());
    std::fflush(stdout);
    if (++disagreements_ > 20) return;
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/" + std::string(family.name) + "_" + std::to_string(seed_) + "_" +
                  std::to_string(index) + ".txt")
        << "# " << offence << '\n'
        << test::corpus_text(query, exact::oracle(query));
  }

  void report(std::size_t targets) const {
    std::printf("%-34s %10s %10s %9s %9s %12s  replay\n", "family", "queries", "hits", "integer%",
                "rounded%", "slowest_us");
    FamilyTally all;
    const auto row = [](const char* name, const FamilyTally& t) {
      const double percent = 100 / static_cast<double>(std::max<std::uint64_t>(1, t.queries));
      std::printf("%-34s %10llu %10llu %9.3f %9.3f %12.1f", name,
                  static_cast<unsigned long long>(t.queries),
                  static_cast<unsigned long long>(t.hits),
                  percent * static_cast<double>(t.stages.integer),
                  percent * static_cast<double>(t.stages.rounded_by_integers), 1e6 * t.slowest_s);
    };
    for (const auto& [name, tally] : tallies_) {
      row(name.c_str(), tally);
      std::printf("  %s %llu %llu\n", name.c_str(),
                  static_cast<unsigned long long>(tally.slowest_seed),
                  static_cast<unsigned long long>(tally.slowest_index));
      all.queries += tally.queries;
      all.hits += tally.hits;
      all.stages.integer += tally.stages.integer;
      all.stages.rounded_by_integers += tally.stages.rounded_by_integers;
      all.slowest_s = std::max(all.slowest_s, tally.slowest_s);
    }
    row("all", all);
    std::printf(
        "\nsoak: seed %llu, %zu SIMD targets, %llu queries asked 3 times each, %d "
        "disagreements\n",
        static_cast<unsigned long long>(seed_), targets,
        static_cast<unsigned long long>(all.queries), disagreements_);
  }

  const Method& method_ = *find_method("exact");
  Clock::time_point until_;
  std::uint64_t seed_;
  std::string folder_;
  std::map<std::string, FamilyTally> tallies_;
  int disagreements_ = 0;
};

template <class Query>
void replay(const generate::Family& family, std::uint64_t seed, std::uint64_t index) {
  const auto query = varied<Query>(family, seed, index);
  std::fputs(test::corpus_text(query, exact::oracle(query)).c_str(), stdout);
}

int usage() {
  std::fputs(
      "usage: exact_soak MINUTES SEED [FOLDER]\n"
      "       exact_soak replay FAMILY vertex-face|edge-edge SEED INDEX\n",
      stderr);
  return 2;
}

int main_of(const std::vector<std::string>& words) {
  const auto number = [](const std::string& word) {
    return std::strtoull(word.c_str(), nullptr, 10);
  };
  if (words.size() == 5 && words[0] == "replay") {
    const generate::Family* family = generate::find_family(words[1]);
    if (!family) return usage();
    (words[2] == kind_name<EdgeEdge> ? replay<EdgeEdge> : replay<VertexFace>)(*family,
                                                                              number(words[3]),
                                                                              number(words[4]));
    return 0;
  }
  if (words.size() < 2 || words.size() > 3) return usage();
  const double minutes = std::strtod(words[0].c_str(), nullptr);
  if (!(minutes > 0)) return usage();
  return Soak(minutes, number(words[1]), words.size() == 3 ? words[2] : "build/soak").run();
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  return graze::main_of({argv + 1, argv + argc});
}
