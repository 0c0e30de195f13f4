// Reads the frontmatter of a problem file into a tree whose nodes know their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/diagnostics.h"

namespace kgrade {

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  Location location;
  std::string value;  // of a scalar, quotes and escapes undone
  bool quoted = false;
  // The text of a scalar as it stands in the file, with its line breaks, so that columns in the text are also
  // columns in the file. If escapes make that impossible, it equals `value`.
  std::string source;
  Location source_location;

  std::string key;  // of an entry of a map
  Location key_location;
  std::vector<YamlNode> children;  // items, or entries in file order without doubled keys

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
  // The place of the value, or of the key if there is no value.
  const Location& place() const {
    return kind == Kind::null && key_location.line > 0 ? key_location : location;
  }
  const YamlNode* find(std::string_view name) const;
};

struct Frontmatter {
  YamlNode root;
  std::string statement;  // the text after the frontmatter, line ends as \n
};

// Cuts the file in two and reads its YAML. Errors: an empty file, over 16 MiB, not UTF-8, a control
// character, no frontmatter, a frontmatter without end or of more than 256 KiB; broken YAML; and YAML that a
// contract does not need: anchors, aliases, tags, keys that are not plain text, a second document, nesting
// below 16 levels. Doubled keys are reported to `diagnostics`, and the first one counts. A byte order mark at
// the start is skipped.
Result<Frontmatter> read_frontmatter(std::string_view content, const std::string& file,
                                     Diagnostics& diagnostics);

// Reads a file that is YAML as a whole, up to 256 KiB, with the same errors.
Result<YamlNode> read_yaml(std::string_view content, const std::string& file, Diagnostics& diagnostics);

}  // namespace kgrade
