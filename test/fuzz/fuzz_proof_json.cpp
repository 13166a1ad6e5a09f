#include "graze/io/file_error.h"
#include "scenes/proof_file.h"
#include "test/fuzz/file.h"

// Proofs that are read have finite numbers; everything else is a FileError. The readers do not
// check the claims.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graze::fuzz::require;
  using namespace graze::command;
  const graze::fuzz::MemoryFile file(graze::fuzz::text_of(data, size));
  try {
    const JsonReader reader(file.name());
    if (reader.format() == path_proof_format) {
      const PathProof read = read_path_proof(reader, file.name());
      require(std::isfinite(read.inputs.margin), "a finite margin");
      for (const auto& own : read.inputs.margins)
        require(std::isfinite(own.margin), "finite margins of pairs");
      for (const auto& interval : read.proof.intervals)
        require(
            std::isfinite(interval.s0) && std::isfinite(interval.s1) && interval.normal.allFinite(),
            "finite intervals");
      require(
          read.proof.pairs.size() + read.proof.orders.size() + read.proof.intervals.size() <= size,
          "no more elements than the file has room for");
    } else if (reader.format() == query_proof_format) {
      for (const QueryProof& read : read_query_proofs(reader)) {
        require(read.kind == graze::Kind::vertex_face || read.kind == graze::Kind::edge_edge,
                "a kind that has proofs");
        require(std::isfinite(read.proof.t_max), "a finite time");
        for (const graze::Vec3& corner : read.corners) require(corner.allFinite(), "finite points");
      }
    }
  } catch (const graze::io::FileError&) {
  }
  return 0;
}
