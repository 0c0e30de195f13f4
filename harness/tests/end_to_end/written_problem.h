// A fixture for tests that write a problem with its reference and a candidate, and run the real binary on
// them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "tests/support/command.h"

namespace kgrade::test {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) ADD_FAILURE() << "no " << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

class WrittenProblem : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  // The references include nothing, so a candidate is a reference in other words.
  void problem(const std::string& frontmatter, const std::string& reference) {
    problem_ =
        write("problems/tried.md", "---\nslug: tried\ntitle: Tried\ndifficulty: EASY\ntags: [tried]\n" +
                                       frontmatter + "---\nText.\n");
    write("reference/tried.cu", reference);
  }

  Result grade(const std::string& candidate) const {
    return kgrade({"grade", problem_, write("candidate.cu", candidate), "--device", "emulated"});
  }
  Result lint() const { return kgrade({"lint", problem_, "--device", "emulated"}); }

  TemporaryDirectory folder_;
  std::string problem_;
};

}  // namespace kgrade::test
