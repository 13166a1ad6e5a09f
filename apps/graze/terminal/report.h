#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graze::report {

enum class Tone : std::uint8_t { plain, good, alarm, bad, faint };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::string link = {};  // target of a link around the text, in pages only
};

struct Column {
  std::string title;
  bool number = true;  // aligned to the right
};

// A table for pages and the terminal. Rows may be shorter than `columns`.
struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

enum class Unit : std::uint8_t { count, nanoseconds, percent, length, ratio };

// Horizontal bars on a logarithmic axis: one group per label, one bar per series. A zero has a
// label and no bar; NaN has neither.
struct LogBars {
  std::string title;
  Unit unit = Unit::count;
  std::vector<std::string> series;
  std::vector<std::string> labels;
  std::vector<std::vector<double>> values;  // [label][series]
};

// Counts of times in bins of equal ratio, eight per decade from 1 ns up. The first and last bin
// also count the times below and above.
struct LogHistogram {
  static constexpr int bins_per_decade = 8, decades = 11;
  std::vector<std::uint64_t> counts = std::vector<std::uint64_t>(bins_per_decade * decades);

  void add(double nanoseconds);
  void add(const LogHistogram& other);
  bool empty() const;
  static double lower_edge(std::size_t bin);  // in nanoseconds
};

// Histograms drawn over one another, both axes logarithmic.
struct HistogramPlot {
  std::string title;
  std::vector<std::string> series;
  std::vector<LogHistogram> histograms;
};

// Lines through points, both axes logarithmic. A zero lies on the lower border; NaN leaves a gap.
struct LogLines {
  std::string title, x_title;
  Unit unit = Unit::nanoseconds;  // of y
  std::vector<std::string> series;
  std::vector<double> x;
  std::vector<std::vector<double>> y;  // [series][x]
};

// Lines over time, or over another number that `over` names, both axes linear. All numbers must be
// finite.
struct TimeLines {
  std::string title, y_title;
  std::vector<std::string> series;
  std::vector<double> seconds;
  std::vector<std::vector<double>> y;  // [series][second]
  std::string over = "seconds";
};

// One dot per trial, in the order of the trials, on a logarithmic axis. NaN draws nothing.
struct Trials {
  std::string title;
  Unit unit = Unit::nanoseconds;
  std::vector<std::string> series;
  std::vector<std::vector<double>> values;  // [series][trial]
};

// A self-contained HTML page without scripts and external resources, light or dark by the setting
// of the browser. All text is plain; the class escapes it.
class Report {
 public:
  Report(std::string_view title, std::string_view subtitle);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void preformatted(std::string_view text);
  void table(const Table& table);
  // Adds tables that are shown after a click on the summary.
  void folded(std::string_view summary, const std::vector<Table>& tables);
  // Adds charts side by side. Charts of one call that have the same unit share their axis.
  void bars(const std::vector<LogBars>& charts);
  void histograms(const std::vector<HistogramPlot>& plots);
  void lines(const std::vector<LogLines>& plots);  // axes are not shared
  void lines(const std::vector<TimeLines>& plots);
  void trials(const std::vector<Trials>& plots);
  // Adds all of another report under a heading; its own headings become smaller.
  void part(std::string_view heading, const Report& other);

  // Returns the page. It begins with links to the headings if there are many.
  std::string html() const;

 private:
  std::string title_, subtitle_, body_;
  std::vector<std::string> headings_;
};

// Returns three significant digits with a unit: "23 ns", "1.66 us", "3.56 ms", "1.2 s". NaN is "-".
std::string format_nanoseconds(double nanoseconds);
// Returns the number with commas: "1,234,567".
std::string format_count(std::uint64_t count);

}  // namespace graze::report
