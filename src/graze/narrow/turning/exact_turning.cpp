#include "graze/narrow/turning/exact_turning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/first_turning_contact.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/turning/turning_control.h"
#include "graze/narrow/turning/turning_position.h"
#include "graze/narrow/turning/turning_time.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/turning/exact_turning.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_curved-inl.h"

#ifndef GRAZE_NARROW_TURNING_PIECES_
#define GRAZE_NARROW_TURNING_PIECES_
namespace graze::narrow {

// The result of examining a half-turn by pieces.
struct TurningPieces {
  bool decided = false;
  bool contact = false;           // if decided
  double lo = 0, hi = 0;          // on contact: y lies between them
  std::optional<RoughRoot> root;  // on contact, unless the piece is very short
};

}  // namespace graze::narrow
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

// Examines a half-turn by pieces, in the order of time. An undecided piece is divided into four.
// The number of lanes changes which pieces are examined together, but no answer: each is proven.
template <class Query>
TurningPieces examine_turn(const TurningControl<Query>& control) {
  using T = Lanes<Many>;
  constexpr std::size_t width = HWY_LANES(double);
  constexpr int max_examined = 160;
  constexpr double min_length = 0x1p-20;
  const Many tag;
  Piece<Query, 2, T> whole;
  for (int i = 0; i < whole.size; ++i) {
    const auto& e = control.point[i];
    for (int j = 0; j < 3; ++j) whole.e[i][j] = {T(e[j][0]), T(e[j][1]), T(e[j][2])};
    const auto bound = [&](int k) { return T(control_err * control.size[i][k] + control_floor); };
    whole.w[i] = {bound(0), bound(1), bound(2)};
  }
  struct Part {
    double begin, length;
  };
  std::vector<Part> parts;  // the earliest last
  const auto divide = [&](const Part& part, int count) {
    for (int i = count - 1; i >= 0; --i)
      parts.push_back({part.begin + i * (part.length / count), part.length / count});
  };
  divide({0, 1}, 8);
  for (int examined = 0; !parts.empty();) {
    std::array<Part, width> lanes;
    const std::size_t count = std::min(width, parts.size());
    alignas(64) double begin[width], end[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      lanes[lane] = parts[parts.size() - 1 - std::min(lane, count - 1)];
      begin[lane] = lanes[lane].begin;
      end[lane] = lanes[lane].begin + lanes[lane].length;
    }
    parts.resize(parts.size() - count);
    examined += static_cast<int>(count);
    Piece<Query, 2, T> piece = whole;
    restrict_to(piece, T(hn::Load(tag, begin)), T(hn::Load(tag, end)));
    const CurvedExamined<T> found = examine_curved(piece, T(1.0) > T(0.0));
    const std::uint64_t clear = found.clear.bits(), contact = found.contact.bits();
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (clear >> lane & 1) continue;
      const Part& part = lanes[lane];
      if (contact >> lane & 1) {
        const CurvedRoot root = root_of(found, lane);
        // begin + s length is off by one rounding, 2^-53; integers check the signs at the ends.
        const auto at = [&](double place, double slack) {
          return std::clamp(part.begin + place * part.length + slack, part.begin,
                            part.begin + part.length);
        };
        TurningPieces result{
            true, true, at(root.lo, -0x1p-52 * part.begin), at(root.hi, 0x1p-52 * part.begin), {}};
        // The rates hold within hi - lo + 2^-40 of s, and y is off by 2^-53 <= 2^-41 length. A
        // length is a power of two.
        if (part.length >= 0x1p-12 && root.slowest > 0)
          result.root = {at(root.s, 0), root.rate / part.length, root.rate_err / part.length,
                         root.slowest / part.length};
        return result;
      }
      if (part.length < min_length || examined > max_examined) return {};
      for (std::size_t later = count - 1; later > lane; --later)
        if (!(clear >> later & 1)) parts.push_back(lanes[later]);
      divide(part, 4);
      break;
    }
  }
  return {true, false, 0, 0, {}};
}

TurningPieces examine_turn_vertex_face(const TurningControl<VertexFace>& control) {
  return examine_turn(control);
}
TurningPieces examine_turn_edge_edge(const TurningControl<EdgeEdge>& control) {
  return examine_turn(control);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(examine_turn_vertex_face);
HWY_EXPORT(examine_turn_edge_edge);

namespace {

TurningPieces examine(const TurningControl<VertexFace>& control) {
  return HWY_DYNAMIC_DISPATCH(examine_turn_vertex_face)(control);
}
TurningPieces examine(const TurningControl<EdgeEdge>& control) {
  return HWY_DYNAMIC_DISPATCH(examine_turn_edge_edge)(control);
}

// Answers by the stages of floating point; empty if they do not decide. Contact is reported only
// where a half-turn has no contact before its root, and later half-turns follow only where the
// earlier ones have none.
template <class Query>
std::optional<exact::FirstContact> examine_in_floating_point(
    const Turning<Query>& query, const RoughTurn& turn,
    const std::optional<exact::SharedTurn>& given, double t_max, exact::Arena& arena,
    TurningTally& tally) {
  for (int half = 0; half < 2; ++half) {
    if (half == 1 && turn.rate * t_max < 3.14) break;  // theta < pi, whatever the rounding
    const exact::HalfTurn part{half, half == 0 ? exact::turn_range(turn.rate, t_max) : 0};
    const TurningControl<Query> control(query, turn, part);
    if (!(control.most < 0x1p120 && control.most > 0x1p-120)) return {};
    const TurningPieces found = examine(control);
    if (!found.decided) return {};
    if (found.contact) {
      if (turn.exact && found.root)
        if (const auto time = rough_time(query, turn, part, *found.root)) {
          ++tally.contact;
          exact::FirstContact first;
          if ((*time)[1] > t_max) return first;
          first.found = true;
          first.lo = (*time)[0];
          first.hi = (*time)[1];
          first.kind = ContactKind::interior;
          return first;
        }
      const auto first = time_of_root(query, given ? *given : *exact::shared_turn(query.turns),
                                      {part, found.lo, found.hi}, t_max, arena);
      tally.integer_time += first.has_value();
      tally.contact += first.has_value();
      return first;
    }
  }
  ++tally.pieces;
  return exact::FirstContact{};
}

template <class Query>
std::optional<Impact> turning_contact(const Turning<Query>& query, const Options& options,
                                      TurningTally* given) {
  const FloatEnvironment environment;
  std::optional<RoughTurn> rough = rough_turn(query.turns);
  std::optional<exact::SharedTurn> turn;
  if (!rough) {
    turn = exact::shared_turn(query.turns);
    if (!turn) return {};
    rough = rough_turn(*turn);
  }
  if (!is_sensible(options) || options.min_separation > 0) return Impact::invalid();
  exact::Arena arena;
  TurningTally unused, &tally = given ? *given : unused;
  std::optional<exact::FirstContact> first;
  if (rough) first = examine_in_floating_point(query, *rough, turn, options.t_max, arena, tally);
  if (!first) {
    if (!turn) turn = exact::shared_turn(query.turns);
    first = exact::first_contact(query, *turn, options.t_max, arena);
    ++tally.integer;
  }
  if (!first->found) return Impact::separated();
  Impact impact = Impact::contact(first->lo, first->hi, 1);
  impact.kind = first->kind;
  locate_turning_contact(query, impact);
  return impact;
}

}  // namespace

std::optional<Impact> exact_turning(const Turning<VertexFace>& query, const Options& options,
                                    TurningTally* tally) {
  return turning_contact(query, options, tally);
}
std::optional<Impact> exact_turning(const Turning<EdgeEdge>& query, const Options& options,
                                    TurningTally* tally) {
  return turning_contact(query, options, tally);
}

}  // namespace graze::narrow
#endif
