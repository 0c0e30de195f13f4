#include "problem/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "problem/diagnostics.h"

namespace kgrade {
namespace {

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "is empty";
    case YamlNode::Kind::scalar:
      return "is " + in_quotes(node.value);
    case YamlNode::Kind::sequence:
      return "is a list";
    case YamlNode::Kind::map:
      return "is a map";
  }
  return "";
}

void complain(const YamlNode& node, std::string_view what, std::string_view remedy,
              Diagnostics& diagnostics) {
  diagnostics.add(node.place(), fmt::format("{} {}", what, describe(node)), std::string(remedy));
}

bool expect_collection(const YamlNode& node, YamlNode::Kind kind, std::string_view what,
                       std::string_view example, std::size_t limit, Diagnostics& diagnostics) {
  if (node.kind != kind) {
    complain(node, what, fmt::format("write {}", example), diagnostics);
    return false;
  }
  if (node.children.size() <= limit) return true;
  diagnostics.add(node.place(), fmt::format("{} has {} entries", what, node.children.size()),
                  fmt::format("keep it to {} or fewer", limit));
  return false;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool looks_like_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_slug(std::string_view text) {
  const auto letter_or_digit = [](char c) { return is_small_letter(c) || is_digit(c); };
  return !text.empty() && text.size() <= 128 && letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter_or_digit(c) || c == '-'; });
}

std::string slug_from(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      slug += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

std::optional<std::string> read_text(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) {
  if (node.is_scalar() && !trimmed(node.value).empty()) return node.value;
  complain(node, what, "write a text there", diagnostics);
  return std::nullopt;
}

std::optional<bool> read_bool(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    for (const std::string_view word : words_for_true) {
      if (node.value == word) return true;
    }
    for (const std::string_view word : words_for_false) {
      if (node.value == word) return false;
    }
  }
  complain(node, what, "write true or false", diagnostics);
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    if (const auto value = parse_integer(node.value)) return value;
    if (looks_like_integer(node.value)) {
      diagnostics.add(node.place(),
                      fmt::format("{} is {}, which does not fit into 64 bits", what, in_quotes(node.value)),
                      "write a smaller integer");
      return std::nullopt;
    }
  }
  complain(node, what, "write a decimal integer, as in 16", diagnostics);
  return std::nullopt;
}

std::optional<double> read_real(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) {
  if (node.is_scalar()) {
    if (const auto value = parse_real(node.value)) return value;
  }
  complain(node, what, "write a finite decimal number, as in 0.5 or 1e-5", diagnostics);
  return std::nullopt;
}

namespace {

using ParseExpression = Result<Expression>(std::string_view, const Location&);

std::optional<Expression> read_as(ParseExpression& parse, const YamlNode& node, std::string_view what,
                                  std::string_view example, Diagnostics& diagnostics) {
  if (!node.is_scalar()) {
    complain(node, what, fmt::format("write {}", example), diagnostics);
    return std::nullopt;
  }
  Result<Expression> expression = parse(node.source, node.source_location);
  if (expression) return std::move(expression).value();
  for (Error error : expression.errors()) {
    error.message = fmt::format("{}: {}", what, error.message);
    diagnostics.add(std::move(error));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics) {
  return read_as(Expression::parse, node, what, "an integer expression, as in height - kernel_h + 1",
                 diagnostics);
}

std::optional<Expression> read_condition(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics) {
  return read_as(Expression::parse_condition, node, what, "a condition, as in rows >= 2", diagnostics);
}

bool expect_sequence(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                     Diagnostics& diagnostics) {
  return expect_collection(node, YamlNode::Kind::sequence, what, example, limit, diagnostics);
}

bool expect_map(const YamlNode& node, std::string_view what, std::string_view example, std::size_t limit,
                Diagnostics& diagnostics) {
  return expect_collection(node, YamlNode::Kind::map, what, example, limit, diagnostics);
}

void refuse_unknown_keys(const YamlNode& map, const std::vector<std::string>& known, std::string_view what,
                         Diagnostics& diagnostics) {
  for (const YamlNode& entry : map.children) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    diagnostics.add(entry.key_location, fmt::format("unknown key {} in {}", in_quotes(entry.key), what),
                    suggestion_of_known(entry.key, known));
  }
}

}  // namespace kgrade
