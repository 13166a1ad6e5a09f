// Degree elevation on the real data: a line has all bits of the exact method. A line that is given
// as a curve of higher degree has its verdict and its times.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "graze/first_contact.h"
#include "test/support/curved.h"
#include "test/support/data_queries.h"

namespace graze::narrow::exact_curved_data_test {
namespace {

// Returns whether the double `sum` is a + b.
bool is_sum(double a, double b, double sum) {
  const double part = sum - a;
  return std::isfinite(sum) && (a - (sum - part)) + (b - part) == 0;
}

// Sets `curved` to the line of the query as a curve; a common factor of all points changes no time.
//   quadratic  2a, a + b, 2b            cubic  3a, 2a + b, a + 2b, 3b
//   hermite    a, b - a, b - a, b
// Returns false if a point is not a double.
template <class Query>
bool elevate(const Query& query, Curve curve, Curved<Query>& curved) {
  curved.curve = curve;
  bool exact = true;
  for (std::size_t c = 0; c < query.start.size(); ++c)
    for (int k = 0; k < 3; ++k) {
      const double a = query.start[c][k], b = query.end[c][k];
      const auto sum = [&](double x, double y) {
        exact = exact && is_sum(x, y, x + y);
        return x + y;
      };
      std::array<double, 4> p{};
      switch (curve) {
        case Curve::line:
          p = {a, b};
          break;
        case Curve::quadratic:
          p = {2 * a, sum(a, b), 2 * b};
          break;
        case Curve::cubic:
          p = {sum(2 * a, a), sum(2 * a, b), sum(a, 2 * b), sum(2 * b, b)};
          break;
        case Curve::hermite:
          p = {a, sum(b, -a), sum(b, -a), b};
          break;
      }
      for (std::size_t i = 0; i < 4; ++i) curved.points[i][c][k] = p[i];
    }
  return exact;
}

TEST(ExactCurvedOnData, HasTheTimesOfExactOnLinesOfEveryDegree) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::array<std::size_t, 4> compared{};
  std::array<std::size_t, 4> kinds{}, placed{};
  std::size_t asked = 0, contacts = 0;
  const auto check = [&]<class Query>(const std::string& name, const std::vector<Query>& queries) {
    SCOPED_TRACE(name);
    std::vector<Impact> truth(queries.size());
    first_contact(queries, truth, {}, {.threads = 1});
    asked += queries.size();
    const auto kind = static_cast<std::size_t>(kind_of<Query>);
    kinds[kind] += queries.size();
    for (const Impact& impact : truth) {
      contacts += impact.verdict == Verdict::contact;
      placed[kind] += impact.normal.allFinite() && !std::isnan(impact.u);
    }
    for (const Curve curve : test::curves) {
      std::vector<Curved<Query>> curved;
      std::vector<std::size_t> from;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        Curved<Query> query;
        if (!elevate(queries[i], curve, query)) continue;
        curved.push_back(query);
        from.push_back(i);
      }
      std::vector<Impact> given(curved.size());
      first_contact(curved, given, {}, {.threads = 1});
      for (std::size_t i = 0; i < curved.size(); ++i) {
        ASSERT_EQ(test::time_difference(given[i], truth[from[i]]), "")
            << from[i] << ", curve " << static_cast<int>(curve);
        if (curve == Curve::line) {
          ASSERT_TRUE(test::same_answer(given[i], truth[from[i]])) << from[i];
        }
      }
      compared[static_cast<std::size_t>(curve)] += curved.size();
    }
  };
  test::for_each_query_set(check);
  test::for_each_scene(1, check);
  EXPECT_EQ(asked, 140'608u);
  EXPECT_GT(contacts, 10'000u);
  EXPECT_EQ(compared[0], asked);
  // The data has these kinds. Their contacts have a place and a normal.
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge}) {
    EXPECT_GT(kinds[static_cast<std::size_t>(kind)], 10'000u) << name(kind);
    EXPECT_GT(placed[static_cast<std::size_t>(kind)], 1'000u) << name(kind);
  }
  // The other lines have control points that are not doubles.
  for (const Curve curve : {Curve::quadratic, Curve::cubic, Curve::hermite})
    EXPECT_GT(compared[static_cast<std::size_t>(curve)], 110'000u);
}

}  // namespace
}  // namespace graze::narrow::exact_curved_data_test
