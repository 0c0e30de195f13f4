// Where things stand in the frontmatter's text; internal to spec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

class SourceLines {
 public:
  // `text` must outlive the object; its first line is line `first_line` of the file.
  SourceLines(std::string_view text, std::string file, int first_line);

  // From yaml-cpp's marks, which count from 0; marks outside the text (as of an exception without a place)
  // become its nearest end.
  Location location(int mark_line, int mark_column) const;

  // Whether a tab stands before the first other character of the line that a mark names.
  bool is_indented_by_tab(int mark_line) const;

  struct Slice {
    std::string text;
    Location location;
  };
  // The text in the file that a scalar's value was read from, where `start` is the place of the scalar with
  // its quotation mark or block indicator. YAML folds white space and nothing else, so the value's other
  // characters are looked for in order; where escapes or doubled quotes break that, it is the value itself.
  Slice slice_of(std::string_view value, const Location& start) const;

 private:
  std::size_t offset_of(const Location& location) const;
  Location location_of(std::size_t offset) const;

  std::string_view text_;
  std::string file_;
  int first_line_;
  std::vector<std::size_t> starts_;  // offsets of the lines
};

}  // namespace kgrade
