#include "graze/exact/arena/gap_sign.h"

#include "graze/exact/arena/integer_polygon.h"

namespace graze::exact {
namespace {

IntegerVec3 operator-(const IntegerVec3& a, const IntegerVec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
ArenaInteger dot(const IntegerVec3& a, const IntegerVec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
IntegerVec3 cross(const IntegerVec3& a, const IntegerVec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Query>
int sign_of(const Query& query, std::size_t feature, double d, double t) {
  Arena arena;
  const IntegerPolygon polygon = integer_polygon(query, d, arena);
  const ArenaDyadic time = make_dyadic(arena, t);
  const auto corner = [&](std::size_t i) {  // corner i at the time, times 2^time.k
    IntegerVec3 e;
    for (std::size_t k = 0; k < 3; ++k)
      e[k] = (polygon.start[i][k] << time.k) + polygon.motion[i][k] * time.m;
    return e;
  };
  const ArenaInteger reach = polygon.d << time.k, d_sq = reach * reach;
  if (feature < polygon.size) return (dot(corner(feature), corner(feature)) - d_sq).sign();
  if (feature < polygon.size + polygon.edges()) {
    const std::size_t i = feature - polygon.size;
    const IntegerVec3 a = corner(i), b = corner(polygon.next(i)), along = b - a, turn = cross(a, b);
    return (dot(turn, turn) - d_sq * dot(along, along)).sign();
  }
  const IntegerVec3 e = corner(0), normal = cross(corner(1) - e, corner(polygon.size - 1) - e);
  const ArenaInteger offset = dot(normal, e);
  return (offset * offset - d_sq * dot(normal, normal)).sign();
}

}  // namespace

int gap_sign(const VertexFace& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const EdgeEdge& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const VertexEdge& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}
int gap_sign(const VertexVertex& query, std::size_t feature, double d, double t) {
  return sign_of(query, feature, d, t);
}

}  // namespace graze::exact
