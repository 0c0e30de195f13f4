// Reads and writes the fields of JSON objects, each listed only once. A type's `fields(archive, value)` names
// its fields. A JsonWriter writes them, and a JsonReader reads them from an untrusted document. Every value
// is checked before it is used. A value that is missing, of the wrong type or out of range gives an Error
// with its JSON pointer (RFC 6901).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "base/statistics.h"
#include "record/speed.h"

namespace kgrade {

// --- Documents ---

// Parses a document. Leaves out members with the names in `left_out`, and values nested deeper than 32, which
// our documents never are. An Error at `from` says where the text stops being JSON (RFC 8259, with numbers
// that a double can hold).
Result<nlohmann::json> parse_json(std::string_view text, const Location& from,
                                  const std::vector<std::string_view>& left_out = {});

// Collects the errors in one document, up to most_errors.
class JsonComplaints {
 public:
  static constexpr std::size_t most_errors = 10;

  // The `remedy` goes into every Error
  JsonComplaints(Location from, std::string remedy) : from_(std::move(from)), remedy_(std::move(remedy)) {}

  void add(const std::string& pointer, const std::string& what);
  bool empty() const { return errors_.empty(); }
  const Errors& errors() const { return errors_; }

 private:
  Location from_;
  std::string remedy_;
  Errors errors_;
};

// One value of a document; it may be missing. If the value is not as a function expects, the function adds
// one complaint and returns an empty value. So a reader reads the whole document first and then checks for
// complaints. The document and the complaints must outlive the value.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& json, JsonComplaints& complaints)
      : json_(&json), complaints_(&complaints) {}

  // The member of an object. A missing member is a complaint.
  JsonValue operator[](std::string_view name) const;
  // The member of an object, or nothing if it is missing or null.
  std::optional<JsonValue> find(std::string_view name) const;
  // The items of an array, or the members of an object with their names. At most `most` of them.
  std::vector<JsonValue> items(std::size_t most) const;
  std::vector<std::pair<std::string, JsonValue>> members(std::size_t most) const;

  std::string text(std::size_t most_bytes) const;
  // Complains about the first member with another name.
  void has_only(const std::vector<std::string_view>& names) const;

  // The value of a word. `parse` turns text into an optional, which is empty for an unknown word. `known`:
  // all words, for the complaint; may be empty.
  template <class Parse>
  auto word(Parse parse, const std::string& known = "") const {
    const auto parsed = parse(text(64));
    if (!parsed && is_text())
      complain(known.empty() ? "is no word that is known here" : "is not one of: " + known);
    return parsed.value_or(typename decltype(parse(std::string()))::value_type{});
  }
  bool truth() const;
  // The value as text, with the members of objects in alphabetical order.
  std::string dump() const { return json_ != nullptr ? json_->dump() : ""; }
  bool is_text() const { return json_ != nullptr && json_->is_string(); }
  bool is_whole() const { return json_ != nullptr && json_->is_number_integer(); }
  // Finite, and within [low, high].
  double number(double low, double high) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  // For times, rates and ratios.
  double positive() const;

  void complain(const std::string& what) const;
  const std::string& pointer() const { return pointer_; }

 private:
  JsonValue(const nlohmann::json* json, JsonComplaints* complaints, std::string pointer)
      : json_(json), complaints_(complaints), pointer_(std::move(pointer)) {}
  bool is(bool (nlohmann::json::*of_type)() const noexcept, const char* type) const;

  const nlohmann::json* json_;  // null: the value is missing, and the complaint has been made
  JsonComplaints* complaints_;
  std::string pointer_;
};

// --- Fields ---

inline constexpr std::size_t most_text = 64 << 10;    // bytes of a title, a message
inline constexpr std::size_t most_items = 1'000'000;  // of an array
inline constexpr std::size_t most_log = 16 << 20;     // bytes of a compiler's output

// The number of values of an enumeration. Its to_string() knows the values from 0 on.
template <class E>
inline constexpr int count_of_values = 0;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// The rule of values that need none.
struct AnyValue {};

// --- Writing ---

template <class T>
nlohmann::ordered_json json_of(const T& value);

// Null if there are no samples.
nlohmann::ordered_json json_of(const Summary& summary);

class JsonWriter {
 public:
  static constexpr bool reads = false;
  template <class T>
  using Value = const T;

  explicit JsonWriter(nlohmann::ordered_json& object) : object_(object) {}

  // Only readers check the rule. It may say how a value is written: see UnsignedText.
  template <class T, class Rule = AnyValue>
  void operator()(const char* name, const T& value, const Rule& rule = {}) {
    object_[name] = written(value, rule);
  }
  // A value that readers compute themselves.
  template <class T>
  void derived(const char* name, const T& value) {
    object_[name] = json_of(value);
  }
  template <class Body>
  void object(const char* name, Body body) {
    nlohmann::ordered_json inner = nlohmann::ordered_json::object();
    JsonWriter writer(inner);
    body(writer);
    object_[name] = std::move(inner);
  }
  bool wants_detail() const { return true; }

 private:
  template <class T, class Rule>
  static nlohmann::ordered_json written(const T& value, const Rule& rule) {
    if constexpr (requires { rule.written(value); }) {
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

  nlohmann::ordered_json& object_;
};

template <class T>
nlohmann::ordered_json json_of(const T& value) {
  using Json = nlohmann::ordered_json;
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (is_optional<T>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (is_vector<T>) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(json_of(item));
    return array;
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

template <class E>
std::optional<E> enum_from(std::string_view text) {
  static_assert(count_of_values<E> > 0);
  for (int i = 0; i < count_of_values<E>; ++i) {
    if (to_string(static_cast<E>(i)) == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// "quick, normal, ranked".
template <class E>
std::string words_of() {
  std::string words;
  for (int i = 0; i < count_of_values<E>; ++i)
    words += (i == 0 ? "" : ", ") + std::string(to_string(static_cast<E>(i)));
  return words;
}

// Rules for values. A value that breaks its rule is an Error.
inline constexpr auto positive = [](const JsonValue& json) { return json.positive(); };
inline constexpr auto not_negative = [](const JsonValue& json) {
  return json.number(0, std::numeric_limits<double>::max());
};
inline constexpr auto share_of_one = [](const JsonValue& json) { return json.number(0, 1); };
inline constexpr auto bytes = [](const JsonValue& json) { return json.integer(0, INT64_MAX); };
template <std::size_t most_bytes>
inline constexpr auto text_up_to = [](const JsonValue& json) { return json.text(most_bytes); };
// One of these words.
std::string word_of(const JsonValue& value, std::initializer_list<std::string_view> words);
// The slug of a problem or the name of a case. Pages make links of it.
std::string slug_of(const JsonValue& value);
// A slug, or a case in the form of a command line: n=1000,eps=1e-5.
std::string case_name_of(const JsonValue& value);
std::string sha256_of(const JsonValue& value);
// A moment like 2026-01-31T12:00:00Z. Sorted as text, moments are sorted by time.
std::string moment_of(const JsonValue& value);
// A number of 64 bits written as text, because readers that know only doubles would round it.
struct UnsignedText {
  std::uint64_t operator()(const JsonValue& value) const;
  static nlohmann::ordered_json written(std::uint64_t value) { return std::to_string(value); }
};
inline constexpr UnsignedText unsigned_text;

template <class T, class Rule>
void read_value(const JsonValue& json, T& value, const Rule& rule, bool detailed,
                std::size_t most = most_items);

class JsonReader {
 public:
  static constexpr bool reads = true;
  template <class T>
  using Value = T;

  // `detailed` is false if the reader may skip what is needed only to look at a single record.
  JsonReader(JsonValue object, bool detailed) : object_(std::move(object)), detailed_(detailed) {}

  // `most`: the most items of an array.
  template <class T, class Rule = AnyValue>
  void operator()(const char* name, T& value, const Rule& rule = {}, std::size_t most = most_items) {
    if constexpr (is_optional<T>) {
      value.reset();
      if (const auto found = object_.find(name)) read_value(*found, value.emplace(), rule, detailed_);
    } else if constexpr (std::is_same_v<T, Summary>) {
      value = {};
      if (const auto found = object_.find(name)) read_value(*found, value, rule, detailed_);
    } else {
      read_value(object_[name], value, rule, detailed_, most);
    }
  }
  // Leaves the value as it is if the member is missing or null.
  template <class T, class Rule = AnyValue>
  void or_default(const char* name, T& value, const Rule& rule = {}, std::size_t most = most_items) {
    if (const auto found = object_.find(name)) read_value(*found, value, rule, detailed_, most);
  }
  template <class T>
  void derived(const char*, const T&) {}
  template <class Body>
  void object(const char* name, Body body) {
    JsonReader reader(object_[name], detailed_);
    body(reader);
  }
  bool wants_detail() const { return detailed_; }
  const JsonValue& value() const { return object_; }

 private:
  JsonValue object_;
  bool detailed_;
};

template <class T, class Rule>
void read_value(const JsonValue& json, T& value, const Rule& rule, bool detailed, std::size_t most) {
  if constexpr (is_vector<T>) {
    value.clear();
    for (const JsonValue& item : json.items(most)) {
      typename T::value_type one{};
      read_value(item, one, rule, detailed);
      value.push_back(std::move(one));
    }
  } else if constexpr (!std::is_same_v<Rule, AnyValue>) {
    value = static_cast<T>(rule(json));
  } else if constexpr (std::is_enum_v<T>) {
    value = json.word(enum_from<T>, words_of<T>());
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

}  // namespace kgrade
