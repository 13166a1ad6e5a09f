#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graze::io {

enum class Tone : std::uint8_t { plain, good, alarm, bad, faint };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::string link = {};  // where the text leads in a page
};

struct Column {
  std::string title;
  bool number = true;  // aligned to the right
};

// Rows may be shorter than `columns`. One table serves the page and the terminal.
struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

enum class Unit : std::uint8_t { count, nanoseconds, percent, length, ratio };

// Horizontal bars on a logarithmic axis: one group per label, one bar per series in it. A zero is
// written as such; NaN leaves the place empty.
struct LogBars {
  std::string title;
  Unit unit = Unit::count;
  std::vector<std::string> series;
  std::vector<std::string> labels;
  std::vector<std::vector<double>> values;  // [label][series]
};

// Counts of times in bins of equal ratio, eight to the decade from 1 ns up; what lies below or
// beyond falls in the first or last bin.
struct LogHistogram {
  static constexpr int bins_per_decade = 8, decades = 11;
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(bins_per_decade * decades);

  void add(double nanoseconds);
  void add(const LogHistogram& other);
  bool empty() const;
  static double lower_edge(std::size_t bin);  // in nanoseconds
};

// Histograms over one another in one frame, both axes logarithmic.
struct HistogramPlot {
  std::string title;
  std::vector<std::string> series;
  std::vector<LogHistogram> histograms;
};

// Lines through points over a logarithmic axis, both axes logarithmic. A zero lies on the lower
// border; NaN leaves a gap.
struct LogLines {
  std::string title, x_title;
  Unit unit = Unit::nanoseconds;  // of y
  std::vector<std::string> series;
  std::vector<double> x;
  std::vector<std::vector<double>> y;  // [series][x]
};

// Lines over time, both axes even; all numbers finite.
struct TimeLines {
  std::string title, y_title;
  std::vector<std::string> series;
  std::vector<double> seconds;
  std::vector<std::vector<double>> y;  // [series][second]
};

// Dots for trials one after another, over a logarithmic axis; NaN leaves the place empty.
struct Trials {
  std::string title;
  Unit unit = Unit::nanoseconds;
  std::vector<std::string> series;
  std::vector<std::vector<double>> values;  // [series][trial]
};

// A self-contained HTML page: no script, no outside resource but links, light and dark by the
// reader's setting. All text given is plain and is escaped here.
class Report {
 public:
  Report(std::string_view title, std::string_view subtitle);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void preformatted(std::string_view text);
  void table(const Table& table);
  // Tables of secondary interest, behind a line to click.
  void folded(std::string_view summary, const std::vector<Table>& tables);
  // Charts side by side, as many to the line as fit; those of one call share their axes where
  // they have the same unit.
  void bars(const std::vector<LogBars>& charts);
  void histograms(const std::vector<HistogramPlot>& plots);
  void lines(const std::vector<LogLines>& plots);  // each with axes of its own
  void lines(const std::vector<TimeLines>& plots);
  void trials(const std::vector<Trials>& plots);

  std::string html() const;

 private:
  std::string title_, body_;
};

// "23 ns", "1.66 us", "3.56 ms", "1.2 s": three significant digits.
std::string format_nanoseconds(double nanoseconds);
// "1,234,567"
std::string format_count(std::uint64_t count);

}  // namespace graze::io
