#pragma once

#include <cmath>

#include "graze/generate/random.h"
#include "graze/query.h"

namespace graze::test {

// One to four small changes, each of a kind that makes degeneracies out of what is none and the
// other way round. The result is finite.
template <class Query>
Query mutate(const Query& query, generate::Random& random) {
  Query mutant = query;
  const auto side = [&]() -> auto& {
    return random.below(2) == 0 ? mutant.start : mutant.end;
  };
  const auto corner = [&] { return std::size_t(random.below(4)); };
  const auto axis = [&] { return int(random.below(3)); };
  for (auto changes = 1 + random.below(4); changes > 0; --changes) switch (random.below(10)) {
      case 0: {  // by an ulp
        double& x = side()[corner()][axis()];
        x = std::nextafter(x, random.below(2) == 0 ? 1e308 : -1e308);
        break;
      }
      case 1:  // onto another corner
        side()[corner()] = side()[corner()];
        break;
      case 2:  // one coordinate of another corner: planes and lines along the axes
      {
        const int k = axis();
        side()[corner()][k] = side()[corner()][k];
        break;
      }
      case 3: {  // at rest
        const auto i = corner();
        mutant.end[i] = mutant.start[i];
        break;
      }
      case 4: {  // turn in place
        const auto i = corner();
        std::swap(mutant.start[i], mutant.end[i]);
        break;
      }
      case 5: {  // flat
        const int k = axis();
        for (auto* points : {&mutant.start, &mutant.end})
          for (Vec3& point : *points) point[k] = 0;
        break;
      }
      case 6: {  // onto the line through two corners
        auto& points = side();
        const auto i = corner(), j = corner();
        points[corner()] = points[i] / 2 + points[j] / 2;
        break;
      }
      case 7: {  // in another unit
        const int power = int(random.below(41)) - 20;
        for (auto* points : {&mutant.start, &mutant.end})
          for (Vec3& point : *points) point *= std::ldexp(1.0, power);
        break;
      }
      case 8: {  // fewer bits
        double& x = side()[corner()][axis()];
        x = double(float(x));
        break;
      }
      default:  // the same motion for two corners
        const auto i = corner(), j = corner();
        mutant.end[j] = mutant.start[j] + (mutant.end[i] - mutant.start[i]);
    }
  return is_finite(mutant) ? mutant : query;
}

}  // namespace graze::test
