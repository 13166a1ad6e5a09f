#include "graze/narrow/contact/exact_turning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/first_turning_contact.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/contact/turning_control.h"
#include "graze/narrow/contact/turning_position.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/contact/exact_turning.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_curved-inl.h"

#ifndef GRAZE_NARROW_TURNING_PIECES_
#define GRAZE_NARROW_TURNING_PIECES_
namespace graze::narrow {

// The result of examining a half-turn by pieces.
struct TurningPieces {
  bool decided = false;
  bool contact = false;   // if decided
  double lo = 0, hi = 0;  // on contact: y lies between them
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
    alignas(64) double begin[width], end[width], lo[width], hi[width];
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
    if (contact != 0) {
      hn::Store(found.lo.v, tag, lo);
      hn::Store(found.hi.v, tag, hi);
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (clear >> lane & 1) continue;
      const Part& part = lanes[lane];
      if (contact >> lane & 1) {
        // begin + s length is off by one rounding, 2^-53; integers check the signs at the ends.
        const auto at = [&](double s, double slack) {
          return std::clamp(part.begin + s * part.length + slack, part.begin,
                            part.begin + part.length);
        };
        return {true, true, at(lo[lane], -0x1p-52 * part.begin),
                at(hi[lane], 0x1p-52 * part.begin)};
      }
      if (part.length < min_length || examined > max_examined) return {};
      for (std::size_t later = count - 1; later > lane; --later)
        if (!(clear >> later & 1)) parts.push_back(lanes[later]);
      divide(part, 4);
      break;
    }
  }
  return {true, false, 0, 0};
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
std::optional<exact::FirstContact> examine_in_floating_point(const Turning<Query>& query,
                                                             const exact::SharedTurn& turn,
                                                             double t_max, exact::Arena& arena,
                                                             TurningTally& tally) {
  if (turn.rate == 0 || turn.speeds[0] == 2 || turn.speeds[1] == 2) return {};
  for (int half = 0; half < 2; ++half) {
    if (half == 1 && turn.rate * t_max < 3.14) break;  // theta < pi, whatever the rounding
    const exact::HalfTurn part{half, half == 0 ? exact::turn_range(turn.rate, t_max) : 0};
    const TurningControl<Query> control = turning_control(query, turn, part);
    if (!(control.most < 0x1p120 && control.most > 0x1p-120)) return {};
    const TurningPieces found = examine(control);
    if (!found.decided) return {};
    if (found.contact) {
      const auto first = time_of_root(query, turn, {part, found.lo, found.hi}, t_max, arena);
      tally.contact += first.has_value();
      return first;
    }
  }
  ++tally.pieces;
  return exact::FirstContact{};
}

template <class Query>
Impact turning_contact(const Turning<Query>& query, const exact::SharedTurn& turn,
                       const Options& options, TurningTally* given) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0) return Impact::invalid();
  exact::Arena arena;
  TurningTally unused, &tally = given ? *given : unused;
  std::optional<exact::FirstContact> first =
      examine_in_floating_point(query, turn, options.t_max, arena, tally);
  if (!first) {
    first = exact::first_contact(query, turn, options.t_max, arena);
    ++tally.integer;
  }
  if (!first->found) return Impact::separated();
  Impact impact = Impact::contact(first->lo, first->hi, 1);
  impact.kind = first->kind;
  locate_turning_contact(query, impact);
  return impact;
}

}  // namespace

Impact exact_turning(const Turning<VertexFace>& query, const exact::SharedTurn& turn,
                     const Options& options, TurningTally* tally) {
  return turning_contact(query, turn, options, tally);
}
Impact exact_turning(const Turning<EdgeEdge>& query, const exact::SharedTurn& turn,
                     const Options& options, TurningTally* tally) {
  return turning_contact(query, turn, options, tally);
}

}  // namespace graze::narrow
#endif
