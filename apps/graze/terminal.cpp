#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace graze::command {
namespace {

constexpr std::string_view code_of(io::Tone tone) {
  switch (tone) {
    case io::Tone::plain:
      return "";
    case io::Tone::good:
      return "\033[32m";
    case io::Tone::bad:
      return "\033[1;31m";
    case io::Tone::faint:
      return "\033[2m";
  }
  return "";
}

}  // namespace

void print(const io::Table& table) {
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
      table.columns, [](const io::Column& column) -> const std::string& { return column.title; },
      [](const io::Column&) -> std::string_view { return "\033[1m"; });
  for (const auto& row : table.rows)
    print_row(
        row, [](const io::Cell& cell) -> const std::string& { return cell.text; },
        [](const io::Cell& cell) { return code_of(cell.tone); });
}

ProgressBar::~ProgressBar() {
  if (visible_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::operator()(std::string_view doing, double fraction) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (now - start_ < 1s || now - shown_ < 100ms || !isatty(STDERR_FILENO)) return;
  shown_ = now;
  visible_ = true;
  constexpr int width = 30;
  const int filled = static_cast<int>(width * std::clamp(fraction, 0.0, 1.0));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      fraction > 0.02 ? fmt::format("{:.0f} s left", elapsed / fraction - elapsed) : "";
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:3.0f}%  {:<12}  {:.40}", "", filled, "",
             width - filled, 100 * fraction, left, doing);
  std::fflush(stderr);
}

}  // namespace graze::command
