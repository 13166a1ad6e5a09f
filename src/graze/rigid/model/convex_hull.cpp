#include "graze/rigid/model/convex_hull.h"

#include <Eigen/Geometry>
#include <memory>
#include <utility>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace graze::rigid {

std::vector<Face> convex_hull(std::span<const Vec3> points) {
  std::vector<Face> faces;
  if (points.size() < 4) return faces;
  std::vector<double> coordinates(3 * points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) coordinates[3 * i + k] = points[i][static_cast<int>(k)];
  // Discards the messages that Qhull prints for flat input.
  const std::unique_ptr<FILE, int (*)(FILE*)> nowhere(fopen("/dev/null", "w"), fclose);
  if (!nowhere) return faces;
  qhT state;
  qhT* qh = &state;
  qh_zero(qh, nowhere.get());
  char command[] = "qhull Qt";
  if (qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command,
                   nowhere.get(), nowhere.get()) == 0) {
    facetT* facet;
    FORALLfacets {
      Face face{};
      std::size_t corners = 0;
      vertexT *vertex, **vertexp;
      FOREACHvertex_(facet->vertices) {
        if (corners < 3) face[corners] = static_cast<std::uint32_t>(qh_pointid(qh, vertex->point));
        ++corners;
      }
      if (corners != 3) continue;
      const Vec3 &a = points[face[0]], &b = points[face[1]], &c = points[face[2]];
      const Vec3 outwards(facet->normal[0], facet->normal[1], facet->normal[2]);
      if ((b - a).cross(c - a).dot(outwards) < 0) std::swap(face[1], face[2]);
      faces.push_back(face);
    }
  }
  qh_freeqhull(qh, qh_ALL);
  int still_used = 0, still_bytes = 0;
  qh_memfreeshort(qh, &still_used, &still_bytes);
  return faces;
}

}  // namespace graze::rigid
