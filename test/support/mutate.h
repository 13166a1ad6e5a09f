#pragma once

#include <cmath>

#include "graze/generate/random.h"
#include "graze/query.h"

namespace graze::test {

// Applies one to four small changes, each of a kind that creates or removes degeneracies. The
// result is finite.
template <class Query>
Query mutate(const Query& query, generate::Random& random) {
  Query mutant = query;
  const auto side = [&]() -> auto& {
    return random.below(2) == 0 ? mutant.start : mutant.end;
  };
  const auto corner = [&] { return std::size_t(random.below(4)); };
  const auto axis = [&] { return int(random.below(3)); };
  for (auto changes = 1 + random.below(4); changes > 0; --changes) switch (random.below(10)) {
      case 0: {  // moves a coordinate by an ulp
        double& x = side()[corner()][axis()];
        x = std::nextafter(x, random.below(2) == 0 ? 1e308 : -1e308);
        break;
      }
      case 1:  // moves a corner onto another
        side()[corner()] = side()[corner()];
        break;
      case 2:  // copies a coordinate, which makes axis-parallel planes and lines
      {
        const int k = axis();
        side()[corner()][k] = side()[corner()][k];
        break;
      }
      case 3: {  // stops a corner
        const auto i = corner();
        mutant.end[i] = mutant.start[i];
        break;
      }
      case 4: {  // exchanges start and end of a corner
        const auto i = corner();
        std::swap(mutant.start[i], mutant.end[i]);
        break;
      }
      case 5: {  // flattens an axis
        const int k = axis();
        for (auto* points : {&mutant.start, &mutant.end})
          for (Vec3& point : *points) point[k] = 0;
        break;
      }
      case 6: {  // moves a corner to the midpoint of two others
        auto& points = side();
        const auto i = corner(), j = corner();
        points[corner()] = points[i] / 2 + points[j] / 2;
        break;
      }
      case 7: {  // scales by a power of two
        const int power = int(random.below(41)) - 20;
        for (auto* points : {&mutant.start, &mutant.end})
          for (Vec3& point : *points) point *= std::ldexp(1.0, power);
        break;
      }
      case 8: {  // rounds a coordinate to fewer bits
        double& x = side()[corner()][axis()];
        x = double(float(x));
        break;
      }
      default:  // gives two corners the same motion
        const auto i = corner(), j = corner();
        mutant.end[j] = mutant.start[j] + (mutant.end[i] - mutant.start[i]);
    }
  return is_finite(mutant) ? mutant : query;
}

}  // namespace graze::test
