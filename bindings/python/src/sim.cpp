#include <memory>
#include <string_view>

#include "arrays.h"
#include "graze/generate/level.h"
#include "graze/generate/models.h"
#include "graze/sim/edges.h"
#include "graze/sim/edges/edge_scenes.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"
#include "graze/sim/rigid.h"
#include "graze/sim/rigid/rigid_scenes.h"
#include "graze/sim/soft.h"
#include "graze/sim/walker.h"

namespace graze::python {

namespace {

// A run of one of the simulators, whose bodies are one mesh.
class Simulation {
 public:
  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  virtual ~Simulation() = default;

  virtual const Mesh& mesh() const = 0;
  virtual std::vector<Vec3> positions() const = 0;
  double time() const { return time_; }
  double usual_step() const { return usual_step_; }

  // Advances the run. If the call is interrupted, nothing changes. Only one thread at a time may
  // use the object.
  void step(double seconds, int threads) {
    if (!(seconds > 0 && seconds <= 1))
      throw_value_error("seconds", "expected a time in (0, 1], got " + std::to_string(seconds));
    if (busy_) throw std::runtime_error("Simulation: another thread is using this object");
    busy_ = true;  // read and written with the GIL
    const std::unique_ptr<bool, void (*)(bool*)> reset(&busy_, [](bool* busy) { *busy = false; });
    run_without_gil(mesh().vertex_count, threads, [&](const Run& run) {
      if (advance(seconds, run) != Verdict::undecided) time_ += seconds;
    });
  }

 protected:
  double usual_step_ = 1.0 / 60;

 private:
  // Returns the verdict of the step.
  virtual Verdict advance(double seconds, const Run& run) = 0;

  double time_ = 0;
  bool busy_ = false;
};

class EdgeSimulation : public Simulation {
 public:
  explicit EdgeSimulation(sim::edges::Model model)
      : model_(std::move(model)), state_(sim::edges::start(model_)), workspace_(model_) {}

  const Mesh& mesh() const override { return workspace_.mesh(); }
  std::vector<Vec3> positions() const override { return state_.positions; }

 private:
  Verdict advance(double seconds, const Run& run) override {
    sim::edges::Options options;
    options.seconds = seconds;
    return sim::edges::step(model_, state_, workspace_, options, run).verdict;
  }

  sim::edges::Model model_;
  sim::edges::State state_;
  sim::edges::Workspace workspace_;
};

class SoftSimulation : public Simulation {
 public:
  explicit SoftSimulation(sim::soft::Model model, sim::soft::Options options = {})
      : model_(std::move(model)),
        options_(std::move(options)),
        state_(sim::soft::start(model_)),
        workspace_(model_) {
    usual_step_ = model_.step;
  }

  const Mesh& mesh() const override { return workspace_.surface().mesh; }
  std::vector<Vec3> positions() const override {
    return workspace_.surface().positions(state_.positions);
  }

 private:
  Verdict advance(double seconds, const Run& run) override {
    options_.seconds = seconds;
    return sim::soft::step(model_, state_, workspace_, options_, run).verdict;
  }

  sim::soft::Model model_;
  sim::soft::Options options_;
  sim::soft::State state_;
  sim::soft::Workspace workspace_;
};

class RigidSimulation : public Simulation {
 public:
  explicit RigidSimulation(sim::rigid::Scene scene) : scene_(std::move(scene)) {
    std::vector<Face> faces;
    std::uint32_t first = 0;
    for (const sim::rigid::Body& body : scene_.state.bodies) {
      const sim::rigid::Shape& shape = scene_.model.shapes[body.shape];
      for (const Face& face : shape.faces())
        faces.push_back({first + face[0], first + face[1], first + face[2]});
      first += static_cast<std::uint32_t>(shape.vertices().size());
    }
    mesh_ = make_mesh(first, std::move(faces));
  }

  const Mesh& mesh() const override { return mesh_; }
  std::vector<Vec3> positions() const override {
    std::vector<Vec3> all;
    all.reserve(mesh_.vertex_count);
    for (const sim::rigid::Body& body : scene_.state.bodies)
      for (const Vec3& vertex : scene_.model.shapes[body.shape].vertices())
        all.push_back(body.pose * vertex);
    return all;
  }

 private:
  Verdict advance(double seconds, const Run& run) override {
    sim::rigid::Options options;
    options.seconds = seconds;
    return sim::rigid::step(scene_.model, scene_.state, options, run).verdict;
  }

  sim::rigid::Scene scene_;
  Mesh mesh_;
};

// A player that walks through a level on a random path given by a seed. The mesh has the solids of
// the level, then the player.
class WalkerSimulation : public Simulation {
 public:
  explicit WalkerSimulation(std::uint64_t seed) : seed_(seed) {
    for (const auto& corners : generate::level_solids(seed))
      model_.world.push_back(polyhedron::make_obstacle(polyhedron::convex_hull(corners)));
    model_.hull = polyhedron::convex_hull(generate::player_corners(seed));
    state_.pose.translation = {0, 0, 1};
    std::vector<Face> faces;
    const auto add = [&](const polyhedron::Model& solid) {
      const auto first = static_cast<std::uint32_t>(level_.size());
      level_.insert(level_.end(), solid.vertices.begin(), solid.vertices.end());
      for (const polyhedron::Facet& facet : solid.facets) {
        const auto c = solid.corners_of(facet);
        for (std::size_t i = 2; i < c.size(); ++i)
          faces.push_back({first + c[0], first + c[i - 1], first + c[i]});
      }
    };
    for (const polyhedron::Obstacle& solid : model_.world) add(solid.model);
    const std::size_t solids = level_.size();
    add(model_.hull);
    mesh_ = make_mesh(level_.size(), std::move(faces));
    level_.resize(solids);
  }

  const Mesh& mesh() const override { return mesh_; }
  std::vector<Vec3> positions() const override {
    std::vector<Vec3> all = level_;
    for (const Vec3& vertex : model_.hull.vertices) all.push_back(state_.pose * vertex);
    return all;
  }

 private:
  Verdict advance(double seconds, const Run& run) override {
    const generate::WalkWish wish = generate::walk_wish(seed_, moves_);
    sim::walker::Options options;
    options.seconds = seconds;
    options.wish = wish.velocity;
    options.jump = wish.jumps;
    const Verdict verdict = sim::walker::step(model_, state_, scratch_, options, run).verdict;
    if (verdict != Verdict::undecided) ++moves_;
    return verdict;
  }

  std::uint64_t seed_, moves_ = 0;
  sim::walker::Model model_;
  sim::walker::State state_;
  polyhedron::Scratch scratch_;
  std::vector<Vec3> level_;
  Mesh mesh_;
};

constexpr std::size_t most_bodies = 100000;

template <class Model>
Model checked(Model model) {
  if (const std::string text = problem(model); !text.empty()) throw_value_error("count", text);
  return model;
}

// Scenes besides those of edge_scenes() and soft_scenes(). count 0: the usual number.
struct OtherScene {
  std::string_view name, description;
  std::unique_ptr<Simulation> (*make)(std::size_t count);
};

std::uint32_t count_or(std::size_t count, std::uint32_t usual) {
  return count > 0 ? static_cast<std::uint32_t>(count) : usual;
}

const OtherScene other_scenes[] = {
    {"rings", "rings fall onto a floor",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       const generate::SurfaceModel ring = generate::find_model_recipe("ring")->make();
       const auto shape = sim::rigid::make_mesh_shape(ring.vertices, ring.faces);
       return std::make_unique<RigidSimulation>(
           sim::rigid::falling_pile(shape, count_or(count, 4), 1));
     }},
    {"wall", "a brick wall stands",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       return std::make_unique<RigidSimulation>(sim::rigid::brick_wall(count_or(count, 200), 0));
     }},
    {"ragdoll", "jointed figures fall down stairs",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       return std::make_unique<RigidSimulation>(
           sim::rigid::stairs_with_figures(count_or(count, 1), 5, 1));
     }},
    {"squash", "a soft figure falls onto a plane",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       const generate::SurfaceModel figure = generate::bumpy_figure(24, 16);
       return std::make_unique<SoftSimulation>(
           checked(sim::soft::squash_scene(figure.vertices, figure.faces, count_or(count, 300))));
     }},
    {"torus", "an elastic ring falls onto a cone, solved by an active set",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       sim::soft::Options options;
       options.contacts = sim::soft::Constraints{};
       return std::make_unique<SoftSimulation>(
           checked(sim::soft::torus_scene(count_or(count, 456))), options);
     }},
    {"walker", "a player walks through a level; count is the seed",
     [](std::size_t count) -> std::unique_ptr<Simulation> {
       return std::make_unique<WalkerSimulation>(count_or(count, 1));
     }},
};

std::unique_ptr<Simulation> built_in(const std::string& name, std::size_t count) {
  if (count > most_bodies)
    throw_value_error("count", "expected at most " + std::to_string(most_bodies));
  const py::gil_scoped_release unlocked;
  for (const sim::edges::EdgeScene& scene : sim::edges::edge_scenes())
    if (scene.name == name) {
      const std::size_t edges = std::min(count > 0 ? count : scene.usual_edges, scene.most_edges);
      return std::make_unique<EdgeSimulation>(checked(scene.make(edges)));
    }
  for (const sim::soft::SoftScene& scene : sim::soft::soft_scenes())
    if (scene.name == name)
      return std::make_unique<SoftSimulation>(
          checked(scene.make(count > 0 ? count : scene.usual_vertices)));
  for (const OtherScene& scene : other_scenes)
    if (scene.name == name) return scene.make(count);
  throw_value_error("name", "there is no scene '" + name + "'; scenes() lists them");
}

std::unique_ptr<Simulation> squash(py::handle vertices, py::handle faces, std::size_t count) {
  const PositionsArgument positions(vertices, "vertices", false);
  const auto rows = index_rows<3>(faces, "faces", positions.size(), false);
  if (rows.empty()) throw_value_error("faces", "expected a closed surface, got no faces");
  if (count == 0 || count > most_bodies)
    throw_value_error("count", "expected 1 to " + std::to_string(most_bodies));
  const Positions view = positions.rows();
  for (const Vec3& x : view.rows())
    if (!x.allFinite()) throw_value_error("vertices", "expected finite coordinates");
  sim::soft::Model model = sim::soft::squash_scene(view.rows(), rows, count);
  if (const std::string text = problem(model); !text.empty()) throw_value_error("faces", text);
  return std::make_unique<SoftSimulation>(std::move(model));
}

std::unique_ptr<Simulation> pile(py::handle vertices, py::handle faces, std::size_t count,
                                 std::uint64_t seed) {
  const PositionsArgument positions(vertices, "vertices", false);
  const auto rows = index_rows<3>(faces, "faces", positions.size(), false);
  if (count == 0 || count > most_bodies)
    throw_value_error("count", "expected 1 to " + std::to_string(most_bodies));
  const Positions view = positions.rows();
  const sim::rigid::Shape shape = sim::rigid::make_mesh_shape(view.rows(), rows);
  if (!shape.ok()) throw_value_error("faces", "the solid " + shape.problem());
  const py::gil_scoped_release unlocked;
  return std::make_unique<RigidSimulation>(
      sim::rigid::falling_pile(shape, static_cast<std::uint32_t>(count), seed));
}

py::dict scene_table() {
  py::dict table;
  const auto add = [&](std::string_view name, std::string_view description) {
    table[py::str(std::string(name))] = std::string(description);
  };
  for (const auto& scene : sim::edges::edge_scenes()) add(scene.name, scene.description);
  for (const auto& scene : sim::soft::soft_scenes()) add(scene.name, scene.description);
  for (const OtherScene& scene : other_scenes) add(scene.name, scene.description);
  return table;
}

}  // namespace

void add_sim(py::module_& module) {
  py::class_<Simulation>(module, "Simulation")
      .def_property_readonly("mesh", &Simulation::mesh, py::return_value_policy::reference_internal)
      .def_property_readonly("positions",
                             [](const Simulation& run) { return positions_array(run.positions()); })
      .def_property_readonly("time", &Simulation::time)
      .def_property_readonly("usual_step", &Simulation::usual_step)
      .def("step", &Simulation::step);
  module.def("scene", &built_in);
  module.def("pile", &pile);
  module.def("squash", &squash);
  module.def("scenes", &scene_table);
}

}  // namespace graze::python
