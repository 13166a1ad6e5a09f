#include <algorithm>
#include <cmath>
#include <map>

#include "graze/check_mesh.h"
#include "graze/sim/elastic/material/elastic_body.h"
#include "graze/sim/soft.h"

namespace graze::sim::soft {
namespace {

// Joins the surfaces of bodies and obstacles into one contact surface.
class SurfaceMaker {
 public:
  explicit SurfaceMaker(const Model& model) : model_(model) {}

  ContactSurface make() {
    for (const Body& body : model_.bodies) {
      add_triangles(body.sheet);
      if (body.skin.faces.empty())
        add_triangles(surface_of(body.tets));
      else
        add_skin(body);
      rest_.insert(rest_.end(), body.rest.begin(), body.rest.end());
      ++body_;
    }
    for (const Obstacle& obstacle : model_.obstacles) add_obstacle(obstacle);
    surface_.mesh = make_mesh(surface_.carriers.size(), std::move(faces_));
    for (const auto& carrier : surface_.carriers) surface_.fixed.push_back(carrier.size == 0);
    surface_.rest = surface_.positions(rest_);
    return std::move(surface_);
  }

 private:
  // Returns the surface index of a moving vertex that is itself on the surface.
  std::uint32_t vertex(std::uint32_t index) {
    const auto [found, is_new] =
        own_.try_emplace(index, static_cast<std::uint32_t>(surface_.carriers.size()));
    if (is_new) surface_.carriers.push_back({{index}, {1}, 1, Vec3::Zero(), body_});
    return found->second;
  }

  void add_triangles(const std::vector<Face>& triangles) {
    const auto first = static_cast<std::uint32_t>(rest_.size());
    for (const Face& face : triangles)
      faces_.push_back({vertex(first + face[0]), vertex(first + face[1]), vertex(first + face[2])});
  }

  void add_faces(const std::vector<Face>& faces, std::uint32_t first) {
    for (const Face& face : faces)
      faces_.push_back({first + face[0], first + face[1], first + face[2]});
  }

  void add_skin(const Body& body) {
    add_faces(body.skin.faces, static_cast<std::uint32_t>(surface_.carriers.size()));
    for (const auto& [tet, weights] : body.skin.vertices) {
      Tetrahedron corners = body.tets[tet];
      for (std::uint32_t& corner : corners) corner += static_cast<std::uint32_t>(rest_.size());
      surface_.carriers.push_back({corners, weights, 4, Vec3::Zero(), body_});
    }
  }

  void add_obstacle(const Obstacle& obstacle) {
    add_faces(obstacle.faces, static_cast<std::uint32_t>(surface_.carriers.size()));
    for (const Vec3& place : obstacle.positions)
      surface_.carriers.push_back({{}, {}, 0, place, body_});
    ++body_;
  }

  const Model& model_;
  ContactSurface surface_;
  std::vector<Face> faces_;
  std::vector<Vec3> rest_;
  std::map<std::uint32_t, std::uint32_t> own_;
  std::uint32_t body_ = 0;
};

std::string called(const char* what, std::size_t index, const std::string& name) {
  return std::string(what) + " " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")");
}

std::string obstacle_problem(const Obstacle& obstacle) {
  for (std::size_t i = 0; i < obstacle.positions.size(); ++i)
    if (!obstacle.positions[i].allFinite()) return "vertex " + std::to_string(i) + " is not finite";
  for (std::size_t i = 0; i < obstacle.faces.size(); ++i)
    for (const std::uint32_t vertex : obstacle.faces[i])
      if (vertex >= obstacle.positions.size())
        return "face " + std::to_string(i) + " names vertex " + std::to_string(vertex) + " of " +
               std::to_string(obstacle.positions.size());
  return "";
}

// Names the first two faces that touch at the start. Faces are counted from 0 in each surface.
std::string touch_problem(const Model& model) {
  const ContactSurface surface = contact_surface(model);
  const auto crossing =
      find_intersections(surface.mesh, surface.positions(start(model).positions), surface.fixed)
          .faces;
  if (crossing.empty()) return "";
  const auto body_of = [&](std::size_t face) -> std::size_t {
    return surface.carriers[surface.mesh.faces[face][0]].body;
  };
  const auto called_face = [&](std::size_t face) {
    const std::size_t body = body_of(face), obstacle = body - model.bodies.size();
    std::size_t first = face;
    while (first > 0 && body_of(first - 1) == body) --first;
    return "face " + std::to_string(face - first) + " of " +
           (body < model.bodies.size()
                ? called("body", body, model.bodies[body].name)
                : called("obstacle", obstacle, model.obstacles[obstacle].name));
  };
  return "surfaces touch at the start: " + called_face(crossing[0].a) + " and " +
         called_face(crossing[0].b) + " (" + std::to_string(crossing.size()) +
         (crossing.size() == 1 ? " pair" : " pairs") + " of faces touch)";
}

}  // namespace

std::string problem(const Model& model) {
  if (model.bodies.empty()) return "a scene needs bodies";
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (const std::string wrong = problem(model.bodies[i]); !wrong.empty())
      return called("body", i, model.bodies[i].name) + ": " + wrong;
  for (std::size_t i = 0; i < model.obstacles.size(); ++i)
    if (const std::string wrong = obstacle_problem(model.obstacles[i]); !wrong.empty())
      return called("obstacle", i, model.obstacles[i].name) + ": " + wrong;
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!model.gravity.allFinite()) return "gravity is not finite";
  if (!positive(model.step)) return "the step must be above 0";
  if (!positive(model.reach)) return "the reach must be above 0";
  if (!positive(model.repulsion)) return "the repulsion must be above 0";
  return touch_problem(model);
}

std::vector<Vec3> ContactSurface::positions(std::span<const Vec3> carrying) const {
  std::vector<Vec3> result(carriers.size());
  for (std::size_t i = 0; i < carriers.size(); ++i) {
    const Carrier& carrier = carriers[i];
    if (carrier.size == 0) {
      result[i] = carrier.place;
    } else if (carrier.size == 1) {
      result[i] = carrying[carrier.vertices[0]];
    } else {
      result[i].setZero();
      for (std::size_t k = 0; k < carrier.size; ++k)
        result[i] += carrier.weights[k] * carrying[carrier.vertices[k]];
    }
  }
  return result;
}

ContactSurface contact_surface(const Model& model) {
  return SurfaceMaker(model).make();
}

State start(const Model& model) {
  State state;
  auto& [time, positions, velocities] = state;
  for (const Body& body : model.bodies) {
    const auto& from = body.positions.empty() ? body.rest : body.positions;
    positions.insert(positions.end(), from.begin(), from.end());
    velocities.insert(velocities.end(), body.velocities.begin(), body.velocities.end());
    velocities.resize(positions.size(), Vec3::Zero());
  }
  return state;
}

}  // namespace graze::sim::soft
