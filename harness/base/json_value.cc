#include "base/json_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t most_depth = 32;

// A member's name as a reference token of RFC 6901, cut to a readable length.
std::string token(std::string_view name) {
  const std::string escaped = replace_all(replace_all(std::string(name.substr(0, 60)), "~", "~0"), "/", "~1");
  return "/" + escaped;
}

// The message without the library's prefix: "syntax error while parsing value - ...". It may quote the text.
std::string words_of(const std::exception& failure) {
  std::string_view words = failure.what();
  if (const std::size_t end = words.find("] "); words.starts_with("[json.exception"))
    words.remove_prefix(end + 2);
  return printable(words.substr(0, 200));
}

// Builds the document from the parser's events, without the parts that are left out. (The library's own
// callback for this is twenty times slower.)
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const std::vector<std::string_view>& left_out) : left_out_(left_out) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // JSON has none
  bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
  bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (ignored_depth_ > 0) return true;
    ignore_next_ = std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end();
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& failure) override {
    failure_ = words_of(failure);
    return false;
  }

  nlohmann::json take() { return std::move(document_); }
  const std::string& failure() const { return failure_; }

 private:
  bool ignores() {
    const bool next = std::exchange(ignore_next_, false);
    return ignored_depth_ > 0 || next;
  }
  bool add(nlohmann::json value) {
    if (!ignores()) place(std::move(value));
    return true;
  }
  nlohmann::json* place(nlohmann::json value) {
    if (open_.empty()) return &(document_ = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &((*open_.back())[key_] = std::move(value));
  }
  bool open(nlohmann::json container) {
    if (ignores() || open_.size() >= most_depth) {
      ++ignored_depth_;
    } else {
      open_.push_back(place(std::move(container)));
    }
    return true;
  }
  bool close() {
    if (ignored_depth_ > 0) {
      --ignored_depth_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  const std::vector<std::string_view>& left_out_;
  nlohmann::json document_;
  std::vector<nlohmann::json*> open_;  // each contains the next; only the last one grows
  std::string key_;
  bool ignore_next_ = false;
  std::size_t ignored_depth_ = 0;
  std::string failure_;
};

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, const Location& from,
                                  const std::vector<std::string_view>& left_out) {
  Builder builder(left_out);
  if (nlohmann::json::sax_parse(text, &builder)) return builder.take();
  return Error{"is not JSON: " + builder.failure(), "write it anew, or leave it out", from};
}

void JsonComplaints::add(const std::string& pointer, const std::string& what) {
  if (errors_.size() < most_errors)
    errors_.push_back(
        {fmt::format("{} {}", pointer.empty() ? "the document" : pointer, what), remedy_, from_});
}

void JsonValue::complain(const std::string& what) const { complaints_->add(pointer_, what); }

bool JsonValue::is(bool (nlohmann::json::*of_type)() const noexcept, const char* type) const {
  if (json_ == nullptr) return false;
  if ((json_->*of_type)()) return true;
  complain(fmt::format("is {} where {} is expected", json_->is_null() ? "null" : json_->type_name(), type));
  return false;
}

JsonValue JsonValue::operator[](std::string_view name) const {
  const std::string pointer = pointer_ + token(name);
  if (!is(&nlohmann::json::is_object, "an object")) return {nullptr, complaints_, pointer};
  const auto member = json_->find(name);
  if (member != json_->end()) return {&*member, complaints_, pointer};
  complaints_->add(pointer, "is missing");
  return {nullptr, complaints_, pointer};
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  if (!is(&nlohmann::json::is_object, "an object")) return std::nullopt;
  const auto member = json_->find(name);
  if (member == json_->end() || member->is_null()) return std::nullopt;
  return JsonValue(&*member, complaints_, pointer_ + token(name));
}

std::vector<JsonValue> JsonValue::items(std::size_t most) const {
  std::vector<JsonValue> items;
  if (!is(&nlohmann::json::is_array, "an array")) return items;
  if (json_->size() > most) complain(fmt::format("has more than {} items", most));
  for (std::size_t i = 0; i < std::min(json_->size(), most); ++i)
    items.push_back({&(*json_)[i], complaints_, fmt::format("{}/{}", pointer_, i)});
  return items;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members(std::size_t most) const {
  std::vector<std::pair<std::string, JsonValue>> members;
  if (!is(&nlohmann::json::is_object, "an object")) return members;
  if (json_->size() > most) complain(fmt::format("has more than {} members", most));
  for (const auto& [name, value] : json_->items()) {
    if (members.size() == most) break;
    members.push_back({name, {&value, complaints_, pointer_ + token(name)}});
  }
  return members;
}

void JsonValue::has_only(const std::vector<std::string_view>& names) const {
  if (json_ == nullptr || !json_->is_object()) return;
  for (const auto& [name, value] : json_->items()) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return complain(fmt::format("has an unknown member '{}'", printable_line(name.substr(0, 100))));
  }
}

std::string JsonValue::text(std::size_t most_bytes) const {
  if (!is(&nlohmann::json::is_string, "a string")) return {};
  const auto& text = json_->get_ref<const std::string&>();
  if (text.size() <= most_bytes) return text;
  complain(fmt::format("is longer than {} bytes", most_bytes));
  return {};
}

bool JsonValue::truth() const {
  return is(&nlohmann::json::is_boolean, "true or false") && json_->get<bool>();
}

double JsonValue::number(double low, double high) const {
  if (!is(&nlohmann::json::is_number, "a number")) return low;
  const double value = json_->get<double>();
  // This form of the condition is false for NaN.
  if (value >= low && value <= high) return value;
  complain(fmt::format("is {}, which is not from {} to {}", value, low, high));
  return low;
}

std::int64_t JsonValue::integer(std::int64_t low, std::int64_t high) const {
  if (!is(&nlohmann::json::is_number_integer, "a whole number")) return low;
  // Beyond 2^63 the value would turn negative.
  const bool beyond = json_->is_number_unsigned() && json_->get<std::uint64_t>() > INT64_MAX;
  const std::int64_t value = beyond ? INT64_MAX : json_->get<std::int64_t>();
  if (!beyond && value >= low && value <= high) return value;
  complain(fmt::format("is not from {} to {}", low, high));
  return low;
}

}  // namespace kgrade
