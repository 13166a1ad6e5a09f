#include "bench/suites/casts/cast_suite.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/harness/judged_row.h"
#include "bench/harness/timing.h"
#include "bench/peers/cast_peer.h"
#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/distance.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

constexpr JudgedColumns columns{
    .title = "Straight casts, one thread; an answer off by 1 % of the radius is late or early",
    .subject = "shape",
    .unit = "cast"};

// Answers that deviate from the truth by more than this share of the radius are late or early.
constexpr double forgiven = 0.01;

struct CastWorld {
  std::string name;
  generate::SurfaceModel triangles;
  double radius;  // of the shapes
  // Returns a random start and way.
  std::function<std::pair<Vec3, Vec3>(generate::Random&)> shoot;
};

struct Cast {
  Vec3 from, way;
  double toi;  // truth; 1: no contact
};

// The time at which a point on a straight way comes within r of a convex set, by closed forms for
// each of its vertices, edges and faces.
class RoundedHit {
 public:
  RoundedHit(const Vec3& from, const Vec3& way, double r) : from_(from), way_(way), r_(r) {}

  double first() const { return first_; }

  void vertex(const Vec3& p) {
    const Vec3 d = from_ - p;
    offer_root(way_.squaredNorm(), way_.dot(d), d.squaredNorm() - r_ * r_,
               [](double) { return true; });
  }
  void edge(const Vec3& p, const Vec3& q) {
    const Vec3 e = q - p;
    const double length = e.squaredNorm();
    if (length == 0) return;
    const auto across = [&](const Vec3& x) { return Vec3(x - e * (e.dot(x) / length)); };
    const Vec3 d = across(from_ - p), w = across(way_);
    offer_root(w.squaredNorm(), w.dot(d), d.squaredNorm() - r_ * r_, [&](double t) {
      const double s = e.dot(from_ + t * way_ - p);
      return s >= 0 && s <= length;
    });
  }
  void face(std::span<const Vec3> corners) {
    const Vec3 n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if (n.squaredNorm() == 0) return;
    const Vec3 unit = n.normalized();
    const double height = unit.dot(from_ - corners[0]), speed = unit.dot(way_);
    if (height * speed >= 0) return;
    const double t = (std::abs(height) - r_) / std::abs(speed);
    if (!(t >= 0 && t < first_)) return;
    const Vec3 x = from_ + t * way_;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 &a = corners[i], &b = corners[(i + 1) % corners.size()];
      if (n.dot((b - a).cross(x - a)) < 0) return;
    }
    first_ = t;
  }

 private:
  // Offers the smaller root of a t^2 + 2 b t + c.
  template <class Holds>
  void offer_root(double a, double b, double c, const Holds& holds) {
    const double disc = b * b - a * c;
    if (!(a > 0 && b < 0 && disc >= 0)) return;
    const double t = c / (-b + std::sqrt(disc));
    if (t >= 0 && t < first_ && holds(t)) first_ = t;
  }

  Vec3 from_, way_;
  double r_, first_ = 1;
};

// Returns the first contact of a cast, 1 if there is none. A capsule meets a triangle when its
// centre comes within the radius of the sum of the triangle and the segment, a prism.
double judge(const generate::SurfaceModel& world, const RoundShape& shape, const Vec3& from,
             const Vec3& way) {
  const Vec3 up(0, 0, shape.half_length), room = Vec3::Constant(shape.radius) + up;
  const Vec3 lo = from.cwiseMin(from + way) - room, hi = from.cwiseMax(from + way) + room;
  RoundedHit hit(from, way, shape.radius);
  for (const Face& face : world.faces) {
    const std::array<Vec3, 3> t = {world.vertices[face[0]], world.vertices[face[1]],
                                   world.vertices[face[2]]};
    if ((t[0].cwiseMin(t[1]).cwiseMin(t[2]).array() > hi.array()).any() ||
        (t[0].cwiseMax(t[1]).cwiseMax(t[2]).array() < lo.array()).any())
      continue;
    for (const Vec3& shift : {up, Vec3(-up)}) {
      const std::array<Vec3, 3> moved = {t[0] + shift, t[1] + shift, t[2] + shift};
      hit.face(moved);
      for (std::size_t i = 0; i < 3; ++i) {
        hit.vertex(moved[i]);
        hit.edge(moved[i], moved[(i + 1) % 3]);
      }
      if (shape.half_length == 0) break;
    }
    for (std::size_t i = 0; shape.half_length > 0 && i < 3; ++i) {
      const Vec3 &a = t[i], &b = t[(i + 1) % 3];
      hit.edge(a - up, a + up);
      hit.face(std::array<Vec3, 4>{a - up, b - up, b + up, a + up});
    }
  }
  return hit.first();
}

rigid::Body body_of(const RoundShape& shape) {
  const Vec3 end(0, 0, shape.half_length);
  return shape.half_length == 0 ? rigid::make_sphere(shape.radius)
                                : rigid::make_capsule(-end, end, shape.radius);
}

Pose at(const Vec3& place) {
  Pose pose;
  pose.translation = place;
  return pose;
}

SweepQuery graze_query(const rigid::Body& world, const RoundShape& shape) {
  rigid::AdvanceOptions options;
  options.threshold = forgiven / 10 * shape.radius;
  return [=, mover = body_of(shape), rest = rigid::resting({})](const Vec3& from, const Vec3& way) {
    const rigid::BodyImpact found =
        rigid::advance(mover, rigid::translation(at(from), way), world, rest, options);
    return found.impact.verdict == Verdict::separated ? 1 : found.impact.toi;
  };
}

std::vector<JudgedRow> measure(const CastWorld& world, const rigid::Body& mesh,
                               const RoundShape& shape, std::size_t count, std::uint64_t seed,
                               double seconds) {
  const std::string name = shape.half_length == 0 ? "sphere" : "capsule";
  generate::Random random(world.name + name, 0, seed, 0);
  std::vector<Cast> casts;
  const rigid::Body mover = body_of(shape);
  for (std::size_t tries = 0; casts.size() < count && tries < 50 * count; ++tries) {
    const auto [from, way] = world.shoot(random);
    const rigid::BodyDistance start =
        rigid::distance(mover, rigid::placement_of(at(from)), mesh, rigid::placement_of({}));
    if (start.lo > forgiven * shape.radius)
      casts.push_back({from, way, judge(world.triangles, shape, from, way)});
  }
  struct Contender {
    std::string name;
    SweepQuery query;
  };
  std::vector<Contender> contenders = {{"graze", graze_query(mesh, shape)}};
  for (const CastPeer& peer : cast_peers())
    contenders.push_back({std::string(peer.name), peer.prepare(world.triangles, shape)});
  std::vector<std::vector<double>> answers(contenders.size());
  std::vector<std::function<void()>> passes;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    answers[c].resize(casts.size());
    passes.push_back([&, c] {
      for (std::size_t i = 0; i < casts.size(); ++i)
        answers[c][i] = contenders[c].query(casts[i].from, casts[i].way);
    });
  }
  const std::vector<double> times = time_in_turns(passes, seconds);
  std::vector<JudgedRow> rows;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    JudgedRow row{world.name, name, contenders[c].name, 0, casts.size(), 0, 0, 0, 0, 0};
    row.mean_ns = 1e9 * times[c] / static_cast<double>(casts.size());
    for (std::size_t i = 0; i < casts.size(); ++i) {
      const double length = casts[i].way.norm(), tol = forgiven * shape.radius;
      const double claimed = answers[c][i], after = (claimed - casts[i].toi) * length;
      const bool contact = casts[i].toi < 1;
      row.hits += contact;
      if (contact && claimed == 1 && after > tol)
        ++row.missed;
      else if (contact && after > tol)
        ++row.late;
      else if (!contact && -after > tol)
        ++row.phantom;
      else if (contact && -after > tol)
        ++row.early;
    }
    rows.push_back(row);
  }
  return rows;
}

CastWorld cast_terrain() {
  constexpr std::uint32_t side = 224;
  const auto height = [](double x, double y) { return 4 * std::sin(0.1 * x) * std::cos(0.07 * y); };
  CastWorld world{"terrain", {}, 0.4, {}};
  for (std::uint32_t i = 0; i <= side; ++i)
    for (std::uint32_t j = 0; j <= side; ++j) {
      generate::Random random("terrain", i, j, 0);
      world.triangles.vertices.push_back(
          {double(i), double(j), height(i, j) + random.uniform(0, 1)});
    }
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      const std::uint32_t a = i * (side + 1) + j, b = a + side + 1;
      world.triangles.faces.push_back({a, b, b + 1});
      world.triangles.faces.push_back({a, b + 1, a + 1});
    }
  world.shoot = [height](generate::Random& random) {
    const double x = random.uniform(10, side - 10), y = random.uniform(10, side - 10);
    const Vec3 from(x, y, height(x, y) + random.uniform(1.5, 6));
    return std::pair(
        from, Vec3(random.cube(-1, 1).normalized() * 10 * std::pow(10, random.uniform(-2, 0))));
  };
  return world;
}

// Casts from around a model to points within it, and past it.
CastWorld cast_at(std::string name, generate::SurfaceModel model) {
  Vec3 lo = model.vertices[0], hi = lo;
  for (const Vec3& x : model.vertices) lo = lo.cwiseMin(x), hi = hi.cwiseMax(x);
  const Vec3 centre = (lo + hi) / 2;
  const double size = (hi - lo).maxCoeff();
  return {std::move(name), std::move(model), size / 40, [=](generate::Random& random) {
            const Vec3 from = centre + random.cube(-1, 1).normalized() * size;
            const Vec3 to = centre + 0.5 * size * random.cube(-1, 1);
            return std::pair(from, Vec3(1.5 * (to - from)));
          }};
}

std::vector<Bar> bars_of(const std::vector<JudgedRow>& rows) {
  std::vector<Bar> bars;
  std::size_t faults = 0;
  const JudgedRow* ours = nullptr;  // the row of graze precedes those of the peers
  for (const JudgedRow& row : rows) {
    if (row.method == rows.front().method) {
      ours = &row;
      faults += row.faults();
      continue;
    }
    bars.push_back({fmt::format("{}, {}: speed over {}", row.world, row.subject, row.method), "x",
                    1, true, row.mean_ns / ours->mean_ns,
                    fmt::format("{} missed, {} late; ours {}, {}", row.missed, row.late,
                                ours->missed, ours->late)});
  }
  bars.push_back({"wrong answers of graze", "", 0, false, static_cast<double>(faults), {}});
  return bars;
}

}  // namespace

Result run_casts(const Request& request, const Progress& progress) {
  const std::size_t count = request.count.value_or(1000);
  if (count == 0) throw std::invalid_argument("--count must be at least 1");
  const Machine where = machine();
  std::vector<CastWorld> worlds;
  worlds.push_back(cast_terrain());
  worlds.push_back(cast_at("knot", generate::torus_knot(500, 50)));
  const fs::path bunny = inside(real_data(request.paths), "models/stanford-bunny.obj");
  std::vector<std::string> missing;
  if (fs::exists(bunny)) {
    const io::MeshFrame frame = io::read_mesh(bunny);
    worlds.push_back(cast_at("bunny", {frame.positions, frame.mesh.faces}));
  } else {
    missing.push_back("models/stanford-bunny.obj");
  }
  std::vector<JudgedRow> rows;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const CastWorld& world = worlds[i];
    if (progress) progress(world.name, static_cast<double>(i) / static_cast<double>(worlds.size()));
    const rigid::Body mesh = rigid::make_body(world.triangles.vertices, world.triangles.faces);
    for (const double half_length : {0.0, 2 * world.radius}) {
      const auto found =
          measure(world, mesh, {world.radius, half_length}, count, request.seed, request.seconds);
      rows.insert(rows.end(), found.begin(), found.end());
    }
  }
  const std::vector<Bar> bars = bars_of(rows);
  Result result{.suite = "casts",
                .machine = where,
                .bars = bars,
                .missing = std::move(missing),
                .tables = {judged_table(columns, rows), bars_table(bars, where)},
                .report = report::Report("Spheres and capsules cast at meshes", describe(where))};
  result.measurements = {{"rows", judged_json(columns, rows)}};
  if (!result.missing.empty()) result.tables.push_back(missing_table(result.missing));
  for (const report::Table& table : result.tables) result.report.table(table);
  return result;
}

}  // namespace graze::bench
