#include "terminal/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "terminal/json_values.h"

namespace graze::command {
namespace {

constexpr std::string_view code_of(report::Tone tone) {
  switch (tone) {
    case report::Tone::plain:
      return "";
    case report::Tone::good:
      return "\033[32m";
    case report::Tone::alarm:
      return "\033[33m";
    case report::Tone::bad:
      return "\033[1;31m";
    case report::Tone::faint:
      return "\033[2m";
  }
  return "";
}

}  // namespace

void print(const report::Table& table) {
  const bool colour = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  std::vector<std::size_t> widths;
  for (const auto& column : table.columns) widths.push_back(column.title.size());
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].text.size());

  const auto print_row = [&](const auto& row, auto text_of, auto code_of_cell) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& text = text_of(row[i]);
      const std::string padding(widths[i] - text.size(), ' ');
      const std::string_view code = colour ? code_of_cell(row[i]) : "";
      const std::string cell = code.empty() ? text : fmt::format("{}{}\033[0m", code, text);
      if (i > 0) line += "  ";
      line += table.columns[i].number ? padding + cell : cell + padding;
    }
    while (line.ends_with(' ')) line.pop_back();
    fmt::print("{}\n", line);
  };
  if (!table.caption.empty()) fmt::print("{}\n", table.caption);
  print_row(
      table.columns,
      [](const report::Column& column) -> const std::string& { return column.title; },
      [](const report::Column&) -> std::string_view { return "\033[1m"; });
  for (const auto& row : table.rows)
    print_row(
        row, [](const report::Cell& cell) -> const std::string& { return cell.text; },
        [](const report::Cell& cell) { return code_of(cell.tone); });
}

void print(const nlohmann::ordered_json& json) {
  // File names may hold any bytes; JSON may not.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

ProgressBar::ProgressBar(std::string doing) : doing_(std::move(doing)) {
  if (!isatty(STDERR_FILENO)) return;
  drawer_ = std::thread([this] {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    if (end_.wait_for(lock, 1s, [this] { return ended_; })) return;
    do draw();
    while (!end_.wait_for(lock, 100ms, [this] { return ended_; }));
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  });
}

ProgressBar::~ProgressBar() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  if (drawer_.joinable()) drawer_.join();
}

void ProgressBar::operator()(std::string_view doing, double fraction) {
  const std::scoped_lock lock(mutex_);
  doing_ = doing;
  fraction_ = std::clamp(fraction, 0.0, 1.0);
}

void ProgressBar::print_line(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  if (drawer_.joinable()) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void ProgressBar::draw() const {
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  constexpr int width = 30;
  const int filled = static_cast<int>(width * fraction_);
  if (fraction_ > 0)
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3.0f}%  {:.40}, {:.0f} s left", "", filled, "",
               width - filled, 100 * fraction_, doing_, elapsed / fraction_ - elapsed);
  else
    fmt::print(stderr, "\r\033[K{:.40}, {:.0f} s", doing_, elapsed);
  std::fflush(stderr);
}

}  // namespace graze::command
