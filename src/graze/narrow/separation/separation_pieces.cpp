#include "graze/narrow/separation/separation_pieces.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/separation/separation_pieces.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/closest_search-inl.h"
#include "graze/narrow/simd/exact_root_culls-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

#define GRAZE_LANE_INLINE HWY_INLINE
#include "graze/narrow/separation/separating_direction-inl.h"
#undef GRAZE_LANE_INLINE

// A Space of separating_direction-inl.h with one query per lane, for polygons of n corners.
template <Norm norm, std::size_t n>
struct ManyQueries {
  using Scalar = Lanes<Many>;
  using Mask = Scalar::Mask;
  using Vector = Vec<Scalar>;
  using Polygon = HWY_NAMESPACE::Polygon<n, Scalar>;
  using Closest = HWY_NAMESPACE::Closest<Scalar>;  // max norm: the direction alone is set

  static HWY_INLINE const Polygon& corners(const Polygon& polygon) { return polygon; }
  static constexpr std::size_t size(const Polygon&) { return n; }
  static HWY_INLINE Closest closest(const Polygon& e) {
    if constexpr (norm == Norm::l2) return EuclideanSearch<n, Scalar>(e).best();
    Closest found;
    found.direction = MaxNormDirection<n, Scalar>(e).direction();
    return found;
  }
  static HWY_INLINE Vector direction(const Polygon&, const Closest& closest) {
    const Scalar zero(0.0);
    Vector direction = closest.direction;
    Scalar size;
    if constexpr (norm == Norm::l2) {
      // Rounding leaves a component along the edge in `direction`. Its relative size grows as the
      // edge comes closer, so it is removed.
      const Vector& along = closest.along;
      const Scalar along_sq = dot(along, along);
      const Scalar part = select(along_sq > zero, dot(direction, along) / along_sq, zero);
      direction = direction - part * along;
      const Scalar sq = dot(direction, direction);
      size = select(sq > Scalar(0x1p-900), square_root(sq), zero);
    } else {
      size = abs_of(direction.x) + abs_of(direction.y) + abs_of(direction.z);
    }
    return select(size > Scalar(0x1p-450), Scalar(1.0) / size * direction,
                  Vector{zero, zero, zero});
  }
};

template <Norm norm, class Query>
class Group {
  using T = Lanes<Many>;
  using Mask = T::Mask;
  static constexpr std::size_t corners = std::is_same_v<Query, EdgeEdge> ? 4 : 3;
  using Space = ManyQueries<norm, corners>;

 public:
  using Moment = typename DirectionProver<Space>::Moment;

  HWY_INLINE Group(const Coordinates<T>& x, const Options& options)
      : start_(polygon(x, 0)),
        end_(polygon(x, 1)),
        largest_(larger(largest_of(start_), largest_of(end_))),
        d_(options.min_separation),
        t_max_(options.t_max),
        directions_(largest_, d_) {}

  // The lanes that the positions at the start decide.
  struct FirstLook {
    Mask within;  // within d at the start
    Mask apart;   // further than d apart during the whole step
    Located located;
  };
  HWY_INLINE FirstLook first_look() const {
    FirstLook look;
    const Moment from = moment_of(start_);
    const Mask has_proofs = directions_.has_proofs();
    look.apart = from.apart;
    look.within = has_proofs & !has_proofs;
    if (from.apart.any()) look.apart = from.apart & directions_.is_apart(from.n, at(t_max_));
    if ((has_proofs & !from.apart).any()) {
      Closest<T> closest = from.closest;
      if constexpr (norm == Norm::linf) closest = closest_of<norm>(start_);
      const Vec<T> normal = normal_of(closest);
      look.within = has_proofs & (d_ >= distance_bound(closest.distance, largest_)) &
                    is_moderate(largest_of(start_)) & (largest_of(normal) > T(0.0));
      look.located.store(closest, normal, std::is_same_v<Query, EdgeEdge>);
    }
    return look;
  }

  HWY_INLINE Moment moment(T t) const { return moment_of(at(t)); }
  HWY_INLINE Mask is_bridged(const Moment& a, const Moment& b) const {
    return directions_.is_bridged(a, b);
  }
  // Replaces the corners and the direction of the lanes in `where`.
  static HWY_INLINE void replace(Moment& moment, Mask where, const Moment& other) {
    for (std::size_t i = 0; i < corners; ++i)
      moment.at[i] = select(where, other.at[i], moment.at[i]);
    moment.n = select(where, other.n, moment.n);
  }

 private:
  static HWY_INLINE Polygon<corners, T> polygon(const Coordinates<T>& x, int time) {
    return polygon_between<Query>(
        std::array{corner(x, 0, time), corner(x, 1, time), corner(x, 2, time), corner(x, 3, time)});
  }
  HWY_INLINE Polygon<corners, T> at(T t) const {
    Polygon<corners, T> e;
    for (std::size_t i = 0; i < corners; ++i) e[i] = (T(1.0) - t) * start_[i] + t * end_[i];
    return e;
  }
  HWY_INLINE Moment moment_of(const Polygon<corners, T>& e) const {
    Moment result;
    result.at = e;
    directions_.settle(result, Space::closest(e));
    return result;
  }

  Polygon<corners, T> start_, end_;
  T largest_, d_, t_max_;
  DirectionProver<Space> directions_;
};

template <Norm norm, class Query>
class Settler {
  using T = Lanes<Many>;
  using Looks = Group<norm, Query>;

 public:
  Settler(std::span<const Query> queries, const Options& options, std::span<Impact> impacts,
          SeparationTally& tally)
      : stream_{queries.data(), impacts.data()}, options_(options), tally_(tally) {}

  HWY_INLINE void settle(std::vector<Open>& open) {
    look_at(open);
    walk(open);
  }

 private:
  HWY_INLINE void look_at(std::vector<Open>& open) {
    Arrivals arrivals;
    std::size_t left = 0;
    for (std::size_t k = 0; k < open.size(); ++k) {
      arrivals.push(open[k].index, stream_.corners(open[k].index));
      if (!arrivals.full() && k + 1 < open.size()) continue;
      const auto look = Looks(arrivals.load(), options_).first_look();
      const std::uint64_t within = look.within.bits(), apart = look.apart.bits();
      for (std::size_t lane = 0; lane < arrivals.size; ++lane) {
        const std::size_t i = arrivals.index[lane];
        if (apart >> lane & 1) {
          separate(i);
        } else if (within >> lane & 1) {
          stream_.impacts[i] = Impact::contact(0, 0, 1);
          look.located.answer(lane, stream_.impacts[i]);
          ++tally_.start;
        } else {
          open[left++] = {static_cast<std::uint32_t>(i), 0};
        }
      }
      arrivals.size = 0;
    }
    open.resize(left);
  }

  // Each lane takes its own steps from moment to moment: half as long as the last one if that
  // failed, otherwise twice as long. A lane that has finished a query takes the next one.
  HWY_INLINE void walk(std::vector<Open>& open) {
    if (open.empty()) return;
    constexpr std::size_t width = Arrivals::width;
    Arrivals arrivals;
    struct Step {
      double length, free;
    } steps[width];
    alignas(64) double next[width] = {}, fresh[width] = {};  // next moment; 1 if it is the first
    std::uint64_t used = 0;
    std::size_t taken = 0, left = 0;
    const auto take = [&](std::size_t lane) {
      const bool more = taken < open.size();
      const std::uint64_t bit = std::uint64_t{1} << lane;
      used = more ? used | bit : used & ~bit;
      fresh[lane] = 1;
      next[lane] = 0;
      if (!more) return;
      arrivals.put(lane, open[taken].index, stream_.corners(open[taken].index));
      steps[lane] = {first_step * options_.t_max, 0};
      ++taken;
    };
    arrivals.size = width;
    for (std::size_t lane = 0; lane < width; ++lane) {
      arrivals.put(lane, open[0].index, stream_.corners(open[0].index));
      take(lane);
    }
    auto from = Looks(arrivals.load(), options_).moment(T(0.0));
    while (used != 0) {
      const Looks group(arrivals.load(), options_);
      const auto to = group.moment(T(hn::Load(Many(), next)));
      const auto taken_first = T(hn::Load(Many(), fresh)) > T(0.0);
      const auto step_taken = to.apart & (taken_first | group.is_bridged(from, to));
      const std::uint64_t ahead = step_taken.bits(), apart = to.apart.bits();
      Looks::replace(from, step_taken, to);
      for (std::uint64_t bits = used; bits != 0; bits &= bits - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
        auto& [length, free] = steps[lane];
        const bool is_ahead = ahead >> lane & 1, is_first = fresh[lane] > 0;
        if (is_ahead) {
          free = next[lane];
          fresh[lane] = 0;
        }
        if (!is_first) length *= is_ahead ? 2 : 0.5;
        next[lane] = std::min(free + length, options_.t_max);
        if (is_ahead && free == options_.t_max) {
          separate(arrivals.index[lane]);
          take(lane);
        } else if ((!is_ahead && (!(apart >> lane & 1) || length < least_step * options_.t_max)) ||
                   !(next[lane] > free)) {
          open[left++] = {static_cast<std::uint32_t>(arrivals.index[lane]), free};
          take(lane);
        }
      }
    }
    open.resize(left);
  }

  HWY_INLINE void separate(std::size_t i) {
    stream_.impacts[i] = Impact::separated(1);
    ++tally_.direction;
  }

  static constexpr double first_step = 0.25, least_step = 1.0 / 64;
  QueryStream<Query> stream_;
  const Options& options_;
  SeparationTally& tally_;
};

void settle_vertex_face(std::span<const VertexFace> queries, const Options& options, Norm norm,
                        std::span<Impact> impacts, SeparationTally& tally,
                        std::vector<Open>& open) {
  norm == Norm::l2 ? Settler<Norm::l2, VertexFace>(queries, options, impacts, tally).settle(open)
                   : Settler<Norm::linf, VertexFace>(queries, options, impacts, tally).settle(open);
}
void settle_edge_edge(std::span<const EdgeEdge> queries, const Options& options, Norm norm,
                      std::span<Impact> impacts, SeparationTally& tally, std::vector<Open>& open) {
  norm == Norm::l2 ? Settler<Norm::l2, EdgeEdge>(queries, options, impacts, tally).settle(open)
                   : Settler<Norm::linf, EdgeEdge>(queries, options, impacts, tally).settle(open);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(settle_vertex_face);
HWY_EXPORT(settle_edge_edge);

void settle(std::span<const VertexFace> queries, const Options& options, Norm norm,
            std::span<Impact> impacts, SeparationTally& tally, std::vector<Open>& open) {
  HWY_DYNAMIC_DISPATCH(settle_vertex_face)(queries, options, norm, impacts, tally, open);
}
void settle(std::span<const EdgeEdge> queries, const Options& options, Norm norm,
            std::span<Impact> impacts, SeparationTally& tally, std::vector<Open>& open) {
  HWY_DYNAMIC_DISPATCH(settle_edge_edge)(queries, options, norm, impacts, tally, open);
}

}  // namespace graze::narrow
#endif
