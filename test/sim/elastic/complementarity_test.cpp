#include "graze/sim/elastic/solvers/complementarity.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace graze::sim::soft::complementarity_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Index rows, Index columns, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

// Expects promise (1).
void expect_solution(const Complementarity& found, const MatrixXd& a, const VectorXd& r,
                     double tolerance) {
  const VectorXd slack = a * found.lambda - r;
  EXPECT_GE(found.lambda.minCoeff(), 0);
  int below = 0;
  for (Index i = 0; i < r.size(); ++i) {
    below += slack[i] < -tolerance;
    EXPECT_LE(found.lambda[i] > 0 ? std::abs(slack[i]) : 0, tolerance);
  }
  EXPECT_LE(below, found.dropped);
}

// Tries every subset of constraints as the active set.
double least_energy(const MatrixXd& h, const VectorXd& g, const MatrixXd& j, const VectorXd& b) {
  const MatrixXd inverse = h.inverse();
  double least = 1e300;
  for (int subset = 0; subset < 1 << b.size(); ++subset) {
    std::vector<Index> rows;
    for (Index i = 0; i < b.size(); ++i)
      if (subset >> i & 1) rows.push_back(i);
    const MatrixXd js = j(rows, Eigen::all);
    VectorXd p = -inverse * g;
    if (!rows.empty()) {
      const MatrixXd a = js * inverse * js.transpose();
      p += inverse * js.transpose() * a.ldlt().solve(VectorXd(b(rows)) - js * p);
    }
    if ((j * p - b).minCoeff() > -1e-9) least = std::min(least, p.dot(h * p) / 2 + g.dot(p));
  }
  return least;
}

TEST(Complementarity, _1_FindsTheLeastEnergyThatAllSubsetsHave) {
  std::mt19937_64 random(1);
  int constrained = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 3 + trial % 6, m = 1 + trial % 8;
    const MatrixXd root = random_matrix(n, n, random);
    const MatrixXd h = root * root.transpose() + MatrixXd::Identity(n, n);
    const VectorXd g = random_matrix(n, 1, random);
    const MatrixXd j = random_matrix(m, n, random);
    // The point `inside` meets all constraints, some of them with slack 0.
    const VectorXd inside = random_matrix(n, 1, random);
    const VectorXd b = j * inside - random_matrix(m, 1, random).cwiseMax(0);
    const MatrixXd a = j * h.inverse() * j.transpose();
    const VectorXd r = b + j * h.inverse() * g;
    const Complementarity found = solve_complementarity(a, r, 1e-10);
    expect_solution(found, a, r, 1e-10);
    EXPECT_EQ(found.dropped, 0);
    const VectorXd p = h.inverse() * (j.transpose() * found.lambda - g);
    EXPECT_NEAR(p.dot(h * p) / 2 + g.dot(p), least_energy(h, g, j, b), 1e-8);
    constrained += found.lambda.maxCoeff() > 0;
  }
  EXPECT_GT(constrained, 100);
}

// Many more constraints than unknowns, each repeated several times, as contacts are.
TEST(Complementarity, _2_AcceptsConstraintsThatDependOnEachOther) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 30; ++trial) {
    const Index n = 6, m = 60;
    const MatrixXd j = random_matrix(m, n, random);
    MatrixXd twice(2 * m, n);
    twice << j, j;
    const VectorXd inside = random_matrix(n, 1, random), g = 10 * random_matrix(n, 1, random);
    const VectorXd b = twice * inside - VectorXd::Constant(2 * m, 0.01);
    const MatrixXd a = twice * twice.transpose();
    const VectorXd r = b + twice * g;
    const Complementarity found = solve_complementarity(a, r, 1e-9);
    expect_solution(found, a, r, 1e-9);
    EXPECT_EQ(found.dropped, 0);
    EXPECT_LE((found.lambda.array() > 0).count(), n);
  }
}

TEST(Complementarity, _2_DropsConstraintsThatContradictTheOthers) {
  // x >= 1, -x >= 0, y >= 2.
  MatrixXd j(3, 2);
  j << 1, 0, -1, 0, 0, 1;
  const VectorXd b = Eigen::Vector3d(1, 0, 2);
  const MatrixXd a = j * j.transpose();
  const Complementarity found = solve_complementarity(a, b, 1e-9);
  EXPECT_EQ(found.dropped, 1);
  expect_solution(found, a, b, 1e-9);
  EXPECT_EQ((j.transpose() * found.lambda).y(), 2);
}

TEST(Complementarity, OfNothingIsNothing) {
  EXPECT_EQ(solve_complementarity(MatrixXd(0, 0), VectorXd(0), 1e-9).lambda.size(), 0);
  const Complementarity met =
      solve_complementarity(MatrixXd::Identity(2, 2), VectorXd::Constant(2, -1), 1e-9);
  EXPECT_TRUE(met.lambda.isZero(0));
  EXPECT_EQ(met.pivots, 0);
}

}  // namespace
}  // namespace graze::sim::soft::complementarity_test
