#include "authoring/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "authoring/markdown.h"
#include "authoring/page_style.h"
#include "base/text.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t largest_statement = 1 << 20;

std::string code(std::string_view text) { return "<code>" + escape_markup(text) + "</code>"; }

std::string row(std::string_view tag, const std::vector<std::string>& cells) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) html += fmt::format("<{0}>{1}</{0}>", tag, cell);
  return html + "</tr>\n";
}

std::string table(const std::vector<std::string>& head, const std::string& rows) {
  return "<div class=\"scroll\"><table>\n<thead>\n" + row("th", head) + "</thead>\n<tbody>\n" + rows +
         "</tbody>\n</table></div>\n";
}

std::string type_of(const Problem& problem, const Parameter& parameter) {
  const std::string base =
      parameter.type == element_type_name ? std::string(cuda_type(problem.dtype)) : parameter.type;
  return parameter.is_input() ? "const " + base + "*" : parameter.pointer ? base + "*" : base;
}

std::string shape_of(const Parameter& parameter) {
  std::vector<std::string> extents;
  for (const Expression& extent : parameter.shape) extents.push_back(extent.text());
  return extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", "));
}

// One parameter a line, as a header file would have it.
std::string entry_point(const Problem& problem) {
  std::string text = signature(problem);
  const std::size_t open = text.find('(');
  if (text.size() > 90 && open != text.npos) {
    text = text.substr(0, open + 1) + "\n    " + replace_all(text.substr(open + 1), ", ", ",\n    ");
  }
  return "<pre><code>" + escape_markup(text) + "</code></pre>\n";
}

std::string parameters(const Problem& problem) {
  std::string rows;
  for (const Parameter& parameter : problem.parameters) {
    const std::string shape = shape_of(parameter);
    rows +=
        row("td", {code(parameter.name), code(type_of(problem, parameter)), shape.empty() ? "" : code(shape),
                   parameter.init          ? code(parameter.init->text)
                   : parameter.is_output() ? "output"
                                           : ""});
  }
  return "<h2>Parameters</h2>\n" + table({"name", "type", "shape", "drawn from"}, rows);
}

std::string formulas(const Problem& problem) {
  std::string html;
  for (const auto& [name, expression] : problem.let) {
    html += "<li>" + code(name + " = " + expression.text()) + "</li>\n";
  }
  if (!html.empty()) html = "<h3>Values</h3>\n<ul>\n" + html + "</ul>\n";
  std::string conditions;
  for (const Expression& condition : problem.require)
    conditions += "<li>" + code(condition.text()) + "</li>\n";
  if (!conditions.empty()) html += "<h3>What holds in every case</h3>\n<ul>\n" + conditions + "</ul>\n";
  return html;
}

std::string outputs_of(const Case& bound) {
  std::vector<std::string> texts;
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.output) texts.push_back(escape_markup(fmt::format("[{}]", fmt::join(tensor.shape, ", "))));
  }
  return fmt::format("{}", fmt::join(texts, "<br>"));
}

std::string values_of(const Problem& problem, const Case& bound) {
  std::vector<std::string> values;
  for (const Parameter& parameter : problem.parameters) {
    const auto whole = bound.integers.find(parameter.name);
    const auto real = bound.reals.find(parameter.name);
    if (whole != bound.integers.end()) values.push_back(fmt::format("{}={}", parameter.name, whole->second));
    if (real != bound.reals.end()) values.push_back(fmt::format("{}={}", parameter.name, real->second));
  }
  return "<div class=\"values\">" + escape_markup(fmt::format("{}", fmt::join(values, " "))) + "</div>";
}

std::string cases_table(const Problem& problem, const std::vector<Case>& cases) {
  if (cases.empty()) return "";
  std::string rows;
  for (const Case& bound : cases) {
    const auto bytes = static_cast<std::uint64_t>(bound.tensor_bytes());
    rows += row(
        "td", {code(bound.name), escape_markup(to_string(bound.role)), outputs_of(bound), format_bytes(bytes),
               bound.flops ? format_operations(*bound.flops) : "", values_of(problem, bound)});
  }
  return "<h2>Cases</h2>\n" + table({"name", "role", "output", "memory", "arithmetic", "values"}, rows) +
         fmt::format("<p class=\"about\">Memory: all tensors once, in {}.</p>\n", to_string(problem.dtype));
}

std::string about(const Problem& problem) {
  std::string html = "<p class=\"about\"><span>" + code(problem.slug) + "</span> <span>" +
                     std::string(to_string(problem.difficulty)) + "</span>";
  for (const std::string* text : {&problem.author, &problem.source}) {
    if (!text->empty()) html += " <span>" + escape_markup(*text) + "</span>";
  }
  if (!problem.tags.empty())
    html += " <span>" + escape_markup(fmt::format("{}", fmt::join(problem.tags, ", "))) + "</span>";
  return html + "</p>\n";
}

std::string precision(const Problem& problem) {
  std::string text = fmt::format("Answers must reach {} precision.", problem.precision);
  if (problem.libraries == Libraries::none)
    text += " No libraries but the C and C++ runtime and the CUDA driver.";
  return "<p>" + escape_markup(text) + "</p>\n";
}

}  // namespace

Result<std::string> problem_page(const Problem& problem, const std::vector<Case>& cases) {
  if (problem.statement.size() > largest_statement) {
    return Error{"the statement is larger than " + format_bytes(largest_statement),
                 "shorten it: a statement says what a kernel computes",
                 {problem.path.string(), 0, 0}};
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n"
         "<title>" +
         escape_markup(problem.title) + "</title>\n<style>" + std::string(page_style) +
         "</style>\n</head>\n<body>\n<h1>" + inline_markdown_to_html(problem.title) + "</h1>\n" +
         about(problem) + entry_point(problem) + "<main>\n" + markdown_to_html(problem.statement) +
         "</main>\n" + parameters(problem) + formulas(problem) + cases_table(problem, cases) +
         precision(problem) + "</body>\n</html>\n";
}

}  // namespace kgrade::authoring
