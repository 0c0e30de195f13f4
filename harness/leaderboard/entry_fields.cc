#include "leaderboard/entry_fields.h"

#include "base/characters.h"

namespace kgrade {
namespace {

std::string checked(const JsonValue& value, const std::string& text, bool good, const char* what) {
  if (!good && !text.empty()) value.complain(what);
  return good ? text : std::string();
}

}  // namespace

std::string word_of(const JsonValue& value, std::initializer_list<std::string_view> words) {
  return value.word([&](std::string_view text) -> std::optional<std::string> {
    const auto found = std::find(words.begin(), words.end(), text);
    return found == words.end() ? std::nullopt : std::optional<std::string>(*found);
  });
}

Precision precision_of(const JsonValue& value) {
  return value.word(one_of({Precision::fp32, Precision::tf32, Precision::bf16, Precision::none}));
}

std::string slug_of(const JsonValue& value) {
  const std::string text = value.text(200);
  const bool good = std::all_of(text.begin(), text.end(),
                                [](char c) { return is_digit(c) || is_small_letter(c) || c == '-'; });
  return checked(value, text, good, "is not of small letters, digits and hyphens");
}

std::string sha256_of(const JsonValue& value) {
  const std::string text = value.text(64);
  const bool good = text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
                      return is_digit(c) || (c >= 'a' && c <= 'f');
                    });
  return checked(value, text, good, "is no SHA-256 in hexadecimal digits");
}

std::string moment_of(const JsonValue& value) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const std::string text = value.text(form.size());
  const bool good = std::equal(text.begin(), text.end(), form.begin(), form.end(),
                               [](char c, char f) { return f == '0' ? is_digit(c) : c == f; });
  return checked(value, text, good, "is no moment like 2026-01-31T12:00:00Z");
}

std::optional<Interval> interval_in(const JsonValue& owner) {
  const auto value = owner.find("interval");
  if (!value) return std::nullopt;
  const Interval interval{(*value)["low"].positive(), (*value)["high"].positive()};
  if (!(interval.low <= interval.high)) value->complain("ends below its beginning");
  return interval;
}

}  // namespace kgrade
