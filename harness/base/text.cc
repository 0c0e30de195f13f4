#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <numeric>

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The length of the UTF-8 sequence at `text[0]`, or 0 when it is not one.
std::size_t utf8_sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  // The second byte's range rules out overlong forms, surrogates and what lies past U+10FFFF.
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t point = first & (0xffu >> (sequence.size() + 1));
  for (const char next : sequence.substr(1)) point = point << 6 | (static_cast<unsigned char>(next) & 0x3fu);
  return point;
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// C0, DEL and C1, then invisible characters that move or hide other characters: direction marks, zero-width
// characters and line separators (Unicode Standard, chapter 23, "Layout Controls").
constexpr CodePoints controls[] = {{0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c},
                                   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2069}, {0xfeff, 0xfeff}};

// `sequence` is one whole UTF-8 sequence.
bool is_control(std::string_view sequence) {
  const char32_t point = code_point(sequence);
  return std::any_of(std::begin(controls), std::end(controls), [point](const CodePoints& range) {
    return point >= range.first && point <= range.last;
  });
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row.back();
}

fs::path below(std::string_view base, const fs::path& rest) {
  const fs::path path(base);
  return path.is_absolute() ? path / rest : fs::path();
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

std::string upper_case(std::string_view text) {
  std::string large(text);
  for (char& c : large) c = is_small_letter(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return large;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const std::string_view piece = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(piece.size());
    if (length > 0 && !is_control(piece)) {
      result += piece;
      continue;
    }
    for (const char byte : piece) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return result;
}

std::string printable_line(std::string_view text) {
  return replace_all(replace_all(printable(text), "\n", "\\x0a"), "\t", "\\x09");
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& options) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& option : options) {
    const std::size_t distance = edit_distance(word, option);
    if (distance < best_distance) {
      best = option;
      best_distance = distance;
    }
  }
  return best;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 10 ? 1 : 0, units[unit]);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{}) return std::nullopt;
  std::string unit;
  for (const char* c = rest; c != text.data() + text.size(); ++c) {
    if (*c != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  }
  if (unit.ends_with("IB")) unit.resize(unit.size() - 2);
  if (unit.size() > 1 && unit.back() == 'B') unit.pop_back();
  const std::size_t power = std::string_view("BKMGT").find(unit.empty() ? 'B' : unit.front());
  if (unit.size() > 1 || power == std::string_view::npos || value > (UINT64_MAX >> (10 * power)))
    return std::nullopt;
  return value << (10 * power);
}

std::string escape_markup(std::string_view text) {
  constexpr std::pair<char, std::string_view> names[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const auto* const found =
        std::find_if(std::begin(names), std::end(names), [c](const auto& name) { return name.first == c; });
    escaped += found != std::end(names) ? found->second : std::string_view(&c, 1);
  }
  return escaped;
}

std::string format_operations(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (value >= 1e12) return fmt::format("{:.2f} TFLOP", value / 1e12);
  if (value >= 1e9) return fmt::format("{:.2f} GFLOP", value / 1e9);
  return fmt::format("{:.2f} MFLOP", value / 1e6);
}

fs::path user_cache_folder(std::string_view part, std::string_view xdg_cache_home, std::string_view home) {
  const fs::path folder = below(xdg_cache_home, fs::path("kgrade") / part);
  return folder.empty() ? below(home, fs::path(".cache/kgrade") / part) : folder;
}

fs::path user_cache_folder(std::string_view part) {
  return user_cache_folder(part, variable("XDG_CACHE_HOME"), variable("HOME"));
}

}  // namespace kgrade
