#include "bench/suites/polyhedron/polyhedron_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bench/harness/bar.h"
#include "bench/harness/judged_row.h"
#include "bench/harness/timing.h"
#include "bench/peers/sweep_peer.h"
#include "graze/generate/level.h"
#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/move/straight_move.h"
#include "graze/rigid/advance.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using namespace polyhedron;

constexpr JudgedColumns columns{
    .title =
        "Straight ways and rotations by up to a quarter turn, one thread; an answer more than a "
        "millimetre off is late or early",
    .subject = "mover",
    .unit = "way"};

// The tolerance in metres within which the answer of a peer is neither late nor early.
constexpr double forgiven = 1e-3;

struct World {
  std::string name;
  Obstacle obstacle;
  generate::SurfaceModel triangles;  // for the peers
  double longest;                    // way
  // Returns a random start outside of everything; around the bunny, which has holes.
  std::function<Vec3(generate::Random&)> place;
  bool has_front = true;
};

generate::SurfaceModel triangles_of(const Model& model) {
  generate::SurfaceModel triangles{model.vertices, {}};
  for (const Facet& facet : model.facets) {
    const auto corners = model.corners_of(facet);
    for (std::size_t i = 2; i < corners.size(); ++i)
      triangles.faces.push_back({corners[0], corners[i - 1], corners[i]});
  }
  return triangles;
}

World make_world(std::string name, Model model, double longest) {
  generate::SurfaceModel triangles = triangles_of(model);
  return {std::move(name), make_obstacle(std::move(model)), std::move(triangles), longest, {}};
}

bool inside(const Model& solid, const Vec3& x) {
  return std::all_of(solid.facets.begin(), solid.facets.end(), [&](const Facet& facet) {
    const Vec3 &a = solid.vertices[facet.plane[0]], &b = solid.vertices[facet.plane[1]],
               &c = solid.vertices[facet.plane[2]];
    return (b - a).cross(c - a).dot(x - a) < 0;
  });
}

World hall() {
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  std::vector<Model> solids;
  for (const auto& corners : generate::level_solids(1)) {
    const Model solid = convex_hull(corners);
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), solid.vertices.begin(), solid.vertices.end());
    for (Polygon polygon : solid.polygons) {
      for (std::uint32_t& corner : polygon) corner += first;
      polygons.push_back(std::move(polygon));
    }
    solids.push_back(solid);
  }
  ModelOptions options;
  options.accept_soup = true;
  World world = make_world("hall", make_model(vertices, polygons, options), 5);
  world.place = [solids](generate::Random& random) {
    for (;;) {
      const Vec3 x(random.uniform(-19, 19), random.uniform(-19, 19), random.uniform(0.5, 7));
      if (std::none_of(solids.begin(), solids.end(),
                       [&](const Model& solid) { return inside(solid, x); }))
        return x;
    }
  };
  return world;
}

// A terrain of 224 by 224 squares of one metre, two triangles each.
World terrain() {
  constexpr std::uint32_t side = 224;
  const auto height = [](double x, double y) { return 4 * std::sin(0.1 * x) * std::cos(0.07 * y); };
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  for (std::uint32_t i = 0; i <= side; ++i)
    for (std::uint32_t j = 0; j <= side; ++j) {
      generate::Random random("terrain", i, j, 0);
      vertices.push_back({double(i), double(j), height(i, j) + random.uniform(0, 1)});
    }
  for (std::uint32_t i = 0; i < side; ++i)
    for (std::uint32_t j = 0; j < side; ++j) {
      const std::uint32_t a = i * (side + 1) + j, b = a + side + 1;
      polygons.push_back({a, b, b + 1});
      polygons.push_back({a, b + 1, a + 1});
    }
  World world = make_world("terrain", make_model(vertices, polygons), 10);
  world.place = [height](generate::Random& random) {
    const double x = random.uniform(10, side - 10), y = random.uniform(10, side - 10);
    return Vec3(x, y, height(x, y) + random.uniform(2, 6));
  };
  return world;
}

struct Mover {
  std::string name;
  Model model;
  std::vector<Vec3> corners;  // none: a point
};

std::vector<Mover> movers(double size) {
  std::vector<Vec3> player, ball;
  for (const Vec3& corner : generate::player_corners(1)) player.push_back(size * corner);
  generate::Random random("ball", 0, 1, 0);
  for (int i = 0; i < 32; ++i) ball.push_back(0.4 * size * random.cube(-1, 1).normalized());
  std::vector<Mover> all;
  all.push_back({"point", model_of_point(Vec3::Zero()), {}});
  all.push_back({"player", convex_hull(player), player});
  all.push_back({"ball", convex_hull(ball), ball});
  return all;
}

// A translation by `way`, or a rotation about the axis along `turn` (its length: radians) through
// `point`.
struct Way {
  Vec3 from, way = Vec3::Zero(), point = Vec3::Zero(), turn = Vec3::Zero();
  double toi = 1;  // truth, by Judge

  // Returns about how far the mover gets, in metres: movers reach about a metre from the axis.
  double length() const { return way.norm() + turn.norm(); }
};

// Finds the first contact by code that shares nothing with the room polyhedron: conservative
// advancement of triangles (graze/rigid/advance.h), for a point a test of every triangle.
class Judge {
 public:
  Judge(const World& world, const Mover& mover)
      : world_(world),
        is_point_(mover.model.facets.size() == 1 && mover.model.facets[0].count == 1) {
    if (is_point_) return;
    const generate::SurfaceModel triangles = triangles_of(mover.model);
    mover_ = rigid::make_body(triangles.vertices, triangles.faces);
    // The vertices without a face, which the peers leave out, are triangles of one point here.
    std::vector<Face> faces = world.triangles.faces;
    const Model& model = world.obstacle.model;
    for (const Facet& facet : model.facets)
      if (facet.count == 1) {
        const std::uint32_t corner = model.corners_of(facet)[0];
        faces.push_back({corner, corner, corner});
      }
    obstacle_ = rigid::make_body(world.triangles.vertices, faces);
  }

  // Returns the fraction of the way up to the first contact, 1 if there is none, NaN if undecided.
  double answer(const Way& way) const {
    if (is_point_) return first_triangle(way.from, way.way);
    Pose pose;
    pose.translation = way.from;
    rigid::AdvanceOptions options;
    options.smallest_threshold = true;
    const rigid::Motion motion = way.turn.isZero(0)
                                     ? rigid::translation(pose, way.way)
                                     : rigid::rotation_about(pose, way.point, way.turn);
    const Impact impact =
        rigid::advance(mover_, motion, obstacle_, rigid::resting({}), options).impact;
    return impact.verdict == Verdict::contact     ? impact.toi
           : impact.verdict == Verdict::separated ? 1
                                                  : Impact::nan;
  }

 private:
  // In doubles; sides are tested with a slack, so that no point passes between two triangles.
  double first_triangle(const Vec3& from, const Vec3& way) const {
    double first = 1;
    const auto& [vertices, faces] = world_.triangles;
    for (const Face& face : faces) {
      const Vec3 a = vertices[face[0]] - from, b = vertices[face[1]] - from,
                 c = vertices[face[2]] - from;
      const Vec3 normal = (b - a).cross(c - a);
      const double approach = normal.dot(way), at = normal.dot(a) / approach;
      if (approach == 0 || !(at >= 0 && at < first)) continue;
      const double slack = -1e-9 * normal.squaredNorm();
      const Vec3 x = at * way;
      if (normal.dot((b - a).cross(x - a)) >= slack && normal.dot((c - b).cross(x - b)) >= slack &&
          normal.dot((a - c).cross(x - c)) >= slack)
        first = at;
    }
    return first;
  }

  const World& world_;
  bool is_point_;
  rigid::Body mover_, obstacle_;
};

// Returns moves that start without contact, in all directions, mostly short: translations, or
// rotations about an axis near the mover by up to a quarter turn. A rotation starts where a long
// translation has brought the mover close to a surface or into the open: elsewhere hardly any
// rotation meets a surface.
std::vector<Way> ways(const World& world, const Mover& mover, std::size_t count, std::uint64_t seed,
                      bool turning = false) {
  generate::Random random(world.name + mover.name, turning ? 1 : 0, seed, 0);
  const Judge judge(world, mover);
  Scratch scratch;
  std::vector<Way> all;
  for (std::size_t tries = 0; all.size() < count && tries < 50 * count; ++tries) {
    Way way;
    way.from = world.place(random);
    const Vec3 direction = random.cube(-1, 1).normalized();
    const double share = std::pow(10, random.uniform(-2, 0));
    if (turning) {
      const Vec3 approach = world.longest * random.cube(-1, 1).normalized();
      Pose far;
      far.translation = way.from;
      const MoveResult met =
          move({&world.obstacle, 1}, mover.model, translating(far, approach), scratch);
      way.from += std::min(0.99 * met.toi, 1.) * approach;
      way.turn = direction * share * std::numbers::pi / 2;
      way.point = way.from +
                  0.5 * (mover.model.box.hi - mover.model.box.lo).maxCoeff() * random.cube(-1, 1);
    } else {
      way.way = direction * world.longest * share;
    }
    Pose pose;
    pose.translation = way.from;
    if (position_test({&world.obstacle, 1}, mover.model, pose, scratch).touches()) continue;
    way.toi = judge.answer(way);
    if (!std::isnan(way.toi)) all.push_back(way);
  }
  return all;
}

constexpr const char* from_same_starts = "graze move, starts of the rotations";

// Returns translations from the starts of rotations, along their axes, by a metre for each radian:
// about as far as a rotation moves the mover.
std::vector<Way> straightened(const World& world, const Mover& mover, std::span<const Way> turns) {
  const Judge judge(world, mover);
  std::vector<Way> all;
  for (const Way& turn : turns) {
    Way way;
    way.from = turn.from;
    way.way = turn.turn;
    way.toi = judge.answer(way);
    if (!std::isnan(way.toi)) all.push_back(way);
  }
  return all;
}

using Answer = std::function<double(const Way&)>;

struct Contender {
  std::string name;
  Answer answer;
  std::span<const Way> ways;
};

// Measures all contenders in turns, then compares their answers with the truth.
std::vector<JudgedRow> measure(const World& world, const Mover& mover,
                               const std::vector<Contender>& contenders, double seconds) {
  std::vector<std::vector<double>> answers(contenders.size());
  std::vector<std::function<void()>> passes;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    const auto shots = contenders[c].ways;
    answers[c].resize(shots.size());
    passes.push_back([&, shots, c] {
      for (std::size_t i = 0; i < shots.size(); ++i) answers[c][i] = contenders[c].answer(shots[i]);
    });
  }
  const auto times = time_in_turns(passes, seconds);
  std::vector<JudgedRow> rows;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    const auto shots = contenders[c].ways;
    JudgedRow row{world.name, mover.name, contenders[c].name, 0, shots.size(), 0, 0, 0, 0, 0};
    row.mean_ns = 1e9 * times[c] / static_cast<double>(shots.size());
    for (std::size_t i = 0; i < shots.size(); ++i) {
      const double length = shots[i].length(), claimed = answers[c][i];
      const bool contact = shots[i].toi < 1;
      row.hits += contact;
      if (contact && claimed == 1)
        ++row.missed;
      else if (contact && (claimed - shots[i].toi) * length > forgiven)
        ++row.late;
      else if (!contact && (1 - claimed) * length > forgiven)
        ++row.phantom;
      else if (contact && (shots[i].toi - claimed) * length > forgiven)
        ++row.early;
    }
    rows.push_back(row);
  }
  return rows;
}

// Returns the fraction of the angle that a rotation gets, by the quaternion that it reaches.
double turned_share(const Obstacle& obstacle, const Mover& mover, const Way& way,
                    Scratch& scratch) {
  Pose pose;
  pose.translation = way.from;
  const double angle = way.turn.norm();
  const std::vector<Path> pieces = turning(pose, way.point, way.turn / angle, angle);
  const MoveResult result = move({&obstacle, 1}, mover.model, pieces, scratch);
  if (result.verdict == Verdict::separated) return 1;
  const Path& piece = pieces[result.piece];
  const Eigen::Quaterniond reached(
      Eigen::Vector4d((1 - result.toi) * piece.begin.coeffs() + result.toi * piece.end.coeffs()));
  return 2 * std::atan2(reached.vec().norm(), std::abs(reached.w())) / angle;
}

// Gives all facets the same box, so that the tree has one leaf.
Obstacle without_tree(const Obstacle& obstacle) {
  Obstacle slow = obstacle;
  const FacetIndex& fast = *obstacle.index;
  const auto index = std::make_shared<FacetIndex>();
  index->tree = PolygonTree(std::vector<Aabb>(slow.model.facets.size(), slow.model.box));
  std::vector<PlaneBound> of_facet(slow.model.facets.size());
  for (std::uint32_t i = 0; i < fast.tree.entries(); ++i)
    of_facet[fast.tree.box_of(i)] = fast.planes[i];
  for (std::uint32_t i = 0; i < index->tree.entries(); ++i)
    index->planes.push_back(of_facet[index->tree.box_of(i)]);
  slow.index = index;
  return slow;
}

std::vector<JudgedRow> measure_world(const World& world, const Request& request, std::size_t count,
                                     double size) {
  std::vector<JudgedRow> rows;
  Scratch scratch;
  const auto moving = [&](const Obstacle& obstacle, const Mover& mover, Sides sides) -> Answer {
    return [&, sides](const Way& way) {
      Pose pose;
      pose.translation = way.from;
      const MoveResult result = move({&obstacle, 1}, mover.model, translating(pose, way.way),
                                     scratch, MoveOptions{sides});
      return std::min(result.toi, 1.);
    };
  };
  struct Without {
    const char* name;
    bool Shortcuts::*shortcut;
    Sides sides;
  };
  constexpr Without left_out[] = {
      {"graze, features with every facet", &Shortcuts::shared_features, Sides::both},
      {"graze, no bits of sidedness", &Shortcuts::sign_bits, Sides::both},
      {"graze, no facets left out", &Shortcuts::facet_culls, Sides::both},
      {"graze, last bits by integers", &Shortcuts::wide_times, Sides::both},
      {"graze, front, with grooves", &Shortcuts::internal_edges, Sides::front},
      {"graze, front, with back faces", &Shortcuts::back_faces, Sides::front},
  };
  const auto moving_without = [&](const Mover& mover, const Without& without) -> Answer {
    Shortcuts shortcuts;
    shortcuts.*without.shortcut = false;
    return [&, shortcuts, sides = without.sides](const Way& way) {
      Pose pose;
      pose.translation = way.from;
      const MoveResult result =
          straight_move({&world.obstacle, 1}, mover.model, translating(pose, way.way),
                        MoveOptions{sides}, scratch.data(), shortcuts);
      return std::min(result.toi, 1.);
    };
  };
  const Obstacle slow = without_tree(world.obstacle);
  for (const Mover& mover : movers(size)) {
    const auto shots = ways(world, mover, count, request.seed);
    std::vector<Contender> contenders;
    if (mover.corners.empty())
      contenders.push_back(
          {"graze trace_point",
           [&](const Way& way) {
             return std::min(trace_point({&world.obstacle, 1}, way.from, way.way, scratch).toi, 1.);
           },
           shots});
    contenders.push_back({"graze move", moving(world.obstacle, mover, Sides::both), shots});
    // Rotations and both kinds of translations take turns, so that their ratios do not depend on
    // what else the machine does.
    std::vector<Way> turns, straight;
    if (!mover.corners.empty()) {
      turns = ways(world, mover, count, request.seed, true);
      straight = straightened(world, mover, turns);
      contenders.push_back(
          {"graze move, rotations",
           [&](const Way& way) { return turned_share(world.obstacle, mover, way, scratch); },
           turns});
      contenders.push_back(
          {from_same_starts, moving(world.obstacle, mover, Sides::both), straight});
    }
    if (world.has_front)
      contenders.push_back(
          {"graze, front only", moving(world.obstacle, mover, Sides::front), shots});
    for (const Without& without : left_out)
      if (!mover.corners.empty() && (without.sides == Sides::both || world.has_front))
        contenders.push_back({without.name, moving_without(mover, without), shots});
    for (const SweepPeer& peer : sweep_peers()) {
      const SweepQuery query = peer.prepare(world.triangles, mover.corners);
      contenders.push_back({std::string(peer.name),
                            [query](const Way& way) { return query(way.from, way.way); }, shots});
    }
    auto found = measure(world, mover, contenders, request.seconds);
    rows.insert(rows.end(), found.begin(), found.end());
    const std::vector<Way> few(
        shots.begin(),
        shots.begin() + std::min<std::ptrdiff_t>(20, static_cast<std::ptrdiff_t>(shots.size())));
    found = measure(world, mover,
                    {{"graze, no tree (20 ways)", moving(slow, mover, Sides::both), few}}, 0);
    rows.insert(rows.end(), found.begin(), found.end());
  }
  return rows;
}

report::Table edges_table(const std::vector<World>& worlds) {
  report::Table table{"Edges of the worlds",
                      {{"world", false}, {"polygons"}, {"edges"}, {"internal"}, {"flat"}},
                      {}};
  for (const World& world : worlds) {
    const auto& edges = world.obstacle.model.edges;
    const auto share = [&](EdgeKind kind) {
      const auto count = std::count_if(edges.begin(), edges.end(),
                                       [&](const ModelEdge& edge) { return edge.kind == kind; });
      return fmt::format("{:.0f} %",
                         100 * static_cast<double>(count) / static_cast<double>(edges.size()));
    };
    table.rows.push_back({{world.name},
                          {report::format_count(world.obstacle.model.polygons.size())},
                          {report::format_count(edges.size())},
                          {share(EdgeKind::internal)},
                          {share(EdgeKind::flat)}});
  }
  using report::Tone;
  table.rows.push_back({{"published: levels of DOOM III", Tone::faint},
                        {"-", Tone::faint},
                        {"-", Tone::faint},
                        {"more than 30 %", Tone::faint}});
  return table;
}

std::vector<Bar> bars_of(const std::vector<JudgedRow>& rows) {
  const auto find = [&](const JudgedRow& like, std::string_view method) {
    return std::find_if(rows.begin(), rows.end(), [&](const JudgedRow& row) {
      return row.world == like.world && row.subject == like.subject && row.method == method;
    });
  };
  std::vector<Bar> bars;
  for (const JudgedRow& row : rows) {
    if (row.world == "terrain" && row.method == "graze trace_point")
      bars.push_back({"point trace among 100,000 polygons", "ns", 2000, false, row.mean_ns, {}});
    if (row.method != "graze move" || row.subject == "point") continue;
    const double turning = find(row, "graze move, rotations")->mean_ns;
    const auto add = [&](std::string_view over, double mean_ns) {
      bars.push_back({fmt::format("{}, {}: time of a rotation over a translation{}", row.world,
                                  row.subject, over),
                      "x",
                      4,
                      false,
                      turning / mean_ns,
                      {}});
    };
    if (row.world != "bunny") {
      add("", row.mean_ns);
      add(" from the same start", find(row, from_same_starts)->mean_ns);
    }
    for (const SweepPeer& peer : sweep_peers()) {
      const auto theirs = find(row, peer.name);
      bars.push_back({fmt::format("{}, {}: speed over {}", row.world, row.subject, peer.name), "x",
                      5, true, theirs->mean_ns / row.mean_ns,
                      fmt::format("{} missed, {} late; ours {}, {}", theirs->missed, theirs->late,
                                  row.missed, row.late)});
    }
  }
  std::size_t faults = 0;
  for (const JudgedRow& row : rows)
    if (row.method.starts_with("graze")) faults += row.faults();
  bars.push_back({"wrong answers of graze", "", 0, false, static_cast<double>(faults), {}});
  return bars;
}

}  // namespace

Result run_polyhedron(const Request& request, const Progress& progress) {
  const std::size_t count = request.count.value_or(2000);
  if (count == 0) throw std::invalid_argument("--count must be at least 1");
  const fs::path data = real_data(request.paths);
  const Machine where = machine();

  std::vector<World> worlds;
  worlds.push_back(hall());
  worlds.push_back(terrain());
  const fs::path bunny = inside(data, "models/stanford-bunny.obj");
  std::vector<std::string> missing;
  if (!fs::exists(bunny)) {
    missing.push_back("models/stanford-bunny.obj");
  } else {
    const io::MeshFrame frame = io::read_mesh(bunny);
    ModelOptions options;
    options.accept_soup = true;
    Model model = model_of_mesh(frame.mesh, frame.positions, options);
    const Aabb box = model.box;
    const double size = (box.hi - box.lo).maxCoeff();
    worlds.push_back(make_world("bunny", std::move(model), size));
    worlds.back().has_front = false;
    worlds.back().place = [box, size](generate::Random& random) {
      return Vec3((box.lo + box.hi) / 2 + 0.6 * size * random.cube(-1, 1).normalized());
    };
  }
  std::vector<JudgedRow> rows;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    if (progress)
      progress(worlds[i].name, static_cast<double>(i) / static_cast<double>(worlds.size()));
    const double size = worlds[i].name == "bunny" ? worlds[i].longest / 20 : 1;
    const auto found = measure_world(worlds[i], request, count, size);
    rows.insert(rows.end(), found.begin(), found.end());
  }

  const auto bars = bars_of(rows);
  Result result{
      .suite = "polyhedron",
      .machine = where,
      .bars = bars,
      .missing = std::move(missing),
      .tables = {judged_table(columns, rows), edges_table(worlds), bars_table(bars, where)},
      .report = report::Report("Moves through worlds of polygons", describe(where))};
  result.measurements = {{"rows", judged_json(columns, rows)}};
  if (!result.missing.empty()) result.tables.push_back(missing_table(result.missing));
  for (const report::Table& table : result.tables) result.report.table(table);
  return result;
}

}  // namespace graze::bench
