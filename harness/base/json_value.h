// Reads an untrusted JSON document. Every value is checked before it is used. A value that is missing, of the
// wrong type or out of range gives an Error with its JSON pointer (RFC 6901).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kgrade {

// Parses a document. Leaves out members with the names in `left_out`, and values nested deeper than 32, which
// our documents never are. An Error at `from` says where the text stops being JSON (RFC 8259, with numbers
// that a double can hold).
Result<nlohmann::json> parse_json(std::string_view text, const Location& from,
                                  const std::vector<std::string_view>& left_out = {});

// Collects the errors in one document, up to most_errors.
class JsonComplaints {
 public:
  static constexpr std::size_t most_errors = 10;

  // The `remedy` goes into every Error.
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
  bool is_array() const { return json_ != nullptr && json_->is_array(); }
  bool is_text() const { return json_ != nullptr && json_->is_string(); }
  bool is_whole() const { return json_ != nullptr && json_->is_number_integer(); }
  // A finite number within [low, high].
  double number(double low, double high) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;

  void complain(const std::string& what) const;

 private:
  JsonValue(const nlohmann::json* json, JsonComplaints* complaints, std::string pointer)
      : json_(json), complaints_(complaints), pointer_(std::move(pointer)) {}
  bool is(bool (nlohmann::json::*of_type)() const noexcept, const char* type) const;

  const nlohmann::json* json_;  // null: the value is missing, and the complaint has been made
  JsonComplaints* complaints_;
  std::string pointer_;
};

}  // namespace kgrade
