// Turns a file in KernelBench's form into a problem file, with a list of the remaining work.
#pragma once

#include <string>
#include <vector>

#include "authoring/import.h"
#include "base/result.h"

namespace kgrade::authoring {

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
