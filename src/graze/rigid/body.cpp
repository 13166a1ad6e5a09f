#include "graze/rigid/body.h"

#include "graze/rigid/model/model.h"

namespace graze::rigid {

Body::Body() {
  static const auto empty = std::make_shared<const Model>(make_model({}, {}));
  model_ = empty;
}

std::span<const Vec3> Body::vertices() const {
  return model_->vertices;
}
std::span<const Face> Body::faces() const {
  return model_->faces;
}
double Body::size() const {
  if (radius_ == 0) return model_->size;
  const Vec3 sides = model_->hi - model_->lo;
  return model_->half_space ? 2 * radius_ : (sides + Vec3::Constant(2 * radius_)).stableNorm();
}
Status Body::status() const {
  return model_->status;
}
std::string Body::problem() const {
  return model_->problem();
}

Body make_body(std::span<const Vec3> vertices, std::span<const Face> faces,
               const BodyOptions& options) {
  return Body(std::make_shared<const Model>(
      make_model({vertices.begin(), vertices.end()}, {faces.begin(), faces.end()}, options)));
}

}  // namespace graze::rigid
