#include "report/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;

constexpr int most_depth = 32;
constexpr double highest = 1e30;  // of what is measured in any unit of ours

// A member's name as a reference token of RFC 6901, short enough to be read.
std::string token(std::string_view name) {
  const std::string escaped = replace_all(replace_all(std::string(name.substr(0, 60)), "~", "~0"), "/", "~1");
  return "/" + escaped;
}

// "syntax error while parsing value - ..." without the library's own prefix; it may quote the text.
std::string words_of(const std::exception& failure) {
  std::string_view words = failure.what();
  if (const std::size_t end = words.find("] "); words.starts_with("[json.exception"))
    words.remove_prefix(end + 2);
  return printable(words.substr(0, 200));
}

}  // namespace

Result<Json> parse_json(std::string_view text, const Location& from,
                        const std::vector<std::string_view>& left_out) {
  const auto keep = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > most_depth) return false;
    if (event != Json::parse_event_t::key) return true;
    const auto& name = parsed.get_ref<const std::string&>();
    return std::find(left_out.begin(), left_out.end(), name) == left_out.end();
  };
  try {
    return Json::parse(text, keep);
  } catch (const Json::exception& failure) {
    return Error{"is not JSON: " + words_of(failure), "write it anew, or leave it out", from};
  }
}

void JsonComplaints::add(const std::string& pointer, const std::string& what) {
  if (errors_.size() < most_errors)
    errors_.push_back(
        {fmt::format("{} {}", pointer.empty() ? "the document" : pointer, what), remedy_, from_});
}

void JsonValue::complain(const std::string& what) const { complaints_->add(pointer_, what); }

bool JsonValue::is(bool (Json::*of_type)() const noexcept, const char* type) const {
  if (json_ == nullptr) return false;
  if ((json_->*of_type)()) return true;
  complain(fmt::format("is {} where {} is expected", json_->is_null() ? "null" : json_->type_name(), type));
  return false;
}

JsonValue JsonValue::operator[](std::string_view name) const {
  const std::string pointer = pointer_ + token(name);
  if (!is(&Json::is_object, "an object")) return {nullptr, complaints_, pointer};
  const auto member = json_->find(name);
  if (member != json_->end()) return {&*member, complaints_, pointer};
  complaints_->add(pointer, "is missing");
  return {nullptr, complaints_, pointer};
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  if (!is(&Json::is_object, "an object")) return std::nullopt;
  const auto member = json_->find(name);
  if (member == json_->end() || member->is_null()) return std::nullopt;
  return JsonValue(&*member, complaints_, pointer_ + token(name));
}

std::vector<JsonValue> JsonValue::items(std::size_t most) const {
  std::vector<JsonValue> items;
  if (!is(&Json::is_array, "an array")) return items;
  if (json_->size() > most) complain(fmt::format("has more than {} items", most));
  for (std::size_t i = 0; i < std::min(json_->size(), most); ++i)
    items.push_back({&(*json_)[i], complaints_, fmt::format("{}/{}", pointer_, i)});
  return items;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members(std::size_t most) const {
  std::vector<std::pair<std::string, JsonValue>> members;
  if (!is(&Json::is_object, "an object")) return members;
  if (json_->size() > most) complain(fmt::format("has more than {} members", most));
  for (const auto& [name, value] : json_->items()) {
    if (members.size() == most) break;
    members.push_back({name, {&value, complaints_, pointer_ + token(name)}});
  }
  return members;
}

std::string JsonValue::text(std::size_t most_bytes) const {
  if (!is(&Json::is_string, "a string")) return {};
  const auto& text = json_->get_ref<const std::string&>();
  if (text.size() <= most_bytes) return text;
  complain(fmt::format("is longer than {} bytes", most_bytes));
  return {};
}

bool JsonValue::truth() const { return is(&Json::is_boolean, "true or false") && json_->get<bool>(); }

double JsonValue::number(double low, double high) const {
  if (!is(&Json::is_number, "a number")) return low;
  const double value = json_->get<double>();
  // Written so that NaN fails.
  if (value >= low && value <= high) return value;
  complain(fmt::format("is {}, which is not from {} to {}", value, low, high));
  return low;
}

std::int64_t JsonValue::integer(std::int64_t low, std::int64_t high) const {
  if (!is(&Json::is_number_integer, "a whole number")) return low;
  // Beyond 2^63 it would turn negative.
  const bool beyond = json_->is_number_unsigned() && json_->get<std::uint64_t>() > INT64_MAX;
  const std::int64_t value = beyond ? INT64_MAX : json_->get<std::int64_t>();
  if (!beyond && value >= low && value <= high) return value;
  complain(fmt::format("is not from {} to {}", low, high));
  return low;
}

double JsonValue::positive() const { return number(1 / highest, highest); }

}  // namespace kgrade
