#include "graze/generate/level.h"

#include <algorithm>
#include <cmath>

#include "graze/generate/random.h"

namespace graze::generate {
namespace {

constexpr double half_size = 20, height = 8, free_radius = 1.5;

// Returns a random direction on the unit circle, computed from tan(a/2) without library functions,
// whose last bits differ between machines.
Vec3 direction(Random& random) {
  const double t = random.uniform(-1, 1), side = random.one_in(2) ? 1 : -1;
  return side * Vec3((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t), 0);
}
Vec3 left_of(const Vec3& d) {
  return {-d[1], d[0], 0};
}

// Returns the prism between z = from and z = to over a polygon in the plane z = 0.
SolidCorners prism(const std::vector<Vec3>& base, double from, double to) {
  SolidCorners corners;
  for (const Vec3& x : base)
    for (const double z : {from, to}) corners.push_back({x[0], x[1], z});
  return corners;
}
// Returns a bar from `start` along d, with the given length and width, between z = from and z = to.
SolidCorners bar(const Vec3& start, const Vec3& d, double length, double width, double from,
                 double to) {
  const Vec3 along = length * d, across = width * left_of(d);
  return prism({start, start + along, start + along + across, start + across}, from, to);
}

class Level {
 public:
  explicit Level(std::uint64_t seed) : random_("level", 0, seed, 0) {}

  std::vector<SolidCorners> make() {
    hall();
    for (int i = 0; i < 6; ++i) stairs();
    for (int i = 0; i < 10; ++i) ramp();
    for (int i = 0; i < 20; ++i) pillar();
    for (int i = 0; i < 12; ++i) thin_wall();
    for (int i = 0; i < 8; ++i) acute_corner();
    for (int i = 0; i < 8; ++i) beam();
    for (int i = 0; i < 15; ++i) rock();
    return std::move(solids_);
  }

 private:
  void hall() {
    const double s = half_size, w = half_size + 1;
    const auto box = [&](double x0, double y0, double z0, double x1, double y1, double z1) {
      solids_.push_back(prism({{x0, y0, 0}, {x1, y0, 0}, {x1, y1, 0}, {x0, y1, 0}}, z0, z1));
    };
    box(-w, -w, -1, w, w, 0);
    box(-w, -w, height, w, w, height + 1);
    box(-w, -w, -1, -s, w, height + 1);
    box(s, -w, -1, w, w, height + 1);
    box(-w, -w, -1, w, -s, height + 1);
    box(-w, s, -1, w, w, height + 1);
  }

  Vec3 place() {
    return {random_.uniform(-half_size, half_size), random_.uniform(-half_size, half_size), 0};
  }

  // Adds a solid unless its bounding box is too close to the middle.
  void add(const SolidCorners& corners) {
    Vec3 lo = corners[0], hi = corners[0];
    for (const Vec3& x : corners) {
      lo = lo.cwiseMin(x);
      hi = hi.cwiseMax(x);
    }
    const bool free =
        lo[0] > free_radius || hi[0] < -free_radius || lo[1] > free_radius || hi[1] < -free_radius;
    if (free) solids_.push_back(corners);
  }

  void stairs() {
    const Vec3 start = place(), d = direction(random_);
    const double rise = random_.uniform(0.1, 0.45), tread = random_.uniform(0.25, 0.5);
    for (int i = 0; i < 8; ++i) add(bar(start + i * tread * d, d, tread, 2, 0, (i + 1) * rise));
  }
  void ramp() {
    const Vec3 start = place(), d = direction(random_);
    const double length = random_.uniform(1, 4), top = random_.uniform(0.2, 4);
    SolidCorners corners = bar(start, d, length, 2, 0, top);
    for (Vec3& x : corners)
      if (d.dot(x - start) < length / 2) x[2] = 0;
    corners.erase(corners.begin() + 1);  // the duplicate corners of the low end
    corners.pop_back();
    add(corners);
  }
  void pillar() {
    const Vec3 middle = place();
    const double radius = random_.uniform(0.2, 1), lean = random_.uniform(-0.5, 0.5);
    SolidCorners corners;
    for (int i = random_.integer(4, 8); i > 0; --i) {
      const Vec3 foot = middle + radius * direction(random_);
      corners.push_back(foot);
      corners.push_back(foot + Vec3(lean, lean, height));
    }
    add(corners);
  }
  void thin_wall() {
    const Vec3 start = place();
    const double width = random_.uniform(0.01, 0.05), length = random_.uniform(2, 8);
    add(bar(start, direction(random_), length, width, 0, 3));
  }
  void acute_corner() {
    const Vec3 apex = place(), d = direction(random_);
    const double open = random_.uniform(0.05, 0.5);
    const Vec3 e = (d + open * left_of(d)).normalized();
    add(bar(apex, d, 4, -0.05, 0, 3));
    add(bar(apex, e, 4, 0.05, 0, 3));
  }
  void beam() {
    const double from = random_.uniform(1.5, 2.5);
    const Vec3 start = place();
    add(bar(start, direction(random_), 6, 0.4, from, from + 0.3));
  }
  void rock() {
    const double up = random_.uniform(0, 0.5);
    const Vec3 middle = place() + Vec3(0, 0, up);
    SolidCorners corners;
    for (int i = 0; i < 12; ++i) corners.push_back(middle + random_.cube(-0.8, 0.8));
    add(corners);
  }

  Random random_;
  std::vector<SolidCorners> solids_;
};

}  // namespace

std::vector<SolidCorners> level_solids(std::uint64_t seed) {
  return Level(seed).make();
}

SolidCorners player_corners(std::uint64_t seed) {
  const double r = 0.3, c = 0.125;
  std::vector<Vec3> base{{-r, -r, 0}, {r, -r, 0}, {r, r, 0}, {-r, r, 0}};
  if (seed % 3 != 0)
    base = {{-r, -c, 0}, {-c, -r, 0}, {c, -r, 0}, {r, -c, 0},
            {r, c, 0},   {c, r, 0},   {-c, r, 0}, {-r, c, 0}};
  SolidCorners corners = prism(base, -0.9, 0.9);
  if (seed % 3 == 2)
    for (Vec3& x : corners)
      if (x[2] < 0) x = {x[0] / 2, x[1] / 2, x[2]};
  return corners;
}

WalkWish walk_wish(std::uint64_t seed, std::uint64_t step) {
  Random leg("leg", 0, seed, step / 40), now("step", 0, seed, step);
  const double speeds[] = {0, 2, 5, 8};
  const Vec3 heading = direction(leg);
  WalkWish wish{speeds[leg.below(4)] * heading, now.one_in(60)};
  if (now.one_in(50)) wish.velocity = 60 * heading;
  if (now.one_in(50)) wish.velocity = 6e-8 * heading;
  return wish;
}

}  // namespace graze::generate
