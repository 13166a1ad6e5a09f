#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/sim/elastic/elastic_body.h"

namespace graze {

// A surface that never moves.
struct Obstacle {
  std::string name;
  std::vector<Vec3> positions;
  std::vector<Face> faces;
};

// Soft bodies and what they fall on: what a scene says of them. Plain data.
struct SoftModel {
  std::vector<ElasticBody> bodies;
  std::vector<Obstacle> obstacles;
  Vec3 gravity = {0, 0, -9.81};
  double step = 1.0 / 60;   // seconds that suit the scene
  double reach = 1e-3;      // > 0: surfaces that are closer repel each other
  double repulsion = 1e-3;  // > 0: energy by which they do
};

// Empty where the model can be simulated, else what is wrong with it: a clear sentence with the
// names or indices of the culprits. Among them: surfaces that touch.
std::string problem(const SoftModel& model);

// The surfaces of all bodies, in their order, then of all obstacles, as one mesh. Its vertices are
// not those that move: each is carried by up to four of these, numbered through all bodies.
struct ContactSurface {
  struct Carrier {
    std::array<std::uint32_t, 4> vertices{};
    std::array<double, 4> weights{};
    std::size_t size = 0;    // 0: never moves
    Vec3 place = {0, 0, 0};  // where it is then
    std::uint32_t body = 0;  // obstacles count after the bodies
  };
  Mesh mesh;
  std::vector<Carrier> carriers;    // of each vertex of the mesh
  std::vector<std::uint8_t> fixed;  // of each vertex of the mesh: whether it never moves
  std::vector<Vec3> rest;           // with all bodies at rest

  // Where the mesh's vertices are; those carried by one vertex are where it is, bit for bit.
  std::vector<Vec3> positions(std::span<const Vec3> carrying) const;
};
ContactSurface contact_surface(const SoftModel& model);

// All that changes while a model moves: a solver of the same model that takes it goes on with the
// same bits. Vertices of all bodies, one after the other.
struct SoftState {
  double time = 0;
  std::vector<Vec3> positions, velocities;
};

// Of all bodies, one after the other.
std::vector<Vec3> start_positions(const SoftModel& model);
std::vector<Vec3> start_velocities(const SoftModel& model);

}  // namespace graze
