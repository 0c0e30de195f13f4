// A bare problem file, an interface and a statement, made into a problem file with the rest left to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

// What stands in the file as a comment that begins with todo_mark (authoring/draft.h).
struct Todo {
  std::string what;  // "shape of 'kernel'"
  std::string why;   // "the statement writes (K, K), and 'K' is no parameter"
};

struct Imported {
  Draft draft;
  std::vector<Todo> todos;
};

// Takes what is stated for machines, in the frontmatter, and shapes that the statement writes at a parameter.
// Nothing is guessed: everything else is a Todo. The statement stays as it is.
//
// `def_py`, the text of a `def.py` beside the file, gives the parameters where the frontmatter has none;
// empty: there is no such file. `slug` replaces the file's when it is not empty. An Error when the file is no
// problem file, or has what only files of kgrade have, or its slug cannot be one.
Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug = "", std::string_view def_py = "");

}  // namespace kgrade::authoring
