#include "graze/sim/edges/edge_scenes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace graze::sim::edges {
namespace {

constexpr double pinned = std::numeric_limits<double>::infinity();
constexpr double rigid = std::numeric_limits<double>::infinity();
constexpr double turn = 2 * std::numbers::pi;

class Builder {
 public:
  std::uint32_t particle(const Vec3& position, double mass, double radius = 0,
                         const Vec3& velocity = {0, 0, 0}) {
    model.positions.push_back(position);
    model.velocities.push_back(velocity);
    model.masses.push_back(mass);
    model.radii.push_back(radius);
    return static_cast<std::uint32_t>(model.positions.size() - 1);
  }

  // Appends `elements` edges in a row, from the last particle of `row` to particle b, to `row`.
  void lead(std::vector<std::uint32_t>& row, std::uint32_t b, std::size_t elements, double mass,
            double radius) {
    const Vec3 from = model.positions[row.back()], to = model.positions[b];
    for (std::size_t i = 1; i < elements; ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(elements);
      row.push_back(particle((1 - s) * from + s * to, mass, radius));
    }
    row.push_back(b);
  }

  void cable(std::vector<std::uint32_t> particles, double stretch, double bend) {
    Cable cable;
    cable.particles = std::move(particles);
    cable.stretch = stretch;
    cable.bend = bend;
    model.cables.push_back(std::move(cable));
  }

  // Adds a ball of edges: an icosahedron, its faces divided `levels` times into four, and spokes.
  void ball(const Vec3& centre, double size, double mass, double stiffness, int levels,
            const Vec3& velocity) {
    const double golden = std::numbers::phi;
    std::vector<Vec3> corners;
    for (const double a : {-1.0, 1.0})
      for (const double b : {-golden, golden})
        for (int axis = 0; axis < 3; ++axis) {
          Vec3 corner = Vec3::Zero();
          corner[axis] = a;
          corner[(axis + 1) % 3] = b;
          corners.push_back(corner.normalized());
        }
    std::vector<Edge> edges;
    for (std::uint32_t i = 0; i < corners.size(); ++i)
      for (std::uint32_t j = 0; j < i; ++j)
        if ((corners[i] - corners[j]).norm() < 1.1) edges.push_back({j, i});
    for (; levels > 0; --levels) {
      std::map<Edge, std::uint32_t> middle;
      std::vector<Edge> finer;
      for (const Edge& edge : edges) {
        const auto m = static_cast<std::uint32_t>(corners.size());
        corners.push_back((corners[edge[0]] + corners[edge[1]]).normalized());
        middle[edge] = m;
        finer.push_back({edge[0], m});
        finer.push_back({edge[1], m});
      }
      for (const auto& [ab, m] : middle)  // two sides of a triangle have a third
        for (const auto& [cd, n] : middle)
          if (ab < cd && third_side(middle, ab, cd)) finer.push_back({m, n});
      edges = std::move(finer);
    }
    const double share = mass / static_cast<double>(corners.size() + 1);
    const std::uint32_t middle = particle(centre, share, 0, velocity);
    for (const Vec3& corner : corners) {
      const std::uint32_t p = particle(centre + size * corner, share, 0, velocity);
      model.springs.push_back({{middle, p}, size, stiffness});
    }
    for (const Edge& edge : edges) {
      const std::uint32_t a = middle + 1 + edge[0], b = middle + 1 + edge[1];
      const double length = (model.positions[a] - model.positions[b]).norm();
      model.springs.push_back({{a, b}, length, stiffness});
    }
  }

  // Adds a static square of two triangles.
  void floor(double height, double half) {
    const auto a = particle({-half, -half, height}, pinned);
    const auto b = particle({half, -half, height}, pinned);
    const auto c = particle({half, half, height}, pinned);
    const auto d = particle({-half, half, height}, pinned);
    model.faces.push_back({a, b, c});
    model.faces.push_back({a, c, d});
  }

  Model model;

 private:
  static bool third_side(const std::map<Edge, std::uint32_t>& sides, const Edge& ab,
                         const Edge& cd) {
    for (const std::uint32_t p : ab)
      for (const std::uint32_t q : cd) {
        if (p != q) continue;
        const std::uint32_t a = ab[0] == p ? ab[1] : ab[0], b = cd[0] == p ? cd[1] : cd[0];
        return sides.contains({std::min(a, b), std::max(a, b)});
      }
    return false;
  }
};

// A rim at `centre` with a net of about `edges` edges, and a ball above it.
void add_hoop(Builder& builder, const Vec3& centre, std::size_t edges, const Vec3& ball_offset) {
  constexpr double rim = 0.225, thread = 0.002, knot_mass = 0.002;
  const int ball_levels = edges < 300 ? 0 : 1;
  const double ball_edges = ball_levels == 0 ? 42 : 162;
  // The net has `rows` rows of `columns` diamonds, whose sides have `elements` edges.
  const double sides = std::max(4.0, (static_cast<double>(edges) - ball_edges) / 2);
  const auto rows = static_cast<std::size_t>(std::max(2.0, std::round(std::sqrt(sides / 4))));
  const auto columns =
      static_cast<std::size_t>(std::max(6.0, std::round(sides / (2 * static_cast<double>(rows)))));
  const std::size_t elements = 2;

  const auto knot_at = [&](std::size_t row, std::size_t column) {
    const double down = static_cast<double>(row) / static_cast<double>(rows);
    const double angle = turn * (static_cast<double>(column) + 0.5 * static_cast<double>(row % 2)) /
                         static_cast<double>(columns);
    const double radius = rim * (1 - 0.4 * down);
    return Vec3(centre + Vec3(radius * std::cos(angle), radius * std::sin(angle), -0.45 * down));
  };
  std::vector<std::vector<std::uint32_t>> knots(rows + 1);
  for (std::size_t row = 0; row <= rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      knots[row].push_back(
          builder.particle(knot_at(row, column), row == 0 ? pinned : knot_mass, thread));
  for (std::size_t column = 0; column < columns; ++column)
    builder.model.edges.push_back({knots[0][column], knots[0][(column + 1) % columns]});
  // Two threads start at each point of the rim, one to the left and one to the right.
  for (std::size_t column = 0; column < columns; ++column)
    for (const bool right : {false, true}) {
      std::vector<std::uint32_t> thread_particles{knots[0][column]};
      std::size_t at = column;
      for (std::size_t row = 1; row <= rows; ++row) {
        if (right == (row % 2 == 0)) at = right ? (at + 1) % columns : (at + columns - 1) % columns;
        builder.lead(thread_particles, knots[row][at], elements, knot_mass, thread);
      }
      builder.cable(std::move(thread_particles), 20, 1e-5);
    }
  builder.ball(centre + ball_offset, 0.12, 0.6, 300, ball_levels, {0, 0, -2});
}

// Many edges make many hoops, in a square grid one metre apart; each ball starts at another offset.
Model hoop(std::size_t edges) {
  Builder builder;
  Model& model = builder.model;
  model.gravity = {0, 0, -9.81};
  model.drag = 0.3;
  model.law = {0.5, 0.3, 0};
  model.margin = 0.002;
  constexpr std::size_t of_one = 560;
  const std::size_t hoops = std::max<std::size_t>(1, (edges + of_one / 2) / of_one);
  const auto wide = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(hoops))));
  for (std::size_t i = 0; i < hoops; ++i) {
    const auto x = static_cast<double>(i % wide), y = static_cast<double>(i / wide);
    const double angle = 2.4 * static_cast<double>(i);  // the golden angle: no two offsets agree
    const Vec3 offset(0.03 * std::cos(angle), 0.02 + 0.03 * std::sin(angle), 0.4);
    add_hoop(builder, {x, y, 3}, edges / hoops, offset);
  }
  builder.floor(1.5, 100);
  return model;
}

Model curtain(std::size_t edges) {
  Builder builder;
  Model& model = builder.model;
  model.gravity = {0, 0, -9.81};
  model.drag = 0.5;
  model.law = {0.2, 0.3, 0};
  model.margin = 0.002;
  const auto side =
      static_cast<std::size_t>(std::max(4.0, std::sqrt((static_cast<double>(edges) - 42) / 2)));
  constexpr double width = 1, thread = 0.001;
  const double space = width / static_cast<double>(side);
  std::vector<std::vector<std::uint32_t>> down(side + 1), across(side + 1);
  for (std::size_t row = 0; row <= side; ++row)
    for (std::size_t column = 0; column <= side; ++column) {
      const Vec3 at(space * static_cast<double>(column) - width / 2, 0,
                    2 - space * static_cast<double>(row));
      const auto p = builder.particle(at, row == 0 ? pinned : 1.0 / double(side * side), thread);
      down[column].push_back(p);
      across[row].push_back(p);
    }
  for (auto& row : down) builder.cable(std::move(row), 50, 1e-5);
  for (auto& row : across) builder.cable(std::move(row), 50, 1e-5);
  // The ball is larger than the holes; at 60 steps per second it moves 2 m per step.
  builder.ball({0.01, -3, 1.5}, std::max(0.05, 1.2 * space), 0.05, 300, 0, {0, 120, 0});
  builder.floor(0, 8);
  return model;
}

// A trefoil with open ends: x = t^3 - 3t, y = t^4 - 4t^2, z = t^5 - 10t (Shastri 1992).
Model knot(std::size_t edges) {
  constexpr double scale = 0.05, thick = 0.0075;
  std::vector<Vec3> fine;
  double length = 0;
  for (int i = -21000; i <= 21000; ++i) {
    const double t = i / 10000.0, tt = t * t;
    fine.push_back(scale * Vec3(t * (tt - 3), tt * (tt - 4), 0.3 * t * (tt * tt - 10)));
    if (fine.size() > 1) length += (fine.back() - fine[fine.size() - 2]).norm();
  }
  Builder builder;
  Model& model = builder.model;
  model.drag = 2;
  model.law = {0, 0.2, 0};
  // Elements must be longer than the cable is thick, or next neighbours but one would touch: at
  // most length / 0.0175 = 99.
  const auto elements = std::min<std::size_t>(edges, static_cast<std::size_t>(length / 0.0175));
  const double step = length / static_cast<double>(elements);
  const double radius = std::min(thick, 0.4 * step);
  model.margin = 0.1 * step;
  std::vector<std::uint32_t> row;
  double along = 0;
  for (std::size_t i = 0; i < fine.size(); ++i) {
    if (i > 0) along += (fine[i] - fine[i - 1]).norm();
    if (along >= step * static_cast<double>(row.size()) * (1 - 1e-12) || i + 1 == fine.size())
      row.push_back(builder.particle(fine[i], step, radius));
  }
  model.forces.assign(model.positions.size(), Vec3::Zero());
  model.forces.front() = Vec3(-1, 0, -0.2).normalized();
  model.forces.back() = Vec3(1, 0, 0.2).normalized();
  builder.cable(std::move(row), 500, 2e-4);
  return model;
}

// Two edges in free flight: one comes down on the other, slides over it and hits it off its centre.
Model sticks(std::size_t) {
  Builder builder;
  Model& model = builder.model;
  model.law = {1, 0, 0};
  model.margin = 0.002;
  const auto a = builder.particle({-0.5, 0, 0}, 0.1), b = builder.particle({0.5, 0, 0}, 0.2);
  const Vec3 velocity(0.3, 0, -1);
  const auto c = builder.particle({0.1, -0.5, 0.5}, 0.2, 0, velocity),
             d = builder.particle({0.1, 0.5, 0.5}, 0.1, 0, velocity);
  model.springs = {{{a, b}, 1, rigid}, {{c, d}, 1, rigid}};
  return model;
}

Model twist(std::size_t edges) {
  return twisted_cable(std::clamp<std::size_t>(edges, 10, 200), 1.25 * buckling_moment);
}

constexpr auto table = std::to_array<EdgeScene>({
    {"hoop", "a ball falls through the net of a hoop", hoop, 560, 100000},
    {"knot", "a cable is pulled into an overhand knot", knot, 99, 99},
    {"curtain", "a net of cables is struck by a fast small ball", curtain, 1200, 100000},
    {"sticks", "two edges collide in free flight and part", sticks, 2, 2},
    {"twist", "a twisted cable between clamps buckles into a coil", twist, 40, 200},
});

}  // namespace

// The ends of the first and of the last element are pinned. M = twist Theta / l with l = L, the
// distance of the centres of these two elements, so M L / (E I) = twist Theta / bend.
Model twisted_cable(std::size_t elements, double moment) {
  Builder builder;
  Model& model = builder.model;
  model.drag = 1;
  model.margin = 1e-4;
  constexpr double bend = 0.01, twist = 0.01;
  std::vector<std::uint32_t> row;
  for (std::size_t i = 0; i <= elements; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(elements);
    const bool clamped = i < 2 || i + 1 >= elements;
    const double push = clamped ? 0 : 1e-3 * std::sin(std::numbers::pi * s);
    row.push_back(builder.particle({s - 0.5, 0, 0}, clamped ? pinned : 0.1 / double(elements), 1e-3,
                                   {0, push, 0.5 * push}));
  }
  builder.cable(std::move(row), 100, bend);
  Cable& cable = model.cables.back();
  cable.twist = twist;
  cable.turn = moment * bend / twist;
  cable.holds_turn = true;
  return model;
}

std::span<const EdgeScene> edge_scenes() {
  return table;
}

}  // namespace graze::sim::edges
