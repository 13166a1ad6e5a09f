#include <graze/io/mesh_files.h>

#include <cstdio>
#include <vector>

// A mesh that is written and read back is the same.
int main() {
  const graze::Mesh mesh = graze::make_mesh(3, {{0, 1, 2}}, {});
  const std::vector<graze::Vec3> positions = {{0, 0, 0}, {1, 0, 0}, {0, 1.0 / 3, 0}};
  graze::io::write_mesh("triangle.ply", mesh, positions);
  const graze::io::MeshFrame frame = graze::io::read_mesh("triangle.ply");
  std::printf("%zu faces\n", frame.mesh.faces.size());
  return frame.mesh.faces == mesh.faces && frame.positions == positions ? 0 : 1;
}
