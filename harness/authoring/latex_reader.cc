#include "authoring/latex_reader.h"

#include <algorithm>

#include "base/characters.h"

namespace kgrade::authoring {
namespace {

// The bytes of the UTF-8 character that begins with `first`.
std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

LatexToken::Kind kind_of(char c) {
  switch (c) {
    case '{':
      return LatexToken::Kind::open;
    case '}':
      return LatexToken::Kind::close;
    case '^':
      return LatexToken::Kind::superscript;
    case '_':
      return LatexToken::Kind::subscript;
    case '&':
      return LatexToken::Kind::align;
    default:
      return LatexToken::Kind::character;
  }
}

}  // namespace

LatexToken LatexReader::next() {
  const LatexToken token = current_;
  advance();
  return token;
}

LatexToken LatexReader::next_digit() {
  if (current_.kind != LatexToken::Kind::number) return next();
  const LatexToken digit{current_.kind, current_.text.substr(0, 1)};
  end_ = begin_ + 1;
  advance();
  return digit;
}

void LatexReader::advance() {
  begin_ = end_;
  while (begin_ < source_.size() && is_space(source_[begin_])) ++begin_;
  if (begin_ >= source_.size()) {
    end_ = begin_;
    current_ = {};
    return;
  }
  const char first = source_[begin_];
  if (first == '\\') {
    current_ = command_at(begin_);
  } else if (is_digit(first)) {
    std::size_t end = begin_;
    while (end < source_.size() && is_digit(source_[end])) ++end;
    if (end + 1 < source_.size() && source_[end] == '.' && is_digit(source_[end + 1])) {
      ++end;
      while (end < source_.size() && is_digit(source_[end])) ++end;
    }
    current_ = {LatexToken::Kind::number, source_.substr(begin_, end - begin_)};
  } else {
    const std::size_t length = std::min(character_length(first), source_.size() - begin_);
    current_ = {kind_of(first), source_.substr(begin_, length)};
  }
  end_ = begin_ + current_.text.size();
}

LatexToken LatexReader::command_at(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < source_.size() && is_letter(source_[end])) ++end;
  if (end == begin + 1 && end < source_.size()) end += character_length(source_[end]);
  const std::string_view text = source_.substr(begin, end - begin);
  return {text == "\\\\" ? LatexToken::Kind::row_end : LatexToken::Kind::command, text};
}

std::optional<std::string_view> LatexReader::raw_group() { return raw('{', '}'); }

std::optional<std::string_view> LatexReader::raw_option() { return raw('[', ']'); }

std::optional<std::string_view> LatexReader::raw(char open, char close) {
  if (begin_ >= source_.size() || source_[begin_] != open) return std::nullopt;
  int depth = 0;
  for (std::size_t i = begin_; i < source_.size(); ++i) {
    if (source_[i] == '\\') {
      ++i;
    } else if (source_[i] == open) {
      ++depth;
    } else if (source_[i] == close && --depth == 0) {
      const std::string_view inside = source_.substr(begin_ + 1, i - begin_ - 1);
      end_ = i + 1;
      advance();
      return inside;
    }
  }
  return std::nullopt;
}

}  // namespace kgrade::authoring
