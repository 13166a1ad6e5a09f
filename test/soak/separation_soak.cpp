// Compares separation_root and its integer stage alone with the oracle, in one norm or the other:
//   separation_soak generic|degenerate COUNT SEED     a tally at the end, exit 1 at a disagreement,
//                                                     which is printed as a corpus entry
//
// Query i is made by one of the families of that sort, for each primitive in turn, and tested with
// a distance of its own between 0 and 1: none, a power of ten, eighths, or one that is attained at
// the start, half-way or at the end of the step.

#include <time.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/first_separation.h"
#include "graze/generate/random.h"
#include "test/support/corpus.h"
#include "test/support/norms.h"

namespace graze {
namespace {

using generate::Random;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Tally {
  unsigned long long queries = 0, contacts = 0, by_integers = 0;
  double oracle_s = 0, stage_s = 0, needed_s = 0, slowest_s = 0;
  std::uint64_t slowest = 0;
};

class Soak {
 public:
  Soak(bool degenerate, std::uint64_t seed) : degenerate_(degenerate), seed_(seed) {
    for (const generate::Family& family : generate::families())
      if (family.degenerate == degenerate) families_.push_back(&family);
  }

  int run(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const generate::Family& family = *families_[i / 4 % families_.size()];
      if (i % 4 == 0) ask(family.edge_edge(seed_, i), i);
      const VertexFace query = family.vertex_face(seed_, i);
      if (i % 4 == 1) ask(query, i);
      if (i % 4 == 2) ask(test::as_point_edge(query), i);
      if (i % 4 == 3) ask(test::as_point_point(query), i);
    }
    for (const auto& [norm, t] : {std::pair{"L2", l2_}, std::pair{"Linf", linf_}})
      std::printf(
          "%s %s seed %llu: %llu queries, %llu contacts, %llu by integers (%.1f us each), oracle "
          "%.1f us, integers alone %.1f us, at most %.0f us (query %llu)\n",
          degenerate_ ? "degenerate" : "generic", norm, static_cast<unsigned long long>(seed_),
          t.queries, t.contacts, t.by_integers,
          1e6 * t.needed_s / static_cast<double>(std::max(1ULL, t.by_integers)),
          1e6 * t.oracle_s / static_cast<double>(t.queries),
          1e6 * t.stage_s / static_cast<double>(t.queries), 1e6 * t.slowest_s,
          static_cast<unsigned long long>(t.slowest));
    std::printf("%llu disagreements\n", disagreements_);
    return disagreements_ > 0 ? 1 : 0;
  }

 private:
  template <class Query>
  void ask(const Query& query, std::uint64_t index) {
    Random random("separation_soak", 0, seed_, index);
    index_ = index;
    double d = 0;
    switch (random.below(8)) {
      case 0:
        break;
      case 1:
      case 2:
        d = random.integer(1, 8) / 8.0;
        break;
      case 3:
        d = closest_points(query, random.integer(0, 2) / 2.0).distance;
        break;
      default:
        d = std::pow(10.0, random.uniform(-12, 0));
    }
    if (!(d <= 1)) d = 1;
    const double extent = test::extent(test::as_four(query));
    if (extent > 0x1p-1020 && extent < 0x1p1020 && !(extent > 0x1p-60 && extent < 0x1p60) &&
        !random.one_in(64))
      d *= std::exp2(std::ilogb(extent));
    if (random.one_in(2))
      compare(test::L2(), query, d, l2_,
              [&] { return exact::first_separation_l2(query, d, 1, arena_); });
    else
      compare(test::Linf(), query, d, linf_,
              [&] { return exact::first_separation_linf(query, d, 1, arena_); });
  }

  template <class Norm, class Query, class Stage>
  void compare(Norm norm, const Query& query, double d, Tally& tally, Stage&& stage) {
    const Options options{.min_separation = d};
    const double begin = cpu_seconds();
    const Impact truth = Norm::oracle(query, options);
    tally.oracle_s += cpu_seconds() - begin;
    const Impact given = test::solve_one(norm, query, options);
    ++tally.queries;
    tally.contacts += truth.verdict == Verdict::contact;
    if (!test::same_times(truth, given)) complain("separation_root", query, d, truth, given);
    if (d == 0) return;
    const FloatEnvironment environment;
    const double before = cpu_seconds();
    const exact::FirstSeparation first = stage();
    const double seconds = cpu_seconds() - before;
    tally.stage_s += seconds;
    if (seconds > tally.slowest_s) {
      tally.slowest_s = seconds;
      tally.slowest = index_;
    }
    if (given.checks > 1) {
      ++tally.by_integers;
      tally.needed_s += seconds;
    }
    const Impact alone = first.found ? Impact::contact(first.lo, first.hi) : Impact::separated();
    if (!test::same_times(truth, alone)) complain("first_separation", query, d, truth, alone);
  }

  template <class Query>
  void complain(const char* who, const Query& query, double d, const Impact& truth,
                const Impact& given) {
    if (++disagreements_ > 20) return;
    std::printf("%s says %a %a, d = %a, %zu points\n%s\n", who, given.toi, given.toi_hi, d,
                query.start.size(), test::corpus_text(test::as_four(query), truth).c_str());
  }

  bool degenerate_;
  std::uint64_t seed_, index_ = 0;
  std::vector<const generate::Family*> families_;
  exact::Arena arena_;
  Tally l2_, linf_;
  unsigned long long disagreements_ = 0;
};

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  const std::string sort = argc == 4 ? argv[1] : "";
  if (sort != "generic" && sort != "degenerate") {
    std::fputs("usage: separation_soak generic|degenerate COUNT SEED\n", stderr);
    return 2;
  }
  return graze::Soak(sort == "degenerate", std::strtoull(argv[3], nullptr, 10))
      .run(std::strtoull(argv[2], nullptr, 10));
}
