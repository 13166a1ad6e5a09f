#include <span>
#include <string>
#include <string_view>

#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/separation.h"
#include "graze/version.h"
#include "results.h"

namespace graze::wasm {
namespace {

// Calls function(std::span<const Q>) with the queries of a kind.
template <class Function>
void with_queries(int kind, const double* numbers, std::size_t count, Function&& function) {
  const auto span = [&]<class Q>(const Q*) {
    function(std::span<const Q>(reinterpret_cast<const Q*>(numbers), count));
  };
  switch (static_cast<Kind>(kind)) {
    case Kind::vertex_face:
      return span(static_cast<const VertexFace*>(nullptr));
    case Kind::edge_edge:
      return span(static_cast<const EdgeEdge*>(nullptr));
    case Kind::vertex_edge:
      return span(static_cast<const VertexEdge*>(nullptr));
    case Kind::vertex_vertex:
      return span(static_cast<const VertexVertex*>(nullptr));
    case Kind::edge_face:
      return;
  }
}

}  // namespace
}  // namespace graze::wasm

using namespace graze;
using graze::wasm::CallOptions;
using graze::wasm::results;

// Text: the table of methods, the strategies and the version, as JSON.
GRAZE_EXPORT(describe) void describe() {
  std::string& json = results().text;
  json = "{\"version\":";
  wasm::append_text(json, version);
  json += ",\"methods\":[";
  for (const Method& method : methods()) {
    if (&method != &methods().front()) json += ',';
    json += "{\"name\":";
    wasm::append_text(json, method.name);
    json += ",\"guarantee\":";
    wasm::append_text(json, name(method.guarantee));
    json += ",\"givesTime\":";
    json += method.gives_time ? "true" : "false";
    json += ",\"norm\":";
    wasm::append_text(json, name(method.norm));
    json += ",\"vertexFace\":";
    json += method.vertex_face ? "true" : "false";
    json += ",\"edgeEdge\":";
    json += method.edge_edge ? "true" : "false";
    json += ",\"reference\":";
    wasm::append_text(json, method.reference);
    json += '}';
  }
  json += "],\"strategies\":[";
  for (const PairStrategy& strategy : pair_strategies()) {
    if (&strategy != &pair_strategies().front()) json += ',';
    wasm::append_text(json, strategy.name);
  }
  json += "]}";
}

// Impacts: one for each query.
GRAZE_EXPORT(first_contact)
void first_contact_of(int kind, const double* numbers, std::size_t count,
                      const CallOptions* options) {
  const Options query = options->query();
  const Method& method = options->method < 0 ? default_method(query)
                                             : methods()[static_cast<std::size_t>(options->method)];
  std::vector<Impact>& impacts = results().impacts;
  impacts.resize(count);
  wasm::with_queries(kind, numbers, count, [&]<class Q>(std::span<const Q> queries) {
    first_contact<Q>(queries, impacts, query, {}, method);
  });
}

// Numbers: the verdict, then five for each interval.
GRAZE_EXPORT(contact_times)
void contact_times_of(int kind, const double* numbers, const CallOptions* options) {
  std::vector<double>& out = results().numbers;
  wasm::with_queries(kind, numbers, 1, [&]<class Q>(std::span<const Q> queries) {
    const ContactTimes times = contact_times(queries[0], options->query());
    out = {static_cast<double>(times.verdict)};
    for (const ContactInterval& interval : times.intervals)
      out.insert(out.end(), {interval.begin_lo, interval.begin_hi, interval.end_lo, interval.end_hi,
                             interval.instant ? 1.0 : 0.0});
  });
}

// Numbers: the verdict, t_max, whether verify() accepts the proof, then for each piece: the number
// of terms of its end and these terms; the number of coefficients, and for each of them the number
// of its terms and these vectors.
GRAZE_EXPORT(certificate)
void certificate_of(int kind, const double* numbers, const CallOptions* options) {
  std::vector<double>& out = results().numbers;
  wasm::with_queries(kind, numbers, 1, [&]<class Q>(std::span<const Q> queries) {
    const Certificate proof = certificate(queries[0], options->query());
    const bool verified = proof.verdict == Verdict::separated && verify(proof, queries[0]);
    out = {static_cast<double>(proof.verdict), proof.t_max, verified ? 1.0 : 0.0};
    for (const CertificatePiece& piece : proof.pieces) {
      out.push_back(static_cast<double>(piece.end.size()));
      out.insert(out.end(), piece.end.begin(), piece.end.end());
      out.push_back(static_cast<double>(piece.direction.size()));
      for (const std::vector<Vec3>& coefficient : piece.direction) {
        out.push_back(static_cast<double>(coefficient.size()));
        for (const Vec3& term : coefficient) wasm::add(out, term);
      }
    }
  });
}

// Numbers: u, v, the normal and the distance of each query.
GRAZE_EXPORT(closest_points)
void closest_points_of(int kind, const double* numbers, std::size_t count, double t, int norm) {
  std::vector<double>& out = results().numbers;
  out.clear();
  out.reserve(6 * count);
  wasm::with_queries(kind, numbers, count, [&]<class Q>(std::span<const Q> queries) {
    for (const Q& query : queries) {
      const ClosestPoints points = closest_points(query, t, static_cast<Norm>(norm));
      out.insert(out.end(), {points.u, points.v});
      wasm::add(out, points.normal);
      out.push_back(points.distance);
    }
  });
}
