#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "graze/io/recording.h"

// Pages of the viewer (web/) and recordings.
namespace graze::command {

// Adds --html and --record.
void add_show_options(CLI::App& command, std::string& html, std::string& record);

// Returns whether this build can write pages.
bool has_viewer();

// Throws where the page could not be written, before any work is done: UsageError where this build
// has no viewer, FileError where the file is not writable. Does nothing for an empty name.
void check_page(const std::string& html);

// Writes one self-contained file that plays the recording.
void write_page(const std::string& html, const io::Recording& recording);
// Writes a page of queries, each with its recording; see query_page.h.
void write_page(const std::string& html, const nlohmann::ordered_json& queries);

std::string base64(std::string_view bytes);

// Writes the page and the recording, each where its name is not empty.
void show(const std::string& html, const std::string& record, const io::Recording& recording);

// Returns whether the name ends in .glb.
bool is_recording(const std::string& file);
// Writes a recording where the name ends in .glb, else PLY frames into a folder of that name.
void write_recording(const std::string& file, const io::Recording& recording);

}  // namespace graze::command
