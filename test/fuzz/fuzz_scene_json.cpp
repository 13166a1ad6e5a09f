#include <set>

#include "graze/io/file_error.h"
#include "scenes/scene_file.h"
#include "test/fuzz/file.h"

// A scene that is read has bodies of different names, each with one shape and usable poses;
// everything else is a FileError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graze::fuzz::require;
  const graze::fuzz::MemoryFile file(graze::fuzz::text_of(data, size));
  graze::command::SceneFile scene;
  try {
    scene = graze::command::read_scene_file(file.name());
  } catch (const graze::io::FileError&) {
    return 0;
  }
  std::set<std::string> names;
  for (const auto& body : scene.bodies) {
    require(!body.name.empty() && names.insert(body.name).second, "a name of its own");
    require(body.mesh.empty() || body.shape.kind == graze::rigid::RobotShape::Kind::mesh,
            "a mesh or a primitive");
    require(body.from.is_finite() && (!body.to || body.to->is_finite()), "finite poses");
    require(body.link.empty() || !body.to, "a carried body has no motion of its own");
    require(body.shape.radius >= 0 && body.shape.half_height >= 0 &&
                body.shape.half_extents.minCoeff() >= 0,
            "lengths");
  }
  for (const auto& pair : scene.may_touch)
    require(pair.names[0] != pair.names[1], "two different names");
  return 0;
}
