#include "base/json_rules.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace kgrade {

using nlohmann::ordered_json;

namespace {

bool is_slug(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_digit(c) || is_small_letter(c) || c == '-'; });
}

bool is_case_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || is_letter(c) || std::string_view("-_=,.+").find(c) != std::string_view::npos;
  });
}

bool is_sha256(std::string_view text) {
  return text.empty() || (text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
                            return is_digit(c) || (c >= 'a' && c <= 'f');
                          }));
}

constexpr std::string_view form_of_moments = "0000-00-00T00:00:00Z";

bool is_moment(std::string_view text) {
  return text.empty() || std::equal(text.begin(), text.end(), form_of_moments.begin(), form_of_moments.end(),
                                    [](char c, char f) { return f == '0' ? is_digit(c) : c == f; });
}

}  // namespace

const FormRule slug_of = {200, "^[a-z0-9-]*$", is_slug, "is not of small letters, digits and hyphens"};
const FormRule case_name_of = {200, "^[A-Za-z0-9_=,.+-]*$", is_case_name,
                               "is neither a slug nor values as in n=1000,m=3"};
const FormRule sha256_of = {64, "^([0-9a-f]{64})?$", is_sha256, "is no SHA-256 in hexadecimal digits"};
const FormRule moment_of = {form_of_moments.size(),
                            "^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$", is_moment,
                            "is no moment like 2026-01-31T12:00:00Z"};

std::string FormRule::operator()(const JsonValue& value) const {
  std::string text = value.text(most_bytes);
  if (!value.is_text() || fits(text)) return text;
  value.complain(complaint);
  return "";
}

std::uint64_t UnsignedText::operator()(const JsonValue& value) const {
  const std::string text = value.text(20);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value.is_text() && (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()))
    value.complain("is no whole number of 64 bits");
  return number;
}

// --- Schemas ---

ordered_json NumberRule::schema() const {
  ordered_json schema = {{"type", "number"}, {"minimum", low}};
  if (high < std::numeric_limits<double>::max()) schema["maximum"] = high;
  return schema;
}

ordered_json IntegerRule::schema() const {
  ordered_json schema = {{"type", "integer"}, {"minimum", low}};
  if (high < INT64_MAX) schema["maximum"] = high;
  return schema;
}

ordered_json TextRule::schema() const { return {{"type", "string"}, {"maxLength", most_bytes}}; }

ordered_json FormRule::schema() const {
  return {{"type", "string"}, {"pattern", pattern}, {"maxLength", most_bytes}};
}

ordered_json UnsignedText::schema() { return {{"type", "string"}, {"pattern", "^[0-9]{1,20}$"}}; }

ordered_json words_schema(const std::vector<std::string_view>& words) { return {{"enum", words}}; }

}  // namespace kgrade
