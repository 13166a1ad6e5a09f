#include "terminal/query_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/command.h"
#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/separation.h"
#include "queries/disagreement.h"
#include "terminal/json_values.h"

namespace graze::command {
namespace {

Json points_json(const std::array<Vec3, 4>& points) {
  Json list = Json::array();
  for (const Vec3& x : points) list.push_back({x[0], x[1], x[2]});
  return list;
}

// Returns the direction of a piece at s in [0, 1], rounded.
Vec3 direction_at(const CertificatePiece& piece, double s) {
  Vec3 sum = Vec3::Zero();
  const std::size_t degree = piece.direction.size() - 1;
  for (std::size_t k = 0; k <= degree; ++k) {
    const double weight =
        std::pow(1 - s, static_cast<double>(degree - k)) * std::pow(s, static_cast<double>(k));
    for (const Vec3& term : piece.direction[k]) sum += weight * term;
  }
  return sum.stableNormalized();
}

template <class Query>
Json certificate_json(const Query& query, const Options& options) {
  Json pieces = Json::array();
  double from = 0;
  for (const CertificatePiece& piece : certificate(query, options).pieces) {
    const double to = piece.end.front() * options.t_max;
    const int parts = piece.direction.size() > 1 ? 8 : 1;
    for (int part = 0; part < parts; ++part) {
      const auto at = [&](double k) { return from + k / parts * (to - from); };
      const Vec3 normal = direction_at(piece, (part + 0.5) / parts);
      pieces.push_back({{"from", at(part)},
                        {"to", at(part + 1)},
                        {"normal", {normal[0], normal[1], normal[2]}}});
    }
    from = to;
  }
  return pieces;
}

template <class Query>
Json methods_json(const Query& query, Kind kind, const Impact& truth, const Options& options) {
  Json list = Json::array();
  for (const Method& method : methods()) {
    if (!method.has(kind) || (options.min_separation > 0 && !method.min_separation())) continue;
    const Impact answer = first_contact(query, options, method);
    const queries::Fault fault = queries::fault_of(answer, truth, method.guarantee);
    list.push_back({{"name", method.name},
                    {"guarantee", name(method.guarantee)},
                    {"verdict", name(answer.verdict)},
                    {"toi", json_number(answer.toi)},
                    {"gives_time", method.gives_time},
                    {"fault", fault == queries::Fault::none ? "" : name(fault)}});
  }
  return list;
}

// Returns the query moved and scaled into [-1, 1]^3. Sets the scale.
template <class Query>
Query drawn(const Query& query, double& scale) {
  Vec3 lo = query.start[0], hi = lo;
  for (const auto* points : {&query.start, &query.end})
    for (const Vec3& x : *points) {
      lo = lo.cwiseMin(x);
      hi = hi.cwiseMax(x);
    }
  const Vec3 middle = lo / 2 + hi / 2;
  const double size = (hi / 2 - lo / 2).maxCoeff();
  scale = size > 0 ? size : 1;
  Query result = query;
  for (auto* points : {&result.start, &result.end})
    for (Vec3& x : *points) x = (x - middle) / scale;
  return result;
}

io::Recording record(const std::array<Vec3, 4>& start, const std::array<Vec3, 4>& end, Kind kind,
                     const Impact& truth, const Vec3& point) {
  const std::size_t first = kind == Kind::edge_edge ? 2 : 1;
  const auto part = [&](const std::array<Vec3, 4>& points, bool second) {
    return second ? std::vector<Vec3>(points.begin() + std::ptrdiff_t(first), points.end())
                  : std::vector<Vec3>(points.begin(), points.begin() + std::ptrdiff_t(first));
  };
  constexpr std::array amber{0.86f, 0.40f, 0.02f}, teal{0.02f, 0.37f, 0.33f};
  io::Recording recording;
  if (kind != Kind::edge_edge) {
    recording.add_body({"vertex", part(start, false), {}, {}, {0}, amber, false, 0});
    recording.add_body({"face", part(start, true), {{0, 1, 2}}, {}, {}, teal, false, 0});
  } else {
    recording.add_body({"edge a", part(start, false), {}, {{0, 1}}, {}, amber, false, 0});
    recording.add_body({"edge b", part(start, true), {}, {{0, 1}}, {}, teal, false, 0});
  }
  recording.begin_frame(0);
  recording.begin_frame(1);
  for (std::uint32_t body = 0; body < 2; ++body)
    recording.set_positions(body, part(end, body == 1));
  if (truth.verdict != Verdict::contact) return recording;
  std::vector<std::uint32_t> a{0}, b{0, 1};
  if (first == 2) a.push_back(1);
  if (first == 1) b.push_back(2);
  recording.add_contact({truth.toi, point, truth.normal, name(kind), 0, 1, a, b,
                         io::RecordedContact::unnamed, io::RecordedContact::unnamed});
  return recording;
}

template <class Query>
Vec3 meeting_point(const Query& query, double t) {
  std::array<Vec3, 4> x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = (1 - t) * query.start[i] + t * query.end[i];
  if constexpr (std::is_same_v<Query, VertexFace>) return x[0];
  const double u = closest_points(query, t).u;
  return (1 - u) * x[0] + u * x[1];
}

template <class Query>
Json page_of(const ShownQuery& shown, const Options& options) {
  const io::QuerySet set(shown.coordinates, {});
  const Query& query = set.as<Query>()[0];
  if (!is_finite(query))
    throw UsageError(shown.title + ": a coordinate is NaN or infinite; it cannot be drawn");
  const Impact truth = first_contact(query, options, *find_method("oracle"));
  double scale = 1;
  const Query picture = drawn(query, scale);
  Json intervals = Json::array();
  for (const ContactInterval& interval : contact_times(query, options).intervals)
    intervals.push_back({interval.begin_lo, interval.end_hi});
  constexpr int samples = 256;
  Json gap = Json::array();
  for (int k = 0; k <= samples; ++k)
    gap.push_back(closest_points(picture, static_cast<double>(k) / samples).distance);
  io::Recording recording = record(
      picture.start, picture.end, shown.kind, truth,
      truth.verdict == Verdict::contact ? meeting_point(picture, truth.toi) : Vec3(Vec3::Zero()));
  recording.title = shown.title;
  recording.time_unit = "of the step";
  return {
      {"id", shown.id},
      {"title", shown.title},
      {"recording", base64(io::glb_bytes(recording))},
      // Vertex-edge and vertex-vertex queries are drawn as they are stored: as faces without area.
      {"kind", name(shown.kind == Kind::edge_edge ? Kind::edge_edge : Kind::vertex_face)},
      {"t_max", options.t_max},
      {"truth",
       {{"contact", truth.verdict == Verdict::contact},
        {"toi", json_number(truth.toi)},
        {"intervals", intervals}}},
      {"methods", methods_json(query, shown.kind, truth, options)},
      {"certificate",
       options.min_separation > 0 ? Json::array() : certificate_json(query, options)},
      {"gap", gap},
      {"start", points_json(picture.start)},
      {"end", points_json(picture.end)}};
}

}  // namespace

void write_query_page(const std::string& html, const std::vector<ShownQuery>& queries,
                      const Options& options) {
  Json pages = Json::array();
  for (const ShownQuery& shown : queries)
    pages.push_back(shown.kind == Kind::edge_edge ? page_of<EdgeEdge>(shown, options)
                                                  : page_of<VertexFace>(shown, options));
  write_page(html, pages);
}

}  // namespace graze::command
