#include "terminal/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace graze::report {
namespace {

constexpr std::size_t colours = 8;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --text: #1c2430; --faint: #66717f; --line: #d8dde4;
  --page: #fbfbfa; --panel: #ffffff; --a: #2563a8; --b: #d97a1e; --c: #2f8f5b; --d: #9b4dad; --e: #7a6a2f; --f: #c2447a;
  --good: #1f7a3f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7eb; --faint: #98a2ae; --line: #343b45;
  --page: #14171b; --panel: #1b1f25; --a: #6ea8e6; --b: #f0a458; --c: #6cc48a; --d: #cf94dd; --e: #c9b56a; --f: #f08ab4;
  --good: #6cc48a; --bad: #f08a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1320px; padding: 2rem 1.5rem 4rem; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.4rem 0 .4rem; }
h3 { font-size: 1.02rem; margin: 1.6rem 0 .3rem; } nav { font-size: .88rem; columns: 2; margin: .8rem 0 1.2rem; }
nav ul { margin: 0; padding-left: 1.1rem; } a { color: var(--a); }
p { margin: .3rem 0 .9rem; max-width: 82ch; } .subtitle { color: var(--faint); }
.scroll { overflow-x: auto; margin: .6rem 0 1.4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th { color: var(--faint); font-weight: 600; border-bottom-width: 2px; white-space: normal;
  vertical-align: bottom; }
th.text, td.text { text-align: left; padding-left: 1.2rem; }
th.text:first-child, td.text:first-child { padding-left: 0; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
.alarm { color: var(--b); } .faint { color: var(--faint); }
pre { font-size: .82rem; line-height: 1.35; background: var(--panel); padding: .6rem .8rem;
  border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; width: fit-content;
  max-width: 100%; }
details { margin: .8rem 0; } summary { cursor: pointer; font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: .8rem;
  margin: .6rem 0 1.4rem; align-items: start; }
figure { margin: 0; padding: .7rem .8rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px; }
figcaption { font-weight: 600; font-size: .9rem; }
.legend { color: var(--faint); font-size: .82rem; } .legend b { font-weight: 400; white-space: nowrap; }
.key { display: inline-block; width: .7em; height: .7em; border-radius: 2px; margin: 0 .3em 0 0; }
.legend b { margin-right: .6em; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--text); font-size: 11px; }
svg .tick { fill: var(--faint); font-size: 10px; } svg .grid { stroke: var(--line); }
.s0 { fill: var(--a); background: var(--a); } .s1 { fill: var(--b); background: var(--b); }
.s2 { fill: var(--c); background: var(--c); } .s3 { fill: var(--d); background: var(--d); }
.s4 { fill: var(--e); background: var(--e); } .s5 { fill: var(--f); background: var(--f); }
.s6 { fill: var(--faint); background: var(--faint); } .s7 { fill: var(--text); background: var(--text); }
svg .line { fill: none; stroke-width: 1.8; }
svg .s0.line { stroke: var(--a); } svg .s1.line { stroke: var(--b); } svg .s2.line { stroke: var(--c); }
svg .s3.line { stroke: var(--d); } svg .s4.line { stroke: var(--e); } svg .s5.line { stroke: var(--f); }
svg .s6.line { stroke: var(--faint); } svg .s7.line { stroke: var(--text); }
svg .area { fill-opacity: .3; stroke-width: 1.3; }
svg .s0.area { stroke: var(--a); } svg .s1.area { stroke: var(--b); }
)";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[512];
  const int length = std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return std::string(buffer, static_cast<std::size_t>(std::clamp(length, 0, 511)));
}

std::string text_at(double x, double y, const char* anchor, const char* name,
                    std::string_view text) {
  return format("<text x='%.1f' y='%.1f' text-anchor='%s' class='%s'>", x, y, anchor, name) +
         escape(text) + "</text>";
}

std::string grid_line(double x0, double y0, double x1, double y1) {
  return format("<line class='grid' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", x0, y0, x1, y1);
}

std::string svg(double width, double height, std::string_view content) {
  return format("<svg viewBox='0 0 %.0f %.0f' role='img'>", width, height) + std::string(content) +
         "</svg>";
}

std::string figure(std::string_view title, const std::vector<std::string>& series,
                   std::string_view drawing) {
  std::string out = "<figure><figcaption>" + escape(title) + "</figcaption>";
  if (series.size() > 1) {
    out += "<div class='legend'>";
    for (std::size_t i = 0; i < series.size(); ++i)
      out += format("<b><span class='key s%zu'></span>", i % colours) + escape(series[i]) + "</b> ";
    out += "</div>";
  }
  return out + std::string(drawing) + "</figure>\n";
}

std::string format_value(double value, Unit unit) {
  switch (unit) {
    case Unit::nanoseconds:
      return format_nanoseconds(value);
    case Unit::count:
      return format_count(static_cast<std::uint64_t>(std::llround(value)));
    case Unit::percent:
      return format("%.3g %%", value);
    case Unit::length:
      return format("%.2g", value);
    case Unit::ratio:
      return format("%.3gx", value);
  }
  return "";
}

// Whole decades: [10^lo, 10^hi].
struct Decades {
  int lo = std::numeric_limits<int>::max(), hi = std::numeric_limits<int>::min();

  void include(double value) {
    if (!(value > 0) || std::isinf(value)) return;
    lo = std::min(lo, static_cast<int>(std::floor(std::log10(value))));
    hi = std::max(hi, static_cast<int>(std::ceil(std::log10(value))));
  }
  void settle(int least_width) {
    if (lo > hi) lo = hi = 0;
    hi = std::max(hi, lo + least_width);
  }
  double place(double value, double from, double to) const {
    return from + (to - from) * (std::log10(value) - lo) / (hi - lo);
  }
  int stride(int most_ticks) const { return (hi - lo + most_ticks - 1) / most_ticks; }
};

std::string tick_label(int decade, Unit unit) {
  const double value = std::pow(10, decade);
  if (unit == Unit::length) return format("1e%d", decade);
  if (unit != Unit::count) return format_value(value, unit);
  return decade < 4 ? format_value(value, unit) : format("1e%d", decade);
}

std::string draw(const LogBars& chart, const Decades& axis) {
  // The axis of counts begins half a decade below 1, so that a count of 1 has a bar.
  constexpr double width = 380, bar = 11, gap = 9, top = 6;
  std::size_t longest = 0;
  for (const auto& label : chart.labels) longest = std::max(longest, label.size());
  const double left = 14 + 6.2 * static_cast<double>(longest), right = width - 62;
  const double origin = chart.unit == Unit::count ? left + 14 : left;
  const double group = bar * static_cast<double>(chart.series.size()) + gap;
  const double bottom = top + group * static_cast<double>(chart.labels.size());

  std::string out;
  for (int decade = axis.lo; decade <= axis.hi; decade += axis.stride(5)) {
    const double x = axis.place(std::pow(10, decade), origin, right);
    out += grid_line(x, top, x, bottom) +
           text_at(x, bottom + 14, "middle", "tick", tick_label(decade, chart.unit));
  }
  for (std::size_t i = 0; i < chart.labels.size(); ++i) {
    const double y = top + group * static_cast<double>(i) + gap / 2;
    out += text_at(left - 6, y + (group - gap) / 2 + 4, "end", "", chart.labels[i]);
    for (std::size_t k = 0; k < chart.values[i].size(); ++k) {
      const double value = chart.values[i][k], y_bar = y + bar * static_cast<double>(k);
      if (std::isnan(value)) continue;
      const double x = value > 0 ? std::max(axis.place(value, origin, right), left) : left;
      out += format("<rect class='s%zu' x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>",
                    k % colours, left, y_bar, x - left, bar - 1) +
             text_at(x + 4, y_bar + bar - 2, "start", value > 0 ? "" : "tick",
                     format_value(value, chart.unit));
    }
  }
  out += grid_line(left, top, left, bottom);
  return svg(width, bottom + 20, out);
}

std::string draw(const HistogramPlot& plot, const Decades& time, const Decades& count) {
  constexpr double width = 380, left = 40, right = width - 18, top = 8, bottom = 150;
  std::string out;
  for (int decade = time.lo; decade <= time.hi; decade += time.stride(6)) {
    const double x = time.place(std::pow(10, decade), left, right);
    out += grid_line(x, top, x, bottom) +
           text_at(x, bottom + 14, "middle", "tick", tick_label(decade, Unit::nanoseconds));
  }
  // The axis of counts begins half a decade below 1, so that a count of 1 is visible.
  const auto height = [&](double value) { return count.place(value, bottom - 10, top); };
  for (int decade = 0; decade <= count.hi; decade += count.stride(4))
    out += grid_line(left, height(std::pow(10, decade)), right, height(std::pow(10, decade))) +
           text_at(left - 4, height(std::pow(10, decade)) + 3, "end", "tick",
                   tick_label(decade, Unit::count));
  for (std::size_t k = 0; k < plot.histograms.size(); ++k) {
    const auto& counts = plot.histograms[k].counts;
    std::string path;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      if (counts[bin] == 0) continue;
      const bool starts = bin == 0 || counts[bin - 1] == 0;
      const bool ends = bin + 1 == counts.size() || counts[bin + 1] == 0;
      const double x0 = time.place(LogHistogram::lower_edge(bin), left, right);
      const double x1 = time.place(LogHistogram::lower_edge(bin + 1), left, right);
      if (starts) path += format("M%.1f %.1f", x0, bottom);
      path += format("V%.1fH%.1f", height(static_cast<double>(counts[bin])), x1);
      if (ends) path += format("V%.1f", bottom);
    }
    out += format("<path class='s%zu area' d='", k % colours) + path + "'/>";
  }
  out += grid_line(left, bottom, right, bottom);
  return svg(width, bottom + 20, out);
}

std::string draw(const LogLines& plot) {
  constexpr double width = 380, left = 52, right = width - 14, top = 10, bottom = 190;
  Decades across, up;
  for (const double x : plot.x) across.include(x);
  for (const auto& line : plot.y)
    for (const double y : line) up.include(y);
  across.settle(1);
  up.settle(1);
  std::string out;
  for (int decade = across.lo; decade <= across.hi; decade += across.stride(6)) {
    const double x = across.place(std::pow(10, decade), left, right);
    out += grid_line(x, top, x, bottom) +
           text_at(x, bottom + 14, "middle", "tick", tick_label(decade, Unit::length));
  }
  for (int decade = up.lo; decade <= up.hi; decade += up.stride(5)) {
    const double y = up.place(std::pow(10, decade), bottom, top);
    out += grid_line(left, y, right, y) +
           text_at(left - 4, y + 3, "end", "tick", tick_label(decade, plot.unit));
  }
  for (std::size_t k = 0; k < plot.y.size(); ++k) {
    std::string path, dots;
    for (std::size_t i = 0; i < plot.x.size(); ++i) {
      if (std::isnan(plot.y[k][i])) continue;
      const double x = across.place(plot.x[i], left, right);
      const double y = plot.y[k][i] > 0 ? up.place(plot.y[k][i], bottom, top) : bottom;
      const bool begins = i == 0 || std::isnan(plot.y[k][i - 1]);
      path += format("%c%.1f %.1f", begins ? 'M' : 'L', x, y);
      dots +=
          format("<circle class='s%zu' cx='%.1f' cy='%.1f' r='2.6'><title>", k % colours, x, y) +
          escape(format_value(plot.y[k][i], plot.unit)) + "</title></circle>";
      // A logarithmic axis has no 0.
      if (!(plot.y[k][i] > 0)) dots += text_at(x, y - 5, "middle", "tick", "0");
    }
    out += format("<path class='s%zu line' d='", k % colours) + path + "'/>" + dots;
  }
  out += text_at((left + right) / 2, bottom + 28, "middle", "tick", plot.x_title);
  return svg(width, bottom + 34, out);
}

// A linear axis with ticks at 1, 2 or 5 times a power of ten.
struct EvenAxis {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo, tick = 1;

  void include(double value) {
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  void settle(int most_ticks) {
    if (!(lo < hi)) hi = (lo = std::isfinite(lo) ? lo : 0) + 1;
    tick = std::pow(10, std::floor(std::log10((hi - lo) / most_ticks)));
    for (const double factor : {2.0, 2.5, 2.0})
      if ((hi - lo) / tick > most_ticks) tick *= factor;
    lo = tick * std::floor(lo / tick);
    hi = tick * std::ceil(hi / tick);
  }
  double place(double value, double from, double to) const {
    return from + (to - from) * (value - lo) / (hi - lo);
  }
  int ticks() const { return static_cast<int>(std::lround((hi - lo) / tick)); }
};

std::string draw(const TimeLines& plot) {
  constexpr double width = 380, left = 52, right = width - 14, top = 10, bottom = 190;
  EvenAxis across, up;
  for (const double x : plot.seconds) across.include(x);
  for (const auto& line : plot.y)
    for (const double y : line) up.include(y);
  across.settle(6);
  up.settle(6);
  std::string out;
  for (int i = 0; i <= across.ticks(); ++i) {
    const double value = across.lo + i * across.tick, x = across.place(value, left, right);
    out += grid_line(x, top, x, bottom) +
           text_at(x, bottom + 14, "middle", "tick", format("%.4g", value));
  }
  for (int i = 0; i <= up.ticks(); ++i) {
    const double value = up.lo + i * up.tick, y = up.place(value, bottom, top);
    out += grid_line(left, y, right, y) +
           text_at(left - 4, y + 3, "end", "tick", format("%.4g", value));
  }
  for (std::size_t k = 0; k < plot.y.size(); ++k) {
    std::string path;
    for (std::size_t i = 0; i < plot.seconds.size(); ++i)
      path += format("%c%.1f %.1f", i == 0 ? 'M' : 'L', across.place(plot.seconds[i], left, right),
                     up.place(plot.y[k][i], bottom, top));
    out += format("<path class='s%zu line' d='", k % colours) + path + "'/>";
  }
  out += text_at((left + right) / 2, bottom + 28, "middle", "tick",
                 plot.y_title + " over " + plot.over);
  return svg(width, bottom + 34, out);
}

std::string draw(const Trials& plot) {
  constexpr double width = 380, left = 52, right = width - 14, top = 10, bottom = 190;
  Decades up;
  std::size_t count = 1;
  for (const auto& line : plot.values) {
    count = std::max(count, line.size());
    for (const double y : line) up.include(y);
  }
  up.settle(1);
  const auto across = [&](double trial) {
    return left + (right - left) * trial / static_cast<double>(count);
  };
  std::string out;
  for (int decade = up.lo; decade <= up.hi; decade += up.stride(5)) {
    const double y = up.place(std::pow(10, decade), bottom, top);
    out += grid_line(left, y, right, y) +
           text_at(left - 4, y + 3, "end", "tick", tick_label(decade, plot.unit));
  }
  for (const std::size_t trial : {std::size_t{0}, count / 2, count})
    out += text_at(across(static_cast<double>(trial)), bottom + 14, "middle", "tick",
                   format_count(trial));
  for (std::size_t k = 0; k < plot.values.size(); ++k)
    for (std::size_t i = 0; i < plot.values[k].size(); ++i) {
      const double value = plot.values[k][i];
      if (std::isnan(value)) continue;
      out += format("<circle class='s%zu' cx='%.1f' cy='%.1f' r='1.4'/>", k % colours,
                    across(static_cast<double>(i) + 0.5),
                    value > 0 ? up.place(value, bottom, top) : bottom);
    }
  return svg(width, bottom + 20, out);
}

std::string linked(const Cell& cell) {
  if (cell.link.empty()) return escape(cell.text);
  return "<a href=\"" + escape(cell.link) + "\">" + escape(cell.text) + "</a>";
}

std::string draw(const Table& table) {
  const auto class_of = [&](std::size_t column, Tone tone) {
    std::string names = table.columns[column].number ? "" : "text";
    if (tone == Tone::good) names += " good";
    if (tone == Tone::alarm) names += " alarm";
    if (tone == Tone::bad) names += " bad";
    if (tone == Tone::faint) names += " faint";
    return names.empty() ? names : " class='" + names + "'";
  };
  std::string out = "<div class='scroll'><table>";
  if (!table.caption.empty()) out += "<caption>" + escape(table.caption) + "</caption>";
  out += "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += "<th" + class_of(i, Tone::plain) + ">" + escape(table.columns[i].title) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += "<td" + class_of(i, row[i].tone) + ">" + linked(row[i]) + "</td>";
    for (std::size_t i = row.size(); i < table.columns.size(); ++i) out += "<td></td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace

void LogHistogram::add(double nanoseconds) {
  const double bin = nanoseconds > 1 ? std::floor(std::log10(nanoseconds) * bins_per_decade) : 0;
  ++counts[std::min(static_cast<std::size_t>(bin), counts.size() - 1)];
}

void LogHistogram::add(const LogHistogram& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
}

bool LogHistogram::empty() const {
  return std::all_of(counts.begin(), counts.end(), [](auto count) { return count == 0; });
}

double LogHistogram::lower_edge(std::size_t bin) {
  return std::pow(10, static_cast<double>(bin) / bins_per_decade);
}

Report::Report(std::string_view title, std::string_view subtitle)
    : title_(escape(title)), subtitle_(escape(subtitle)) {}

void Report::heading(std::string_view text) {
  headings_.push_back(escape(text));
  body_ += format("<h2 id='part%zu'>", headings_.size()) + headings_.back() + "</h2>\n";
}

void Report::part(std::string_view text, const Report& other) {
  heading(text);
  std::string body = other.body_;
  for (std::size_t i = other.headings_.size(); i > 0; --i) {
    const std::string& small = other.headings_[i - 1];
    const std::string large = format("<h2 id='part%zu'>", i) + small + "</h2>";
    body.replace(body.find(large), large.size(), "<h3>" + small + "</h3>");
  }
  body_ += body;
}

void Report::paragraph(std::string_view text) {
  body_ += "<p>" + escape(text) + "</p>\n";
}

void Report::preformatted(std::string_view text) {
  body_ += "<pre>" + escape(text) + "</pre>\n";
}

void Report::table(const Table& table) {
  body_ += draw(table);
}

void Report::folded(std::string_view summary, const std::vector<Table>& tables) {
  body_ += "<details><summary>" + escape(summary) + "</summary>\n";
  for (const Table& table : tables) body_ += draw(table);
  body_ += "</details>\n";
}

void Report::bars(const std::vector<LogBars>& charts) {
  Decades axes[5];  // by unit
  for (const auto& chart : charts)
    for (const auto& group : chart.values)
      for (const double value : group) axes[static_cast<int>(chart.unit)].include(value);
  axes[static_cast<int>(Unit::count)].include(1);
  for (auto& axis : axes) axis.settle(1);
  body_ += "<div class='charts'>\n";
  for (const auto& chart : charts)
    body_ += figure(chart.title, chart.series, draw(chart, axes[static_cast<int>(chart.unit)]));
  body_ += "</div>\n";
}

void Report::histograms(const std::vector<HistogramPlot>& plots) {
  Decades time, count;
  count.include(1);
  for (const auto& plot : plots)
    for (const auto& histogram : plot.histograms)
      for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
        if (histogram.counts[bin] == 0) continue;
        count.include(static_cast<double>(histogram.counts[bin]));
        time.include(LogHistogram::lower_edge(bin) * 1.01);
      }
  time.settle(1);
  count.settle(1);
  body_ += "<div class='charts'>\n";
  for (const auto& plot : plots) body_ += figure(plot.title, plot.series, draw(plot, time, count));
  body_ += "</div>\n";
}

void Report::trials(const std::vector<Trials>& plots) {
  body_ += "<div class='charts'>\n";
  for (const auto& plot : plots) body_ += figure(plot.title, plot.series, draw(plot));
  body_ += "</div>\n";
}

void Report::lines(const std::vector<LogLines>& plots) {
  body_ += "<div class='charts'>\n";
  for (const auto& plot : plots) body_ += figure(plot.title, plot.series, draw(plot));
  body_ += "</div>\n";
}

void Report::lines(const std::vector<TimeLines>& plots) {
  body_ += "<div class='charts'>\n";
  for (const auto& plot : plots) body_ += figure(plot.title, plot.series, draw(plot));
  body_ += "</div>\n";
}

std::string Report::html() const {
  constexpr std::size_t many = 6;
  std::string contents;
  if (headings_.size() >= many) {
    contents = "<nav><ul>\n";
    for (std::size_t i = 0; i < headings_.size(); ++i)
      contents += format("<li><a href='#part%zu'>", i + 1) + headings_[i] + "</a></li>\n";
    contents += "</ul></nav>\n";
  }
  return "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
         "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>" +
         title_ + "</title>\n<style>" + std::string(style) + "</style>\n</head>\n<body>\n<h1>" +
         title_ + "</h1>\n<p class='subtitle'>" + subtitle_ + "</p>\n" + contents + body_ +
         "</body>\n</html>\n";
}

std::string format_nanoseconds(double nanoseconds) {
  constexpr struct {
    double scale;
    const char* unit;
  } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  if (std::isnan(nanoseconds)) return "-";
  // 999.5 would round to "1e+03" in %.3g: it belongs to the next unit.
  auto unit = std::begin(units);
  while (unit + 1 != std::end(units) && nanoseconds / unit->scale >= 999.5) ++unit;
  const double value = nanoseconds / unit->scale;
  return format(value >= 999.5 ? "%.0f %s" : "%.3g %s", value, unit->unit);
}

std::string format_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, 1, ',');
  return digits;
}

}  // namespace graze::report
