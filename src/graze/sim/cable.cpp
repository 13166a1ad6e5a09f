#include "graze/sim/cable.h"

#include <Eigen/Geometry>
#include <cassert>
#include <cmath>
#include <numbers>

namespace graze {
namespace {

// A vector orthogonal to the unit vector `from`, turned along with it to the unit vector `to`,
// about the axis orthogonal to both.
Vec3 transport(const Vec3& across, const Vec3& from, const Vec3& to) {
  const Vec3 axis = from.cross(to);
  const double cosine = from.dot(to);
  if (cosine <= -1) return across;  // straight back: any way is as short
  const Vec3 turned = cosine * across + axis.cross(across) + axis.dot(across) / (1 + cosine) * axis;
  return (turned - turned.dot(to) * to).normalized();  // what rounding took
}

double angle_about(const Vec3& from, const Vec3& to, const Vec3& axis) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to));
}

Eigen::Matrix3d cross_matrix(const Vec3& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace

// The curvature binormal at an inner particle and its derivatives by its two elements.
struct CableElasticity::Bend {
  Vec3 e, f, binormal;
  double shrink;  // |e||f| + e.f

  std::array<Eigen::Matrix3d, 3> gradient() const {  // by the three particles
    const Vec3 by_e = f.norm() / e.norm() * e + f, by_f = e.norm() / f.norm() * f + e;
    const Eigen::Matrix3d d_e = (-2 * cross_matrix(f) - binormal * by_e.transpose()) / shrink;
    const Eigen::Matrix3d d_f = (2 * cross_matrix(e) - binormal * by_f.transpose()) / shrink;
    return {-d_e, d_e - d_f, d_f};
  }
  // Of the turn of the frames against each other, by the three particles.
  std::array<Vec3, 3> turn_gradient() const {
    const Vec3 d_e = binormal / (2 * e.norm()), d_f = binormal / (2 * f.norm());
    return {-d_e, d_e - d_f, d_f};
  }
};

CableElasticity::CableElasticity(const CableModel& model, std::span<const Vec3> rest)
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
  Bend bend;
  bend.e = x[particles_[inner + 1]] - x[particles_[inner]];
  bend.f = x[particles_[inner + 2]] - x[particles_[inner + 1]];
  bend.shrink = bend.e.norm() * bend.f.norm() + bend.e.dot(bend.f);
  bend.binormal = 2 / bend.shrink * bend.e.cross(bend.f);
  return bend;
}

std::vector<CableElasticity::Frame> CableElasticity::carried(std::span<const Vec3> x) const {
  std::vector<Frame> frames(frames_.size());
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
  for (const Frame& frame : carried(positions)) turn += frame.twist;
  return turn;
}

double CableElasticity::energy(std::span<const Vec3> positions) const {
  double energy = 0;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    energy += bend_ * bend_at(positions, i).binormal.squaredNorm() / lengths_[i];
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
    const auto binormal = bend.gradient();
    const auto turn = bend.turn_gradient();
    for (std::size_t k = 0; k < 3; ++k)
      gradient.segment<3>(3 * static_cast<Eigen::Index>(particles_[i + k])) +=
          2 * bend_ / lengths_[i] * binormal[k].transpose() * bend.binormal + torque * turn[k];
  }
}

// Of torsion: Theta is a sum over the inner particles, and by Cauchy's inequality
// (sum a_i)^2 / sum w_i <= sum a_i^2 / w_i, so that particles may be taken one by one.
void CableElasticity::add_curvature(std::span<const Vec3> positions,
                                    std::vector<Eigen::Triplet<double>>& curvature) const {
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Bend bend = bend_at(positions, i);
    const auto binormal = bend.gradient();
    const auto turn = bend.turn_gradient();
    const double stiff = holds_turn_ ? 2 * twist_ / lengths_[i] : 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l) {
        const Eigen::Matrix3d block =
            2 * bend_ / lengths_[i] * binormal[k].transpose() * binormal[l] +
            stiff * turn[k] * turn[l].transpose();
        for (int row = 0; row < 3; ++row)
          for (int column = 0; column < 3; ++column)
            curvature.emplace_back(static_cast<int>(3 * particles_[i + k]) + row,
                                   static_cast<int>(3 * particles_[i + l]) + column,
                                   block(row, column));
      }
  }
}

}  // namespace graze
