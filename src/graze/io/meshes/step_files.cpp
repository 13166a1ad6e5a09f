#include "graze/io/meshes/step_files.h"

#include <algorithm>
#include <vector>

#include "graze/io/append_number.h"
#include "graze/io/mapped_file.h"
#include "graze/io/queries/query_npy.h"

namespace graze::io {
namespace {

constexpr std::size_t piece = 8192;

// Appends query(pair) for all pairs.
template <class Query>
void append_queries(AtomicFile& file, const std::vector<Pair>& pairs, Query&& query) {
  using Result = decltype(query(Pair()));
  std::vector<Result> queries;
  for (std::size_t first = 0; first < pairs.size(); first += piece) {
    const std::size_t count = std::min(piece, pairs.size() - first);
    queries.resize(count);
    std::transform(pairs.begin() + std::ptrdiff_t(first),
                   pairs.begin() + std::ptrdiff_t(first + count), queries.begin(), query);
    file.write({reinterpret_cast<const char*>(queries.data()), count * sizeof(Result)});
  }
}

}  // namespace

std::vector<Vec3> read_vectors(const std::filesystem::path& path, std::size_t count) {
  const MappedFile file(path);
  std::vector<Vec3> vectors = parse_vector_npy(file.bytes(), path.string());
  if (vectors.size() != count)
    throw FileError(path.string(), "has " + std::to_string(vectors.size()) +
                                       " vectors, the mesh has " + std::to_string(count) +
                                       " vertices");
  return vectors;
}

std::string format_contacts(const FeatureCounts& counts, std::span<const StepImpact> impacts) {
  std::string text;
  for (const StepImpact& found : impacts) {
    const Impact& impact = found.impact;
    if (impact.verdict != Verdict::contact) continue;
    const auto ids = feature_ids(counts, found.kind, found.pair);
    text += name(found.kind);
    for (const std::size_t id : ids) {
      text += ',';
      append_number(text, id);
    }
    for (const double number : {impact.toi, impact.toi_hi, impact.u, impact.v, impact.normal[0],
                                impact.normal[1], impact.normal[2]}) {
      text += ',';
      append_number(text, number);
    }
    text += '\n';
  }
  return text;
}

void write_contacts(const std::filesystem::path& path, const Mesh& mesh,
                    std::span<const StepImpact> impacts) {
  AtomicFile file(path);
  file.write(contact_csv_header);
  const FeatureCounts counts{mesh.vertex_count, mesh.edges.size(), mesh.faces.size()};
  for (std::size_t i = 0; i < impacts.size(); i += piece)
    file.write(format_contacts(counts, impacts.subspan(i, std::min(piece, impacts.size() - i))));
  file.commit();
}

namespace {

const std::filesystem::path& made(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw FileError(folder.string(), error.message());
  return folder;
}

}  // namespace

PairQueryFiles::PairQueryFiles(const std::filesystem::path& folder)
    : vertex_face_(made(folder) / "vertex-face.npy"), edge_edge_(folder / "edge-edge.npy") {
  for (AtomicFile* file : {&vertex_face_, &edge_edge_}) file->write(query_npy_header(0));
}

void PairQueryFiles::add(const MovingMesh& moving, const Pairs& pairs) {
  append_queries(vertex_face_, pairs.vertex_face,
                 [&](const Pair& pair) { return moving.vertex_face(pair.a, pair.b); });
  append_queries(vertex_face_, pairs.vertex_edge, [&](const Pair& pair) {
    return as_vertex_face(moving.vertex_edge(pair.a, pair.b));
  });
  append_queries(vertex_face_, pairs.vertex_vertex, [&](const Pair& pair) {
    return as_vertex_face(moving.vertex_vertex(pair.a, pair.b));
  });
  append_queries(edge_edge_, pairs.edge_edge,
                 [&](const Pair& pair) { return moving.edge_edge(pair.a, pair.b); });
  vertex_faces_ += pairs.vertex_face.size() + pairs.vertex_edge.size() + pairs.vertex_vertex.size();
  edge_edges_ += pairs.edge_edge.size();
}

// All headers have the same length: the longest fits into the 128 bytes that each takes.
void PairQueryFiles::commit() {
  vertex_face_.overwrite_start(query_npy_header(vertex_faces_));
  edge_edge_.overwrite_start(query_npy_header(edge_edges_));
  vertex_face_.commit();
  edge_edge_.commit();
}

void write_pair_queries(const std::filesystem::path& folder, const MovingMesh& moving,
                        const Pairs& pairs) {
  PairQueryFiles files(folder);
  files.add(moving, pairs);
  files.commit();
}

}  // namespace graze::io
