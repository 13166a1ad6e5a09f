#include "scenes/query_proof.h"

#include <fmt/format.h>

#include "graze/certificate.h"

namespace graze::command {
namespace {

template <class Q>
Json proof_json(const Q& query, std::size_t index, Kind kind, const Certificate& proof) {
  Json corners = Json::array(), pieces = Json::array();
  for (const auto* points : {&query.start, &query.end})
    for (const Vec3& x : *points) corners.push_back(to_json(x));
  for (const CertificatePiece& piece : proof.pieces) {
    Json direction = Json::array();
    for (const std::vector<Vec3>& sum : piece.direction) direction.push_back(to_json(sum));
    pieces.push_back({{"end", piece.end}, {"direction", direction}});
  }
  return {{"index", index},
          {"kind", name(kind)},
          {"query", corners},
          {"t_max", proof.t_max},
          {"pieces", pieces}};
}

template <class Q>
bool holds(const Certificate& proof, const std::vector<Vec3>& corners) {
  Q query;
  for (std::size_t i = 0; i < 4; ++i) {
    query.start[i] = corners[i];
    query.end[i] = corners[4 + i];
  }
  return verify(proof, query);
}

}  // namespace

std::size_t write_query_proofs(const std::string& file, std::span<const queries::NamedSet> sets,
                               const Options& options) {
  Json proofs = Json::array();
  std::size_t index = 0;
  for (const queries::NamedSet& set : sets)
    queries::visit(set.kind, set.data, [&](const auto& list) {
      for (const auto& query : list) {
        const Certificate proof = certificate(query, options);
        if (proof.verdict == Verdict::separated)
          proofs.push_back(proof_json(query, index, set.kind, proof));
        ++index;
      }
    });
  write_json(file, {{"format", query_proof_format}, {"proofs", proofs}});
  return proofs.size();
}

QueryProofCheck verify_query_proofs(const JsonReader& reader) {
  QueryProofCheck result;
  const auto nothing = [](const Json&, const std::string&) {};
  const auto verify_one = [&](const Json& json, const std::string& where) {
    Certificate proof;
    proof.verdict = Verdict::separated;
    std::vector<Vec3> corners;
    std::string kind_name;
    std::uint32_t index = 0;
    reader.require(json, where, {"index", "kind", "query", "t_max", "pieces"});
    reader.read(
        json, where,
        {{"index", [&](const Json& v, const std::string& at) { index = reader.index(v, at); }},
         {"kind", [&](const Json& v, const std::string& at) { kind_name = reader.text(v, at); }},
         {"query", [&](const Json& v, const std::string& at) { corners = reader.vectors(v, at); }},
         {"t_max",
          [&](const Json& v, const std::string& at) { proof.t_max = reader.number(v, at); }},
         {"pieces", [&](const Json& list, const std::string& at) {
            reader.each(list, at, [&](const Json& one, const std::string& inner) {
              CertificatePiece piece;
              reader.require(one, inner, {"end", "direction"});
              reader.read(one, inner,
                          {{"end",
                            [&](const Json& v, const std::string& place) {
                              reader.each(v, place, [&](const Json& x, const std::string& deep) {
                                piece.end.push_back(reader.number(x, deep));
                              });
                            }},
                           {"direction", [&](const Json& v, const std::string& place) {
                              reader.each(v, place, [&](const Json& x, const std::string& deep) {
                                piece.direction.push_back(reader.vectors(x, deep));
                              });
                            }}});
              proof.pieces.push_back(std::move(piece));
            });
          }}});
    const std::optional<Kind> kind = find_kind(kind_name);
    if (!kind) reader.fail(where, fmt::format("\"{}\" is no kind of query", kind_name));
    if (corners.size() != 8) reader.fail(where, "\"query\" must have eight points");
    ++result.proofs;
    const bool valid = *kind == Kind::edge_edge ? holds<EdgeEdge>(proof, corners)
                                                : holds<VertexFace>(proof, corners);
    if (!valid && result.problem.empty())
      result.problem = fmt::format("{}: the pieces do not prove query {} separated", where, index);
  };
  reader.require(reader.json(), "", {"proofs"});
  reader.read(reader.json(), "",
              {{"format", nothing}, {"proofs", [&](const Json& list, const std::string& at) {
                                       reader.each(list, at, verify_one);
                                     }}});
  return result;
}

}  // namespace graze::command
