#include "selftest/selftest_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "record/terminal.h"

namespace kgrade {
namespace {

// In pixels.
constexpr double left = 64;
constexpr double top = 56;
constexpr double height = 360;  // of the plot
constexpr double bottom = 56;
constexpr double widest_column = 240;
constexpr double narrowest_column = 116;  // fits the longest name
constexpr double comparison_width = 5;
constexpr double padding = 10;  // within a column

// The scale extends twice the margin on either side of 1.
constexpr double margin = 0.01;
constexpr double reach = 0.02;

// Greys and hues of medium lightness are visible on white and on black.
constexpr const char* grey = "#808080";
constexpr const char* usual = "#3b82c4";
constexpr const char* without_one = "#d9822b";
constexpr const char* called = "#d43f3f";

double y_of(double ratio) {
  const double place = std::clamp((1 + reach - ratio) / (2 * reach), 0.0, 1.0);
  return top + place * height;
}

const char* colour_of(const SpeedRatio& ratio) {
  const Statement statement = ratio.statement();
  if (statement == Statement::faster || statement == Statement::slower) return called;
  return ratio.interval && !ratio.interval->contains(1) ? without_one : usual;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escape_markup(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

std::string mark(double x, const SpeedRatio& ratio) {
  const char* colour = colour_of(ratio);
  std::string svg;
  if (ratio.interval) {
    svg += line(x, y_of(ratio.interval->low), x, y_of(ratio.interval->high),
                fmt::format("stroke=\"{}\" stroke-width=\"1.5\"", colour));
  }
  return svg + fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\"/>\n", x,
                           y_of(ratio.ratio), colour);
}

// The column of one kernel.
struct Column {
  const SelftestKernel* kernel;
  std::vector<const SpeedRatio*> ratios;
};

std::vector<Column> columns_of(const SelftestRecord& record) {
  std::vector<Column> columns;
  for (const SelftestKernel& kernel : record.kernels) columns.push_back({&kernel, {}});
  if (!record.judged()) return columns;
  for (const SelftestComparison& c : record.comparisons) {
    if (c.same_work() && c.ratio) columns[c.kernel].ratios.push_back(&*c.ratio);
  }
  return columns;
}

double column_width(const std::vector<Column>& columns) {
  std::size_t most = 0;
  for (const Column& column : columns) most = std::max(most, column.ratios.size());
  return std::clamp(static_cast<double>(most) * comparison_width + 2 * padding, narrowest_column,
                    widest_column);
}

std::string scale(double right) {
  std::string svg;
  for (const double off : {-reach, -margin, 0.0, margin, reach}) {
    const bool bound = off == margin || off == -margin;
    svg += line(left, y_of(1 + off), right, y_of(1 + off),
                fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", grey, off == 0 ? "1.2" : "0.6",
                            bound ? " stroke-dasharray=\"5 4\"" : ""));
    svg += text_at(left - 6, y_of(1 + off) + 4, "end", off == 0 ? "1" : fmt::format("{:+.0f} %", 100 * off));
  }
  return svg;
}

std::string column(const Column& column, double x, double width, bool speed) {
  std::string svg = text_at(x + width / 2, top + height + 18, "middle", column.kernel->name);
  if (speed) svg += text_at(x + width / 2, top + height + 34, "middle", format_ms(column.kernel->median_ms));
  const double step =
      (width - 2 * padding) / static_cast<double>(std::max<std::size_t>(1, column.ratios.size()));
  for (std::size_t i = 0; i < column.ratios.size(); ++i) {
    svg += mark(x + padding + (static_cast<double>(i) + 0.5) * step, *column.ratios[i]);
  }
  return svg + line(x, top, x, top + height, fmt::format("stroke=\"{}\" stroke-width=\"0.4\"", grey));
}

std::string legend() {
  std::string svg = text_at(left, 20, "start",
                            "The same binary on both sides: speed of the second beside the first, with its "
                            "95 % interval");
  double x = left;
  for (const auto& [colour, words] :
       {std::pair{usual, "interval holds 1"}, std::pair{without_one, "interval without 1"},
        std::pair{called, "called faster or slower"}}) {
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"36\" r=\"4\" fill=\"{}\"/>\n", x + 4, colour);
    svg += text_at(x + 14, 40, "start", words);
    x += 170;
  }
  return svg;
}

}  // namespace

std::string render_svg(const SelftestRecord& record) {
  const std::vector<Column> columns = columns_of(record);
  const double width = column_width(columns);
  const double right = std::max(left + width * static_cast<double>(columns.size()), left + 560);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{2}\">\n",
      right + 16, top + height + bottom, grey);
  svg += fmt::format("<title>kgrade selftest on {}</title>\n", escape_markup(record.device.name));
  svg += legend() + scale(right);
  if (!record.judged()) {
    svg +=
        text_at((left + right) / 2, top + height / 4, "middle", "Times of this device do not measure speed.");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    svg += column(columns[i], left + static_cast<double>(i) * width, width, record.judged());
  }
  return svg + "</svg>\n";
}

}  // namespace kgrade
