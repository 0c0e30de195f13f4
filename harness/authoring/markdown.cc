#include "authoring/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "authoring/markdown_table.h"
#include "authoring/mathml.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr int deepest_block = 12;

using Lines = std::vector<std::string>;

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool is_blank(std::string_view line) { return line.find_first_not_of(' ') == line.npos; }
std::string_view stripped(std::string_view line) { return trimmed(line, " "); }

// Tabs as four columns, which is what they mean before a block.
Lines split_lines(std::string_view text) {
  Lines lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c == '\t') {
      lines.back().append(4 - lines.back().size() % 4, ' ');
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

std::size_t heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && (level == line.size() || line[level] == ' ') ? level : 0;
}

bool is_rule(std::string_view line) {
  const char mark = line.empty() ? '\0' : line.front();
  if (mark != '-' && mark != '*' && mark != '_') return false;
  return std::count(line.begin(), line.end(), mark) >= 3 &&
         line.find_first_not_of(std::string{mark, ' '}) == line.npos;
}

// "```cpp": the marks that its end must have, or nothing.
std::string_view fence_of(std::string_view line) {
  const char mark = line.empty() ? '\0' : line.front();
  if (mark != '`' && mark != '~') return {};
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  const bool code_span = mark == '`' && line.find('`', length) != line.npos;
  return length >= 3 && !code_span ? line.substr(0, length) : std::string_view{};
}

struct Marker {
  bool ordered = false;
  std::string number;     // of an ordered item
  char kind = '-';        // -, *, +, . or )
  std::size_t width = 0;  // up to the item's content, indentation included
};

std::optional<Marker> marker_of(std::string_view line) {
  const std::size_t indent = indent_of(line);
  const std::string_view rest = line.substr(indent);
  if (rest.empty()) return std::nullopt;
  Marker marker;
  std::size_t length = 1;
  if (std::string_view("-*+").find(rest.front()) == std::string_view::npos) {
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || digits > 9 || digits == rest.size() || (rest[digits] != '.' && rest[digits] != ')'))
      return std::nullopt;
    marker.ordered = true;
    marker.number = rest.substr(0, digits);
    length = digits + 1;
  }
  marker.kind = rest[length - 1];
  if (length < rest.size() && rest[length] != ' ') return std::nullopt;
  const std::size_t spaces = indent_of(rest.substr(length));
  const bool empty = length + spaces >= rest.size();
  marker.width = indent + length + (empty || spaces > 4 ? 1 : spaces);
  return marker;
}

class BlockWriter {
 public:
  BlockWriter(Lines lines, int depth) : lines_(std::move(lines)), depth_(depth) {}

  // Paragraphs of a tight list's item stand without <p>.
  std::string run(bool tight) {
    tight_ = tight;
    while (at_ < lines_.size()) block();
    return std::move(html_);
  }

 private:
  void block() {
    const std::string_view line = stripped(lines_[at_]);
    if (line.empty()) {
      ++at_;
    } else if (const std::size_t level = heading_level(line)) {
      heading(line, level);
    } else if (!fence_of(line).empty()) {
      fenced(std::string(fence_of(line)));
    } else if (line.starts_with("$$") && display_formula()) {
      return;
    } else if (is_rule(line)) {
      html_ += "<hr>\n";
      ++at_;
    } else if (at_ + 1 < lines_.size() && is_table_rule(lines_[at_], lines_[at_ + 1])) {
      table();
    } else if (depth_ < deepest_block && line.front() == '>') {
      quote();
    } else if (depth_ < deepest_block && marker_of(lines_[at_])) {
      list(*marker_of(lines_[at_]));
    } else {
      paragraph();
    }
  }

  // Whether a paragraph ends before this line.
  bool interrupts(std::size_t at) const {
    const std::string_view line = stripped(lines_[at]);
    const auto marker = marker_of(lines_[at]);
    return line.empty() || heading_level(line) > 0 || !fence_of(line).empty() || line.starts_with("$$") ||
           is_rule(line) ||
           (depth_ < deepest_block &&
            (line.front() == '>' || (marker && (!marker->ordered || marker->number == "1")))) ||
           (at + 1 < lines_.size() && is_table_rule(lines_[at], lines_[at + 1]));
  }

  void heading(std::string_view line, std::size_t level) {
    std::string_view text = stripped(line.substr(level));
    const std::size_t last = text.find_last_not_of('#');
    const bool closed = last == text.npos || (last + 1 < text.size() && text[last] == ' ');
    if (closed) text = stripped(text.substr(0, last == text.npos ? 0 : last));
    html_ += fmt::format("<h{0}>{1}</h{0}>\n", level, inline_markdown_to_html(text));
    ++at_;
  }

  void fenced(const std::string& fence) {
    const std::size_t indent = indent_of(lines_[at_]);
    std::string code;
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view line = stripped(lines_[at_]);
      if (line.starts_with(fence) && line.find_first_not_of(fence.front()) == line.npos) break;
      code += escape_markup(std::string_view(lines_[at_]).substr(std::min(indent, indent_of(lines_[at_])))) +
              "\n";
    }
    if (at_ < lines_.size()) ++at_;
    html_ += "<pre><code>" + code + "</code></pre>\n";
  }

  // $$ to $$, on one line or several; false when it has no end, or more than white space behind it.
  bool display_formula() {
    std::string source(stripped(lines_[at_]).substr(2));
    std::size_t end = at_;
    std::size_t close = source.find("$$");
    while (close == source.npos && ++end < lines_.size()) {
      source += "\n" + lines_[end];
      close = source.find("$$", source.size() - lines_[end].size());
    }
    if (close == source.npos || !is_blank(std::string_view(source).substr(close + 2))) return false;
    html_ += to_mathml(std::string_view(source).substr(0, close), true) + "\n";
    at_ = end + 1;
    return true;
  }

  void table() {
    const std::size_t begin = at_;
    for (at_ += 2; at_ < lines_.size() && lines_[at_].find('|') != std::string::npos;) ++at_;
    html_ += table_to_html({lines_.begin() + static_cast<std::ptrdiff_t>(begin),
                            lines_.begin() + static_cast<std::ptrdiff_t>(at_)});
  }

  void quote() {
    Lines inside;
    for (; at_ < lines_.size() && !is_blank(lines_[at_]); ++at_) {
      std::string_view line = stripped(lines_[at_]);
      if (line.front() == '>') line.remove_prefix(line.size() > 1 && line[1] == ' ' ? 2 : 1);
      inside.emplace_back(line);
    }
    html_ += "<blockquote>\n" + BlockWriter(std::move(inside), depth_ + 1).run(false) + "</blockquote>\n";
  }

  // The lines of one item, without its marker and indentation; `loose` when a blank line lies in it.
  Lines item_lines(const Marker& marker, bool& loose) {
    Lines inside{lines_[at_].substr(std::min(marker.width, lines_[at_].size()))};
    std::size_t blanks = 0;
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      const bool belongs = !is_blank(line) && indent_of(line) >= marker.width;
      const bool lazy = !is_blank(line) && blanks == 0 && !interrupts(at_) && !marker_of(line);
      if (is_blank(line)) {
        ++blanks;
        continue;
      }
      if (!belongs && !lazy) break;
      loose = loose || blanks > 0;
      inside.insert(inside.end(), blanks, "");
      blanks = 0;
      inside.push_back(line.substr(std::min(marker.width, indent_of(line))));
    }
    at_ -= blanks;
    return inside;
  }

  void list(const Marker& first) {
    std::vector<Lines> items;
    bool loose = false;
    for (;;) {
      const auto marker = at_ < lines_.size() ? marker_of(lines_[at_]) : std::nullopt;
      if (!marker || marker->kind != first.kind || is_rule(stripped(lines_[at_]))) break;
      items.push_back(item_lines(*marker, loose));
      const std::size_t next = first_not_blank(at_);
      const auto following = next < lines_.size() ? marker_of(lines_[next]) : std::nullopt;
      if (!following || following->kind != first.kind) break;
      loose = loose || next > at_;
      at_ = next;
    }
    const bool counted = first.ordered && first.number != "1";
    html_ += !first.ordered ? "<ul>\n"
             : counted      ? fmt::format("<ol start=\"{}\">\n", first.number)
                            : "<ol>\n";
    for (Lines& item : items)
      html_ += "<li>" + BlockWriter(std::move(item), depth_ + 1).run(!loose) + "</li>\n";
    html_ += first.ordered ? "</ol>\n" : "</ul>\n";
  }

  std::size_t first_not_blank(std::size_t at) const {
    while (at < lines_.size() && is_blank(lines_[at])) ++at;
    return at;
  }

  void paragraph() {
    std::string text;
    do {
      const std::string& line = lines_[at_];
      const bool broken = line.ends_with("  ") && at_ + 1 < lines_.size();
      text += std::string(stripped(line)) + (broken ? "<br>\n" : "\n");
    } while (++at_ < lines_.size() && !interrupts(at_));
    text.pop_back();
    const std::string content = inline_markdown_to_html(text);
    html_ += tight_ ? content + "\n" : "<p>" + content + "</p>\n";
  }

  Lines lines_;
  int depth_;
  bool tight_ = false;
  std::size_t at_ = 0;
  std::string html_;
};

}  // namespace

std::string markdown_to_html(std::string_view markdown) {
  return BlockWriter(split_lines(markdown), 0).run(false);
}

}  // namespace kgrade::authoring
