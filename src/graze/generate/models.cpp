#include "graze/generate/models.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "graze/generate/random.h"

namespace graze::generate {
namespace {

struct CosSin {
  double cos, sin;
};

// Returns cosine and sine of x full turns. The standard library's functions are not used, since
// their last bits differ between machines; the power series is evaluated at an eighth of the angle,
// which is then doubled three times.
CosSin turn(double x) {
  const double a = 2 * 3.14159265358979323846 * (x - std::round(x)) / 8, s = a * a;
  double c = 1 - s / 2 * (1 - s / 12 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90))));
  double d = a * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110)))));
  for (int doubling = 0; doubling < 3; ++doubling) {
    const double next = c * c - d * d;
    d = 2 * c * d;
    c = next;
  }
  return {c, d};
}

double share(std::uint32_t i, std::uint32_t n) {
  return static_cast<double>(i) / static_cast<double>(n);
}

// Returns the faces of a grid of along x around vertices that is closed in both directions.
std::vector<Face> torus_faces(std::uint32_t along, std::uint32_t around) {
  std::vector<Face> faces;
  faces.reserve(std::size_t{2} * along * around);
  for (std::uint32_t i = 0; i < along; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t row = i * around, next = (i + 1) % along * around, k = (j + 1) % around;
      faces.push_back({row + j, next + j, next + k});
      faces.push_back({row + j, next + k, row + k});
    }
  return faces;
}

// Returns a tube around the closed curve through the points; normals[i] is approximately orthogonal
// to the curve.
SurfaceModel tube(std::span<const Vec3> points, std::span<const Vec3> normals, std::uint32_t around,
                  double radius) {
  const auto along = static_cast<std::uint32_t>(points.size());
  SurfaceModel model;
  for (std::uint32_t i = 0; i < along; ++i) {
    const Vec3 tangent = points[(i + 1) % along] - points[(i + along - 1) % along];
    const Vec3 side = normals[i].cross(tangent).normalized();
    for (std::uint32_t j = 0; j < around; ++j) {
      const CosSin t = turn(share(j, around));
      model.vertices.push_back(points[i] + radius * (t.cos * normals[i] + t.sin * side));
    }
  }
  model.faces = torus_faces(along, around);
  return model;
}

// Returns the surface that the function `surface` makes of the unit sphere.
template <class Surface>
SurfaceModel globe(std::uint32_t meridians, std::uint32_t bands, const Surface& surface) {
  const auto point = [&](const CosSin& east, const CosSin& north) {
    return Vec3(surface(Vec3(north.sin * east.cos, north.sin * east.sin, north.cos)));
  };
  SurfaceModel model;
  model.vertices.push_back(point({1, 0}, {1, 0}));
  for (std::uint32_t band = 1; band < bands; ++band)
    for (std::uint32_t i = 0; i < meridians; ++i)
      model.vertices.push_back(point(turn(share(i, meridians)), turn(share(band, 2 * bands))));
  model.vertices.push_back(point({1, 0}, {-1, 0}));

  const auto south = static_cast<std::uint32_t>(model.vertices.size()) - 1;
  const auto at = [&](std::uint32_t band, std::uint32_t i) {
    return 1 + (band - 1) * meridians + i % meridians;
  };
  for (std::uint32_t i = 0; i < meridians; ++i) {
    model.faces.push_back({0, at(1, i), at(1, i + 1)});
    for (std::uint32_t band = 1; band + 1 < bands; ++band) {
      model.faces.push_back({at(band, i), at(band + 1, i), at(band + 1, i + 1)});
      model.faces.push_back({at(band, i), at(band + 1, i + 1), at(band, i + 1)});
    }
    model.faces.push_back({at(bands - 1, i), south, at(bands - 1, i + 1)});
  }
  return model;
}

// Appends a parallelogram of cells x cells x 2 triangles, oriented towards across x up.
void add_sheet(SurfaceModel& model, const Vec3& corner, const Vec3& across, const Vec3& up,
               std::uint32_t cells) {
  const auto first = static_cast<std::uint32_t>(model.vertices.size());
  for (std::uint32_t i = 0; i <= cells; ++i)
    for (std::uint32_t j = 0; j <= cells; ++j)
      model.vertices.push_back(corner + share(i, cells) * across + share(j, cells) * up);
  for (std::uint32_t i = 0; i < cells; ++i)
    for (std::uint32_t j = 0; j < cells; ++j) {
      const std::uint32_t a = first + i * (cells + 1) + j, b = a + cells + 1;
      model.faces.push_back({a, b, b + 1});
      model.faces.push_back({a, b + 1, a + 1});
    }
}

// Appends the sides of a box, oriented outwards, but not the one towards the positive axis `open`
// (none if 3).
void add_sides(SurfaceModel& model, const Vec3& centre, const Vec3& half, int open,
               std::uint32_t cells) {
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 across = Vec3::Zero(), up = Vec3::Zero();
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    across[u] = 2 * half[u];
    up[v] = 2 * half[v];
    Vec3 far = centre - half;
    far[axis] += 2 * half[axis];
    add_sheet(model, centre - half, up, across, cells);
    if (axis != open) add_sheet(model, far, across, up, cells);
  }
}

constexpr auto model_table = std::to_array<ModelRecipe>({
    {"knot_2880", "torus knot of 2,880 triangles", true, [] { return torus_knot(120, 12); }},
    {"knot_11520", "torus knot of 11,520 triangles", true, [] { return torus_knot(240, 24); }},
    {"knot_34560", "torus knot of 34,560 triangles", true, [] { return torus_knot(432, 40); }},
    {"ring", "ring of 10,000 triangles", true, [] { return ring(100, 50); }},
    {"figure", "bumpy figure of 37,888 triangles", true, [] { return bumpy_figure(128, 149); }},
    {"board", "thin board of 12 triangles", true,
     [] {
       return box({2, 2, 0.02});
     }},
    {"cube", "cube of side 1", true,
     [] {
       return box({0.5, 0.5, 0.5});
     }},
    {"tetrahedron", "tetrahedron", true, tetrahedron},
    {"l_shape", "two bars that meet at a right angle", true, l_shape},
    {"small_knot", "torus knot of 192 triangles", true, [] { return torus_knot(24, 4); }},
    {"soup", "30 triangles anywhere", false, [] { return soup(30, 0.5, 1); }},
    {"bolt", "screw thread of 9,216 triangles", false, [] { return thread(1, 48, 8, 12); }},
    {"nut", "screw thread of 3,456 triangles around the bolt", false,
     [] { return thread(1.02, 48, 3, 12); }},
    {"comb", "comb of 24 teeth, 4,800 triangles", false, [] { return comb(24, 0.48, 4); }},
    {"drawer", "open box of 2,560 triangles", false,
     [] {
       return tray({1, 0.8, 0.4}, 2, 16);
     }},
    {"cabinet", "open box of 2,560 triangles around the drawer", false,
     [] {
       return tray({1.005, 0.805, 0.405}, 0, 16);
     }},
});

}  // namespace

std::span<const ModelRecipe> model_recipes() {
  return model_table;
}

const ModelRecipe* find_model_recipe(std::string_view name) {
  for (const ModelRecipe& recipe : model_table)
    if (recipe.name == name) return &recipe;
  return nullptr;
}

SurfaceModel torus_knot(std::uint32_t along, std::uint32_t around) {
  // The curve lies on a torus, whose normal is orthogonal to the curve. The two strands that cross
  // a half plane bounded by the axis are two small radii apart there.
  constexpr double large = 1, small = 0.45, radius = 0.2;
  std::vector<Vec3> points, normals;
  for (std::uint32_t i = 0; i < along; ++i) {
    const CosSin p = turn(share(2 * i, along)), q = turn(share(3 * i, along));
    normals.emplace_back(q.cos * p.cos, q.cos * p.sin, q.sin);
    points.emplace_back(Vec3(large * p.cos, large * p.sin, 0) + small * normals.back());
  }
  return tube(points, normals, around, radius);
}

SurfaceModel ring(std::uint32_t along, std::uint32_t around, double radius) {
  std::vector<Vec3> points;
  for (std::uint32_t i = 0; i < along; ++i) {
    const CosSin t = turn(share(i, along));
    points.emplace_back(t.cos, t.sin, 0);
  }
  return tube(points, points, around, radius);
}

SurfaceModel bumpy_figure(std::uint32_t meridians, std::uint32_t bands) {
  return globe(meridians, bands, [](const Vec3& way) {
    const auto wave = [](double x) { return turn(x).sin; };
    const double bumps = wave(0.9 * way[0]) * wave(1.1 * way[1] + 0.2) * wave(0.8 * way[2] + 0.1);
    const double ripple = wave(2.3 * way[0] + 0.3) * wave(2.1 * way[1]) * wave(1.9 * way[2]);
    return Vec3((1 + 0.5 * bumps + 0.15 * ripple) * way.cwiseProduct(Vec3(0.6, 0.7, 1)));
  });
}

SurfaceModel sphere(std::uint32_t meridians, std::uint32_t bands) {
  return globe(meridians, bands, [](const Vec3& way) { return way; });
}

SurfaceModel box(const Vec3& half) {
  SurfaceModel model;
  for (int corner = 0; corner < 8; ++corner)
    model.vertices.emplace_back((corner & 1) != 0 ? half[0] : -half[0],
                                (corner & 2) != 0 ? half[1] : -half[1],
                                (corner & 4) != 0 ? half[2] : -half[2]);
  model.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return model;
}

SurfaceModel l_shape() {
  // The outline, counterclockwise, at the bottom and at the top.
  constexpr std::array<std::array<double, 2>, 6> outline = {
      {{-0.5, -0.5}, {0.5, -0.5}, {0.5, -0.25}, {-0.25, -0.25}, {-0.25, 0.5}, {-0.5, 0.5}}};
  constexpr std::array<Face, 4> top = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}};
  SurfaceModel model;
  for (const double z : {-0.125, 0.125})
    for (const auto& [x, y] : outline) model.vertices.emplace_back(x, y, z);
  for (const auto& [a, b, c] : top) {
    model.faces.push_back({a, c, b});
    model.faces.push_back({a + 6, b + 6, c + 6});
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t k = (i + 1) % 6;
    model.faces.push_back({i, k, k + 6});
    model.faces.push_back({i, k + 6, i + 6});
  }
  return model;
}

SurfaceModel tetrahedron() {
  return {{{0.5, 0.5, 0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5}, {-0.5, -0.5, 0.5}},
          {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
}

SurfaceModel thread(double radius, std::uint32_t around, std::uint32_t turns,
                    std::uint32_t across) {
  SurfaceModel model;
  for (std::uint32_t i = 0; i <= around * turns; ++i)
    for (std::uint32_t k = 0; k <= across; ++k) {
      const CosSin at = turn(share(i, around));
      const double r = radius + 0.4 * std::abs(2 * share(k, across) - 1);
      model.vertices.emplace_back(r * at.cos, r * at.sin,
                                  thread_pitch * (share(i, around) + share(k, across)));
    }
  for (std::uint32_t i = 0; i < around * turns; ++i)
    for (std::uint32_t k = 0; k < across; ++k) {
      const std::uint32_t a = i * (across + 1) + k, b = a + across + 1;
      model.faces.push_back({a, b, b + 1});
      model.faces.push_back({a, b + 1, a + 1});
    }
  return model;
}

SurfaceModel comb(std::uint32_t teeth, double thickness, std::uint32_t cells) {
  SurfaceModel model;
  const double length = teeth;
  add_sides(model, {0.5 * (length - 1), 0, -0.25}, {0.5 * length, 1, 0.25}, 3, cells);
  for (std::uint32_t i = 0; i < teeth; ++i)
    add_sides(model, {double(i), 0, 1}, {0.5 * thickness, 1, 1}, 3, cells);
  return model;
}

SurfaceModel tray(const Vec3& half, int open, std::uint32_t cells) {
  SurfaceModel model;
  add_sides(model, Vec3::Zero(), half, open, cells);
  return model;
}

SurfaceModel soup(std::uint32_t triangles, double size, std::uint64_t seed) {
  Random random("soup", 0, seed, triangles);
  SurfaceModel model;
  for (std::uint32_t i = 0; i < triangles; ++i) {
    const Vec3 centre = random.cube(-1, 1);
    for (int corner = 0; corner < 3; ++corner)
      model.vertices.push_back(centre + random.cube(-size / 2, size / 2));
    model.faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return model;
}

SurfaceModel scaled(SurfaceModel model, double factor) {
  for (Vec3& vertex : model.vertices) vertex *= factor;
  return model;
}

double six_volumes(const SurfaceModel& model) {
  double sum = 0;
  for (const auto& [a, b, c] : model.faces)
    sum += model.vertices[a].dot(model.vertices[b].cross(model.vertices[c]));
  return sum;
}

}  // namespace graze::generate
