#include "authoring/import_module.h"

#include <fmt/format.h>

#include "authoring/draft.h"
#include "problem/module_file.h"
#include "problem/problem.h"

namespace kgrade::authoring {
namespace {

// The file's shapes are numbers and its module's arguments are values. Cases of other sizes need names for
// these numbers and values.
std::vector<Todo> todos_of_module() {
  return {{"parameters",
           "name the extents that cases vary, as in {name: rows, type: size_t, pointer: false}, and "
           "write shapes with these names"},
          {"torch",
           "write `init:` with these names in the place of `given:`; if you add no cases, remove this line"},
          {"flops", "how many operations a case takes; if you do not know, remove this line"},
          {"cases", "a sample and tests, smaller than kernelbench"},
          {"fuzz", "the ranges that hidden shapes are drawn from"}};
}

}  // namespace

Result<ImportedModule> import_module(std::string text, const std::filesystem::path& path,
                                     const std::string& slug) {
  ImportedModule imported{slug_of_module_file(path), std::move(text), todos_of_module()};
  if (!slug.empty()) {
    if (auto error = check_slug(slug)) return *std::move(error);
    const std::string line = "\nslug: ";
    const std::size_t begin = imported.text.find(line) + line.size();
    imported.text.replace(begin, imported.text.find('\n', begin) - begin, slug);
    imported.slug = slug;
  }
  std::string comments = "\n\n";
  for (const Todo& todo : imported.todos)
    comments += fmt::format("# {} {}: {}\n", todo_mark, todo.what, todo.why);
  // The file's own text cannot begin a line, because it is always quoted.
  imported.text.replace(imported.text.find("\n---\n"), 1, comments);
  return imported;
}

}  // namespace kgrade::authoring
