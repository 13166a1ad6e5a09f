#include "scenes/robot_setting.h"

#include <fmt/format.h>

#include "graze/io/mapped_file.h"
#include "graze/io/robot_files.h"
#include "graze/io/sha256.h"
#include "scenes/json_reader.h"
#include "scenes/rigid_scene.h"

namespace graze::command {

RobotSetting read_setting(const RobotInputs& inputs) {
  RobotSetting setting;
  io::RobotFile file = io::read_robot(inputs.urdf, inputs.srdf, inputs.packages);
  setting.files = file.files;
  if (!inputs.world.empty()) {
    std::vector<std::string> links;
    for (const rigid::RobotLink& link : file.description.links) links.push_back(link.name);
    RigidScene scene = read_robot_scene(inputs.world, links);
    setting.files.emplace_back(inputs.world);
    setting.files.insert(setting.files.end(), scene.files.begin(), scene.files.end());
    for (RigidScene::Attached& part : scene.attached) {
      rigid::RobotJoint grasp;
      grasp.name = "attached " + part.name;
      grasp.parent = part.link;
      grasp.child = part.name;
      file.description.joints.push_back(grasp);
      file.description.links.push_back({part.name, {std::move(part.shape)}});
    }
    setting.world = {std::move(scene.names), std::move(scene.bodies), std::move(scene.may_touch)};
  }
  setting.robot = rigid::make_robot(file.description);
  if (!setting.robot.problem().empty()) throw io::FileError(inputs.urdf, setting.robot.problem());
  const std::span<const std::string> joints = setting.robot.joints();
  const io::JointPath path = io::read_path(inputs.path, joints, inputs.joints);
  setting.files.emplace_back(inputs.path);
  setting.path = path.velocities.empty()
                     ? rigid::straight_path(path.configurations, joints.size(), path.times)
                     : rigid::smooth_path(path.configurations, joints.size(), path.times,
                                          path.velocities, path.accelerations);
  if (setting.path.pieces() == 0)
    throw io::FileError(inputs.path, "a path with velocities needs two rows");
  return setting;
}

void write_path_proof(const std::string& file, const RobotInputs& inputs,
                      const RobotSetting& setting, const rigid::RobotProof& proof) {
  const std::filesystem::path folder =
      std::filesystem::absolute(std::filesystem::path(file)).parent_path();
  const auto name = [&](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_proximate(folder).generic_string();
  };
  Json json = {{"format", path_proof_format}, {"urdf", name(inputs.urdf)}};
  if (!inputs.srdf.empty()) json["srdf"] = name(inputs.srdf);
  json["path"] = name(inputs.path);
  if (!inputs.world.empty()) json["world"] = name(inputs.world);
  Json packages = Json::object(), joints = Json::object(), margins = Json::array();
  for (const auto& [package, place] : inputs.packages) packages[package] = name(place);
  for (const auto& [joint, value] : inputs.joints) joints[joint] = value;
  for (const rigid::PairMargin& own : inputs.margins)
    margins.push_back({{"a", own.a}, {"b", own.b}, {"margin", own.margin}});
  json["packages"] = packages;
  json["joints"] = joints;
  json["margin"] = inputs.margin;
  json["margins"] = margins;
  Json hashes = Json::array();
  for (const std::filesystem::path& read : setting.files)
    hashes.push_back({{"file", name(read)}, {"sha256", io::sha256(io::MappedFile(read).bytes())}});
  json["hashes"] = hashes;
  Json pairs = Json::array(), orders = Json::array(), intervals = Json::array();
  for (const rigid::RobotProof::Pair& pair : proof.pairs)
    pairs.push_back({{"a", pair.a},
                     {"b", pair.b},
                     {"shape_a", pair.shape_a},
                     {"shape_b", pair.shape_b},
                     {"order_a", pair.order_a},
                     {"order_b", pair.order_b},
                     {"margin", pair.margin}});
  for (const auto& order : proof.orders) orders.push_back(order);
  for (const rigid::ProofInterval& i : proof.intervals)
    intervals.push_back(Json{{"pair", i.pair},
                             {"piece", i.piece},
                             {"s", {i.s0, i.s1}},
                             {"a", {i.a_begin, i.a_end}},
                             {"b", {i.b_begin, i.b_end}},
                             {"normal", to_json(i.normal)}});
  json["pairs"] = pairs;
  json["orders"] = orders;
  json["intervals"] = intervals;
  write_json(file, json);
}

}  // namespace graze::command
