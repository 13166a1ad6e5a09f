#include "terminal/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace graze::report::report_test {
namespace {

TEST(Format, GivesThreeDigitsAndTheRightUnit) {
  EXPECT_EQ(report::format_nanoseconds(0), "0 ns");
  EXPECT_EQ(report::format_nanoseconds(23.04), "23 ns");
  EXPECT_EQ(report::format_nanoseconds(999.4), "999 ns");
  EXPECT_EQ(report::format_nanoseconds(999.6), "1 us");
  EXPECT_EQ(report::format_nanoseconds(1656), "1.66 us");
  EXPECT_EQ(report::format_nanoseconds(3.564e6), "3.56 ms");
  EXPECT_EQ(report::format_nanoseconds(4.2e12), "4200 s");
  EXPECT_EQ(report::format_nanoseconds(std::nan("")), "-");
}

TEST(Format, GroupsThousands) {
  EXPECT_EQ(report::format_count(0), "0");
  EXPECT_EQ(report::format_count(999), "999");
  EXPECT_EQ(report::format_count(1000), "1,000");
  EXPECT_EQ(report::format_count(1234567), "1,234,567");
}

TEST(LogHistogram, PutsATimeIntoTheBinAroundIt) {
  for (const double time : {1.5, 23.0, 999.0, 1e6, 4.7e9}) {
    report::LogHistogram histogram;
    histogram.add(time);
    for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
      if (histogram.counts[bin] > 0) {
        EXPECT_LE(LogHistogram::lower_edge(bin), time * (1 + 1e-12));
        EXPECT_GT(LogHistogram::lower_edge(bin + 1), time * (1 - 1e-12));
      }
  }
}

TEST(LogHistogram, KeepsValuesOutsideOfItsRange) {
  report::LogHistogram histogram;
  for (const double time : {0.0, -3.0, 1e30}) histogram.add(time);
  EXPECT_EQ(histogram.counts.front(), 2u);
  EXPECT_EQ(histogram.counts.back(), 1u);
}

Report full_report() {
  Report report("A < B & C", "\"quoted\"");
  report.heading("<script>alert(1)</script>");
  report.table({"caption", {{"name", false}, {"number"}}, {{{"<b>"}, {"1", Tone::bad}}, {{"x"}}}});
  report.bars({{"bars", Unit::count, {"a", "b"}, {"one", "none"}, {{0, 1}, {1e6, std::nan("")}}},
               {"times", Unit::nanoseconds, {"a"}, {"one"}, {{23}}}});
  LogHistogram histogram;
  histogram.add(10);
  report.histograms({{"plot", {"hits", "misses"}, {histogram, {}}}});
  report.folded("more", {});
  return report;
}

TEST(Report, EscapesAllTextAndLoadsNothing) {
  const std::string html = full_report().html();
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<td class='text'><b>"), std::string::npos);
  EXPECT_NE(html.find("A &lt; B &amp; C"), std::string::npos);
  for (const char* outside : {"http:", "https:", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
}

TEST(Report, LinksACellToItsAddress) {
  report::Report report("title", "");
  report.table({"", {{"query"}}, {{{"7", Tone::plain, "queries.html#a\"b"}}}});
  EXPECT_NE(report.html().find("<a href=\"queries.html#a&quot;b\">7</a>"), std::string::npos);
}

TEST(Report, TakesAnotherReportAsAPartAndLinksItsHeadings) {
  report::Report inner("inner", "machine"), outer("outer", "machine");
  inner.heading("Results");
  inner.paragraph("text of the part");
  inner.heading("Results");
  for (int i = 0; i < 5; ++i) outer.heading("A < B");
  EXPECT_EQ(outer.html().find("<nav>"), std::string::npos);
  outer.part("the part", inner);
  const std::string html = outer.html();
  EXPECT_NE(html.find("<li><a href='#part1'>A &lt; B</a></li>"), std::string::npos);
  EXPECT_NE(html.find("<h2 id='part6'>the part</h2>\n<h3>Results</h3>\n<p>text of the part</p>\n"
                      "<h3>Results</h3>"),
            std::string::npos);
  EXPECT_EQ(html.find("<h1>inner"), std::string::npos);
}

TEST(Report, DrawsFiniteCoordinatesAlone) {
  const std::string html = full_report().html();
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_EQ(html.find("inf"), std::string::npos);
}

TEST(Report, ClosesEveryElement) {
  const std::string html = full_report().html();
  const auto count = [&](const std::string& pattern) {
    const std::regex regex(pattern);
    return std::distance(std::sregex_iterator(html.begin(), html.end(), regex), {});
  };
  for (const std::string element : {"table", "svg", "figure", "div", "details", "text", "tr"})
    EXPECT_EQ(count('<' + element + "[ >]"), count("</" + element + '>')) << element;
}

TEST(Report, DrawsChartsWithoutAnyValue) {
  report::Report report("empty", "");
  report.bars({{"bars", Unit::count, {"a"}, {}, {}}});
  report.bars({{"bars", Unit::nanoseconds, {"a"}, {"x"}, {{std::nan("")}}}});
  report.histograms({{"plot", {"a"}, {{}}}});
  EXPECT_EQ(report.html().find("nan"), std::string::npos);
}

TEST(Lines, HaveADotForEveryKnownPointAndBreakAtGaps) {
  report::Report report("lines", "");
  report.lines({{"title",
                 "across",
                 Unit::percent,
                 {"one", "two"},
                 {1e-3, 1e-2, 1e-1},
                 {{1, std::nan(""), 100}, {0, 0.5, 1}}}});
  const std::string html = report.html();
  const std::regex dot("<circle"), begin("[ '\"]M|[0-9]M"), path("<path class='s[01] line'");
  const auto count = [&](const std::regex& what) {
    return std::distance(std::sregex_iterator(html.begin(), html.end(), what), {});
  };
  EXPECT_EQ(count(dot), 5);
  EXPECT_EQ(count(path), 2);
  EXPECT_EQ(count(begin), 3);  // the first line has two parts
  for (const char* part : {"across", "1e-3", "100 %", "0.5 %"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(Trials, HaveADotForEveryKnownValue) {
  report::Report report("trials", "");
  report.trials(
      {{"title", Unit::nanoseconds, {"one", "two"}, {{1e3, std::nan(""), 1e6}, {0, 2e4}}}});
  const std::string html = report.html();
  const std::regex dot("<circle");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), dot), {}), 4);
  for (const char* part : {"title", "two", "1 us", "1 ms"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(Preformatted, KeepsLinesAndEscapes) {
  report::Report report("text", "");
  report.preformatted("a < b\n  c");
  EXPECT_NE(report.html().find("<pre>a &lt; b\n  c</pre>"), std::string::npos);
}

}  // namespace
}  // namespace graze::report::report_test
