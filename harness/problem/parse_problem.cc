// From the bytes of a problem file, and of its family's, to a Problem.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "problem/families.h"
#include "problem/family_merge.h"
#include "problem/fields.h"
#include "problem/frontmatter.h"
#include "problem/problem_reader.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

struct ParsedFile {
  YamlNode root;  // a map
  std::string statement;
};

// Nothing when there is no sense in going on; the reason is reported then.
std::optional<ParsedFile> parse_file(std::string_view content, const std::string& file, std::string_view what,
                                     Diagnostics& diagnostics) {
  auto frontmatter = split_frontmatter(content, file);
  if (!frontmatter) {
    diagnostics.add(frontmatter.errors());
    return std::nullopt;
  }
  auto root = parse_yaml(*frontmatter, file, diagnostics);
  if (!root) {
    diagnostics.add(root.errors());
    return std::nullopt;
  }
  if (!check_keys(*root, what, diagnostics)) return std::nullopt;
  return ParsedFile{std::move(*root), std::move(frontmatter->statement)};
}

// A family's file is checked by itself.
bool is_family(const YamlNode& root, const std::filesystem::path& path) {
  return path.parent_path().filename() == families_beside("").filename() && root.find("slug") == nullptr;
}

// Where there are none at all, a folder beside the file would surprise everyone.
std::string how_to_have_a_family(const std::string& name, const Families* families) {
  if (families == nullptr || !is_slug(name))
    return "there are no families: write NAME.md into the folder `families` beside this file";
  const std::filesystem::path file = families->path(name);
  return fmt::format(
      "families are files beside the problems, and {} holds none: write {}, or remove `family` and write "
      "all of it here",
      file.parent_path().string(), file.string());
}

// The name, when it is one of a family that there is. Only a name that was found is ever made a path.
std::optional<std::string> family_name(const YamlNode& node, const Families* families,
                                       Diagnostics& diagnostics) {
  const auto name = read_text(node, "'family'", diagnostics);
  if (!name) return std::nullopt;
  const auto known = families != nullptr ? families->names() : std::vector<std::string>();
  if (std::find(known.begin(), known.end(), *name) != known.end()) return name;
  diagnostics.add(node.place(), fmt::format("there is no family {}", in_quotes(*name)),
                  known.empty() ? how_to_have_a_family(*name, families) : suggestion_of_known(*name, known));
  return std::nullopt;
}

std::string joined_statements(std::string_view own, std::string_view family) {
  const std::string_view first = trimmed(own);
  return first.empty() ? std::string(family) : fmt::format("{}\n\n{}", first, family);
}

// Puts the family into `problem`. False when it cannot be had.
bool add_family(const std::string& name, const Families& families, ParsedFile& problem, std::string& digest,
                Diagnostics& diagnostics) {
  const auto content = families.content(name);
  if (!content) {
    diagnostics.add(content.errors());
    return false;
  }
  const auto family = parse_file(*content, families.path(name).string(), "a family", diagnostics);
  if (!family) return false;
  problem.root = merge_family(family->root, problem.root, name, diagnostics);
  problem.statement = joined_statements(problem.statement, family->statement);
  digest = sha256_hex(fmt::format("{}\n{}\n", digest, sha256_hex(*content)));
  return true;
}

}  // namespace

Result<Problem> parse_problem(std::string_view content, const std::filesystem::path& path,
                              const Families* families) {
  const std::string file = path.string();
  Diagnostics diagnostics;
  auto parsed = parse_file(content, file, "the frontmatter", diagnostics);
  if (!parsed) return diagnostics.take();
  if (is_family(parsed->root, path)) {
    return Error{"the file is a family, no problem",
                 fmt::format("check the problems that say `family: {}`", path.stem().string()),
                 {file, 1, 1}};
  }
  std::string digest = sha256_hex(content);
  std::string family;
  if (const YamlNode* node = parsed->root.find("family")) {
    const auto name = family_name(*node, families, diagnostics);
    // Without it, most of what is missing then would be reported.
    if (!name || !add_family(*name, *families, *parsed, digest, diagnostics)) return diagnostics.take();
    family = *name;
  }
  Problem problem = read_problem(parsed->root, file, diagnostics);
  if (!diagnostics.empty()) return diagnostics.take();
  problem.path = path;
  problem.family = std::move(family);
  problem.statement = std::move(parsed->statement);
  problem.content_sha256 = std::move(digest);
  return problem;
}

Result<Problem> load_problem(const std::filesystem::path& path) {
  const auto content = read_text_file(path);
  if (!content) return content.errors();
  const FamilyFolder families(families_beside(path.parent_path()));
  return parse_problem(*content, path, &families);
}

}  // namespace kgrade
