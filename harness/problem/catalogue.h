// Folders of problem files: lists the files, and finds a problem by a slug or a path on the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// The problem files of a folder (*.md except README.md), sorted by name. An Error if it is not a folder.
Result<std::vector<std::filesystem::path>> problem_files(const std::filesystem::path& directory);

// The problem files of several folders, sorted by name. If files in several folders have the same name, only
// the first folder's file counts.
using Folders = std::vector<std::filesystem::path>;
Result<std::vector<std::filesystem::path>> problem_files(const Folders& folders);

// Files with the same name in the folders after the folder of `file`.
std::vector<std::filesystem::path> files_behind(const std::filesystem::path& file, const Folders& folders);

// "problems, /usr/share/kgrade/problems".
std::string folder_names(const Folders& folders);

// The names of the families that the problems belong to.
std::set<std::string> families_of(const std::vector<Problem>& problems);

// Reports two files with the same slug, and files whose names are not their slugs.
Errors check_catalogue(const std::vector<Problem>& problems);

// `slug_or_path` is a path if it contains a slash or ends in .md or .txt. Otherwise it is a slug, which is
// looked for in the folders in their order. The Error for an unknown slug names the nearest one and `kgrade
// list`.
Result<Problem> find_problem(const std::string& slug_or_path, const Folders& folders);

// Checks an argument of a command that takes only files. If `text` is not a file but the slug of a problem in
// one of the folders, the Error says what to write instead.
std::optional<Error> slug_for_a_file(const std::string& text, const Folders& folders);

}  // namespace kgrade
