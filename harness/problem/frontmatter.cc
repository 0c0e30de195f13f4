#include "problem/frontmatter.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t largest_file = 16 << 20;
constexpr std::size_t largest_frontmatter = 256 << 10;
constexpr std::size_t deepest_yaml = 16;
constexpr int first_line_of_frontmatter = 2;  // below the line of dashes
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

Location location_in(std::string_view content, std::size_t offset, const std::string& file) {
  Location location{file, 1, 1};
  for (const char c : content.substr(0, offset)) {
    if (c == '\n') {
      ++location.line;
      location.column = 1;
    } else {
      ++location.column;
    }
  }
  return location;
}

// Control characters are refused: terminals obey them, and yaml-cpp treats some of them as the end of the
// file.
std::optional<std::size_t> first_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool line_end = byte == '\n' || (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((byte < 0x20 && byte != '\t' && !line_end) || byte == 0x7f) return i;
  }
  return std::nullopt;
}

std::optional<Error> check_characters(std::string_view content, const std::string& file) {
  if (const auto offset = first_invalid_utf8(content)) {
    return Error{
        fmt::format("the file is not UTF-8: byte {:#04x}", static_cast<unsigned char>(content[*offset])),
        "save the file in the encoding UTF-8", location_in(content, *offset, file)};
  }
  if (const auto offset = first_control_character(content)) {
    return Error{fmt::format("a control character ({:#04x})", static_cast<unsigned char>(content[*offset])),
                 "remove it; a problem file is plain text", location_in(content, *offset, file)};
  }
  return std::nullopt;
}

std::string with_unix_line_ends(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c != '\r') result += c;
  }
  return result;
}

// A line of three dashes, spaces and tabs after them allowed.
bool is_fence(std::string_view line) {
  return line.starts_with("---") && line.find_first_not_of(" \t", 3) == std::string_view::npos;
}

std::optional<Error> check_frontmatter_size(std::size_t size, const std::string& file) {
  if (size <= largest_frontmatter) return std::nullopt;
  return Error{fmt::format("the frontmatter is larger than {}", format_bytes(largest_frontmatter)),
               "keep the frontmatter to the contract; prose belongs below it",
               {file, 1, 1}};
}

struct FileParts {
  std::string yaml;       // the text between the two lines of dashes
  std::string statement;  // the text after them; line ends of both are \n
};

// Splits the file. Errors are about the file as a whole; its YAML is not read yet.
Result<FileParts> split(std::string_view content, const std::string& file) {
  const Location start{file, 1, 1};
  if (content.size() > largest_file) {
    return Error{fmt::format("the file is larger than {}", format_bytes(largest_file)),
                 "a problem file holds text, no data",
                 {file, 0, 0}};
  }
  if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
  if (content.empty())
    return Error{"the file is empty", "begin it with a line `---` and the key `slug:`", start};
  if (auto error = check_characters(content, file)) return *error;
  const std::string text = with_unix_line_ends(content);
  std::size_t begin = text.find('\n');
  if (!is_fence(std::string_view(text).substr(0, begin))) {
    return Error{"the file has no frontmatter",
                 "make `---` the first line, then the keys, then another `---`", start};
  }
  begin = begin == std::string::npos ? text.size() : begin + 1;
  for (std::size_t line = begin; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (is_fence(std::string_view(text).substr(line, end - line))) {
      if (auto error = check_frontmatter_size(line - begin, file)) return *error;
      return FileParts{text.substr(begin, line - begin), text.substr(std::min(end + 1, text.size()))};
    }
    line = end + 1;
  }
  return Error{"the frontmatter that begins here has no end", "close it with a line `---`", start};
}

// Finds places in the frontmatter's text.
class SourceLines {
 public:
  // `text` must outlive the object; its first line is line `first_line` of the file.
  SourceLines(std::string_view text, std::string file, int first_line)
      : text_(text), file_(std::move(file)), first_line_(first_line), starts_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  // The place of yaml-cpp's marks, which count from 0. Marks outside of the text, as of an exception without
  // a place, become its nearest end.
  Location location(int mark_line, int mark_column) const {
    const int last = static_cast<int>(starts_.size()) - 1;
    const int line = std::clamp(mark_line, 0, last);
    return {file_, line + first_line_, mark_line == line ? std::max(mark_column, 0) + 1 : 1};
  }

  // Whether the marked line is indented with a tab.
  bool is_indented_by_tab(int mark_line) const {
    if (mark_line < 0 || static_cast<std::size_t>(mark_line) >= starts_.size()) return false;
    const std::size_t at = text_.find_first_not_of(' ', starts_[static_cast<std::size_t>(mark_line)]);
    return at != std::string_view::npos && text_[at] == '\t';
  }

  struct Slice {
    std::string text;
    Location location;
  };
  // The text in the file that a scalar's value was read from, where `start` is the place of the scalar with
  // its quotation mark or block indicator. YAML folds only white space, so the other characters of the value
  // are looked for in order. If escapes or doubled quotes break that, the result is the value itself.
  Slice slice_of(std::string_view value, const Location& start) const {
    std::size_t begin = offset_of(start);
    if (begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'')) {
      ++begin;
    } else if (begin < text_.size() && (text_[begin] == '|' || text_[begin] == '>')) {
      begin = std::min(text_.find('\n', begin), text_.size());
    }
    begin = skip_spaces(begin);
    std::size_t at = begin;
    std::size_t end = begin;
    for (const char c : value) {
      if (is_space(c)) continue;
      at = skip_spaces(at);
      if (at >= text_.size() || text_[at] != c) return {std::string(value), start};
      end = ++at;
    }
    return {std::string(text_.substr(begin, end - begin)), location_of(begin)};
  }

 private:
  std::size_t skip_spaces(std::size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }

  std::size_t offset_of(const Location& location) const {
    const std::size_t line = static_cast<std::size_t>(location.line - first_line_);
    return std::min(starts_[line] + static_cast<std::size_t>(location.column - 1), text_.size());
  }

  Location location_of(std::size_t offset) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const auto line = after - starts_.begin() - 1;
    return {file_, static_cast<int>(line) + first_line_, static_cast<int>(offset - *(after - 1)) + 1};
  }

  std::string_view text_;
  std::string file_;
  int first_line_;
  std::vector<std::size_t> starts_;  // offsets of the lines
};

// Thrown to leave yaml-cpp from within an event. parse_yaml catches it.
struct Refusal {
  Error error;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceLines& lines, Diagnostics& diagnostics)
      : lines_(lines), diagnostics_(diagnostics) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_root_) refuse(mark, "a second YAML document", "keep the frontmatter to one; remove `...`");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add_leaf(make_node(YamlNode::Kind::null, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "a YAML alias ('*')", "write the value itself, or put the text into quotes");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode node = make_node(YamlNode::Kind::scalar, mark);
    node.quoted = tag == "!";
    node.value = value;
    if (has_control_character(value)) {
      refuse(mark, "a control character in a text", "remove the escape sequence");
    }
    const SourceLines::Slice slice = lines_.slice_of(value, node.location);
    node.source = slice.text;
    node.source_location = slice.location;
    add_leaf(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  // A collection that is being read. `keys` maps every key so far to its line.
  struct Level {
    YamlNode node;
    bool has_key = false;
    bool doubled = false;
    std::string key;
    Location key_location;
    std::map<std::string, int> keys;
  };

  static bool has_control_character(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7f) return true;
    }
    return false;
  }

  YamlNode make_node(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.location = lines_.location(mark.line, mark.column);
    node.source_location = node.location;
    return node;
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (levels_.size() >= deepest_yaml) {
      refuse(mark, fmt::format("nested deeper than {} levels", deepest_yaml),
             "remove brackets or indentation");
    }
    if (expects_key()) refuse(mark, "a key that is no plain text", "quote text that begins with '[' or '{'");
    Level level;
    level.node = make_node(kind, mark);
    levels_.push_back(std::move(level));
  }

  void close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    add_value(std::move(node));
  }

  bool expects_key() const {
    return !levels_.empty() && levels_.back().node.is_map() && !levels_.back().has_key;
  }

  void add_leaf(YamlNode node) {
    if (!expects_key()) return add_value(std::move(node));
    Level& level = levels_.back();
    const auto [first, fresh] = level.keys.emplace(node.value, node.location.line);
    level.has_key = true;
    level.doubled = !fresh;
    level.key = node.value;
    level.key_location = node.location;
    if (fresh) return;
    diagnostics_.add(node.location, fmt::format("the key {} is doubled", in_quotes(node.value)),
                     fmt::format("remove one of the two; the first is on line {}", first->second));
  }

  void add_value(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Level& level = levels_.back();
    if (level.node.is_map()) {
      node.key = std::move(level.key);
      node.key_location = level.key_location;
      level.has_key = false;
      if (level.doubled) return;
    }
    level.node.children.push_back(std::move(node));
  }

  // Anchors and aliases can expand a small file to any size, and a contract does not need them.
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor == 0) return;
    refuse(mark, "a YAML anchor ('&')", "write the value itself, or put the text into quotes");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, fmt::format("a YAML tag {}", in_quotes(tag)), "put text that begins with '!' into quotes");
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message, std::string remedy) const {
    throw Refusal{Error{std::move(message), std::move(remedy), lines_.location(mark.line, mark.column)}};
  }

  const SourceLines& lines_;
  Diagnostics& diagnostics_;
  std::vector<Level> levels_;
  YamlNode root_;
  bool has_root_ = false;
};

struct SyntaxRemedy {
  std::string_view part;  // of yaml-cpp's message
  std::string_view remedy;
};

constexpr std::array<SyntaxRemedy, 10> syntax_remedies = {{
    {"illegal map value", "put text that holds ': ' into quotes"},
    {"tab", "indent with spaces"},
    {"end of sequence flow", "close '[' with ']', and separate the items by ', '"},
    {"end of map flow", "close '{' with '}', and separate the entries by ', '"},
    {"anchor is not defined", "put text that begins with '*' into quotes"},
    {"illegal flow end", "remove the bracket, or open one before it"},
    {"illegal EOF in scalar", "close the quotation mark"},
    {"illegal document indicator", "close the quotation mark"},
    {"end of map not found",
     "give all keys of one map the same indentation; quote text that holds ': ', and close quotation marks"},
    {"end of sequence not found", "give all items of one list the same indentation"},
}};

Error syntax_error(const YAML::Exception& exception, const SourceLines& lines) {
  std::string remedy = "check quotation marks, brackets and indentation here and on the line before";
  for (const SyntaxRemedy& entry : syntax_remedies) {
    if (exception.msg.find(entry.part) == std::string::npos) continue;
    remedy = entry.remedy;
    break;
  }
  if (lines.is_indented_by_tab(exception.mark.line)) remedy = "indent with spaces, not with a tab";
  return Error{"broken YAML: " + exception.msg, remedy,
               lines.location(exception.mark.line, exception.mark.column)};
}

// The root has no place if the text is empty.
Result<YamlNode> parse_yaml(const std::string& yaml, const std::string& file, int first_line,
                            Diagnostics& diagnostics) {
  const SourceLines lines(yaml, file, first_line);
  TreeBuilder builder(lines, diagnostics);
  std::istringstream stream(yaml);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return refusal.error;
  } catch (const YAML::Exception& exception) {
    return syntax_error(exception, lines);
  }
  return builder.take_root();
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  for (const YamlNode& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

Result<Frontmatter> read_frontmatter(std::string_view content, const std::string& file,
                                     Diagnostics& diagnostics) {
  auto parts = split(content, file);
  if (!parts) return parts.errors();
  auto root = parse_yaml(parts->yaml, file, first_line_of_frontmatter, diagnostics);
  if (!root) return root.errors();
  if (root->location.line == 0)
    return Error{"the frontmatter is empty", "begin with the key `slug:`", {file, 1, 1}};
  return Frontmatter{std::move(*root), std::move(parts->statement)};
}

Result<YamlNode> read_yaml(std::string_view content, const std::string& file, Diagnostics& diagnostics) {
  if (content.size() > largest_frontmatter)
    return Error{fmt::format("is larger than {}", format_bytes(largest_frontmatter)),
                 "keep data in files of its own",
                 {file, 0, 0}};
  if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
  if (auto error = check_characters(content, file)) return *error;
  return parse_yaml(with_unix_line_ends(content), file, 1, diagnostics);
}

}  // namespace kgrade
