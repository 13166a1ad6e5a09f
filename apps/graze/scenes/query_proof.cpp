#include "scenes/query_proof.h"

#include <fmt/format.h>

#include "graze/certificate.h"
#include "scenes/proof_file.h"

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
bool holds(const Certificate& proof, const std::array<Vec3, 8>& corners) {
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
  for (const QueryProof& read : read_query_proofs(reader)) {
    const bool valid = read.kind == Kind::edge_edge ? holds<EdgeEdge>(read.proof, read.corners)
                                                    : holds<VertexFace>(read.proof, read.corners);
    if (!valid && result.problem.empty())
      result.problem = fmt::format("proofs[{}]: the pieces do not prove query {} separated",
                                   result.proofs, read.index);
    ++result.proofs;
  }
  return result;
}

}  // namespace graze::command
