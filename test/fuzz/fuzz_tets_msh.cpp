#include <algorithm>
#include <cstring>
#include <string>

#include "graze/io/meshes/tet_files.h"
#include "test/fuzz/require.h"

// A mesh that is read has valid indices and finite positions, is no larger than the file, and is
// read back the same after it is written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  TetMesh mesh;
  try {
    mesh = io::parse_msh(fuzz::text_of(data, size), "input");
  } catch (const io::FileError&) {
    return 0;
  }
  fuzz::require(!mesh.tets.empty(), "a file that is read has a tetrahedron");
  fuzz::require(mesh.positions.size() + mesh.tets.size() <= size, "no more than the file holds");
  for (const Tetrahedron& tet : mesh.tets)
    fuzz::require(*std::max_element(tet.begin(), tet.end()) < mesh.positions.size(),
                  "tetrahedra name vertices");
  for (const Vec3& x : mesh.positions) fuzz::require(x.allFinite(), "positions are finite");
  const TetMesh again = io::parse_msh(io::format_msh(mesh), "written");
  fuzz::require(again.tets == mesh.tets && again.positions.size() == mesh.positions.size() &&
                    std::memcmp(again.positions.data(), mesh.positions.data(),
                                mesh.positions.size() * sizeof(Vec3)) == 0,
                "written as it was read");
  return 0;
}
