#include "problem/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <array>
#include <map>
#include <sstream>

#include "problem/quote.h"
#include "problem/source_lines.h"

namespace kgrade {
namespace {

constexpr std::size_t deepest_nesting = 16;

// Leaves yaml-cpp from within an event; never escapes parse_yaml.
struct Refusal {
  Error error;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const SourceLines& lines, Diagnostics& diagnostics)
      : lines_(lines), diagnostics_(diagnostics) {}

  bool has_root() const { return has_root_; }
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
  // A collection that is being read. `keys` has the line of every key so far.
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
    if (levels_.size() >= deepest_nesting) {
      refuse(mark, fmt::format("nested deeper than {} levels", deepest_nesting),
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

  // Anchors and aliases can blow a small file up to any size, and a contract needs neither.
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

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  for (const YamlNode& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

Result<YamlNode> parse_yaml(const Frontmatter& frontmatter, const std::string& file,
                            Diagnostics& diagnostics) {
  const SourceLines lines(frontmatter.yaml, file, frontmatter.first_line);
  TreeBuilder builder(lines, diagnostics);
  std::istringstream stream(frontmatter.yaml);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return refusal.error;
  } catch (const YAML::Exception& exception) {
    return syntax_error(exception, lines);
  }
  if (!builder.has_root())
    return Error{"the frontmatter is empty", "begin with the key `slug:`", {file, 1, 1}};
  return builder.take_root();
}

}  // namespace kgrade
