#include "graze/narrow/rivals/safe_cubic.h"

#include <gtest/gtest.h>

#include "graze/exact/judge/separation_oracle.h"
#include "graze/io/query_files.h"
#include "test/support/data.h"
#include "test/support/sampled_distance.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::safe_cubic_test {
namespace {

using test::for_each_primitive;
using test::generated;
using test::scaled;
using test::Workload;

const Method& safe() {
  return *find_method("safe_cubic");
}

// The contract suite tests (1) and (3) for all families; here the tolerance takes all sizes.
TEST(SafeCubic, Promise1HoldsForEveryTolerance) {
  ASSERT_EQ(safe().guarantee, Guarantee::conservative);
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(safe(), [&]<class Query>(Query) {
      Workload<Query> work;
      work.add(generated<Query>(family, scaled(60), 31));
      for (const double tol : {1e-300, 1e-15, 1e-7, 1e-4, 0.01, 0.3, 1e300})
        for (const double t_max : {1.0, 0.7})
          test::expect_promises(safe(), {.t_max = t_max, .time_tol = tol}, work);
    });
  }
}

TEST(SafeCubic, Promise2FalsePositivesAreNearMisses) {
  std::size_t false_positives = 0, far = 0;
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(safe(), [&]<class Query>(Query) {
      Workload<Query> work;
      work.add(generated<Query>(family, scaled(60), 32));
      for (const double tol : {1e-9, 1e-4}) {
        const auto given = test::answers(safe(), work.queries, {.time_tol = tol});
        for (std::size_t i = 0; i < given.size(); ++i) {
          const double extent = test::extent(work.queries[i]);
          if (given[i].verdict != Verdict::contact || work.truth[i].verdict == Verdict::contact ||
              !(extent < 1e300))
            continue;
          ++false_positives;
          const auto within = [&](double part) {
            const Options options{.min_separation = std::max(part * extent, 5e-324)};
            return exact::oracle_l2(work.queries[i], options).verdict == Verdict::contact;
          };
          EXPECT_TRUE(within(0x1p-8 + 128 * tol))
              << test::corpus_text(work.queries[i], work.truth[i]);
          far += tol == 1e-9 && !within(1e-7);
        }
      }
    });
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(false_positives, scaled(700));
  EXPECT_LT(far * 100, false_positives);
}

TEST(SafeCubic, FindsMisplacedContactsOfCoplanarCorners) {
  // A vertex slides in the plane of a face and meets its side x = 1 at t = 1/2.
  VertexFace query{{Vec3(2, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)},
                   {Vec3(0, 0.25, 0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)}};
  const Impact impact = first_contact(query, {}, safe());
  EXPECT_EQ(impact.verdict, Verdict::contact);
  EXPECT_LE(impact.toi, 0.5);
  EXPECT_GT(impact.toi, 0.5 - 1e-8);
  // The same a thousandth above the plane, or past the corner.
  for (const Vec3& shift : {Vec3(0, 0, 1e-3), Vec3(0, -0.26, 0)}) {
    auto missed = query;
    missed.start[0] += shift;
    missed.end[0] += shift;
    EXPECT_EQ(first_contact(missed, {}, safe()).verdict, Verdict::separated) << shift.transpose();
  }
}

TEST(SafeCubic, RefinesATimeNearZeroOnRequest) {
  // Coplanar, and touching at t = 1e-10, before the default tolerance.
  const EdgeEdge query{{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, 1e-10, 0), Vec3(0, 1, 0)},
                       {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, 1e-10 - 1, 0), Vec3(0, 0, 0)}};
  EXPECT_EQ(first_contact(query, {}, safe()).toi, 0);
  const Impact refined = first_contact(query, {.no_zero_toi = true}, safe());
  EXPECT_GT(refined.toi, 0);
  EXPECT_LE(refined.toi, 1e-10);
}

TEST(SafeCubic, AnswersUndecidedWhenTheBudgetIsSpent) {
  const EdgeEdge query{{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 2, 0)},
                       {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 0)}};
  const Impact impact = first_contact(query, {.max_checks = 3}, safe());
  EXPECT_EQ(impact.verdict, Verdict::undecided);
  EXPECT_LE(impact.toi, 0.5);
}

TEST(SafeCubic, MissesNoContactOfTheQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  for (const auto& set : std::filesystem::directory_iterator(test::data_folder() / "queries"))
    for_each_primitive(safe(), [&]<class Query>(Query) {
      const bool faces = std::is_same_v<Query, VertexFace>;
      const auto file =
          io::read_queries(set.path() / (faces ? "vertex-face.csv" : "edge-edge.csv"));
      const auto queries = file.as<Query>();
      Workload<Query> work;
      work.add({queries.begin(), queries.end()});
      test::expect_promises(safe(), {}, work);
    });
}

}  // namespace
}  // namespace graze::narrow::safe_cubic_test
