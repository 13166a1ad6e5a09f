#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands/step.h"
#include "graze/certificate.h"
#include "graze/io/file_error.h"
#include "graze/io/mapped_file.h"
#include "graze/io/sha256.h"
#include "scenes/query_proof.h"
#include "scenes/robot_setting.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct VerifyArguments {
  std::string file;
  bool json = false;
};

// The answer: valid, or the reason why not.
struct ProofAnswer {
  bool valid = false;
  std::string problem;
  std::size_t claims = 0;  // intervals of a path, or proofs of queries
};

ProofAnswer verify_path(const JsonReader& reader, const std::string& file) {
  const PathProof read = read_path_proof(reader, file);
  ProofAnswer answer;
  answer.claims = read.proof.intervals.size();
  const RobotSetting setting = read_setting(read.inputs);
  // Every file that the query reads must be listed with the hash that it has now.
  for (const std::filesystem::path& used : setting.files) {
    const std::string hash = io::sha256(io::MappedFile(used).bytes());
    const auto same = [&](const auto& listed) {
      return std::filesystem::equivalent(listed.first, used) && listed.second == hash;
    };
    if (std::none_of(read.hashes.begin(), read.hashes.end(), same)) {
      answer.problem = fmt::format("{} is not the file that the proof is about (SHA-256 {})",
                                   used.string(), hash);
      return answer;
    }
  }
  rigid::RobotOptions options;
  options.margin = read.inputs.margin;
  options.margins = read.inputs.margins;
  const rigid::ProofCheck check =
      rigid::verify(read.proof, setting.robot, setting.path, setting.world, options);
  answer.valid = check.valid;
  answer.problem = check.problem;
  return answer;
}

int run(const VerifyArguments& arguments) {
  const Stopwatch watch;
  const JsonReader reader(arguments.file);
  ProofAnswer answer;
  if (reader.format() == path_proof_format) {
    answer = verify_path(reader, arguments.file);
  } else if (reader.format() == query_proof_format) {
    const QueryProofCheck check = verify_query_proofs(reader);
    answer = {check.problem.empty(), check.problem, check.proofs};
  } else {
    reader.fail("", fmt::format("\"format\" must be \"{}\" or \"{}\"", path_proof_format,
                                query_proof_format));
  }
  if (arguments.json)
    print(Json{{"valid", answer.valid},
               {"format", reader.format()},
               {"problem", answer.valid ? Json() : Json(answer.problem)},
               {"claims", answer.claims},
               {"seconds", watch.seconds()}});
  else if (answer.valid)
    fmt::print("valid: all {} claims hold\n", report::format_count(answer.claims));
  else
    fmt::print("refuted: {}\n", answer.problem);
  return answer.valid ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand("verify", "Check a proof of graze path or graze query");
  const auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("PROOF", arguments->file, "proof file: .json")->required();
  add_json(command, arguments->json);
  command.footer(
      "\nThe files that a proof names are read again, relative to the folder of the proof, and "
      "must "
      "have the\nhashes in it.\n"
      "\nExit codes: 0 valid, 1 refuted, 2 bad input or bad usage.\n"
      "\nExamples:\n"
      "  graze verify proof.json");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
