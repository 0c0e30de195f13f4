// Rules for the values of fields (base/json_archive.h). A rule reads a value and complains about one that
// breaks it. Its schema() is the JSON Schema of the values that it accepts, as far as a schema can say it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace kgrade {

inline constexpr std::size_t most_text = 64 << 10;    // bytes of a title or a message
inline constexpr std::size_t most_items = 1'000'000;  // of an array
inline constexpr std::size_t most_members = 1000;     // of an object whose names are not known
inline constexpr std::size_t most_log = 16 << 20;     // bytes of a compiler's output

// Accepts every value.
struct AnyValue {};

struct NumberRule {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  double operator()(const JsonValue& value) const { return value.number(low, high); }
  nlohmann::ordered_json schema() const;
};
// For times, rates and ratios, in any of our units.
inline constexpr NumberRule positive{1e-30, 1e30};
inline constexpr NumberRule not_negative{};
inline constexpr NumberRule share_of_one{0, 1};

struct IntegerRule {
  std::int64_t low = 0;
  std::int64_t high = INT64_MAX;
  std::int64_t operator()(const JsonValue& value) const { return value.integer(low, high); }
  nlohmann::ordered_json schema() const;
};
inline constexpr IntegerRule any_count{};
inline constexpr IntegerRule from_zero{0, INT32_MAX};
inline constexpr IntegerRule from_one{1, INT32_MAX};

struct TextRule {
  std::size_t most_bytes = most_text;
  std::string operator()(const JsonValue& value) const { return value.text(most_bytes); }
  nlohmann::ordered_json schema() const;
};
template <std::size_t most_bytes>
inline constexpr TextRule text_up_to{most_bytes};

// A text that matches a pattern.
struct FormRule {
  std::size_t most_bytes;
  const char* pattern;  // ECMA 262; says the same as `fits`
  bool (*fits)(std::string_view text);
  const char* complaint;
  std::string operator()(const JsonValue& value) const;
  nlohmann::ordered_json schema() const;
};
// All of these rules accept an empty text, too.
// The slug of a problem or the name of a case. Web pages make links from it.
extern const FormRule slug_of;
// A slug, or a case in the form of a command line: n=1000,eps=1e-5.
extern const FormRule case_name_of;
extern const FormRule sha256_of;
// A moment like 2026-01-31T12:00:00Z. Sorted as text, moments are sorted by time.
extern const FormRule moment_of;

nlohmann::ordered_json words_schema(const std::vector<std::string_view>& words);

// Accepts a text that is one of `words`.
template <std::size_t count>
struct WordRule {
  std::array<std::string_view, count> words;
  std::string operator()(const JsonValue& value) const {
    std::string known;
    for (const std::string_view word : words) known += (known.empty() ? "" : ", ") + std::string(word);
    return value.word(
        [this](std::string_view text) -> std::optional<std::string> {
          for (const std::string_view word : words) {
            if (word == text) return std::string(word);
          }
          return std::nullopt;
        },
        known);
  }
  nlohmann::ordered_json schema() const { return words_schema({words.begin(), words.end()}); }
};
template <class... Words>
constexpr WordRule<sizeof...(Words)> one_of(Words... words) {
  return {{words...}};
}

// A number of 64 bits written as text, because readers that know only doubles would round it. The schema
// accepts all texts of up to 20 digits.
struct UnsignedText {
  std::uint64_t operator()(const JsonValue& value) const;
  static nlohmann::ordered_json written(std::uint64_t value) { return std::to_string(value); }
  static nlohmann::ordered_json schema();
};
inline constexpr UnsignedText unsigned_text;

// How many items an array has, and the rule of each.
template <class Rule>
struct ItemsRule {
  std::size_t least = 0;
  std::size_t most = most_items;
  Rule each = {};
};
template <class Rule = AnyValue>
constexpr ItemsRule<Rule> items(std::size_t least, std::size_t most = most_items, const Rule& each = {}) {
  return {least, most, each};
}
template <class T>
inline constexpr bool is_items_rule = false;
template <class Rule>
inline constexpr bool is_items_rule<ItemsRule<Rule>> = true;

// A list that is written as an object, with the items' names as the names of its members.
template <class Item, class Value, class Rule>
struct ByNameRule {
  std::string Item::*name;
  Value Item::*value;
  Rule rule;
  std::vector<Item> operator()(const JsonValue& json) const {
    std::vector<Item> list;
    for (const auto& [member, inner] : json.members(most_members)) {
      Item& item = list.emplace_back();
      item.*name = member;
      item.*value = rule(inner);
    }
    return list;
  }
  nlohmann::ordered_json written(const std::vector<Item>& list) const {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Item& item : list) json[item.*name] = item.*value;
    return json;
  }
  nlohmann::ordered_json schema() const {
    return {{"type", "object"}, {"additionalProperties", rule.schema()}};
  }
};
template <class Item, class Value, class Rule>
constexpr ByNameRule<Item, Value, Rule> by_name(std::string Item::*name, Value Item::*value, Rule rule) {
  return {name, value, rule};
}

}  // namespace kgrade
