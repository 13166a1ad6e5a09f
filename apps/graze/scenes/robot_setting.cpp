#include "scenes/robot_setting.h"

#include <fmt/format.h>

#include "graze/io/mapped_file.h"
#include "graze/io/robot_files.h"
#include "graze/io/sha256.h"
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

PathProof read_path_proof(const JsonReader& reader, const std::filesystem::path& file) {
  PathProof result;
  const std::filesystem::path folder = file.parent_path();
  const auto place_into = [&](std::string& to) {
    return [&](const Json& value, const std::string& at) {
      to = (folder / reader.text(value, at)).string();
    };
  };
  const auto index_into = [&](std::uint32_t& to) {
    return [&](const Json& value, const std::string& at) { to = reader.index(value, at); };
  };
  const auto number_into = [&](double& to) {
    return [&](const Json& value, const std::string& at) { to = reader.number(value, at); };
  };
  const auto text_into = [&](std::string& to) {
    return [&](const Json& value, const std::string& at) { to = reader.text(value, at); };
  };
  const auto require = [&](const Json& json, const std::string& at, const auto& fields) {
    for (const auto& [key, unused] : fields) reader.require(json, at, {key.c_str()});
    reader.read(json, at, fields);
  };
  const auto two_into = [&](auto& lo, auto& hi) {
    return [&](const Json& value, const std::string& at) {
      if (!value.is_array() || value.size() != 2) reader.fail(at, "must be two numbers");
      const double x = reader.number(value[0], at), y = reader.number(value[1], at);
      if constexpr (std::is_same_v<decltype(lo), double&>) {
        lo = x;
        hi = y;
      } else {
        lo = reader.index(value[0], at);
        hi = reader.index(value[1], at);
      }
    };
  };
  RobotInputs& inputs = result.inputs;
  JsonReader::Fields fields = {
      {"format", [](const Json&, const std::string&) {}},
      {"urdf", place_into(inputs.urdf)},
      {"srdf", place_into(inputs.srdf)},
      {"path", place_into(inputs.path)},
      {"world", place_into(inputs.world)},
      {"margin", number_into(inputs.margin)},
      {"packages",
       [&](const Json& value, const std::string& at) {
         if (!value.is_object()) reader.fail(at, "must be an object");
         for (const auto& [name, place] : value.items())
           inputs.packages.emplace_back(name, folder / reader.text(place, at));
       }},
      {"joints",
       [&](const Json& value, const std::string& at) {
         if (!value.is_object()) reader.fail(at, "must be an object");
         for (const auto& [name, number] : value.items())
           inputs.joints.emplace_back(name, reader.number(number, at));
       }},
      {"margins",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::PairMargin own;
           require(json, inner,
                   JsonReader::Fields{{"a", text_into(own.a)},
                                      {"b", text_into(own.b)},
                                      {"margin", number_into(own.margin)}});
           inputs.margins.push_back(own);
         });
       }},
      {"hashes",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           std::string name, hash;
           require(json, inner,
                   JsonReader::Fields{{"file", place_into(name)}, {"sha256", text_into(hash)}});
           result.hashes.emplace_back(name, hash);
         });
       }},
      {"pairs",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::RobotProof::Pair pair;
           require(json, inner,
                   JsonReader::Fields{{"a", text_into(pair.a)},
                                      {"b", text_into(pair.b)},
                                      {"shape_a", index_into(pair.shape_a)},
                                      {"shape_b", index_into(pair.shape_b)},
                                      {"order_a", index_into(pair.order_a)},
                                      {"order_b", index_into(pair.order_b)},
                                      {"margin", number_into(pair.margin)}});
           result.proof.pairs.push_back(pair);
         });
       }},
      {"orders",
       [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           std::vector<std::uint32_t> order;
           reader.each(json, inner, [&](const Json& face, const std::string& where) {
             order.push_back(reader.index(face, where));
           });
           result.proof.orders.push_back(std::move(order));
         });
       }},
      {"intervals", [&](const Json& value, const std::string& at) {
         reader.each(value, at, [&](const Json& json, const std::string& inner) {
           rigid::ProofInterval i;
           require(json, inner,
                   JsonReader::Fields{{"pair", index_into(i.pair)},
                                      {"piece", index_into(i.piece)},
                                      {"s", two_into(i.s0, i.s1)},
                                      {"a", two_into(i.a_begin, i.a_end)},
                                      {"b", two_into(i.b_begin, i.b_end)},
                                      {"normal", [&](const Json& n, const std::string& where) {
                                         i.normal = reader.vector(n, where);
                                       }}});
           result.proof.intervals.push_back(i);
         });
       }}};
  reader.require(reader.json(), "",
                 {"urdf", "path", "margin", "hashes", "pairs", "orders", "intervals"});
  reader.read(reader.json(), "", fields);
  return result;
}

}  // namespace graze::command
