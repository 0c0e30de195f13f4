#include "authoring/def_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t most_parameters = 1'000;

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

  Result<std::string> list() {
    if (!go_to_list()) return error("has no list `parameters = [...]`");
    std::string yaml = "parameters:\n";
    for (std::size_t count = 0; !take(']'); ++count) {
      if (count == most_parameters) return error("lists too many parameters");
      const auto item = dict();
      if (!item) return item.errors();
      yaml += "  - {" + *item + "}\n";
      if (!take(',') && !sees(']')) return error("is no list of literals");
    }
    return yaml;
  }

 private:
  Error error(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return Error{what,
                 "write parameters = [{\"name\": \"x\", \"type\": \"float\", \"pointer\": True, \"const\": "
                 "True}, ...], "
                 "or the parameters into the statement's frontmatter",
                 {path_.string(), static_cast<int>(line), 0}};
  }

  // Behind the bracket of the first line that begins so.
  bool go_to_list() {
    for (std::size_t found = text_.find("parameters"); found != text_.npos;
         found = text_.find("parameters", found + 1)) {
      const std::size_t line = text_.rfind('\n', found) == text_.npos ? 0 : text_.rfind('\n', found) + 1;
      at_ = found + std::string_view("parameters").size();
      if (trimmed(text_.substr(line, found - line)).empty() && take('=') && take('[')) return true;
    }
    at_ = 0;
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n").find(text_[at_]) == std::string_view::npos) {
        return;
      } else {
        ++at_;
      }
    }
  }
  bool sees(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!sees(c)) return false;
    ++at_;
    return true;
  }

  // As members of a YAML map.
  Result<std::string> dict() {
    if (!take('{')) return error("holds something else than a dict");
    std::string yaml;
    while (!take('}')) {
      const auto name = string();
      static constexpr std::array<std::string_view, 5> known = {"name", "type", "pointer", "const",
                                                                "constant"};
      if (!name || std::find(known.begin(), known.end(), *name) == known.end())
        return error("has a key other than name, type, pointer, const and constant");
      if (!take(':')) return error("has a key without a value");
      const auto value = literal();
      if (!value) return error("has a value that is no literal");
      yaml += (yaml.empty() ? "" : ", ") + *name + ": " + *value;
      if (!take(',') && !sees('}')) return error("has a dict that does not end");
    }
    return yaml;
  }

  std::optional<std::string> literal() {
    if (auto text = string()) return "\"" + *text + "\"";
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") return "true";
    if (word == "False") return "false";
    if (word == "None") return "null";
    const bool number = !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
    return number ? std::optional(std::string(word)) : std::nullopt;
  }

  // Without escapes, quotes and control characters in it.
  std::optional<std::string> string() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) return std::nullopt;
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    const bool plain = std::all_of(inner.begin(), inner.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\' && c != '"';
    });
    if (!plain) return std::nullopt;
    at_ = end + 1;
    return std::string(inner);
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::string> parameters_in(std::string_view python, const std::filesystem::path& path) {
  return Reader(python, path).list();
}

}  // namespace kgrade::authoring
