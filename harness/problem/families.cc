#include "problem/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "problem/fields.h"
#include "problem/problem.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 7> keys_of_problems = {"slug",   "title", "difficulty", "author",
                                                              "source", "tags",  "family"};

std::string text_of(const YamlNode& node, std::string_view key) {
  const YamlNode* entry = node.find(key);
  return entry != nullptr ? entry->value : "";
}

using NameOf = std::string (*)(const YamlNode&);
std::string key_of(const YamlNode& entry) { return entry.key; }
std::string case_name_of(const YamlNode& entry) { return text_of(entry, "name"); }

class Merger {
 public:
  Merger(const std::string& family_name, Diagnostics& diagnostics)
      : family_name_(family_name), diagnostics_(diagnostics) {}

  YamlNode merge(const YamlNode& family, const YamlNode& problem) {
    refuse_problem_keys(family);
    YamlNode merged = problem;
    for (const YamlNode& entry : family.children) {
      const auto own = std::find_if(merged.children.begin(), merged.children.end(),
                                    [&](const YamlNode& child) { return child.key == entry.key; });
      if (own == merged.children.end()) {
        merged.children.push_back(entry);
      } else {
        *own = merged_entry(entry, *own);
      }
    }
    return merged;
  }

 private:
  void refuse_problem_keys(const YamlNode& family) {
    for (const YamlNode& entry : family.children) {
      if (!is_key_of_problems(entry.key)) continue;
      if (entry.key == "family") {
        diagnostics_.add(entry.key_location, "a family cannot have a family",
                         "write here what it takes from the other one");
      } else {
        diagnostics_.add(entry.key_location, fmt::format("'{}' is no key of a family", entry.key),
                         "move it to the problem files");
      }
    }
  }

  // An entry without the form of its key stays as it is. The reader reports what is wrong with it.
  YamlNode merged_entry(const YamlNode& family, const YamlNode& own) {
    const std::string& key = own.key;
    if (!has_form(key, family)) return family;
    if (!has_form(key, own)) return own;
    if (key == "let") return clash(family, own);
    if (key == "parameters") return with_parameters(family, own);
    if (key == "require" || key == "extents") return joined(family, own);
    if (key == "cases") return with_replaced(family, own, case_name_of);
    if (key == "torch") return merged_torch(family, own);
    if (is_replaced_by_entry(key)) return with_replaced(family, own, key_of);
    return own;
  }

  static bool is_replaced_by_entry(const std::string& key) {
    return key == "thresholds" || key == "defaults" || key == "fuzz" || key == "domain" || key == "without" ||
           key == "harmless";
  }

  static bool has_form(const std::string& key, const YamlNode& node) {
    if (key == "parameters" || key == "extents" || key == "require" || key == "cases" || key == "dtypes") {
      return node.is_sequence();
    }
    const bool map = key == "let" || key == "torch" || is_replaced_by_entry(key);
    return map ? node.is_map() : node.is_scalar();
  }

  YamlNode clash(const YamlNode& family, const YamlNode& own) {
    diagnostics_.add(own.key_location,
                     fmt::format("'{}' is said by the family {} too", own.key, in_quotes(family_name_)),
                     fmt::format("remove it, or move its entries to {}:{}", family.key_location.file,
                                 family.key_location.line));
    return joined(family, own);
  }

  static YamlNode joined(const YamlNode& family, const YamlNode& own) {
    YamlNode all = own;
    all.children.insert(all.children.begin(), family.children.begin(), family.children.end());
    return all;
  }

  // Entries of the problem replace the family's entries of the same name.
  static YamlNode with_replaced(const YamlNode& family, const YamlNode& own, NameOf name_of) {
    std::set<std::string> names;
    for (const YamlNode& entry : own.children) names.insert(name_of(entry));
    YamlNode kept = family;
    std::erase_if(kept.children, [&](const YamlNode& entry) { return names.contains(name_of(entry)); });
    return joined(kept, own);
  }

  // Merges the section `torch` key by key.
  static YamlNode merged_torch(const YamlNode& family, const YamlNode& own) {
    YamlNode merged = with_replaced(family, own, key_of);
    for (YamlNode& entry : merged.children) {
      const YamlNode* const shared = family.find(entry.key);
      if (shared == nullptr || own.find(entry.key) == nullptr) continue;
      if (entry.key == "weights" && shared->is_map() && entry.is_map())
        entry = with_replaced(*shared, entry, key_of);
      if (entry.key == "require" && shared->is_sequence() && entry.is_sequence())
        entry = joined(*shared, entry);
    }
    return merged;
  }

  YamlNode with_parameters(const YamlNode& family, const YamlNode& own) {
    if (family.children.size() + own.children.size() > max_parameters) return joined(family, own);
    YamlNode all = own;
    all.children = family.children;
    for (const YamlNode& parameter : own.children) {
      const std::string name = text_of(parameter, "name");
      if (!name.empty() && position_of(family, name) < family.children.size()) {
        diagnostics_.add(
            parameter.location,
            fmt::format("the family {} has a parameter {} already", in_quotes(family_name_), in_quotes(name)),
            "choose another name, or remove it here");
        continue;
      }
      insert(parameter, all);
    }
    return all;
  }

  void insert(YamlNode parameter, YamlNode& all) {
    std::size_t at = all.children.size();
    if (const YamlNode* after = parameter.find("after")) {
      const std::size_t found = position_of(all, after->value);
      if (found == all.children.size()) {
        diagnostics_.add(after->place(),
                         fmt::format("'after' names no parameter: {}", in_quotes(after->value)),
                         suggestion_of_known(after->value, names_in(all)));
      } else {
        at = found + 1;
      }
      std::erase_if(parameter.children, [](const YamlNode& entry) { return entry.key == "after"; });
    }
    all.children.insert(all.children.begin() + static_cast<std::ptrdiff_t>(at), std::move(parameter));
  }

  static std::size_t position_of(const YamlNode& parameters, const std::string& name) {
    const auto found = std::find_if(parameters.children.begin(), parameters.children.end(),
                                    [&](const YamlNode& node) { return text_of(node, "name") == name; });
    return static_cast<std::size_t>(found - parameters.children.begin());
  }

  static std::vector<std::string> names_in(const YamlNode& parameters) {
    std::vector<std::string> names;
    for (const YamlNode& node : parameters.children) names.push_back(text_of(node, "name"));
    return names;
  }

  const std::string& family_name_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<std::string> FamilyFolder::names() const {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator entry(folder_, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path& file = entry->path();
    if (file.extension() == ".md" && is_slug(file.stem().string())) names.push_back(file.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> FamilyFolder::content(const std::string& name) const {
  return read_text_file(path(name));
}

bool is_key_of_problems(std::string_view key) {
  return std::find(keys_of_problems.begin(), keys_of_problems.end(), key) != keys_of_problems.end();
}

fs::path families_beside(const fs::path& problems) { return problems / "families"; }

YamlNode merge_family(const YamlNode& family, const YamlNode& problem, const std::string& family_name,
                      Diagnostics& diagnostics) {
  return Merger(family_name, diagnostics).merge(family, problem);
}

}  // namespace kgrade
