#include "graze/broad/strategies/axial_bsp.h"

#include <algorithm>
#include <optional>

#include "graze/broad/strategies/compare_all.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {
namespace {

using Features = std::vector<RankFeature>;

// An axis-aligned plane. A box touches the side below if lo < rank, the side above if rank <= hi.
struct Plane {
  std::size_t axis;
  std::int32_t rank;

  bool touches(bool above, const RankBox& box) const {
    return above ? rank <= box.hi[axis] : box.lo[axis] < rank;
  }
  Features side(bool above, const Features& features) const {
    Features touching;
    for (const RankFeature& feature : features)
      if (touches(above, feature.box)) touching.push_back(feature);
    return touching;
  }
};

class Walk {
 public:
  Walk(const PairJob& job, const Match& match, const PairConsumer& consumer)
      : job_(job), match_(match), same_(match.a == match.b), consumer_(consumer) {}

  // Compares the features that touch `part`. If the match has one list, `bs` is empty and means
  // `as`.
  void compare(Features as, Features bs, const RankBox& part, PairBlock& block) const {
    const double comparisons = cost(as.size(), bs.size());
    const auto plane = comparisons > few_comparisons ? find_plane(as, bs) : std::nullopt;
    if (!plane) return compare_all(job_, match_, as, same_ ? as : bs, part, block);
    const auto go = [&](bool above, PairBlock& own) {
      RankBox half = part;
      if (above)
        half.lo[plane->axis] = plane->rank;
      else
        half.hi[plane->axis] = plane->rank - 1;
      compare(plane->side(above, as), plane->side(above, bs), half, own);
    };
    job_.begin_part();
    if (comparisons < many_comparisons) {
      go(false, block);
      go(true, block);
      return;
    }
    const auto go_alone = [&](bool above) {
      PairBlock own = block.sibling();
      go(above, own);
      own.flush();
    };
    do_both([&] { go_alone(false); }, [&] { go_alone(true); });
  }

  void operator()(const Features& as, const Features& bs) const {
    constexpr RankBox everywhere = {{0, 0, 0}, {INT32_MAX, INT32_MAX, INT32_MAX}};
    PairBlock block(match_.kind, consumer_);
    compare(as, same_ ? Features() : bs, everywhere, block);
    block.flush();
  }

 private:
  static constexpr double few_comparisons = 1000, many_comparisons = 1e7, worthwhile = 0.7;

  double cost(std::size_t a, std::size_t b) const {
    return static_cast<double>(a) * static_cast<double>(same_ ? a : b);
  }

  // Returns the best of three planes, one per axis at the median of the lower bounds of a sample of
  // features: the one that leaves the fewest comparisons, if it saves enough.
  std::optional<Plane> find_plane(const Features& as, const Features& bs) const {
    constexpr std::size_t sample = 64;
    std::optional<Plane> best;
    double best_cost = worthwhile * cost(as.size(), bs.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<std::int32_t> begins;
      for (const Features* features : {&as, &bs})
        for (std::size_t i = 0; i < features->size(); i += features->size() / sample + 1)
          begins.push_back((*features)[i].box.lo[axis]);
      const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
      std::nth_element(begins.begin(), middle, begins.end());
      const Plane plane{axis, *middle};
      double plane_cost = 0;
      for (const bool above : {false, true}) {
        const auto count = [&](const Features& features) {
          return static_cast<std::size_t>(std::count_if(
              features.begin(), features.end(),
              [&](const RankFeature& feature) { return plane.touches(above, feature.box); }));
        };
        plane_cost += cost(count(as), count(bs));
      }
      if (plane_cost > best_cost) continue;
      best_cost = plane_cost;
      best = plane;
    }
    return best;
  }

  const PairJob& job_;
  const Match& match_;
  bool same_;
  const PairConsumer& consumer_;
};

}  // namespace

void axial_bsp(const PairJob& job, const PairConsumer& consumer) {
  if (job.matches().empty()) return;
  const RankBoxes boxes(job);
  std::vector<Features> features;
  for (const FeatureList& list : job.lists()) features.push_back(rank_features(job, list, boxes));
  for (const Match& match : job.matches()) {
    Walk(job, match, consumer)(features[match.a], features[match.b]);
    job.end_part(1);
  }
}

}  // namespace graze::broad
