// Reads and writes the fields of JSON objects, each listed only once. A type's `fields(archive, value)` lists
// its fields in the order in which they are written. A JsonWriter writes them, a JsonReader reads them from
// an untrusted document, and a SchemaWriter (base/json_schema.h) describes them as a JSON Schema.
//
// The functions of an archive, which fields() calls:
//   archive("name", value, rule, "description")  a member that is always there. Null where an optional is unset.
//   archive.or_default(...)        a member that may be missing or null; then the value stays as it is. It is not
//                                  written where the value is empty, unset, false or 0.
//   archive.derived(...)           a member that readers compute themselves
//   archive.constant("name", value)
//   archive.object("name", body)   an object that has no type of its own
//   archive.where("name", value, wanted, body)  members that are there only if this member has the wanted value;
//                                  with a second body, those that are there otherwise
//   archive.nothing_else()         readers complain about other members
//   archive.anything_else()        readers ignore other members, and a document may have some
// Rule and description may be left out.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_words.h"
#include "base/json_rules.h"
#include "base/json_value.h"

namespace kgrade {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t count>
inline constexpr bool is_array<std::array<T, count>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class K, class V, class Less>
inline constexpr bool is_map<std::map<K, V, Less>> = true;

// A rule, and not the text of a description.
template <class Rule>
concept IsRule = !std::is_convertible_v<const Rule&, const char*>;

// Whether the rule is about the whole value, and not about each of its items.
template <class T, class Rule>
inline constexpr bool reads_whole = false;
template <class T, class Rule>
requires std::is_invocable_v<Rule, const JsonValue&>
inline constexpr bool reads_whole<T, Rule> =
    std::is_convertible_v<std::invoke_result_t<Rule, const JsonValue&>, T>;

// Whether the value is what or_default() does not write.
template <class T>
bool is_default(const T& value) {
  if constexpr (is_optional<T>) {
    return !value;
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return value == T{};
  }
}

// --- Writing ---

template <class T>
nlohmann::ordered_json json_of(const T& value);

class JsonWriter {
 public:
  static constexpr bool reads = false;
  template <class T>
  using Value = const T;

  explicit JsonWriter(nlohmann::ordered_json& object) : object_(object) {}

  // Only readers check the rule. It may say how a value is written: see UnsignedText.
  template <class T, IsRule Rule = AnyValue>
  void operator()(const char* name, const T& value, const Rule& rule = {}, const char* = "") {
    object_[name] = written(value, rule);
  }
  template <class T>
  void operator()(const char* name, const T& value, const char*) {
    object_[name] = written(value, AnyValue{});
  }
  template <class T, IsRule Rule = AnyValue>
  void or_default(const char* name, const T& value, const Rule& rule = {}, const char* = "") {
    if (!is_default(value)) object_[name] = written(value, rule);
  }
  template <class T>
  void or_default(const char* name, const T& value, const char*) {
    or_default(name, value, AnyValue{});
  }
  template <class T, class... More>
  void derived(const char* name, const T& value, const More&... more) {
    (*this)(name, value, more...);
  }
  template <class T>
  void constant(const char* name, const T& value) {
    object_[name] = value;
  }
  template <class Body>
  void object(const char* name, Body body, const char* = "") {
    nlohmann::ordered_json inner = nlohmann::ordered_json::object();
    JsonWriter writer(inner);
    body(writer);
    object_[name] = std::move(inner);
  }
  template <class T, class Wanted, class Body>
  void where(const char*, const T& value, const Wanted& wanted, Body body) {
    if (value == wanted) body(*this);
  }
  template <class T, class Wanted, class Body, class Otherwise>
  void where(const char*, const T& value, const Wanted& wanted, Body body, Otherwise otherwise) {
    value == wanted ? body(*this) : otherwise(*this);
  }
  void nothing_else() {}
  void anything_else() {}
  bool wants_detail() const { return true; }

  template <class T, class Rule>
  static nlohmann::ordered_json written(const T& value, const Rule& rule) {
    if constexpr (is_items_rule<Rule>) {
      return written(value, rule.each);
    } else if constexpr (requires { rule.written(value); }) {
      return rule.written(value);
    } else if constexpr (is_optional<T>) {
      return value ? written(*value, rule) : nlohmann::ordered_json(nullptr);
    } else if constexpr (is_vector<T> && !std::is_same_v<Rule, AnyValue>) {
      nlohmann::ordered_json array = nlohmann::ordered_json::array();
      for (const auto& item : value) array.push_back(written(item, rule));
      return array;
    } else {
      return json_of(value);
    }
  }

 private:
  nlohmann::ordered_json& object_;
};

template <class T>
nlohmann::ordered_json json_of(const T& value) {
  using Json = nlohmann::ordered_json;
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (is_optional<T>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (is_vector<T> || is_array<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(json_of(item));
    return array;
  } else if constexpr (is_map<T>) {
    Json object = Json::object();
    for (const auto& [name, inner] : value) object[fmt::format("{}", name)] = json_of(inner);
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    // JSON has no infinity.
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string_view>) {
    return Json(value);
  } else {
    Json object = Json::object();
    JsonWriter writer(object);
    fields(writer, value);
    return object;
  }
}

// --- Reading ---

template <class T, class Rule>
void read_value(const JsonValue& json, T& value, const Rule& rule, bool detailed);

class JsonReader {
 public:
  static constexpr bool reads = true;
  template <class T>
  using Value = T;

  // `detailed` is false if the reader may skip what is needed only to look at a single record.
  JsonReader(JsonValue object, bool detailed) : object_(std::move(object)), detailed_(detailed) {}

  template <class T, IsRule Rule = AnyValue>
  void operator()(const char* name, T& value, const Rule& rule = {}, const char* = "") {
    if constexpr (is_optional<T>) {
      value.reset();
      or_default(name, value, rule);
    } else {
      names_.push_back(name);
      read_value(object_[name], value, rule, detailed_);
    }
  }
  template <class T>
  void operator()(const char* name, T& value, const char*) {
    (*this)(name, value, AnyValue{});
  }
  template <class T, IsRule Rule = AnyValue>
  void or_default(const char* name, T& value, const Rule& rule = {}, const char* = "") {
    names_.push_back(name);
    if (const auto found = object_.find(name)) {
      if constexpr (is_optional<T>) {
        read_value(*found, value.emplace(), rule, detailed_);
      } else {
        read_value(*found, value, rule, detailed_);
      }
    }
  }
  template <class T>
  void or_default(const char* name, T& value, const char*) {
    or_default(name, value, AnyValue{});
  }
  template <class T, class... More>
  void derived(const char* name, const T&, const More&...) {
    names_.push_back(name);
  }
  template <class T>
  void constant(const char* name, const T&) {
    names_.push_back(name);
  }
  template <class Body>
  void object(const char* name, Body body, const char* = "") {
    names_.push_back(name);
    JsonReader reader(object_[name], detailed_);
    body(reader);
  }
  template <class T, class Wanted, class Body>
  void where(const char*, const T& value, const Wanted& wanted, Body body) {
    if (value == wanted) body(*this);
  }
  template <class T, class Wanted, class Body, class Otherwise>
  void where(const char*, const T& value, const Wanted& wanted, Body body, Otherwise otherwise) {
    value == wanted ? body(*this) : otherwise(*this);
  }
  void nothing_else() { object_.has_only(names_); }
  void anything_else() {}
  bool wants_detail() const { return detailed_; }
  const JsonValue& value() const { return object_; }

 private:
  JsonValue object_;
  bool detailed_;
  std::vector<std::string_view> names_;  // of the members that were listed
};

// The name of a member as the key of a map. Numbers are finite and not negative.
template <class Key>
std::optional<Key> key_from(const std::string& name) {
  if constexpr (std::is_same_v<Key, std::string>) {
    return name;
  } else {
    Key key{};
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), key);
    const bool is_number = parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size();
    return is_number && key >= 0 && key <= std::numeric_limits<Key>::max() ? std::optional(key)
                                                                           : std::nullopt;
  }
}

template <class T, class Rule>
void read_value(const JsonValue& json, T& value, const Rule& rule, bool detailed) {
  if constexpr (reads_whole<T, Rule>) {
    value = static_cast<T>(rule(json));
  } else if constexpr (is_vector<T>) {
    value.clear();
    std::size_t least = 0, most = most_items;
    if constexpr (is_items_rule<Rule>) {
      least = rule.least;
      most = rule.most;
    }
    const std::vector<JsonValue> items = json.items(most);
    if (items.size() < least && json.is_array())
      json.complain(fmt::format("has fewer than {} item{}", least, least == 1 ? "" : "s"));
    for (const JsonValue& item : items) {
      typename T::value_type one{};
      if constexpr (is_items_rule<Rule>) {
        read_value(item, one, rule.each, detailed);
      } else {
        read_value(item, one, rule, detailed);
      }
      value.push_back(std::move(one));
    }
  } else if constexpr (is_array<T>) {
    const std::vector<JsonValue> items = json.items(most_items);
    if (items.size() != value.size() && json.is_array())
      json.complain(fmt::format("has not {} items", value.size()));
    for (std::size_t i = 0; i < std::min(items.size(), value.size()); ++i)
      read_value(items[i], value[i], rule, detailed);
  } else if constexpr (is_map<T>) {
    value.clear();
    for (const auto& [name, inner] : json.members(most_members)) {
      const auto key = key_from<typename T::key_type>(name);
      if (!key) inner.complain("has a name that is no number");
      if (key) read_value(inner, value[*key], rule, detailed);
    }
  } else if constexpr (!std::is_same_v<Rule, AnyValue>) {
    static_assert(is_vector<T>, "the rule reads values of another type");
  } else if constexpr (std::is_enum_v<T>) {
    value = json.word(enum_from<T>, fmt::format("{}", fmt::join(enum_words<T>, ", ")));
  } else if constexpr (std::is_same_v<T, bool>) {
    value = json.truth();
  } else if constexpr (std::is_floating_point_v<T>) {
    value = json.number(-std::numeric_limits<T>::max(), std::numeric_limits<T>::max());
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool wide = sizeof(T) >= sizeof(std::int64_t);
    value = static_cast<T>(
        json.integer(std::is_signed_v<T> ? std::int64_t{std::numeric_limits<T>::min()} : 0,
                     wide ? INT64_MAX : static_cast<std::int64_t>(std::numeric_limits<T>::max())));
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = json.text(most_text);
  } else {
    JsonReader reader(json, detailed);
    fields(reader, value);
  }
}

// What a whole document holds, or the first thing that is wrong with it.
template <class T>
Result<T> read_document(const nlohmann::json& json, const std::string& remedy = "") {
  JsonComplaints complaints({}, remedy);
  T value;
  read_value(JsonValue(json, complaints), value, AnyValue{}, true);
  if (!complaints.empty()) return complaints.errors().front();
  return value;
}
template <class T>
Result<T> parse_document(std::string_view text) {
  const auto json = parse_json(text, {});
  if (!json) return Error{"the document " + json.error().message, json.error().remedy, {}};
  return read_document<T>(*json);
}

}  // namespace kgrade
