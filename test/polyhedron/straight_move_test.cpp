#include "graze/polyhedron/move/straight_move.h"

#include <gtest/gtest.h>

#include "graze/generate/random.h"
#include "test/support/brush_shapes.h"
#include "test/support/scale.h"

namespace graze::polyhedron::straight_move_test {
namespace {

using generate::Random;

TEST(StraightMove, EveryShortcutKeepsTheTimeOfTheFirstContact) {
  constexpr bool Shortcuts::*all[] = {&Shortcuts::shared_features, &Shortcuts::sign_bits,
                                      &Shortcuts::facet_culls,     &Shortcuts::wide_times,
                                      &Shortcuts::internal_edges,  &Shortcuts::back_faces};
  Random shape("rugged", 0, 1, 0);
  const Obstacle world = make_obstacle(test::rugged(shape, 12, 6));
  Scratch scratch;
  std::size_t contacts = 0;
  for (std::size_t i = 0; i < test::scaled(300); ++i) {
    Random random("shortcuts", 0, 1, i);
    const Model mover = i % 3 ? test::random_solid(random, 0.4) : test::scaled_by(world.model, 0.5);
    const Vec3 from = 4 * random.cube(-1, 1).normalized();
    const Path path = translating(Pose::from_axis_angle(random.cube(-1, 1), 1, from),
                                  Vec3(-2 * from + random.cube(-1, 1)));
    for (const Sides sides : {Sides::both, Sides::front}) {
      const MoveResult expected = move({&world, 1}, mover, path, scratch, {sides});
      contacts += expected.verdict == Verdict::contact;
      for (const auto shortcut : all) {
        Shortcuts shortcuts;
        shortcuts.*shortcut = false;
        const MoveResult result =
            straight_move({&world, 1}, mover, path, {sides}, scratch.data(), shortcuts);
        ASSERT_EQ(result.verdict, expected.verdict) << i;
        ASSERT_EQ(result.toi, expected.toi) << i;
        ASSERT_EQ(result.toi_hi, expected.toi_hi) << i;
      }
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, test::scaled(300));
}

}  // namespace
}  // namespace graze::polyhedron::straight_move_test
