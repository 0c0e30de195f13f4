// Values of a JSON document from an unknown source: each is checked before it is used, and
// what is missing, of the wrong type or out of range is an Error with its JSON pointer (RFC 6901).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

// The document, without members of these names, and without what is nested deeper than our documents are: 32.
// An Error at `from` says where it ceases to be JSON (RFC 8259, with numbers that a double can hold).
Result<nlohmann::json> parse_json(std::string_view text, const Location& from,
                                  const std::vector<std::string_view>& left_out = {});

// What was wrong with one document, up to most_errors of it.
class JsonComplaints {
 public:
  static constexpr std::size_t most_errors = 10;

  // `remedy` of every Error.
  JsonComplaints(Location from, std::string remedy) : from_(std::move(from)), remedy_(std::move(remedy)) {}

  void add(const std::string& pointer, const std::string& what);
  bool empty() const { return errors_.empty(); }
  const Errors& errors() const { return errors_; }

 private:
  Location from_;
  std::string remedy_;
  Errors errors_;
};

// One value, or the lack of it. Reading what is not as asked for complains once and gives an empty value, so
// that a reader reads all of a document before it looks whether there were complaints. The document and the
// complaints outlive it.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& json, JsonComplaints& complaints)
      : json_(&json), complaints_(&complaints) {}

  // Of an object; a member that is missing is complained of.
  JsonValue operator[](std::string_view name) const;
  // The same where it may be missing or null.
  std::optional<JsonValue> find(std::string_view name) const;
  // Items of an array, and members of an object with their names, at most `most` of them.
  std::vector<JsonValue> items(std::size_t most) const;
  std::vector<std::pair<std::string, JsonValue>> members(std::size_t most) const;

  std::string text(std::size_t most_bytes) const;
  // One of the words that `parse` knows: it returns an optional.
  template <class Parse>
  auto word(Parse parse) const {
    const auto parsed = parse(text(64));
    if (!parsed && json_ != nullptr && json_->is_string()) complain("is no word that is known here");
    return parsed.value_or(typename decltype(parse(std::string()))::value_type{});
  }
  bool truth() const;
  // The value as text, with the members of objects in alphabetical order.
  std::string dump() const { return json_ != nullptr ? json_->dump() : ""; }
  bool is_whole() const { return json_ != nullptr && json_->is_number_integer(); }
  // Finite, and within [low, high].
  double number(double low, double high) const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  // Of times, rates and ratios.
  double positive() const;

  void complain(const std::string& what) const;
  const std::string& pointer() const { return pointer_; }

 private:
  JsonValue(const nlohmann::json* json, JsonComplaints* complaints, std::string pointer)
      : json_(json), complaints_(complaints), pointer_(std::move(pointer)) {}
  bool is(bool (nlohmann::json::*of_type)() const noexcept, const char* type) const;

  const nlohmann::json* json_;  // null: it is missing, and that has been said
  JsonComplaints* complaints_;
  std::string pointer_;
};

}  // namespace kgrade
