// What every error about a text must have: printable words, and a place within the text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

// Columns may count bytes or characters, and the place after the last one is valid.
inline void expect_within(const Location& location, std::string_view text) {
  promise(location.line >= 1 && location.column >= 1, "an error has a line and a column");
  std::size_t begin = 0;
  for (int line = 1; line < location.line; ++line) {
    begin = text.find('\n', begin);
    promise(begin != std::string_view::npos, "the line of an error is one of the text's");
    ++begin;
  }
  const std::size_t length = std::min(text.find('\n', begin), text.size()) - begin;
  promise(static_cast<std::size_t>(location.column) <= length + 1,
          "the column of an error is one of its line's");
}

// An error may quote the text unchanged.
inline void expect_words(const Error& error, std::string_view text) {
  promise(!error.message.empty(), "an error has a message");
  const bool shown = !first_invalid_utf8(error.message) && !first_invalid_utf8(error.remedy);
  promise(shown || first_invalid_utf8(text), "an error on text in UTF-8 is UTF-8");
  promise(!to_string(error).empty(), "an error can be shown");
}

inline void expect_sound(const Errors& errors, std::string_view text) {
  promise(!errors.empty(), "a failure has an error");
  for (const Error& error : errors) {
    expect_words(error, text);
    expect_within(error.location, text);
  }
}

}  // namespace kgrade::fuzz
