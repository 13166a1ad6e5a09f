#include "test/support/promises.h"

#include <gtest/gtest.h>

#include <cmath>

namespace graze::narrow::promises_test {
namespace {

using test::broken_promise;

Method method(Guarantee guarantee) {
  return {"m", "", guarantee, true, Norm::none, {}, {}};
}

// These tests show that the contract suite finds each kind of broken promise.
TEST(Promises, AreReportedIfBrokenInAnyWay) {
  const Method exact = method(Guarantee::exact);
  const Method safe = method(Guarantee::conservative);
  const Method guess = method(Guarantee::heuristic);
  const Impact miss = Impact::separated();
  const Impact hit = Impact::contact(0.25, std::nextafter(0.25, 1));
  const Options options;

  EXPECT_EQ(broken_promise(exact, options, hit, hit), "");
  EXPECT_EQ(broken_promise(exact, options, miss, miss), "");
  EXPECT_EQ(broken_promise(exact, options, hit, miss), "false negative");
  EXPECT_EQ(broken_promise(safe, options, hit, miss), "false negative");
  EXPECT_EQ(broken_promise(guess, options, hit, miss), "");
  EXPECT_EQ(broken_promise(exact, options, miss, hit), "false positive");
  EXPECT_EQ(broken_promise(safe, options, miss, hit), "");

  const Impact late = Impact::contact(std::nextafter(0.25, 1), 1);
  EXPECT_EQ(broken_promise(safe, options, hit, late), "late");
  EXPECT_EQ(broken_promise(guess, options, hit, late), "");
  EXPECT_EQ(broken_promise(safe, options, hit, Impact::undecided(0.3, 1)), "late");
  EXPECT_EQ(broken_promise(safe, options, hit, Impact::undecided(0.25, 1)), "");
  EXPECT_EQ(broken_promise(exact, options, hit, Impact::undecided(0.25, 1)),
            "undecided from an exact method");
  const Impact early = Impact::contact(std::nextafter(0.25, 0), hit.toi_hi);
  EXPECT_EQ(broken_promise(exact, options, hit, early), "early");
  EXPECT_EQ(broken_promise(safe, options, hit, early), "");
  EXPECT_EQ(broken_promise(exact, options, hit, Impact::contact(0.25, 1)), "toi_hi not tight");
  EXPECT_EQ(broken_promise(safe, options, hit, Impact::contact(0.1, 0.2)),
            "toi_hi before the first contact");
  EXPECT_EQ(broken_promise(safe, options, hit, Impact::invalid()), "a valid query called invalid");
}

TEST(Promises, AreReportedIfAnyFieldIsWrong) {
  const Method safe = method(Guarantee::conservative);
  const Options half{.t_max = 0.5};
  const auto broken = [&](Impact impact, auto&& change) {
    EXPECT_EQ(test::broken_field(safe, half, impact), "");
    change(impact);
    return !test::broken_field(safe, half, impact).empty();
  };
  EXPECT_TRUE(broken(Impact::separated(), [](Impact& i) { i.toi = 0.5; }));
  EXPECT_TRUE(broken(Impact::separated(), [](Impact& i) { i.u = 0; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.toi = -0.1; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.toi = Impact::nan; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.toi_hi = 0.6; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.u = 0; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.u = 0, i.v = 2; }));
  EXPECT_TRUE(broken(Impact::contact(0.1, 0.5), [](Impact& i) { i.normal = {1, 1, 0}; }));
  EXPECT_TRUE(broken(Impact::undecided(0.1, 0.5), [](Impact& i) { i.toi_hi = 1; }));
  EXPECT_TRUE(broken(Impact::undecided(0.1, 0.5), [](Impact& i) { i.toi = 0.6; }));
  EXPECT_TRUE(broken(Impact::invalid(), [](Impact& i) { i.toi = 0.1; }));
  EXPECT_TRUE(broken(Impact::invalid(), [](Impact& i) { i.toi_hi = 1; }));
}

TEST(Promises, ShortenTheTruthWithTheStep) {
  const Impact hit = Impact::contact(0.25, std::nextafter(0.25, 1));
  EXPECT_EQ(test::truth_until(hit.toi_hi, hit).toi, 0.25);
  EXPECT_EQ(test::truth_until(0.25, hit).verdict, Verdict::separated);
}

}  // namespace
}  // namespace graze::narrow::promises_test
