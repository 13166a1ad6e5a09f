#include "bench/suites/papers/paper_scenes.h"

#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "graze/exact/judge/integer_motion.h"
#include "graze/generate/random.h"

namespace graze::bench {
namespace {

using generate::Random;

Vec3 on_grid(const Vec3& x) {
  return (x * 0x1p20).array().round() * 0x1p-20;
}

// A sphere of about `faces` triangles whose radius varies by `bumps`.
struct Ball {
  std::vector<Vec3> points;
  std::vector<Face> faces;
};

Ball ball(std::size_t faces, double radius, double bumps) {
  const auto rings =
      static_cast<std::uint32_t>(std::max(3.0, std::sqrt(static_cast<double>(faces) / 4)));
  const std::uint32_t around = 2 * rings;
  Ball made;
  for (std::uint32_t i = 0; i <= rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      // The poles are small rings, so that no two vertices coincide.
      const double theta = M_PI * (0.02 + 0.96 * i / rings), phi = 2 * M_PI * j / around;
      const double r = radius * (1 + bumps * std::sin(5 * theta) * std::cos(7 * phi));
      made.points.push_back({r * std::sin(theta) * std::cos(phi),
                             r * std::sin(theta) * std::sin(phi), r * std::cos(theta)});
    }
  for (std::uint32_t i = 0; i < rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j) {
      const std::uint32_t a = i * around + j, b = i * around + (j + 1) % around;
      made.faces.push_back({a, b, b + around});
      made.faces.push_back({a, b + around, a + around});
    }
  return made;
}

class SceneMaker {
 public:
  explicit SceneMaker(std::string name, std::string description)
      : scene_{std::move(name), std::move(description), {}, {}, {}} {}

  // The start of each point, then its end.
  template <class Move>
  void add(const Ball& body, const Vec3& centre, Move&& move) {
    const auto first = static_cast<std::uint32_t>(scene_.start.size());
    for (const Vec3& point : body.points) {
      scene_.start.push_back(on_grid(centre + point));
      scene_.end.push_back(on_grid(move(scene_.start.back())));
    }
    for (Face face : body.faces) {
      for (auto& corner : face) corner += first;
      faces_.push_back(face);
    }
  }

  PaperScene finish() {
    scene_.mesh = make_mesh(scene_.start.size(), std::move(faces_));
    return std::move(scene_);
  }

 private:
  PaperScene scene_;
  std::vector<Face> faces_;
};

auto turned_about(const Vec3& centre, const Vec3& velocity, const Vec3& axis, double angle) {
  const Eigen::AngleAxisd turn(angle, axis.normalized());
  return [=](const Vec3& x) -> Vec3 { return centre + turn * (x - centre) + velocity; };
}

// Returns pieces of `chunk` faces each, shrunk slightly towards their centres, so that they do not
// touch at the start.
std::vector<Ball> torn(const Ball& body, std::size_t chunk) {
  std::vector<Ball> pieces;
  for (std::size_t first = 0; first < body.faces.size(); first += chunk) {
    Ball piece;
    std::map<std::uint32_t, std::uint32_t> places;
    Vec3 sum = Vec3::Zero();
    for (std::size_t f = first; f < std::min(first + chunk, body.faces.size()); ++f) {
      Face face;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t corner = body.faces[f][k];
        const auto [place, is_new] =
            places.try_emplace(corner, static_cast<std::uint32_t>(piece.points.size()));
        if (is_new) piece.points.push_back(body.points[corner]), sum += body.points[corner];
        face[k] = place->second;
      }
      piece.faces.push_back(face);
    }
    const Vec3 middle = sum / static_cast<double>(piece.points.size());
    for (Vec3& point : piece.points) point = middle + 0.98 * (point - middle);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

PaperScene lion(std::size_t size, std::uint64_t seed) {
  SceneMaker maker("Lion", "generated: a bumpy body that breaks into turning chunks");
  const auto pieces = torn(ball(24 * size, 1, 0.1), 3 * size);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Random random("lion", 0, seed, i);
    const Vec3 axis = random.cube(-1, 1), velocity = 0.1 * random.cube(-1, 1);
    maker.add(pieces[i], Vec3::Zero(), turned_about(Vec3::Zero(), velocity, axis, 0.1));
  }
  return maker.finish();
}

PaperScene bodies(std::size_t size, std::uint64_t seed) {
  SceneMaker maker("N-Body", "generated: 16 flying balls, 2 of which spin");
  for (std::size_t i = 0; i < 16; ++i) {
    Random random("n-body", 0, seed, i);
    const Vec3 place = 1.1 * Vec3(double(i % 3), double(i / 3 % 3), double(i / 9));
    const Vec3 velocity = on_grid(0.3 * random.cube(-1, 1));
    const bool spins = i % 8 == 0;
    if (spins)
      maker.add(ball(3 * size, 0.5, 0), place, turned_about(place, velocity, {1, 2, 3}, 0.1));
    else
      maker.add(ball(3 * size, 0.5, 0), place, [&](const Vec3& x) { return Vec3(x + velocity); });
  }
  return maker.finish();
}

PaperScene burst(std::size_t size, std::uint64_t seed) {
  SceneMaker maker("Dragon-Bunny", "generated: a body that bursts into triangles beside another");
  maker.add(ball(6 * size, 1, 0.2), {1.6, 0, 0}, [](const Vec3& x) { return x; });
  const auto pieces = torn(ball(6 * size, 1, 0.1), 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Random random("burst", 0, seed, i);
    const Vec3 out = pieces[i].points[0], axis = random.cube(-1, 1);
    maker.add(pieces[i], Vec3::Zero(),
              turned_about(out, 0.15 * out + 0.05 * random.cube(-1, 1), axis, 0.4));
  }
  return maker.finish();
}

}  // namespace

std::vector<PaperScene> paper_scenes(std::size_t size, std::uint64_t seed) {
  return {lion(size, seed), bodies(size, seed), burst(size, seed)};
}

CubicShape cubic_shape(const VertexFace& query) {
  using exact::operator-;
  const auto points = exact::integer_motion(query);
  const auto cubic =
      exact::dot(points[0] - points[1], exact::cross(points[2] - points[1], points[3] - points[1]));
  return {cubic.is_zero(), !cubic.is_zero() && cubic.degree() < 3};
}

}  // namespace graze::bench
