#include "record/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kgrade {
namespace {

const char* escape(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "\033[31m";
    case Colour::green:
      return "\033[32m";
    case Colour::yellow:
      return "\033[33m";
    case Colour::cyan:
      return "\033[36m";
    case Colour::dim:
      return "\033[2m";
    case Colour::bold:
      return "\033[1m";
  }
  return "";
}

std::size_t visible_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++width;
    }
  }
  return width;
}

// Writes three significant digits without an exponent.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

Style Style::for_descriptor(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return Style(::isatty(descriptor) == 1 && !dumb && (no_color == nullptr || *no_color == '\0'));
}

std::string Style::operator()(Colour colour, std::string_view text) const {
  if (!coloured_ || text.empty()) return std::string(text);
  return fmt::format("{}{}\033[0m", escape(colour), text);
}

TextTable::TextTable(std::vector<std::string> header, std::vector<bool> right) : right_(std::move(right)) {
  right_.resize(header.size());
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::render(const Style& style, std::string_view indent) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], visible_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - visible_width(row[i]), ' ');
      const std::string cell = &row == &rows_.front() ? style(Colour::dim, row[i]) : row[i];
      line += right_[i] ? padding + cell : cell + padding;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string format_ms(double milliseconds) {
  if (milliseconds < 1) return three_digits(milliseconds * 1000) + " us";
  if (milliseconds < 1000) return three_digits(milliseconds) + " ms";
  return three_digits(milliseconds / 1000) + " s";
}

}  // namespace kgrade
