#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "graze/io/record.h"

// Pages of the viewer (web/) and recordings, for every command that shows something.
namespace graze::command {

// --html and --record.
void add_show_options(CLI::App& command, std::string& html, std::string& record);

// Does this build write pages?
bool has_viewer();

// Throws, before any work is done, where a page could not be written there: UsageError when this
// build has no viewer, FileError when the file cannot be. Nothing is checked for an empty name.
void check_page(const std::string& html);

// One self-contained file.
void write_page(const std::string& html, const io::Recording& recording);
// Of queries, each with its recording; see query_page.h.
void write_page(const std::string& html, const nlohmann::ordered_json& queries);

std::string base64(std::string_view bytes);

// Both, where they were asked for.
void show(const std::string& html, const std::string& record, const io::Recording& recording);

// Where --record leads: a recording for a name that ends in .glb, else a folder of PLY frames.
bool is_recording(const std::string& file);
void write_recording(const std::string& file, const io::Recording& recording);

}  // namespace graze::command
