#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands/command.h"
#include "terminal/json_values.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

std::vector<std::string> primitives(const Method& method) {
  std::vector<std::string> names;
  for (const Kind kind : {Kind::vertex_face, Kind::edge_edge})
    if (method.has(kind)) names.emplace_back(name(kind));
  return names;
}

void print_json() {
  Json array = Json::array();
  for (const Method& method : methods())
    array.push_back({{"name", method.name},
                     {"guarantee", name(method.guarantee)},
                     {"gives_time", method.gives_time},
                     {"min_separation", method.min_separation()},
                     {"norm", method.min_separation() ? Json(name(method.norm)) : Json()},
                     {"primitives", primitives(method)},
                     {"reference", method.reference}});
  print(array);
}

void print_table() {
  report::Table table;
  for (const char* title : {"method", "guarantee", "time", "separation", "primitives", "reference"})
    table.columns.push_back({title, false});
  for (const Method& method : methods()) {
    const auto kinds = primitives(method);
    table.rows.push_back({{std::string(method.name)},
                          {name(method.guarantee)},
                          {method.gives_time ? "yes" : "no"},
                          {method.min_separation() ? name(method.norm) : "no"},
                          {kinds.size() == 2 ? "both"
                           : kinds.empty()   ? "none"
                                             : kinds[0]},
                          {std::string(method.reference)}});
  }
  print(table);
}

}  // namespace

void add_methods(CLI::App& app) {
  auto& command = *app.add_subcommand("methods", "List the methods and their guarantees");
  const auto json = std::make_shared<bool>(false);
  add_json(command, *json);
  command.footer(
      "\nGuarantees: exact (verdict and times exact), conservative (never misses, never late),\n"
      "heuristic (may miss, may be late). A method that answers vertex-face queries also answers\n"
      "vertex-edge and vertex-vertex queries.");
  command.callback([json] { *json ? print_json() : print_table(); });
}

}  // namespace graze::command
