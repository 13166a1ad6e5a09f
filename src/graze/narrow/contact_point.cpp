#include "graze/narrow/contact_point.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace graze {
namespace {

// The corners at toi relative to the first, and their velocities; each scaled by a power of two
// where products of four of them could over- or underflow.
struct Configuration {
  std::array<Vec3, 4> at, velocity;

  template <class Query>
  Configuration(const Query& query, double t) {
    double largest = 0;
    for (std::size_t i = 0; i < 4; ++i)
      largest = std::max(
          {largest, query.start[i].cwiseAbs().maxCoeff(), query.end[i].cwiseAbs().maxCoeff()});
    const double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-500 ? 0x1p600 : 1;
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 start = scale * query.start[i], end = scale * query.end[i];
      velocity[i] = end - start;
      at[i] = start + t * velocity[i];
    }
    const Vec3 origin = at[0];
    double size = 0;
    for (Vec3& corner : at) {
      corner -= origin;
      size = std::max(size, corner.cwiseAbs().maxCoeff());
    }
    if (size > 0 && (size < 0x1p-100 || size > 0x1p100)) {
      int exponent = 0;
      std::frexp(size, &exponent);
      for (Vec3& corner : at) corner *= std::ldexp(1.0, -exponent);
    }
  }
};

// N is noise when its square is below this fraction of the product of the squared sides.
constexpr double negligible = 1e-24;

Vec3 opposing(const Vec3& normal, const Vec3& relative_velocity) {
  return normal.dot(relative_velocity) > 0 ? Vec3(-normal) : normal;
}

Vec3 segment_normal(const Vec3& segment, const Vec3& relative_velocity) {
  const double length_sq = segment.squaredNorm();
  Vec3 normal = -relative_velocity;
  if (length_sq > 0) {
    normal -= segment * (segment.dot(normal) / length_sq);
    if (normal.squaredNorm() <= negligible * relative_velocity.squaredNorm())
      normal = segment.unitOrthogonal();
  }
  const double length = normal.stableNorm();
  return length > 0 ? Vec3(normal / length) : Vec3(1, 0, 0);
}

struct OnSegment {
  double parameter, distance_sq;
};
// The point of the segment from a to b closest to the origin.
OnSegment closest_to_origin(const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length_sq = ab.squaredNorm();
  const double s = length_sq > 0 ? std::clamp(-a.dot(ab) / length_sq, 0.0, 1.0) : 0.0;
  return {s, (a + s * ab).squaredNorm()};
}

}  // namespace

void locate_contact(const VertexFace& query, Impact& impact) {
  const Configuration c(query, impact.toi);
  const Vec3 &a = c.at[1], &b = c.at[2], &f = c.at[3];  // the face seen from the vertex
  const Vec3 normal = (b - a).cross(f - a);
  const double size = normal.squaredNorm();
  std::array<double, 3> weight{};
  const bool spans_plane = size > negligible * (b - a).squaredNorm() * (f - a).squaredNorm();
  Vec3 segment = Vec3::Zero();
  if (spans_plane) {
    weight = {b.cross(f).dot(normal) / size, f.cross(a).dot(normal) / size,
              a.cross(b).dot(normal) / size};
    if (impact.kind == ContactKind::edge) *std::min_element(weight.begin(), weight.end()) = 0;
    if (impact.kind == ContactKind::vertex) {
      const auto corner = std::max_element(weight.begin(), weight.end());
      weight.fill(0);
      *corner = 1;
    }
  } else {
    double best = Impact::inf;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const OnSegment on = closest_to_origin(c.at[i + 1], c.at[j + 1]);
      if (!(on.distance_sq < best)) continue;
      best = on.distance_sq;
      weight.fill(0);
      weight[i] = 1 - on.parameter;
      weight[j] = on.parameter;
      segment = c.at[j + 1] - c.at[i + 1];
    }
  }
  impact.u = std::clamp(weight[1], 0.0, 1.0);
  impact.v = std::clamp(weight[2], 0.0, 1.0 - impact.u);
  const Vec3 velocity = c.velocity[0] - ((1 - impact.u - impact.v) * c.velocity[1] +
                                         impact.u * c.velocity[2] + impact.v * c.velocity[3]);
  impact.normal = spans_plane ? opposing(normal / std::sqrt(size), velocity)
                              : segment_normal(segment, velocity);
}

void locate_contact(const EdgeEdge& query, Impact& impact) {
  const Configuration c(query, impact.toi);
  const Vec3 edge_a = c.at[1] - c.at[0], edge_b = c.at[3] - c.at[2], w = c.at[2] - c.at[0];
  const Vec3 normal = edge_a.cross(edge_b);
  const double size = normal.squaredNorm();
  const bool spans_plane = size > negligible * edge_a.squaredNorm() * edge_b.squaredNorm();
  Vec3 segment = Vec3::Zero();
  if (spans_plane) {
    impact.u = w.cross(edge_b).dot(normal) / size;
    impact.v = w.cross(edge_a).dot(normal) / size;
    const auto to_end = [](double& x) { x = x < 0.5 ? 0 : 1; };
    const double gap_u = std::min(std::abs(impact.u), std::abs(1 - impact.u));
    const double gap_v = std::min(std::abs(impact.v), std::abs(1 - impact.v));
    if (impact.kind == ContactKind::vertex || (impact.kind == ContactKind::edge && gap_u <= gap_v))
      to_end(impact.u);
    if (impact.kind == ContactKind::vertex || (impact.kind == ContactKind::edge && gap_v < gap_u))
      to_end(impact.v);
  } else {
    double best = Impact::inf;
    // An end of a on b (its u is 0 or 1), then an end of b on a.
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      const OnSegment on = closest_to_origin(c.at[2] - c.at[end], c.at[3] - c.at[end]);
      if (!(on.distance_sq < best)) continue;
      best = on.distance_sq;
      impact.u = static_cast<double>(end);
      impact.v = on.parameter;
      segment = edge_b;
    }
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      const OnSegment on = closest_to_origin(c.at[0] - c.at[2 + end], c.at[1] - c.at[2 + end]);
      if (!(on.distance_sq < best)) continue;
      best = on.distance_sq;
      impact.u = on.parameter;
      impact.v = static_cast<double>(end);
      segment = edge_a;
    }
  }
  impact.u = std::clamp(impact.u, 0.0, 1.0);
  impact.v = std::clamp(impact.v, 0.0, 1.0);
  const Vec3 velocity = (1 - impact.u) * c.velocity[0] + impact.u * c.velocity[1] -
                        (1 - impact.v) * c.velocity[2] - impact.v * c.velocity[3];
  impact.normal = spans_plane ? opposing(normal / std::sqrt(size), velocity)
                              : segment_normal(segment, velocity);
}

}  // namespace graze
