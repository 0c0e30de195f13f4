// The folder of problem files: what is in it, and how a slug or a path on the command line finds one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The problem files of a folder (*.md but README.md), sorted by name. An Error when it is no folder.
Result<std::vector<std::filesystem::path>> problem_files(const std::filesystem::path& directory);

// Two files with one slug, or a file whose name is not its slug, are errors.
Errors check_catalogue(const std::vector<Problem>& problems);

// `slug_or_path` is a path when it holds a slash or ends in .md or .txt, else a slug in `directory`. An
// unknown slug is answered with the nearest one and with `kgrade list`.
Result<Problem> find_problem(const std::string& slug_or_path, const std::filesystem::path& directory);

// For commands that take files alone: what to write instead when `text` is no file but the slug of a problem
// in `directory`.
std::optional<Error> slug_for_a_file(const std::string& text, const std::filesystem::path& directory);

}  // namespace kgrade
