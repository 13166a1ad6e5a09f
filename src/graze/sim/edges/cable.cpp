#include "graze/sim/edges/cable.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace graze::sim::edges {
namespace {

// Returns `across`, which is orthogonal to the unit vector `from`, after the rotation about
// from x to that takes `from` to the unit vector `to` (parallel transport).
Vec3 transport(const Vec3& across, const Vec3& from, const Vec3& to) {
  const Vec3 axis = from.cross(to);
  const double cosine = from.dot(to);
  if (cosine <= -1) return across;  // half a turn: the axis is arbitrary
  const Vec3 turned = cosine * across + axis.cross(across) + axis.dot(across) / (1 + cosine) * axis;
  return (turned - turned.dot(to) * to).normalized();  // removes the rounding error
}

// Returns the angle from `from` to `to` about `axis`, in (-pi, pi].
double angle_about(const Vec3& from, const Vec3& to, const Vec3& axis) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to));
}

}  // namespace

// The bend at an inner particle, between an element e and the next element f.
struct CableElasticity::Bend {
  double e_length, f_length;
  Vec3 e, f;  // unit vectors

  Vec3 bend() const { return f - e; }
  std::array<Eigen::Matrix3d, 3> gradient() const {  // of bend(), by the three particles
    const Eigen::Matrix3d d_e = (Eigen::Matrix3d::Identity() - e * e.transpose()) / e_length;
    const Eigen::Matrix3d d_f = (Eigen::Matrix3d::Identity() - f * f.transpose()) / f_length;
    return {d_e, -d_e - d_f, d_f};
  }
  // The gradient of the turn between the two frames, by the three particles. With the curvature
  // binormal b = 2 e x f / (1 + e.f), an element that moves turns its frame by b / 2 per length.
  std::array<Vec3, 3> turn_gradient() const {
    const Vec3 half = e.cross(f) / std::max(1 + e.dot(f), 1e-6);  // the limit bounds a folded cable
    const Vec3 d_e = half / e_length, d_f = half / f_length;
    return {-d_e, d_e - d_f, d_f};
  }
};

CableElasticity::CableElasticity(const Cable& model, std::span<const Vec3> rest)
    : particles_(model.particles),
      bend_(model.bend),
      twist_(model.twist),
      turn_(model.turn),
      between_ends_(0),
      holds_turn_(model.holds_turn) {
  assert(particles_.size() >= 2);
  const auto length = [&](std::size_t i) {
    return (rest[particles_[i + 1]] - rest[particles_[i]]).norm();
  };
  for (std::size_t i = 0; i + 2 < particles_.size(); ++i) {
    lengths_.push_back(length(i) + length(i + 1));
    between_ends_ += lengths_.back() / 2;
  }
  for (std::size_t i = 0; i + 1 < particles_.size(); ++i) {
    const Vec3 along = (rest[particles_[i + 1]] - rest[particles_[i]]).normalized();
    const Vec3 across = i == 0 ? along.unitOrthogonal()
                               : transport(frames_.back().across, frames_.back().along, along);
    frames_.push_back({along, across, 0});
  }
}

CableElasticity::Bend CableElasticity::bend_at(std::span<const Vec3> x, std::size_t inner) const {
  const Vec3 e = x[particles_[inner + 1]] - x[particles_[inner]];
  const Vec3 f = x[particles_[inner + 2]] - x[particles_[inner + 1]];
  const double e_length = e.norm(), f_length = f.norm();
  return {e_length, f_length, e / e_length, f / f_length};
}

std::vector<CableFrame> CableElasticity::carried(std::span<const Vec3> x) const {
  std::vector<CableFrame> frames(frames_.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].along = (x[particles_[i + 1]] - x[particles_[i]]).normalized();
    frames[i].across = transport(frames_[i].across, frames_[i].along, frames[i].along);
    if (i == 0) continue;
    const Vec3 straight = transport(frames[i - 1].across, frames[i - 1].along, frames[i].along);
    const double twist = angle_about(straight, frames[i].across, frames[i].along);
    frames[i].twist =
        frames_[i].twist + std::remainder(twist - frames_[i].twist, 2 * std::numbers::pi);
  }
  return frames;
}

void CableElasticity::carry(std::span<const Vec3> positions) {
  if (holds_turn_) frames_ = carried(positions);
}

double CableElasticity::turn_at(std::span<const Vec3> positions) const {
  if (!holds_turn_) return 0;
  double turn = turn_;
  for (const CableFrame& frame : carried(positions)) turn += frame.twist;
  return turn;
}

double CableElasticity::energy(std::span<const Vec3> positions) const {
  double energy = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    energy += bend_ * bend_at(positions, i).bend().squaredNorm() / lengths_[i];
  if (between_ends_ > 0) {
    const double turn = turn_at(positions);
    energy += twist_ * turn * turn / (2 * between_ends_);
  }
  return energy;
}

void CableElasticity::add_gradient(std::span<const Vec3> positions,
                                   Eigen::VectorXd& gradient) const {
  const double torque = between_ends_ > 0 ? twist_ * turn_at(positions) / between_ends_ : 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Bend bend = bend_at(positions, i);
    const auto gradients = bend.gradient();
    const auto turn = bend.turn_gradient();
    for (std::size_t k = 0; k < 3; ++k)
      gradient.segment<3>(3 * static_cast<Eigen::Index>(particles_[i + k])) +=
          2 * bend_ / lengths_[i] * gradients[k] * bend.bend() + torque * turn[k];
  }
}

// The torsion term is block diagonal over the inner particles: Theta is a sum over them, and by
// Cauchy's inequality (sum a_i)^2 / sum w_i <= sum a_i^2 / w_i.
void CableElasticity::add_curvature(std::span<const Vec3> positions, BlockMatrix& curvature) const {
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Bend bend = bend_at(positions, i);
    const auto gradients = bend.gradient();
    const auto turn = bend.turn_gradient();
    const double stiff = holds_turn_ ? 2 * twist_ / lengths_[i] : 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        curvature.add(particles_[i + k], particles_[i + l],
                      2 * bend_ / lengths_[i] * gradients[k] * gradients[l] +
                          stiff * turn[k] * turn[l].transpose());
  }
}

namespace {

std::uint32_t add_resting_particle(Model& model, const Vec3& position, double mass, double radius) {
  model.positions.push_back(position);
  model.velocities.emplace_back(Vec3::Zero());
  model.masses.push_back(mass);
  model.radii.push_back(radius);
  if (!model.forces.empty()) model.forces.emplace_back(Vec3::Zero());
  return static_cast<std::uint32_t>(model.positions.size() - 1);
}

// Adds the particles between the ends of a cable of `elements` springs. Returns their indices.
std::vector<std::uint32_t> add_between(Model& model, const Vec3& from, const Vec3& to,
                                       std::size_t elements, double mass, double radius) {
  std::vector<std::uint32_t> particles;
  for (std::size_t i = 1; i < elements; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(elements);
    particles.push_back(add_resting_particle(model, (1 - s) * from + s * to, mass, radius));
  }
  return particles;
}

}  // namespace

Cable& add_cable(Model& model, const Vec3& from, const Vec3& to, std::size_t elements, double mass,
                 double radius) {
  assert(elements >= 1);
  const double share = mass / static_cast<double>(elements);
  Cable cable;
  cable.particles = {add_resting_particle(model, from, share / 2, radius)};
  for (const std::uint32_t particle : add_between(model, from, to, elements, share, radius))
    cable.particles.push_back(particle);
  cable.particles.push_back(add_resting_particle(model, to, share / 2, radius));
  return model.cables.emplace_back(std::move(cable));
}

Cable& add_cable(Model& model, std::uint32_t from, std::uint32_t to, std::size_t elements,
                 double mass, double radius) {
  assert(elements >= 1 && std::max(from, to) < model.positions.size());
  const double share = mass / static_cast<double>(elements);
  const Vec3 a = model.positions[from], b = model.positions[to];
  Cable cable;
  cable.particles = {from};
  for (const std::uint32_t particle : add_between(model, a, b, elements, share, radius))
    cable.particles.push_back(particle);
  cable.particles.push_back(to);
  return model.cables.emplace_back(std::move(cable));
}

}  // namespace graze::sim::edges
