#include <btBulletCollisionCommon.h>

#include <array>
#include <memory>
#include <vector>

#include "bench/peers/cast_peer.h"

// Sweeps of a convex hull and of a point (a ray) through a triangle mesh by Bullet, with Bullet's
// bounding volume tree. Margins are 0, so that all libraries solve the same problem.
namespace graze::bench {
namespace {

btVector3 vector(const Vec3& x) {
  return {static_cast<btScalar>(x[0]), static_cast<btScalar>(x[1]), static_cast<btScalar>(x[2])};
}

struct World {
  std::vector<btScalar> vertices;
  std::vector<int> corners;
  std::unique_ptr<btTriangleIndexVertexArray> triangles;
  std::unique_ptr<btBvhTriangleMeshShape> shape;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btCollisionWorld world{&dispatcher, &broad, &configuration};
  btCollisionObject object;
  std::unique_ptr<btConvexShape> body;  // null: a point

  World(const generate::SurfaceModel& model, std::unique_ptr<btConvexShape> mover)
      : body(std::move(mover)) {
    for (const Vec3& vertex : model.vertices)
      for (const double x : vertex) vertices.push_back(static_cast<btScalar>(x));
    for (const Face& face : model.faces)
      for (const std::uint32_t corner : face) corners.push_back(static_cast<int>(corner));
    triangles = std::make_unique<btTriangleIndexVertexArray>(
        static_cast<int>(model.faces.size()), corners.data(), 3 * sizeof(int),
        static_cast<int>(model.vertices.size()), vertices.data(), 3 * sizeof(btScalar));
    shape = std::make_unique<btBvhTriangleMeshShape>(triangles.get(), true);
    shape->setMargin(0);
    object.setCollisionShape(shape.get());
    world.addCollisionObject(&object);
  }
  ~World() { world.removeCollisionObject(&object); }

  double sweep(const Vec3& from, const Vec3& way) const {
    const btVector3 a = vector(from), b = vector(from + way);
    if (!body) {
      btCollisionWorld::ClosestRayResultCallback ray(a, b);
      world.rayTest(a, b, ray);
      return ray.hasHit() ? static_cast<double>(ray.m_closestHitFraction) : 1;
    }
    btCollisionWorld::ClosestConvexResultCallback hit(a, b);
    world.convexSweepTest(body.get(), btTransform(btQuaternion::getIdentity(), a),
                          btTransform(btQuaternion::getIdentity(), b), hit);
    return hit.hasHit() ? static_cast<double>(hit.m_closestHitFraction) : 1;
  }
};

SweepQuery query_of(const generate::SurfaceModel& model, std::unique_ptr<btConvexShape> body) {
  const auto world = std::make_shared<World>(model, std::move(body));
  return [world](const Vec3& from, const Vec3& way) { return world->sweep(from, way); };
}

SweepQuery prepare(const generate::SurfaceModel& model, std::span<const Vec3> points) {
  if (points.empty()) return query_of(model, nullptr);
  auto body = std::make_unique<btConvexHullShape>();
  for (const Vec3& point : points) body->addPoint(vector(point), false);
  body->recalcLocalAabb();
  body->setMargin(0);
  return query_of(model, std::move(body));
}

constexpr auto table =
    std::to_array<SweepPeer>({{"bullet", "Bullet's convexSweepTest and rayTest", prepare}});

}  // namespace

SweepQuery prepare_bullet_cast(const generate::SurfaceModel& world, const RoundShape& shape) {
  const auto radius = static_cast<btScalar>(shape.radius);
  if (shape.half_length == 0) return query_of(world, std::make_unique<btSphereShape>(radius));
  return query_of(world, std::make_unique<btCapsuleShapeZ>(
                             radius, static_cast<btScalar>(2 * shape.half_length)));
}

std::span<const SweepPeer> sweep_peers() {
  return table;
}

}  // namespace graze::bench
