#include <algorithm>
#include <cmath>
#include <limits>

#include "graze/sim/edges.h"
#include "graze/sim/edges/edge_contacts.h"

namespace graze::sim::edges {
namespace {

std::string at(const std::string& what, std::size_t index) {
  return what + " " + std::to_string(index);
}

bool is_amount(double value) {  // finite and not negative
  return value >= 0 && value <= std::numeric_limits<double>::max();
}

// The first defect of a model.
class Problem {
 public:
  explicit Problem(const Model& model) : model_(model), count_(model.positions.size()) {}

  std::string find() {
    sizes();
    particles();
    for (std::size_t i = 0; i < model_.springs.size(); ++i)
      spring(at("spring", i), model_.springs[i]);
    for (std::size_t i = 0; i < model_.edges.size(); ++i)
      segment(at("edge", i), model_.edges[i][0], model_.edges[i][1]);
    for (std::size_t i = 0; i < model_.faces.size(); ++i) face(at("face", i), model_.faces[i]);
    for (std::size_t i = 0; i < model_.cables.size(); ++i) cable(at("cable", i), model_.cables[i]);
    rest();
    if (problem_.empty()) overlaps();
    return problem_;
  }

 private:
  void require(bool holds, const std::string& otherwise) {
    if (!holds && problem_.empty()) problem_ = otherwise;
  }

  void sizes() {
    require(count_ > 0, "a scene needs at least one particle");
    require(count_ <= Mesh::max_vertices, "too many particles");
    const auto require_size = [&](std::size_t size, const std::string& name) {
      require(size == count_,
              std::to_string(count_) + " positions but " + std::to_string(size) + " " + name);
    };
    require_size(model_.velocities.size(), "velocities");
    require_size(model_.masses.size(), "masses");
    require_size(model_.radii.size(), "radii");
    if (!model_.forces.empty()) require_size(model_.forces.size(), "forces");
  }

  void particles() {
    if (!problem_.empty()) return;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::string name = at("particle", i);
      require(model_.positions[i].allFinite(), name + " has a position that is not finite");
      require(model_.velocities[i].allFinite(), name + " has a velocity that is not finite");
      require(model_.masses[i] > 0, name + " has no positive mass");
      require(is_amount(model_.radii[i]), name + " has a radius that is negative or not finite");
      if (!model_.forces.empty())
        require(model_.forces[i].allFinite(), name + " has a force that is not finite");
    }
  }

  bool segment(const std::string& name, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t largest = std::max(a, b);
    require(largest < count_,
            name + " names particle " + std::to_string(largest) + " of " + std::to_string(count_));
    if (!problem_.empty()) return false;
    require(a != b, name + " joins particle " + std::to_string(a) + " to itself");
    require(model_.positions[a] != model_.positions[b],
            name + " has no length: particles " + std::to_string(a) + " and " + std::to_string(b) +
                " are in the same place");
    return problem_.empty();
  }

  void spring(const std::string& name, const Spring& spring) {
    if (!segment(name, spring.ends[0], spring.ends[1])) return;
    require(spring.length > 0 && std::isfinite(spring.length), name + " has no positive length");
    require(spring.stiffness > 0, name + " has no positive stiffness");
  }

  void face(const std::string& name, const Face& face) {
    for (std::size_t k = 0; k < 3; ++k)
      if (!segment(name, face[k], face[(k + 1) % 3])) return;
  }

  void cable(const std::string& name, const Cable& cable) {
    require(cable.particles.size() >= 2, name + " has less than two particles");
    require(cable.stretch > 0 && std::isfinite(cable.stretch),
            name + " has no positive resistance to stretch");
    require(is_amount(cable.bend) && is_amount(cable.twist),
            name + " has a negative resistance to bend or twist");
    require(std::isfinite(cable.turn), name + " has a turn that is not finite");
    for (std::size_t i = 0; i + 1 < cable.particles.size(); ++i)
      if (!segment(name, cable.particles[i], cable.particles[i + 1])) return;
  }

  void rest() {
    require(model_.gravity.allFinite(), "gravity is not finite");
    require(is_amount(model_.drag), "drag is negative or not finite");
    require(model_.law.restitution >= 0 && model_.law.restitution <= 1,
            "restitution is not between 0 and 1");
    require(is_amount(model_.law.friction), "friction is negative or not finite");
    require(model_.margin > 0 && is_amount(model_.margin), "the margin of contact is not positive");
  }

  void overlaps() {
    const Mesh mesh = mesh_of(model_);
    const MovingMesh still{mesh, model_.positions, model_.positions};
    const auto pairs = reached_pairs(still, model_.radii, 0, {}, {});
    if (pairs.empty()) return;
    const Contact& pair = pairs[0];
    std::string names;
    for (std::size_t i = 0; i < pair.stencil.size; ++i)
      names += (i ? ", " : "") + std::to_string(pair.stencil.vertices[i]);
    problem_ = "at the start particles " + names + " (" + name(pair.kind) +
               ") are closer than the sum of their radii, " + std::to_string(pair.reach) +
               ", and so are " + std::to_string(pairs.size() - 1) + " other pairs";
  }

  const Model& model_;
  std::size_t count_;
  std::string problem_;
};

}  // namespace

std::string problem(const Model& model) {
  return Problem(model).find();
}

}  // namespace graze::sim::edges
