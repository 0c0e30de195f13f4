#include "problem/torch_module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kgrade {
namespace {

double as_real(const ModuleScalar& scalar) {
  return std::visit([](const auto value) { return static_cast<double>(value); }, scalar);
}

bool equal(const ModuleScalar& left, const ModuleScalar& right) {
  const auto* const first = std::get_if<std::int64_t>(&left);
  const auto* const second = std::get_if<std::int64_t>(&right);
  // Integers are compared as integers, because a double does not hold every 64-bit integer.
  if (first != nullptr && second != nullptr) return *first == *second;
  return as_real(left) == as_real(right);
}

// A real number keeps its point, or Python would take it for an integer.
std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string scalar_text(const ModuleScalar& scalar) {
  if (const auto* const truth = std::get_if<bool>(&scalar)) return *truth ? "True" : "False";
  if (const auto* const real = std::get_if<double>(&scalar)) return real_text(*real);
  return fmt::format("{}", std::get<std::int64_t>(scalar));
}

std::string joined(bool is_tuple, const std::vector<std::string>& items) {
  if (!is_tuple) return items.empty() ? "" : items.front();
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

}  // namespace

bool operator==(const ModuleValue& left, const ModuleValue& right) {
  return left.is_tuple == right.is_tuple &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(), equal);
}

std::string ModuleArgument::value_text() const {
  std::vector<std::string> texts;
  for (const ModuleTerm& term : terms) texts.push_back(term.text);
  return joined(is_tuple, texts);
}

const std::string* TorchModule::weight_of(std::string_view input) const {
  for (const auto& [name, weight] : weights) {
    if (name == input) return &weight;
  }
  return nullptr;
}

bool is_axes(std::string_view text) {
  const auto axes = nlohmann::json::parse(text, nullptr, false);
  return axes.is_object() && std::ranges::all_of(axes, [](const nlohmann::json& order) {
           std::vector<int> sorted, expected;
           if (!order.is_array()) return false;
           for (const nlohmann::json& axis : order) {
             expected.push_back(static_cast<int>(expected.size()));
             sorted.push_back(axis.is_number_unsigned() && axis < order.size() ? axis.get<int>() : -1);
           }
           std::ranges::sort(sorted);
           return sorted == expected;
         });
}

namespace {

constexpr int deepest_argument = 20;

bool is_argument(const nlohmann::json& argument, int depth) {
  if (!argument.is_object() || argument.size() != 1 || depth > deepest_argument) return false;
  const std::string& kind = argument.begin().key();
  const nlohmann::json& content = argument.begin().value();
  if (kind == "value") return true;
  if (kind == "input" || kind == "scalar") return content.is_string();
  if (kind == "viewed")
    return content.is_object() && content.value("input", nlohmann::json()).is_string() &&
           content.value("dtype", nlohmann::json()).is_string();
  if (kind == "blank")
    return content.is_object() && content.value("shape", nlohmann::json()).is_array() &&
           content.value("dtype", nlohmann::json()).is_string();
  if (kind == "copy") return is_argument(content, depth + 1);
  if (!content.is_array()) return false;
  const bool is_dict = kind == "dict";
  return (is_dict || kind == "list" || kind == "tuple") &&
         std::ranges::all_of(content, [&](const nlohmann::json& part) {
           if (is_dict && (!part.is_array() || part.size() != 2)) return false;
           return is_argument(is_dict ? part[1] : part, depth + 1);
         });
}

}  // namespace

bool is_argument_of_module(const nlohmann::json& argument) { return is_argument(argument, 0); }

std::string_view to_string(ModuleMode mode) { return mode == ModuleMode::train ? "train" : "eval"; }

std::string to_string(const ModuleValue& value) {
  std::vector<std::string> texts;
  for (const ModuleScalar& item : value.items) texts.push_back(scalar_text(item));
  return joined(value.is_tuple, texts);
}

}  // namespace kgrade
