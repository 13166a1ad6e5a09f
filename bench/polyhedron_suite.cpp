#include "bench/polyhedron_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "bench/bar.h"
#include "bench/machine.h"
#include "bench/peers/sweep_peer.h"
#include "bench/timing.h"
#include "graze/generate/level.h"
#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/straight_move.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using namespace polyhedron;
using Json = nlohmann::ordered_json;

// A peer may be off by this part of a metre before it is late or early.
constexpr double forgiven = 1e-3;

struct World {
  std::string name;
  Obstacle obstacle;
  SurfaceModel triangles;  // for the peers
  double longest;          // way
  // A place to begin at, in front of all that is there; of the bunny, which has holes, all round.
  std::function<Vec3(generate::Random&)> place;
  bool has_front = true;
};

World make_world(std::string name, BrushModel model, double longest) {
  SurfaceModel triangles{model.vertices, {}};
  for (const Facet& facet : model.facets) {
    const auto corners = model.corners_of(facet);
    for (std::size_t i = 2; i < corners.size(); ++i)
      triangles.faces.push_back({corners[0], corners[i - 1], corners[i]});
  }
  return {std::move(name), make_obstacle(std::move(model)), std::move(triangles), longest, {}};
}

bool inside(const BrushModel& solid, const Vec3& x) {
  return std::all_of(solid.facets.begin(), solid.facets.end(), [&](const Facet& facet) {
    const Vec3 &a = solid.vertices[facet.plane[0]], &b = solid.vertices[facet.plane[1]],
               &c = solid.vertices[facet.plane[2]];
    return (b - a).cross(c - a).dot(x - a) < 0;
  });
}

World hall() {
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  std::vector<BrushModel> solids;
  for (const auto& corners : generate::level_solids(1)) {
    const BrushModel solid = convex_hull(corners);
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
                       [&](const BrushModel& solid) { return inside(solid, x); }))
        return x;
    }
  };
  return world;
}

// Hills of one metre on a square of 224 by 224 metres, two triangles to each.
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
  BrushModel model;
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

struct Way {
  Vec3 from, way;
  double fraction = 1, fraction_hi = 1;  // truth
};

// From places where the mover touches nothing, in all directions, mostly short.
std::vector<Way> ways(const World& world, const Mover& mover, std::size_t count,
                      std::uint64_t seed) {
  generate::Random random(world.name + mover.name, 0, seed, 0);
  Scratch scratch;
  std::vector<Way> all;
  for (std::size_t tries = 0; all.size() < count && tries < 50 * count; ++tries) {
    Way way;
    way.from = world.place(random);
    way.way = random.cube(-1, 1).normalized() * world.longest * std::pow(10, random.uniform(-2, 0));
    Pose pose;
    pose.translation = way.from;
    if (position_test({&world.obstacle, 1}, mover.model, pose, scratch)) continue;
    const MoveResult result =
        move({&world.obstacle, 1}, mover.model, translating(pose, way.way), scratch);
    way.fraction = result.fraction;
    way.fraction_hi = result.fraction_hi;
    all.push_back(way);
  }
  return all;
}

struct TraceRow {
  std::string world, mover, method;
  double mean_ns = 0;
  std::size_t ways = 0, hits = 0, missed = 0, late = 0, phantom = 0, early = 0;
};

using Answer = std::function<double(const Way&)>;

struct Contender {
  std::string name;
  Answer answer;
};

// All contenders in turns; then the answers of each against the truth.
std::vector<TraceRow> measure(const World& world, const Mover& mover, const std::vector<Way>& shots,
                              const std::vector<Contender>& contenders, double seconds) {
  std::vector<std::vector<double>> answers(contenders.size());
  std::vector<std::function<void()>> passes;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    answers[c].resize(shots.size());
    passes.push_back([&, c] {
      for (std::size_t i = 0; i < shots.size(); ++i) answers[c][i] = contenders[c].answer(shots[i]);
    });
  }
  const auto times = time_in_turns(passes, seconds);
  std::vector<TraceRow> rows;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    TraceRow row{world.name, mover.name, contenders[c].name, 0, shots.size(), 0, 0, 0, 0, 0};
    row.mean_ns = 1e9 * times[c] / static_cast<double>(shots.size());
    for (std::size_t i = 0; i < shots.size(); ++i) {
      const double length = shots[i].way.norm(), claimed = answers[c][i];
      const bool contact = shots[i].fraction_hi < 1 || shots[i].fraction < 1;
      row.hits += contact;
      if (contact && claimed == 1)
        ++row.missed;
      else if (contact && (claimed - shots[i].fraction_hi) * length > forgiven)
        ++row.late;
      else if (!contact && (1 - claimed) * length > forgiven)
        ++row.phantom;
      else if (contact && (shots[i].fraction - claimed) * length > forgiven)
        ++row.early;
    }
    rows.push_back(row);
  }
  return rows;
}

// The tree of boxes that are all alike has one leaf.
Obstacle without_tree(const Obstacle& obstacle) {
  Obstacle slow = obstacle;
  slow.tree = PolygonTree(std::vector<Aabb>(slow.model.facets.size(), slow.model.box));
  std::vector<PlaneBound> of_facet(slow.model.facets.size());
  for (std::uint32_t i = 0; i < obstacle.tree.entries(); ++i)
    of_facet[obstacle.tree.box_of(i)] = obstacle.planes[i];
  slow.planes.clear();
  for (std::uint32_t i = 0; i < slow.tree.entries(); ++i)
    slow.planes.push_back(of_facet[slow.tree.box_of(i)]);
  return slow;
}

std::vector<TraceRow> measure_world(const World& world, const Request& request, std::size_t count,
                                    double size) {
  std::vector<TraceRow> rows;
  Scratch scratch;
  const auto moving = [&](const Obstacle& obstacle, const Mover& mover, Sides sides) -> Answer {
    return [&, sides](const Way& way) {
      Pose pose;
      pose.translation = way.from;
      const MoveResult result = move({&obstacle, 1}, mover.model, translating(pose, way.way),
                                     scratch, MoveOptions{sides});
      return result.fraction;
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
      return straight_move({&world.obstacle, 1}, mover.model, translating(pose, way.way),
                           MoveOptions{sides}, scratch.data(), shortcuts)
          .fraction;
    };
  };
  const Obstacle slow = without_tree(world.obstacle);
  for (const Mover& mover : movers(size)) {
    const auto shots = ways(world, mover, count, request.seed);
    std::vector<Contender> contenders;
    if (mover.corners.empty())
      contenders.push_back(
          {"graze trace_point", [&](const Way& way) {
             return trace_point({&world.obstacle, 1}, way.from, way.way, scratch).fraction;
           }});
    contenders.push_back({"graze move", moving(world.obstacle, mover, Sides::both)});
    if (world.has_front)
      contenders.push_back({"graze, front only", moving(world.obstacle, mover, Sides::front)});
    for (const Without& without : left_out)
      if (!mover.corners.empty() && (without.sides == Sides::both || world.has_front))
        contenders.push_back({without.name, moving_without(mover, without)});
    for (const SweepPeer& peer : sweep_peers()) {
      const SweepQuery query = peer.prepare(world.triangles, mover.corners);
      contenders.push_back(
          {std::string(peer.name), [query](const Way& way) { return query(way.from, way.way); }});
    }
    auto found = measure(world, mover, shots, contenders, request.seconds);
    rows.insert(rows.end(), found.begin(), found.end());
    const std::vector<Way> few(
        shots.begin(),
        shots.begin() + std::min<std::ptrdiff_t>(20, static_cast<std::ptrdiff_t>(shots.size())));
    found = measure(world, mover, few,
                    {{"graze, no tree (20 ways)", moving(slow, mover, Sides::both)}}, 0);
    rows.insert(rows.end(), found.begin(), found.end());
  }
  return rows;
}

io::Table rows_table(const std::vector<TraceRow>& rows) {
  io::Table table{
      "Straight ways, one thread; an answer more than a millimetre off is late or early",
      {{"world", false},
       {"mover", false},
       {"method", false},
       {"per way"},
       {"ways"},
       {"contacts"},
       {"missed"},
       {"late"},
       {"phantom"},
       {"early"}},
      {}};
  const auto fault = [](std::size_t count) {
    return io::Cell{io::format_count(count), count > 0 ? io::Tone::bad : io::Tone::good};
  };
  for (const TraceRow& row : rows)
    table.rows.push_back({{row.world},
                          {row.mover},
                          {row.method},
                          {io::format_nanoseconds(row.mean_ns)},
                          {io::format_count(row.ways)},
                          {io::format_count(row.hits)},
                          fault(row.missed),
                          fault(row.late),
                          fault(row.phantom),
                          fault(row.early)});
  return table;
}

io::Table edges_table(const std::vector<World>& worlds) {
  io::Table table{"Edges of the worlds",
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
                          {io::format_count(world.obstacle.model.polygons.size())},
                          {io::format_count(edges.size())},
                          {share(EdgeKind::internal)},
                          {share(EdgeKind::flat)}});
  }
  return table;
}

std::vector<Bar> bars_of(const std::vector<TraceRow>& rows) {
  const auto find = [&](const TraceRow& like, std::string_view method) {
    return std::find_if(rows.begin(), rows.end(), [&](const TraceRow& row) {
      return row.world == like.world && row.mover == like.mover && row.method == method;
    });
  };
  std::vector<Bar> bars;
  for (const TraceRow& row : rows) {
    if (row.world == "terrain" && row.method == "graze trace_point")
      bars.push_back({"point trace among 100,000 polygons", "ns", 2000, false, row.mean_ns, {}});
    if (row.method != "graze move" || row.mover == "point") continue;
    for (const SweepPeer& peer : sweep_peers()) {
      const auto theirs = find(row, peer.name);
      bars.push_back({fmt::format("{}, {}: speed over {}", row.world, row.mover, peer.name), "x", 5,
                      true, theirs->mean_ns / row.mean_ns,
                      fmt::format("{} missed, {} late; ours {}, {}", theirs->missed, theirs->late,
                                  row.missed, row.late)});
    }
  }
  std::size_t faults = 0;
  for (const TraceRow& row : rows)
    if (row.method.starts_with("graze")) faults += row.missed + row.late + row.phantom + row.early;
  bars.push_back({"own answers that are wrong", "", 0, false, static_cast<double>(faults), {}});
  return bars;
}

}  // namespace

Result run_polyhedron(const Request& request, const Progress& progress) {
  if (request.kind || !request.methods.empty())
    throw std::invalid_argument("the suite polyhedron has no kinds and methods to choose");
  if (request.paths.size() > 1)
    throw std::invalid_argument("the suite polyhedron takes one folder of real data");
  const std::size_t count = request.count.value_or(2000);
  if (count == 0) throw std::invalid_argument("the suite polyhedron needs ways");
  const char* named = std::getenv("GRAZE_DATA");
  const fs::path data =
      !request.paths.empty() ? request.paths[0] : fs::path(named ? named : "../shared/data");
  const auto where = machine();

  std::vector<World> worlds;
  worlds.push_back(hall());
  worlds.push_back(terrain());
  const fs::path bunny = data / "models" / "stanford-bunny.obj";
  if (fs::exists(bunny)) {
    const io::MeshFrame frame = io::read_mesh(bunny);
    ModelOptions options;
    options.accept_soup = true;
    BrushModel model = model_of_mesh(frame.mesh, frame.positions, options);
    const Aabb box = model.box;
    const double size = (box.hi - box.lo).maxCoeff();
    worlds.push_back(make_world("bunny", std::move(model), size));
    worlds.back().has_front = false;
    worlds.back().place = [box, size](generate::Random& random) {
      return Vec3((box.lo + box.hi) / 2 + 0.6 * size * random.cube(-1, 1).normalized());
    };
  }
  std::vector<TraceRow> rows;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    if (progress)
      progress(worlds[i].name, static_cast<double>(i) / static_cast<double>(worlds.size()));
    const double size = worlds[i].name == "bunny" ? worlds[i].longest / 20 : 1;
    const auto found = measure_world(worlds[i], request, count, size);
    rows.insert(rows.end(), found.begin(), found.end());
  }

  const auto bars = bars_of(rows);
  Result result{{},
                {rows_table(rows), edges_table(worlds), bars_table(bars, where)},
                io::Report("Polyhedra", "straight moves through worlds of polygons")};
  Json json_rows = Json::array();
  for (const TraceRow& row : rows)
    json_rows.push_back({{"world", row.world},
                         {"mover", row.mover},
                         {"method", row.method},
                         {"ns_per_way", row.mean_ns},
                         {"ways", row.ways},
                         {"contacts", row.hits},
                         {"missed", row.missed},
                         {"late", row.late},
                         {"phantom", row.phantom},
                         {"early", row.early}});
  result.json = {
      {"suite", "polyhedron"}, {"rows", json_rows}, {"bars", json_of(bars)}, {"machine", where}};
  for (const io::Table& table : result.tables) result.report.table(table);
  return result;
}

}  // namespace graze::bench
