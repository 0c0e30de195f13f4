// Turns a bare problem file (an interface and a statement), or a file in KernelBench's form, into a problem
// file of kgrade, with a list of the remaining work.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

// A remaining task. In the file it is a comment that begins with todo_mark (authoring/draft.h).
struct Todo {
  std::string what;  // "shape of 'kernel'"
  std::string why;   // "the statement writes (K, K), and 'K' is no parameter"
};

struct Imported {
  Draft draft;
  std::vector<Todo> todos;
};

// Uses the frontmatter, and the shapes that the statement gives for parameters. Nothing is guessed:
// everything that is missing becomes a Todo. The statement is not changed.
//
// `def_py` is the text of a `def.py` beside the file; empty if there is none. It gives the parameters if the
// frontmatter has none. `slug` replaces the file's slug unless it is empty. An Error if the file is not a
// problem file, if it has entries that only kgrade's own files have, or if the slug is not valid.
Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug = "", std::string_view def_py = "");

// --- Files in KernelBench's form ---

struct ImportedModule {
  std::string slug;
  std::string text;  // of the problem file
  std::vector<Todo> todos;
};

// `text` is the result of problem_text_of() for the file at `path` (problem/module_file.h). `slug` replaces
// the text's slug unless it is empty. Remaining tasks are at the end of the frontmatter. An Error if the slug
// is not valid.
Result<ImportedModule> import_module(std::string text, const std::filesystem::path& path,
                                     const std::string& slug = "");

}  // namespace kgrade::authoring
