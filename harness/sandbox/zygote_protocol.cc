#include "sandbox/zygote_protocol.h"

#include <charconv>
#include <vector>

namespace kgrade {
namespace {

// Appends a string and a zero byte.
void append(std::string& text, const std::string& word) { text.append(word.c_str(), word.size() + 1); }

void append(std::string& text, std::uint64_t number) { append(text, std::to_string(number)); }

void append(std::string& text, const std::vector<std::string>& words) {
  append(text, words.size());
  for (const std::string& word : words) append(text, word);
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::string word() {
    const std::size_t end = text_.find('\0', at_);
    if (end == std::string::npos) {
      is_sound_ = false;
      return "";
    }
    const std::size_t begin = std::exchange(at_, end + 1);
    return text_.substr(begin, end - begin);
  }

  std::uint64_t number() {
    const std::string digits = word();
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) is_sound_ = false;
    return value;
  }

  std::vector<std::string> words() {
    std::vector<std::string> all;
    for (std::uint64_t left = number(); left > 0 && is_sound_; --left) all.push_back(word());
    return all;
  }

  bool is_at_sound_end() const { return is_sound_ && at_ == text_.size(); }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  bool is_sound_ = true;
};

}  // namespace

std::string to_text(const SpawnRequest& request) {
  std::string text;
  append(text, request.command);
  append(text, request.environment);
  append(text, request.working_directory.string());
  append(text, static_cast<std::uint64_t>(request.limits.cpu.count()));
  append(text, request.limits.address_space_bytes);
  append(text, request.limits.file_size_bytes);
  return text;
}

std::optional<SpawnRequest> read_spawn_request(const std::string& text) {
  Reader reader(text);
  SpawnRequest request;
  request.command = reader.words();
  request.environment = reader.words();
  request.working_directory = reader.word();
  request.limits.cpu = std::chrono::seconds(reader.number());
  request.limits.address_space_bytes = reader.number();
  request.limits.file_size_bytes = reader.number();
  if (!reader.is_at_sound_end() || request.command.empty()) return std::nullopt;
  return request;
}

}  // namespace kgrade
