// Families: the file of a family holds the parts that several problems share. It is written like a problem's
// file, with parameters, formulas, cases and a statement. A problem that says `family: conv-2d` adds only its
// own keys.
//
// | key | if problem and family both have it |
// | --- | --- |
// | slug, title, difficulty, author, tags, source | only problems have these |
// | parameters | the problem's come after the family's, or after the parameter that `after: NAME` names |
// | let | is an error |
// | require | both hold |
// | dtypes, precision, libraries, flops, terms, bytes | the problem's counts |
// | thresholds, defaults, fuzz, domain, without | the problem's count, entry by entry |
// | torch | `require`: both hold; `weights`: the problem's count, entry by entry; else the problem's counts |
// | cases | the family's, then the problem's; a case of the same name replaces the family's |
//
// There is one list of `defaults` for all cases. The statement is the problem's, then the family's. A family
// cannot have a family.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "problem/diagnostics.h"
#include "problem/frontmatter.h"

namespace kgrade {

// The families that problems may name. An interface, so that tests can use texts instead of files.
class Families {
 public:
  virtual ~Families() = default;
  // The names of all families, in alphabetical order.
  virtual std::vector<std::string> names() const = 0;
  // The path, for messages, and the bytes of a family's file.
  virtual std::filesystem::path path(const std::string& name) const = 0;
  virtual Result<std::string> content(const std::string& name) const = 0;
};

// The families in a folder: its files NAME.md, where NAME has the form of a slug. A folder that does not
// exist or cannot be read has no families.
class FamilyFolder final : public Families {
 public:
  explicit FamilyFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::vector<std::string> names() const override;
  std::filesystem::path path(const std::string& name) const override { return folder_ / (name + ".md"); }
  Result<std::string> content(const std::string& name) const override;

 private:
  std::filesystem::path folder_;
};

// Whether problems may have the key and families must not.
bool is_key_of_problems(std::string_view key);

// The folder of families that belongs to problem files in `problems`.
std::filesystem::path families_beside(const std::filesystem::path& problems);

// Merges a family and a problem by the rules above. Every node keeps its place in the file that it comes
// from. Reports keys that clash and keys that a family must not have. Both nodes must be maps.
YamlNode merge_family(const YamlNode& family, const YamlNode& problem, const std::string& family_name,
                      Diagnostics& diagnostics);

}  // namespace kgrade
