// Folders of problem files: what is in them, and how a slug or a path on the command line finds one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The problem files of a folder (*.md but README.md), sorted by name. An Error when it is no folder.
Result<std::vector<std::filesystem::path>> problem_files(const std::filesystem::path& directory);

// Those of several folders, sorted by name. Of files of one name, the one in the first folder counts.
using Folders = std::vector<std::filesystem::path>;
Result<std::vector<std::filesystem::path>> problem_files(const Folders& folders);

// Files of the same name in the folders after the one that `file` is in.
std::vector<std::filesystem::path> files_behind(const std::filesystem::path& file, const Folders& folders);

// "problems, /usr/share/kgrade/problems".
std::string folder_names(const Folders& folders);

// Two files with one slug, or a file whose name is not its slug, are errors.
Errors check_catalogue(const std::vector<Problem>& problems);

// `slug_or_path` is a path when it holds a slash or ends in .md or .txt, else a slug, which is looked for in
// the folders in their order. An unknown slug is answered with the nearest one and with `kgrade list`.
Result<Problem> find_problem(const std::string& slug_or_path, const Folders& folders);

// For commands that take files alone: what to write instead when `text` is no file but the slug of a problem
// in one of the folders.
std::optional<Error> slug_for_a_file(const std::string& text, const Folders& folders);

}  // namespace kgrade
