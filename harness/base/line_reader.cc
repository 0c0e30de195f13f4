#include "base/line_reader.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;

Error file_error(const std::filesystem::path& path, int line, const std::string& what,
                 const std::string& remedy) {
  return Error{what, remedy, Location{path.string(), line, 0}};
}

}  // namespace

Result<LineReader> LineReader::open(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return file_error(path, 0, "no such file", "");
  if (!std::filesystem::is_regular_file(status)) return file_error(path, 0, "is not a regular file", "");
  LineReader reader(path, limit);
  reader.stream_.open(path, std::ios::binary);
  if (!reader.stream_.is_open()) return file_error(path, 0, "cannot be read", "check its permissions");
  return reader;
}

bool LineReader::fill() {
  piece_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = piece_.size();
  piece_.resize(kept + piece_bytes);
  stream_.read(piece_.data() + kept, piece_bytes);
  const auto count = static_cast<std::size_t>(stream_.gcount());
  piece_.resize(kept + count);
  return count > 0;
}

Result<std::optional<std::string>> LineReader::next() {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = piece_.find('\n', searched);
    const std::size_t length = (end == std::string::npos ? piece_.size() : end) - begin_;
    if (length > limit_) {
      return file_error(path_, line_ + 1, fmt::format("the line is longer than {}", format_bytes(limit_)),
                        "name a file of which each line is a record");
    }
    if (end != std::string::npos) {
      std::string line = piece_.substr(begin_, length);
      begin_ = end + 1;
      ++line_;
      return std::optional(std::move(line));
    }
    if (!fill()) break;
    searched = length;  // from the new beginning
  }
  if (stream_.bad()) return file_error(path_, 0, "cannot be read", "check its permissions");
  return std::optional<std::string>();
}

}  // namespace kgrade
