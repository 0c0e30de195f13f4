#include "base/text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <numeric>

#include "base/unique_fd.h"

namespace kgrade {
namespace {

Error file_error(const std::filesystem::path& path, const std::string& what, const std::string& remedy = "") {
  return Error{what, remedy, Location{path.string(), 0, 0}};
}

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

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return file_error(path, "no such file");
  if (std::filesystem::is_directory(status)) return file_error(path, "is a folder", "name a file in it");
  if (!std::filesystem::is_regular_file(status)) return file_error(path, "is not a regular file");
  if (std::filesystem::file_size(path, failure) > limit || failure) {
    return file_error(path, fmt::format("is larger than {}", format_bytes(limit)));
  }
  std::ifstream stream(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) return file_error(path, "cannot be read", "check its permissions");
  return content;
}

Result<bool> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  const auto failed = [&] {
    return file_error(path, fmt::format("cannot be written: {}", ::strerror(errno)),
                      "name a file in an existing folder that you may write to");
  };
  if (std::filesystem::is_directory(path)) {
    return file_error(path, "is a folder", "name a file in it");
  }
  std::string partial = path.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(partial.data(), O_CLOEXEC));
  if (!fd) return failed();
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error error = failed();
      ::unlink(partial.c_str());
      return error;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  // mkostemp makes files for the owner alone; results are meant to be read.
  ::fchmod(fd.get(), 0644);
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    const Error error = failed();
    ::unlink(partial.c_str());
    return error;
  }
  return true;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
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

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
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

}  // namespace kgrade
