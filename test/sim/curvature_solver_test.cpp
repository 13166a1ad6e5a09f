#include "graze/sim/curvature_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <random>

namespace graze::sim::curvature_solver_test {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// A random symmetric matrix of this pattern whose smallest eigenvalue is about `least`.
class RandomSystem {
 public:
  RandomSystem(std::uint32_t particles, const Pairs& pairs, double least, unsigned seed)
      : matrix(particles, pairs), random_(seed) {
    for (std::uint32_t j = 0; j < particles; ++j) {
      for (const std::uint32_t i : matrix.rows(j)) {
        if (i == j) continue;
        // A spring of random directions: positive semidefinite over both ends.
        const Eigen::Matrix3d a = block(), positive = a * a.transpose();
        matrix.add(i, i, positive);
        matrix.add(j, j, positive);
        matrix.add(i, j, -positive);
      }
      matrix.add(j, j, least * Eigen::Matrix3d::Identity());
    }
    b.resize(3 * particles);
    for (double& x : b) x = uniform_(random_);
  }

  Eigen::MatrixXd dense() const {
    Eigen::MatrixXd all = Eigen::MatrixXd(matrix.lower());
    return Eigen::MatrixXd(all.selfadjointView<Eigen::Lower>());
  }

  BlockMatrix matrix;
  Eigen::VectorXd b;

 private:
  Eigen::Matrix3d block() {
    Eigen::Matrix3d m;
    for (double& x : m.reshaped()) x = uniform_(random_);
    return m;
  }
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

Pairs random_pairs(std::uint32_t particles, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i)
    pairs.emplace_back(random() % particles, random() % particles);
  return pairs;
}

Pairs net(std::uint32_t side) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      if (i + 1 < side) pairs.emplace_back(i * side + j, (i + 1) * side + j);
      if (j + 1 < side) pairs.emplace_back(i * side + j, i * side + j + 1);
    }
  return pairs;
}

TEST(BlockCholesky, agrees_with_a_dense_factorization) {
  struct Case {
    std::uint32_t particles;
    Pairs pairs;
  };
  std::vector<Case> cases{{1, {}}, {7, {}}, {2, {{0, 1}}}, {81, net(9)}};
  for (unsigned seed = 1; seed <= 40; ++seed)
    cases.push_back({1 + seed, random_pairs(1 + seed, seed * seed / 8, seed)});
  for (const double least : {1.0, 1e-6})
    for (const auto& [particles, pairs] : cases) {
      const RandomSystem system(particles, pairs, least, particles);
      BlockCholesky factor(system.matrix);
      ASSERT_TRUE(factor.factorize(system.matrix));
      const Eigen::VectorXd x = factor.solve(system.b);
      const Eigen::MatrixXd dense = system.dense();
      // Cholesky's method is backward stable.
      EXPECT_LE((dense * x - system.b).norm(), 1e-12 * (dense.norm() * x.norm() + system.b.norm()));
      EXPECT_NEAR((system.matrix * x - dense * x).norm(), 0, 1e-12 * dense.norm() * x.norm());
    }
}

TEST(BlockCholesky, solves_many_right_sides_and_matrices_of_one_pattern) {
  const RandomSystem first(60, random_pairs(60, 150, 5), 1, 1),
      other(60, random_pairs(60, 150, 5), 1, 2);
  BlockCholesky factor(first.matrix);
  ASSERT_TRUE(factor.factorize(first.matrix));
  const Eigen::VectorXd before = factor.solve(first.b);
  ASSERT_TRUE(factor.factorize(other.matrix));
  Eigen::MatrixXd sides(180, 3);
  sides << first.b, other.b, Eigen::VectorXd::Zero(180);
  const Eigen::MatrixXd x = factor.solve(sides);
  EXPECT_LE((other.dense() * x - sides).norm(), 1e-10);
  ASSERT_TRUE(factor.factorize(first.matrix));
  EXPECT_EQ(factor.solve(first.b), before);
}

TEST(BlockCholesky, promise_1_refuses_matrices_that_are_not_positive_definite) {
  RandomSystem system(30, random_pairs(30, 80, 3), 1, 3);
  BlockCholesky factor(system.matrix);
  ASSERT_TRUE(factor.factorize(system.matrix));
  system.matrix.add(17, 17, -1e3 * Eigen::Matrix3d::Identity());
  EXPECT_FALSE(factor.factorize(system.matrix));
  system.matrix.add(17, 17, std::numeric_limits<double>::quiet_NaN() * Eigen::Matrix3d::Identity());
  EXPECT_FALSE(factor.factorize(system.matrix));
}

TEST(CurvatureSolver, promise_1_descends) {
  for (const double least : {1e2, 1.0, 1e-3, 1e-9})
    for (const bool guessed : {false, true}) {
      const RandomSystem system(400, net(20), least, 7);
      CurvatureSolver solver(system.matrix);
      const Eigen::VectorXd guess = guessed ? Eigen::VectorXd(-system.b) : Eigen::VectorXd();
      const Eigen::VectorXd x = solver.solve(system.matrix, system.b, guess);
      EXPECT_GT(x.dot(system.b), 0);
      EXPECT_LE((system.matrix * x - system.b).norm(), 0.1 * system.b.norm());
    }
}

TEST(CurvatureSolver, promise_1_descends_without_a_positive_definite_matrix) {
  RandomSystem system(400, net(20), 1, 7);
  // The diagonal blocks stay positive definite.
  for (std::uint32_t i = 0; i < 380; ++i)
    system.matrix.add(i + 20, i, 50 * Eigen::Matrix3d::Identity());
  CurvatureSolver solver(system.matrix);
  const Eigen::VectorXd x = solver.solve(system.matrix, system.b);
  EXPECT_GT(x.dot(system.b), 0);
  EXPECT_EQ(solver.factor(), nullptr);
}

TEST(CurvatureSolver, iterates_where_that_is_fast_and_factors_where_it_is_slow) {
  const RandomSystem fast(400, net(20), 1e2, 7), slow(400, net(20), 1e-9, 7);
  CurvatureSolver solver(fast.matrix);
  solver.solve(fast.matrix, fast.b);
  EXPECT_EQ(solver.factor(), nullptr);
  solver.solve(slow.matrix, slow.b);
  EXPECT_NE(solver.factor(), nullptr);
  // After a slow matrix all are factored until restart().
  const Eigen::VectorXd factored = solver.solve(fast.matrix, fast.b);
  EXPECT_NE(solver.factor(), nullptr);
  EXPECT_LE((fast.matrix * factored - fast.b).norm(), 1e-12 * fast.b.norm());
  solver.restart();
  const Eigen::VectorXd again = solver.solve(fast.matrix, fast.b);
  EXPECT_EQ(solver.factor(), nullptr);
  EXPECT_EQ(again, CurvatureSolver(fast.matrix).solve(fast.matrix, fast.b));  // promise 2
}

TEST(CurvatureSolver, needs_no_iteration_from_the_solution) {
  const RandomSystem system(400, net(20), 1, 7);
  CurvatureSolver solver(system.matrix);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(1200, 1, 2);
  const Eigen::VectorXd found = solver.solve(system.matrix, system.matrix * x, 3 * x);
  EXPECT_LE((found - x).norm(), 1e-12 * x.norm());
}

TEST(CurvatureSolver, accepts_another_pattern) {
  const RandomSystem first(400, net(20), 1e-9, 7), other(400, random_pairs(400, 1500, 9), 1e-9, 8);
  CurvatureSolver solver(first.matrix);
  solver.solve(first.matrix, first.b);
  solver.change_pattern();
  EXPECT_EQ(solver.factor(), nullptr);
  const Eigen::VectorXd x = solver.solve(other.matrix, other.b);
  EXPECT_LE((other.matrix * x - other.b).norm(), 1e-3 * other.b.norm());
}

using Lines = std::vector<std::vector<std::uint32_t>>;

// Returns cables along the rows and the columns of a net.
Lines lines_of_net(std::uint32_t side) {
  Lines lines(2 * side);
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      lines[i].push_back(i * side + j);
      lines[side + j].push_back(i * side + j);
    }
  return lines;
}

Eigen::MatrixXd dense(const LinePreconditioner& inverse, Eigen::Index size) {
  Eigen::MatrixXd all(size, size);
  for (Eigen::Index i = 0; i < size; ++i) all.col(i) = inverse * Eigen::VectorXd::Unit(size, i);
  return all;
}

TEST(LinePreconditioner, inverts_separate_lines_and_particles) {
  // Two lines, whose numbers are in no order, with neighbours and second neighbours, and a particle
  // of no line.
  const Lines lines{{4, 0, 7, 2, 9, 1}, {3, 8, 5}};
  Pairs pairs;
  for (const auto& line : lines)
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      for (std::size_t j = i + 1; j < std::min(i + 3, line.size()); ++j)
        pairs.emplace_back(line[i], line[j]);
  const RandomSystem system(10, pairs, 0.1, 5);
  LinePreconditioner inverse(system.matrix, lines);
  inverse.factorize(system.matrix);
  EXPECT_LE((inverse * (system.matrix * system.b) - system.b).norm(), 1e-12 * system.b.norm());
}

TEST(LinePreconditioner, is_the_sum_of_the_inverses_of_the_lines) {
  const RandomSystem system(81, net(9), 0.1, 5);
  LinePreconditioner inverse(system.matrix, lines_of_net(9));
  inverse.factorize(system.matrix);
  const Eigen::MatrixXd matrix = system.dense();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(243, 243);
  for (const auto& line : lines_of_net(9)) {
    std::vector<Eigen::Index> at;
    for (const std::uint32_t particle : line)
      for (Eigen::Index k = 0; k < 3; ++k) at.push_back(3 * Eigen::Index(particle) + k);
    sum(at, at) += Eigen::MatrixXd(matrix(at, at)).inverse();
  }
  EXPECT_LE((dense(inverse, 243) - sum).norm(), 1e-11 * sum.norm());
}

TEST(LinePreconditioner, promise_1_is_positive_definite) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    // Many blocks of these lines are outside of their bands.
    const std::uint32_t particles = 5 + seed % 17;
    const RandomSystem system(particles, random_pairs(particles, 3 * particles, seed), 1e-3, seed);
    Lines lines(3);
    std::mt19937 random(seed);
    for (auto& line : lines) {
      for (std::uint32_t i = 0; i < particles; ++i)
        if (random() % 4 > 0) line.push_back(i);
      std::shuffle(line.begin(), line.end(), random);
    }
    LinePreconditioner inverse(system.matrix, lines);
    inverse.factorize(system.matrix);
    const Eigen::MatrixXd all = dense(inverse, 3 * Eigen::Index(particles));
    EXPECT_LE((all - all.transpose()).norm(), 1e-10 * all.norm());
    EXPECT_GT(all.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  }
}

TEST(CurvatureSolver, iterates_along_stiff_cables) {
  // Every cable is stiff in its own direction.
  constexpr std::uint32_t side = 20;
  BlockMatrix matrix(side * side, net(side));
  const Lines lines = lines_of_net(side);
  for (std::uint32_t l = 0; l < lines.size(); ++l) {
    Eigen::Matrix3d stiffness = Eigen::Matrix3d::Identity();
    stiffness(l < side ? 0 : 1, l < side ? 0 : 1) = 1e6;
    for (std::size_t i = 0; i + 1 < side; ++i) {
      const std::uint32_t a = lines[l][i], b = lines[l][i + 1];
      matrix.add(a, a, stiffness);
      matrix.add(b, b, stiffness);
      matrix.add(b, a, -stiffness);
    }
  }
  for (std::uint32_t i = 0; i < side * side; ++i) matrix.add(i, i, Eigen::Matrix3d::Identity());
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3 * side * side, -1, 2);
  CurvatureSolver solver(matrix, lines);
  const Eigen::VectorXd x = solver.solve(matrix, b);
  EXPECT_EQ(solver.factor(), nullptr);
  // The error in the norm of the energy is small: the lines make the system well-conditioned.
  BlockCholesky factor(matrix);
  ASSERT_TRUE(factor.factorize(matrix));
  const Eigen::VectorXd exact = factor.solve(b), error = x - exact;
  EXPECT_LE(error.dot(matrix * error), 1e-4 * exact.dot(matrix * exact));
}

}  // namespace
}  // namespace graze::sim::curvature_solver_test
