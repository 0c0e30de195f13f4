#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "authoring/html.h"
#include "authoring/markdown.h"
#include "authoring/mathml.h"
#include "base/characters.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr int deepest_span = 8;
constexpr std::size_t longest_link = 2048;  // hostile text would have every bracket look through all of it

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

class InlineWriter {
 public:
  InlineWriter(std::string_view text, int depth) : text_(text), depth_(depth) {}

  std::string run() {
    while (at_ < text_.size()) step();
    flush();
    return std::move(html_);
  }

 private:
  void step() {
    switch (text_[at_]) {
      case '\\':
        return escape();
      case '`':
        return code();
      case '$':
        return formula();
      case '<':
        return angle();
      case '&':
        return entity();
      case '!':
      case '[':
        return link();
      case '*':
      case '_':
        return emphasis();
      default:
        plain_ += text_[at_++];
    }
  }

  void flush() {
    html_ += escape_markup(plain_);
    plain_.clear();
  }

  void emit(const std::string& markup, std::size_t next) {
    flush();
    html_ += markup;
    at_ = next;
  }

  void escape() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next == '\n') return emit("<br>\n", at_ + 2);
    if (next != '\0' && is_punctuation(next)) ++at_;
    plain_ += text_[at_++];
  }

  std::size_t run_length(std::size_t begin) const {
    const std::size_t end = text_.find_first_not_of(text_[begin], begin);
    return std::min(end, text_.size()) - begin;
  }

  void take_literally(std::size_t length) {
    plain_ += text_.substr(at_, length);
    at_ += length;
  }

  // Where a code span that begins at `begin` ends, past its last backtick; nothing when it does not.
  std::optional<std::size_t> end_of_code(std::size_t begin) {
    const std::size_t length = run_length(begin);
    const std::size_t slot = std::min(length, no_code_end_.size() - 1);
    if (no_code_end_[slot]) return std::nullopt;
    for (std::size_t i = text_.find('`', begin + length); i != text_.npos;) {
      const std::size_t found = run_length(i);
      if (found == length) return i + found;
      i = text_.find('`', i + found);
    }
    // Long runs share a slot, so that hostile text cannot make every run look for its own.
    no_code_end_[slot] = true;
    return std::nullopt;
  }

  void code() {
    const std::size_t length = run_length(at_);
    const auto end = end_of_code(at_);
    if (!end) return take_literally(length);
    std::string_view inside = text_.substr(at_ + length, *end - at_ - 2 * length);
    const bool padded = inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ';
    if (padded) inside = inside.substr(1, inside.size() - 2);
    emit("<code>" + escape_markup(inside) + "</code>", *end);
  }

  // The closing dollars from `begin` on; those behind a backslash do not count.
  std::size_t closing_dollars(std::size_t begin, std::string_view dollars) const {
    for (std::size_t i = text_.find(dollars, begin); i != text_.npos; i = text_.find(dollars, i + 1)) {
      if (text_[i - 1] != '\\') return i;
    }
    return text_.npos;
  }

  // As pandoc has it: no space inside next to a dollar, and no digit behind the last one, so that sums of
  // money are none.
  void formula() {
    const bool display = text_.substr(at_).starts_with("$$");
    const std::string_view dollars = display ? "$$" : "$";
    const std::size_t begin = at_ + dollars.size();
    bool& hopeless = no_dollar_end_[display ? 1 : 0];
    const bool opens = begin < text_.size() && (display || !is_space(text_[begin]));
    const std::size_t end = opens && !hopeless ? closing_dollars(begin, dollars) : text_.npos;
    if (opens && end == text_.npos) hopeless = true;
    const std::size_t next = end + dollars.size();
    const bool closes =
        end != text_.npos && end > begin &&
        (display || (!is_space(text_[end - 1]) && (next >= text_.size() || !is_digit(text_[next]))));
    if (!closes) return take_literally(dollars.size());
    emit(to_mathml(text_.substr(begin, end - begin), display), next);
  }

  void angle() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view tag : {"<br>", "<br/>", "<br />"}) {
      if (rest.starts_with(tag)) return emit("<br>", at_ + tag.size());
    }
    const std::size_t end = rest.substr(0, 2048).find_first_of("> \n<", 1);
    const bool address = (rest.starts_with("<http://") || rest.starts_with("<https://")) &&
                         end != rest.npos && rest[end] == '>';
    if (!address) return take_literally(1);
    const std::string_view inside = rest.substr(1, end - 1);
    emit(anchor(inside, escape_markup(inside)), at_ + end + 1);
  }

  void entity() {
    for (const std::string_view known :
         {"&lt;", "&gt;", "&amp;", "&quot;", "&nbsp;", "&times;", "&le;", "&ge;"}) {
      if (text_.substr(at_).starts_with(known)) return emit(std::string(known), at_ + known.size());
    }
    take_literally(1);
  }

  static std::string anchor(std::string_view address, const std::string& content) {
    const std::string safe = safe_address(address);
    if (safe.empty()) return content;
    return fmt::format("<a href=\"{}\" rel=\"noreferrer\">{}</a>", escape_markup(safe), content);
  }

  // The bracket that closes the one before `begin`, code spans and formulas passed over.
  std::size_t closing_bracket(std::size_t begin) {
    int depth = 1;
    for (std::size_t i = begin; i < std::min(text_.size(), begin + longest_link); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '`') {
        i = end_of_code(i).value_or(i + run_length(i)) - 1;
      } else if (text_[i] == '[') {
        ++depth;
      } else if (text_[i] == ']' && --depth == 0) {
        return i;
      }
    }
    return text_.npos;
  }

  // [text](address "title") and the same of a picture, whose place a link takes.
  void link() {
    const std::size_t open = at_ + (text_[at_] == '!' ? 1 : 0);
    if (open >= text_.size() || text_[open] != '[' || depth_ >= deepest_span) return take_literally(1);
    const std::size_t close = closing_bracket(open + 1);
    if (close == text_.npos || close + 1 >= text_.size() || text_[close + 1] != '(') return take_literally(1);
    const std::size_t length = text_.substr(close + 2, longest_link).find(')');
    if (length == text_.npos) return take_literally(1);
    std::string_view address = text_.substr(close + 2, length);
    const std::size_t end = close + 2 + length;
    address = address.substr(0, address.find_first_of(" \n"));
    emit(anchor(address, InlineWriter(text_.substr(open + 1, close - open - 1), depth_ + 1).run()), end + 1);
  }

  // A run that can close an emphasis of `length` marks: something before it, and behind a '_' no word.
  std::size_t closing_marks(std::size_t begin, char mark, std::size_t length) {
    for (std::size_t i = begin; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '`') {
        i = end_of_code(i).value_or(i + run_length(i)) - 1;
      } else if (text_[i] == mark) {
        const std::size_t found = run_length(i);
        const bool inside_word = mark == '_' && i + found < text_.size() && is_word(text_[i + found]);
        if (found == length && i > begin && !is_space(text_[i - 1]) && !inside_word) return i;
        i += found - 1;
      }
    }
    return text_.npos;
  }

  void emphasis() {
    const char mark = text_[at_];
    const std::size_t length = run_length(at_);
    const std::size_t begin = at_ + length;
    const bool inside_word = mark == '_' && at_ > 0 && is_word(text_[at_ - 1]);
    const bool opens = length <= 3 && begin < text_.size() && !is_space(text_[begin]) && !inside_word &&
                       depth_ < deepest_span;
    bool* const hopeless = length <= 3 ? &no_marks_end_[(mark == '*' ? 0 : 3) + length - 1] : nullptr;
    if (!opens || *hopeless) return take_literally(length);
    const std::size_t end = closing_marks(begin, mark, length);
    if (end == text_.npos) {
      *hopeless = true;
      return take_literally(length);
    }
    const std::string inside = InlineWriter(text_.substr(begin, end - begin), depth_ + 1).run();
    constexpr std::array<std::string_view, 3> opening = {"<em>", "<strong>", "<em><strong>"};
    constexpr std::array<std::string_view, 3> closing = {"</em>", "</strong>", "</strong></em>"};
    emit(fmt::format("{}{}{}", opening[length - 1], inside, closing[length - 1]), end + length);
  }

  std::string_view text_;
  int depth_;
  std::size_t at_ = 0;
  std::string plain_;  // not yet escaped
  std::string html_;
  // What was looked for once and is not in the rest of the text: hostile text would have it looked for at
  // every place.
  std::array<bool, 16> no_code_end_{};
  std::array<bool, 2> no_dollar_end_{};
  std::array<bool, 6> no_marks_end_{};
};

}  // namespace

std::string inline_markdown_to_html(std::string_view text) { return InlineWriter(text, 0).run(); }

}  // namespace kgrade::authoring
