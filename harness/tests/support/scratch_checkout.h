// A folder with problems and solutions of its own.
#pragma once

#include <string>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "tests/support/canned_results.h"

namespace kgrade::test {

class ScratchCheckout {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  void add_problem(const std::string& slug, const std::string& more = "dtypes: [float32]\n") const {
    write_content(path() / "problems" / (slug + ".md"), "---\nslug: " + slug + "\ntitle: \"" + slug + R"("
difficulty: EASY
tags: [test]
)" + more + R"(parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [n]}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false, constant: false}
cases:
  - {name: tiny, role: sample, n: 3}
---
Copies.
)");
  }

  // `name`: "<slug>/<file>".
  void add_candidate(const std::string& name, const std::string& text = "") const {
    write_content(path() / "solutions" / name, text + "// " + name + "\n");
  }

  // With nothing else in sight.
  Layout layout() const {
    Layout layout = Layout::find(path() / "problems");
    layout.problems = {path() / "problems"};
    layout.solutions = path() / "solutions";
    return layout;
  }

 private:
  TemporaryDirectory folder_;
};

}  // namespace kgrade::test
