#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments/device.h"
#include "commands/command.h"
#include "queries/answer.h"

// Types and functions shared by the command `query` here and in graze-mpi.
namespace graze::command {

struct QueryArguments {
  std::vector<std::string> files;
  std::optional<Kind> kind;
  std::string method, out, html, certificate;
  std::optional<std::size_t> show;
  Options options;
  DeviceArguments device;
  int threads = 0;
  bool json = false;
};

// Returns the queries of the files. Throws UsageError where the method does not answer a kind.
std::vector<queries::NamedSet> read_sets_of(const QueryArguments& arguments, const Method& method);

// Prints the numbers of answers, as text or as JSON. Times are in seconds.
void print_query(const QueryArguments& arguments, const Method& method,
                 const queries::Summary& summary, const UsedDevice& used, double load,
                 double solve);

// Answers queries in this process.
void run_query(const QueryArguments& arguments);

}  // namespace graze::command
