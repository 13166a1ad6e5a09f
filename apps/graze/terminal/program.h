#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace graze::command {

// Runs a body and returns its exit code. An exception becomes one line on standard error and exit
// code 2. `name`: of the program.
int report_errors(const char* name, const std::function<int()>& body);

// The same for the whole program. Interrupts end the process with exit code 130 (interrupt.h).
int run_program(const char* name, const std::function<int()>& body);

// Parses the arguments, which runs the callbacks of the application. Returns 0, or 2 after printing
// one line on standard error that names the wrong argument.
int parse(CLI::App& app, int argc, char** argv);

// Adds --version, which prints the name of the program, its version and its commit.
void add_version(CLI::App& app, const std::string& name);

}  // namespace graze::command
