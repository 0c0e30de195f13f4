#include "problem/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "problem/diagnostics.h"
#include "problem/fields.h"

namespace kgrade {
namespace {

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".md") || text.ends_with(".txt");
}

Error unknown_slug(const std::string& slug, const std::vector<std::filesystem::path>& files,
                   const Folders& folders) {
  std::vector<std::string> slugs;
  for (const auto& file : files) slugs.push_back(file.stem().string());
  return Error{fmt::format("there is no problem {} in {}", in_quotes(slug), folder_names(folders)),
               suggestion(slug, slugs) + "`kgrade list` shows what there is",
               {}};
}

// Whether a line of the file may contain that slug. The file is not parsed: parsing a folder of problems
// takes a tenth of a second, and every command would wait for it.
bool may_have_slug(const std::filesystem::path& file, std::string_view slug) {
  const auto content = read_text_file(file);
  constexpr std::string_view key = "slug:";
  for (std::size_t at = content ? content->find(key) : std::string::npos; at != std::string::npos;
       at = content->find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    const std::string_view line =
        std::string_view(*content).substr(begin, content->find('\n', begin) - begin);
    const std::string_view value = line.substr(0, line.find(" #"));
    if (trimmed(value, " \t\r\"'") == slug) return true;
  }
  return false;
}

// Errors if another problem in the folder has the same slug, because the meaning of a slug must not depend on
// file names. Files that do not parse clash with nothing.
Errors clashes_with(const Problem& problem, const std::vector<std::filesystem::path>& files) {
  std::vector<Problem> namesakes = {problem};
  for (const auto& file : files) {
    if (file == problem.path || !may_have_slug(file, problem.slug)) continue;
    auto other = load_problem(file);
    if (other && other->slug == problem.slug) namesakes.push_back(std::move(*other));
  }
  return check_catalogue(namesakes);
}

}  // namespace

Result<std::vector<std::filesystem::path>> problem_files(const std::filesystem::path& directory) {
  const auto failed = [&](std::string message) {
    return Error{
        std::move(message), "name a folder of problem files with --problems", {directory.string(), 0, 0}};
  };
  std::error_code failure;
  if (!std::filesystem::exists(directory, failure)) return failed("no such folder");
  if (!std::filesystem::is_directory(directory, failure)) return failed("is no folder");
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entry(directory, failure);
  for (; !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::filesystem::path& path = entry->path();
    if (path.extension() == ".md" && path.filename() != "README.md") files.push_back(path);
  }
  if (failure) return failed("cannot be read: " + failure.message());
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::filesystem::path>> problem_files(const Folders& folders) {
  std::map<std::string, std::filesystem::path> by_name;
  for (const std::filesystem::path& folder : folders) {
    const auto files = problem_files(folder);
    if (!files) return files.errors();
    for (const std::filesystem::path& file : *files) by_name.emplace(file.stem().string(), file);
  }
  std::vector<std::filesystem::path> all;
  for (auto& [name, file] : by_name) all.push_back(std::move(file));
  return all;
}

std::vector<std::filesystem::path> files_behind(const std::filesystem::path& file, const Folders& folders) {
  std::vector<std::filesystem::path> behind;
  std::error_code ignored;
  auto folder = std::find_if(folders.begin(), folders.end(), [&](const std::filesystem::path& one) {
    return std::filesystem::equivalent(one, file.parent_path(), ignored);
  });
  for (; folder != folders.end(); ++folder) {
    const std::filesystem::path other = *folder / file.filename();
    if (std::filesystem::exists(other, ignored) && !std::filesystem::equivalent(other, file, ignored))
      behind.push_back(other);
  }
  return behind;
}

std::string folder_names(const Folders& folders) {
  std::string names;
  for (const std::filesystem::path& folder : folders) names += (names.empty() ? "" : ", ") + folder.string();
  return names;
}

std::set<std::string> families_of(const std::vector<Problem>& problems) {
  std::set<std::string> names;
  for (const Problem& problem : problems) {
    if (!problem.family.empty()) names.insert(problem.family);
  }
  return names;
}

Errors check_catalogue(const std::vector<Problem>& problems) {
  Errors errors;
  std::map<std::string, std::string> files;
  for (const Problem& problem : problems) {
    const std::string file = problem.path.string();
    const auto [first, fresh] = files.emplace(problem.slug, file);
    if (!fresh) {
      errors.push_back({fmt::format("the slug '{}' is taken", problem.slug),
                        fmt::format("choose another slug; {} has it too", first->second),
                        {file, 1, 1}});
    }
    if (problem.path.stem() == problem.slug) continue;
    errors.push_back({fmt::format("the file's name is not its slug '{}'", problem.slug),
                      fmt::format("rename the file to {}.md", problem.slug),
                      {file, 1, 1}});
  }
  return errors;
}

Result<Problem> find_problem(const std::string& slug_or_path, const Folders& folders) {
  if (is_path(slug_or_path)) return load_problem(slug_or_path);
  const auto files = problem_files(folders);
  if (!files) return files.errors();
  const auto named = std::find_if(files->begin(), files->end(),
                                  [&](const auto& file) { return file.stem() == slug_or_path; });
  if (named == files->end()) return unknown_slug(slug_or_path, *files, folders);
  auto problem = load_problem(*named);
  if (!problem) return problem;
  const auto beside = problem_files(named->parent_path());
  if (!beside) return beside.errors();
  if (Errors clashes = clashes_with(*problem, *beside); !clashes.empty()) return clashes;
  return problem;
}

std::optional<Error> slug_for_a_file(const std::string& text, const Folders& folders) {
  std::error_code ignored;
  if (!is_slug(text) || std::filesystem::exists(text, ignored)) return std::nullopt;
  const auto folder = std::find_if(folders.begin(), folders.end(), [&](const std::filesystem::path& one) {
    return std::filesystem::exists(one / (text + ".md"), ignored);
  });
  if (folder == folders.end()) return std::nullopt;
  const std::filesystem::path file = *folder / (text + ".md");
  const std::filesystem::path near = std::filesystem::proximate(file, ignored);
  const bool is_below = !near.empty() && *near.begin() != "..";
  return Error{"is the slug of a problem, and a file is asked for",
               "write " + (is_below ? near : file).string(),
               {text, 0, 0}};
}

}  // namespace kgrade
