#include "graze/generate/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graze/generate/models.h"

namespace graze::generate {
namespace {

// Appends the faces of a sheet of n x n squares, each of two triangles with alternating diagonals;
// its vertices are numbered from `first`.
void add_sheet(std::uint32_t n, std::uint32_t first, std::vector<Face>& faces) {
  for (std::uint32_t row = 0; row < n; ++row)
    for (std::uint32_t column = 0; column < n; ++column) {
      const std::uint32_t a = first + row * (n + 1) + column, b = a + 1, c = a + n + 1, d = c + 1;
      if ((row + column) % 2 == 0) {
        faces.push_back({a, b, d});
        faces.push_back({a, d, c});
      } else {
        faces.push_back({a, b, c});
        faces.push_back({b, d, c});
      }
    }
}

// Returns a wave between -1 and 1 of period 1, composed of parabolas. It replaces a sine and has
// the same bits on every machine.
double wave(double x) {
  const double turn = 2 * (x - std::floor(x)) - 1;
  return 4 * turn * (1 - std::abs(turn));
}

double cone(double x, double y) {
  return 0.5 - 0.5 * std::sqrt(x * x + y * y) + 0.02 * wave(1.3 * x) * wave(1.7 * y);
}

// A cloth above a bumpy cone of coarser triangles, at a distance of about one square of the cloth.
// It sinks, ripples and drifts from frame to frame. The fraction of its features that touch does
// not depend on the number of triangles.
FrameSequence cloth_on_cone(std::size_t triangles, std::size_t frames) {
  const auto squares = [](double count) {
    return static_cast<std::uint32_t>(std::max(1.0, std::round(std::sqrt(count / 2))));
  };
  const double count = static_cast<double>(triangles);
  const std::uint32_t n = squares(0.75 * count), m = squares(0.25 * count);
  const std::uint32_t cloth_size = (n + 1) * (n + 1), cone_size = (m + 1) * (m + 1);
  const double h = 2.0 / n;

  std::vector<Face> faces;
  faces.reserve(2 * (std::size_t{n} * n + std::size_t{m} * m));
  add_sheet(n, 0, faces);
  add_sheet(m, cloth_size, faces);
  FrameSequence scene{make_mesh(cloth_size + cone_size, std::move(faces)), {}};
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto time = static_cast<double>(frame);
    std::vector<Vec3> positions;
    positions.reserve(cloth_size + cone_size);
    for (std::uint32_t v = 0; v < cloth_size; ++v) {
      const double x = h * (v % (n + 1)) - 1, y = h * (v / (n + 1)) - 1;
      const double ripple = wave(7 * x) * wave(5 * y), fall = 1 + 0.4 * wave(3 * x + 2 * y);
      positions.emplace_back(x + 0.1 * h * time * wave(2 * y), y + 0.1 * h * time * wave(2 * x),
                             cone(x, y) + h * (1.35 + 0.2 * ripple - 0.5 * time * fall));
    }
    for (std::uint32_t v = 0; v < cone_size; ++v) {
      const double x = 2.4 * (v % (m + 1)) / m - 1.2, y = 2.4 * (v / (m + 1)) / m - 1.2;
      positions.emplace_back(x, y, cone(x, y));
    }
    scene.frames.push_back(std::move(positions));
  }
  return scene;
}

// Returns the point of the unit circle after `turn` turns. It replaces cosine and sine, at a speed
// that varies by a factor of two, and has the same bits on every machine.
std::array<double, 2> circle(double turn) {
  const double quarters = 4 * (turn - std::floor(turn)), s = quarters - std::floor(quarters);
  const double x = (1 - s * s) / (1 + s * s), y = 2 * s / (1 + s * s);
  switch (static_cast<int>(quarters)) {
    case 0:
      return {x, y};
    case 1:
      return {-y, x};
    case 2:
      return {-x, -y};
    default:
      return {y, -x};
  }
}

// A bundle of round rods, one in the middle and rings of rods around it, as in a rope; 37 rods from
// 10,000 triangles on. The bundle is twisted further and pressed together from frame to frame.
// Every rod lies close to its neighbours along its whole length, and features move by about half
// their size in a step.
FrameSequence twisted_rods(std::size_t triangles, std::size_t frames) {
  const auto sides = static_cast<std::uint32_t>(std::clamp<std::size_t>(triangles / 6, 3, 16));
  const auto rods_of = [](int rings) {
    return static_cast<std::size_t>(1 + 3 * rings * (rings + 1));
  };
  int rings = 0;
  while (rings < 3 && 16 * sides * rods_of(rings + 1) <= triangles) ++rings;
  const auto rods = static_cast<std::uint32_t>(rods_of(rings));
  const auto segments = static_cast<std::uint32_t>(
      std::max(1.0, std::round(static_cast<double>(triangles) / (2.0 * sides * rods))));
  std::vector<std::array<double, 2>> centres;  // on a lattice of triangles of side 1
  for (int i = -rings; i <= rings; ++i)
    for (int j = -rings; j <= rings; ++j)
      if (std::abs(i + j) <= rings) centres.push_back({i + 0.5 * j, 0.8660254037844386 * j});

  std::vector<Face> faces;
  const std::uint32_t rod_size = sides * (segments + 1);
  for (std::uint32_t rod = 0; rod < rods; ++rod)
    for (std::uint32_t row = 0; row < segments; ++row)
      for (std::uint32_t side = 0; side < sides; ++side) {
        const std::uint32_t a = rod * rod_size + row * sides + side,
                            b = a - side + (side + 1) % sides, c = a + sides, d = b + sides;
        faces.push_back({a, b, d});
        faces.push_back({a, d, c});
      }
  FrameSequence scene{make_mesh(std::size_t{rods} * rod_size, std::move(faces)), {}};
  const double length = 0.2 * segments;  // about as long as a side of the rods
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const auto time = static_cast<double>(frame);
    const double spread = 1.01 - 0.02 * time;
    std::vector<Vec3> positions;
    positions.reserve(scene.mesh.vertex_count);
    for (std::size_t rod = 0; rod < centres.size(); ++rod)
      for (std::uint32_t row = 0; row <= segments; ++row) {
        const auto [x, y] = centres[rod];
        const double radius = 0.49 - 0.001 * static_cast<double>(rod % 7);
        const double along = static_cast<double>(row) / segments - 0.5;
        const auto [c, s] = circle(along * (0.01 * length + 0.06 * time));
        for (std::uint32_t side = 0; side < sides; ++side) {
          const auto [u, v] = circle((side + 0.5 * (row % 2)) / sides);
          const double px = spread * x + radius * u, py = spread * y + radius * v;
          positions.emplace_back(c * px - s * py, s * px + c * py, length * along);
        }
      }
    scene.frames.push_back(std::move(positions));
  }
  return scene;
}

// Two knots of equal size. The first spins about its axis z. The second spins about its axis y and
// approaches along x. Vertices move on arcs by about their own size in a step, and the frames have
// the velocities of the motion.
FrameSequence spinning_knots(std::size_t triangles, std::size_t frames) {
  const auto count = static_cast<double>(triangles);
  const auto around = static_cast<std::uint32_t>(std::max(3.0, std::round(std::sqrt(count / 40))));
  const auto along = static_cast<std::uint32_t>(std::max(12.0, std::round(count / (4 * around))));
  const SurfaceModel knot = torus_knot(along, around);
  const auto size = static_cast<std::uint32_t>(knot.vertices.size());
  std::vector<Face> faces = knot.faces;
  for (const Face& face : knot.faces)
    faces.push_back({face[0] + size, face[1] + size, face[2] + size});
  FrameSequence scene{make_mesh(2 * std::size_t{size}, std::move(faces)), {}, {}};
  // The angle of a step is 2 atan(0.05), whose cosine and sine are rational.
  constexpr double angle = 0.09991679144388552, cosine = 399.0 / 401, sine = 40.0 / 401;
  constexpr double approach = 0.1;  // in a step
  double c = 1, s = 0;              // of the angle so far
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const double distance = 2.9 - approach * static_cast<double>(frame);
    std::vector<Vec3> positions, velocities;
    for (const Vec3& x : knot.vertices) {
      const Vec3 turned(c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]);
      positions.push_back(turned);
      velocities.emplace_back(-angle * turned[1], angle * turned[0], 0);
    }
    for (const Vec3& x : knot.vertices) {  // (x, y, z) becomes (x, -z, y): its axis is y
      const Vec3 turned(c * x[0] - s * x[1], -x[2], s * x[0] + c * x[1]);
      positions.push_back(turned + Vec3(distance, 0, 0));
      velocities.emplace_back(-angle * turned[2] - approach, 0, angle * turned[0]);
    }
    scene.frames.push_back(std::move(positions));
    scene.velocities.push_back(std::move(velocities));
    const double next = cosine * c - sine * s;
    s = sine * c + cosine * s;
    c = next;
  }
  return scene;
}

constexpr auto recipes = std::to_array<SceneRecipe>({
    {"cloth_on_cone", "a rippling cloth sinks onto a bumpy cone", cloth_on_cone},
    {"twisted_rods", "a bundle of rods is twisted and pressed together", twisted_rods},
    {"spinning_knots", "two knots spin and approach each other", spinning_knots},
});

}  // namespace

std::span<const SceneRecipe> scene_recipes() {
  return recipes;
}

const SceneRecipe* find_scene_recipe(std::string_view name) {
  for (const SceneRecipe& recipe : recipes)
    if (recipe.name == name) return &recipe;
  return nullptr;
}

}  // namespace graze::generate
