#include "soundness/threshold_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace kgrade {
namespace {

using Lines = std::vector<std::string>;

// With their ends, so that joining them gives the text back.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

bool is_dashes(const std::string& line) {
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return line.starts_with("---") && last == 2;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r\n") == std::string::npos; }

// A key of the outermost map, plain or in quotes.
bool has_key(const std::string& line, const std::string& key) {
  for (const std::string& written : {key, "\"" + key + "\"", "'" + key + "'"}) {
    if (!line.starts_with(written)) continue;
    const std::size_t next = line.find_first_not_of(" \t", written.size());
    if (next != std::string::npos && line[next] == ':') return true;
  }
  return false;
}

// Words before a colon, not in a comment.
std::vector<std::string> keys_in(const std::string& text) {
  constexpr std::string_view separators = " \t\r\n{},\"'";
  std::vector<std::string> keys;
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '#') {
      i = std::min(text.find('\n', i), text.size() - 1);
    } else if (letter == ':') {
      if (!word.empty()) keys.push_back(std::exchange(word, ""));
    } else if (separators.find(letter) == std::string_view::npos) {
      word += letter;
    } else if (text.find_first_not_of(" \t\"'", i) != text.find(':', i)) {
      word.clear();
    }
  }
  return keys;
}

bool is_calibration(const std::string& line) { return line.starts_with("# calibrated:"); }

class ThresholdEditor {
 public:
  explicit ThresholdEditor(std::string_view content) : lines_(lines_of(content)) {}

  bool find_frontmatter() {
    const auto first = std::find_if(lines_.begin(), lines_.end(), is_dashes);
    if (first == lines_.end()) return false;
    const auto last = std::find_if(first + 1, lines_.end(), is_dashes);
    if (last == lines_.end()) return false;
    begin_ = static_cast<std::size_t>(first - lines_.begin()) + 1;
    end_ = static_cast<std::size_t>(last - lines_.begin());
    return true;
  }

  // The first key in the value of `thresholds` that replace() would not write again.
  std::optional<std::string> foreign_key(const MeasuredThresholds& own) const {
    const std::size_t at = find("thresholds");
    if (at == end_) return std::nullopt;
    std::string value = lines_[at].substr(lines_[at].find(':') + 1);
    for (std::size_t i = at + 1; i < behind_value(at); ++i) value += lines_[i];
    for (const std::string& key : keys_in(value)) {
      const auto dtype = dtype_from(key);
      const bool is_own = dtype ? own.contains(*dtype) : key == "fp32" || key == "tf32" || key == "bf16";
      if (!is_own) return key;
    }
    return std::nullopt;
  }

  std::string replace(const std::string& value, const std::string& how) {
    std::size_t at = find("thresholds");
    std::string comment;
    if (at < end_) {
      comment = comment_behind(lines_[at]);
      const std::size_t behind = behind_value(at);
      erase(at, behind);
      if (at < end_ && is_calibration(lines_[at])) erase(at, at + 1);
    } else {
      at = find("precision");
      at = at < end_ ? behind_value(at) : end_;
    }
    const std::string eol = lines_[begin_ - 1].ends_with("\r\n") ? "\r\n" : "\n";
    const auto place = lines_.begin() + static_cast<std::ptrdiff_t>(at);
    lines_.insert(place, {"thresholds: " + value + comment + eol, "# calibrated: " + how + eol});
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  std::size_t find(const std::string& key) const {
    std::size_t at = begin_;
    while (at < end_ && !has_key(lines_[at], key)) ++at;
    return at;
  }

  // Past the last line that belongs to the key's value; lines that are blank are none.
  std::size_t behind_value(std::size_t at) const {
    std::size_t behind = at + 1;
    for (std::size_t i = at + 1; i < end_; ++i) {
      if (is_blank(lines_[i])) continue;
      if (std::string(" \t}").find(lines_[i].front()) == std::string::npos) break;
      behind = i + 1;
    }
    return behind;
  }

  static std::string comment_behind(const std::string& line) {
    const std::size_t hash = line.find(" #");
    if (hash == std::string::npos) return "";
    return " " + line.substr(hash, line.find_last_not_of(" \t\r\n") + 1 - hash);
  }

  void erase(std::size_t from, std::size_t to) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(from),
                 lines_.begin() + static_cast<std::ptrdiff_t>(to));
    end_ -= to - from;
  }

  Lines lines_;
  std::size_t begin_ = 0;  // of the frontmatter, without the dashes
  std::size_t end_ = 0;
};

std::string digits(double value) { return fmt::format("{:.1e}", value); }
double rounded_digits(double value) { return std::strtod(digits(value).c_str(), nullptr); }

}  // namespace

std::string thresholds_text(const MeasuredThresholds& thresholds) {
  std::vector<std::string> parts;
  for (const auto& [dtype, own] : thresholds) {
    const Thresholds usual = default_thresholds(dtype);
    const bool whole = dtype == Dtype::float32;
    std::vector<std::string> classes = {"fp32: " + digits(own.fp32)};
    if (whole || own.tf32 != usual.tf32) classes.push_back("tf32: " + digits(own.tf32));
    if (whole || own.bf16 != usual.bf16) classes.push_back("bf16: " + digits(own.bf16));
    const std::string text = fmt::format("{}", fmt::join(classes, ", "));
    parts.push_back(whole ? text : fmt::format("{}: {{{}}}", to_string(dtype), text));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

Result<std::string> with_thresholds(std::string_view content, const MeasuredThresholds& thresholds,
                                    const std::string& how) {
  ThresholdEditor editor(content);
  if (!editor.find_frontmatter()) return Error{"there is no frontmatter", "", {}};
  if (const auto key = editor.foreign_key(thresholds))
    return Error{fmt::format("'thresholds' holds '{}' too, which would be lost", *key),
                 "run it with --dry-run, and write what it prints yourself",
                 {}};
  return editor.replace(thresholds_text(thresholds), how);
}

Thresholds with_two_digits(const Thresholds& thresholds) {
  Thresholds rounded = thresholds;
  for (double* const value : {&rounded.fp32, &rounded.tf32, &rounded.bf16}) *value = rounded_digits(*value);
  return rounded;
}

}  // namespace kgrade
