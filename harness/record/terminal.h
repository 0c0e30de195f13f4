// Colours and tables for terminals. Text is plain if the output is not a terminal or NO_COLOR is set
// (https://no-color.org).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade {

enum class Colour { red, green, yellow, cyan, dim, bold };

class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}
  // For the given stream (STDOUT_FILENO, STDERR_FILENO).
  static Style for_descriptor(int descriptor);
  std::string operator()(Colour colour, std::string_view text) const;
  bool coloured() const { return coloured_; }

 private:
  bool coloured_;
};

// The columns of the terminal that the descriptor is. 80 if that is not known.
std::size_t terminal_width(int descriptor);

// Rows of cells in columns. A column is as wide as its widest cell. Widths count characters, not escape
// sequences or bytes of UTF-8. Columns marked in `right` are aligned to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header, std::vector<bool> right = {});
  void add(std::vector<std::string> row);
  std::string render(const Style& style, std::string_view indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> right_;
};

// "3.42 us", "12.3 ms", "1.20 s". Three significant digits, for people only.
std::string format_ms(double milliseconds);

}  // namespace kgrade
