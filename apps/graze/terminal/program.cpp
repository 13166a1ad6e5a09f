#include "terminal/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "graze/io/file_error.h"
#include "terminal/interrupt.h"
#include "terminal/machine.h"

namespace graze::command {
namespace {

int fail(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  fmt::print(stderr, "{}\n", message);
  return 2;
}

}  // namespace

int run_program(const char* name, const std::function<int()>& body) {
  handle_interrupts();
  return report_errors(name, body);
}

int report_errors(const char* name, const std::function<int()>& body) {
  try {
    const int exit_code = body();
    if (std::fflush(stdout) != 0)
      return fail(fmt::format("{}: cannot write to standard output", name));
    return exit_code;
  } catch (const io::FileError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("{}: out of memory", name));
  } catch (const std::exception& error) {
    return fail(fmt::format("{}: {}", name, error.what()));
  }
}

int parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(fmt::format("{}: {}; see {} --help", app.get_name(), error.what(), app.get_name()));
  }
  return 0;
}

void add_version(CLI::App& app, const std::string& name) {
  app.set_version_flag("--version", [name] {
    const Machine built = machine();
    return fmt::format("{} {} ({})", name, built.version, built.commit);
  });
}

}  // namespace graze::command
