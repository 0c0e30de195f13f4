// A file in KernelBench's form, made into a problem file with the rest left to do.
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

// `text` is what problem_text_of() made of the file at `path` (problem/module_file.h). `slug` replaces its
// own when it is not empty. What is still to be done stands at the end of the frontmatter. An Error when the
// slug cannot be one.
Result<ImportedModule> import_module(std::string text, const std::filesystem::path& path,
                                     const std::string& slug = "");

}  // namespace kgrade::authoring
