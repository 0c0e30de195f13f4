#include "authoring/stated_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace kgrade::authoring {
namespace {

using Names = std::vector<std::string>;

// What papers and PyTorch's documentation call the arguments of layers.
constexpr std::pair<std::string_view, std::string_view> conventions[] = {
    {"B", "batch_size"}, {"N", "batch_size"},  {"C_in", "in_channels"}, {"C_out", "out_channels"},
    {"C", "channels"},   {"D", "depth"},       {"H", "height"},         {"W", "width"},
    {"L", "length"},     {"K", "kernel_size"}, {"K_d", "kernel_d"},     {"K_h", "kernel_h"},
    {"K_w", "kernel_w"}, {"g", "groups"},      {"G", "groups"},         {"groups", "groups"},
};

// "C_{\text{in}}" as "C_in".
std::string plain_symbol(std::string_view latex) {
  std::string text(trimmed(latex));
  for (const char* command : {"\\text", "\\mathrm", "\\,", "\\;", "\\left", "\\right", "\\_"})
    text = replace_all(std::move(text), command, std::string_view(command) == "\\_" ? "_" : "");
  std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
  return text;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// The parameter that a symbol stands for; empty where there is none.
std::string parameter_of(const std::string& symbol, const Names& integers) {
  const bool is_number = !symbol.empty() && std::all_of(symbol.begin(), symbol.end(), is_digit);
  if (is_number || contains(integers, symbol)) return symbol;
  for (const auto& [convention, name] : conventions) {
    if (symbol == convention && contains(integers, name)) return std::string(name);
  }
  return contains(integers, lower(symbol)) ? lower(symbol) : "";
}

// Nothing where a symbol stands for no parameter: `unknown` is that one.
std::optional<std::string> extent_of(std::string_view latex, const Names& integers, std::string& unknown) {
  std::string expression;
  for (std::string_view rest = latex;;) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string symbol = plain_symbol(rest.substr(0, slash));
    const std::string parameter = parameter_of(symbol, integers);
    if (parameter.empty()) {
      unknown = symbol;
      return std::nullopt;
    }
    expression += (expression.empty() ? "" : " / ") + parameter;
    if (slash == rest.size()) return expression;
    rest.remove_prefix(slash + 1);
  }
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != text.npos) text.remove_prefix(end + separator.size());
  }
  return parts;
}

// The extents of "(B, H, W)" or "M \times N"; nothing for other formulas.
std::vector<std::string_view> extents_in(std::string_view formula) {
  const std::string_view text = trimmed(formula);
  if (text.starts_with('(') && text.ends_with(')')) {
    auto parts = split(text.substr(1, text.size() - 2), ",");
    if (parts.size() > 1 && trimmed(parts.back()).empty()) parts.pop_back();  // "(n,)"
    return parts;
  }
  if (text.find("\\times") != text.npos) return split(text, "\\times");
  return {};
}

StatedShape shape_of(std::string_view formula, const Names& integers) {
  StatedShape shape{{}, std::string(trimmed(formula)), ""};
  for (const std::string_view extent : extents_in(formula)) {
    std::string unknown;
    const auto expression = extent_of(extent, integers, unknown);
    if (!expression) {
      shape.extents.clear();
      shape.problem = unknown.empty() ? "an extent is missing" : fmt::format("'{}' is no parameter", unknown);
      return shape;
    }
    shape.extents.push_back(*expression);
  }
  return shape;
}

// Texts between two of this character, with where each ends in the line.
std::vector<std::pair<std::string_view, std::size_t>> quoted_in(std::string_view line, char quote) {
  std::vector<std::pair<std::string_view, std::size_t>> found;
  for (std::size_t begin = line.find(quote); begin != line.npos;) {
    const std::size_t end = line.find(quote, begin + 1);
    if (end == line.npos) break;
    found.emplace_back(line.substr(begin + 1, end - begin - 1), end);
    begin = line.find(quote, end + 1);
  }
  return found;
}

struct Named {
  std::string tensor;
  std::size_t end = 0;  // of its name in the line
};

std::optional<Named> only_tensor_in(std::string_view line, const Names& tensors) {
  std::optional<Named> named;
  for (const char quote : {'`', '$'}) {
    for (const auto& [text, end] : quoted_in(line, quote)) {
      const std::string name = plain_symbol(text);
      if (!contains(tensors, name)) continue;
      if (named && named->tensor != name) return std::nullopt;
      if (!named) named = Named{name, end};
    }
  }
  return named;
}

}  // namespace

std::map<std::string, StatedShape> stated_shapes(std::string_view statement, const Names& tensors,
                                                 const Names& integers) {
  std::map<std::string, StatedShape> shapes;
  for (const std::string_view line : split(statement, "\n")) {
    const auto named = only_tensor_in(line, tensors);
    if (!named) continue;
    for (const auto& [formula, end] : quoted_in(line, '$')) {
      if (end <= named->end || extents_in(formula).empty()) continue;
      const StatedShape shape = shape_of(formula, integers);
      const auto [known, is_new] = shapes.try_emplace(named->tensor, shape);
      if (!is_new && known->second.written != shape.written)
        known->second = {{}, known->second.written, "elsewhere the statement writes " + shape.written};
      break;
    }
  }
  return shapes;
}

}  // namespace kgrade::authoring
