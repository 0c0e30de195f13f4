// Runs the real binary in an empty temporary folder.
#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kgrade::test {

struct Result {
  int exit_code = -1;
  std::string output;                    // stdout and stderr
  std::vector<std::string> left_behind;  // what the run left in its TMPDIR
};

// Which kgrade to run, additions to our own environment, the working folder, and what stands on its input.
struct Program {
  std::string path = KGRADE_PROGRAM;
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string folder = KGRADE_SOURCE_DIR;
  std::string input = {};
};

// `arguments` come after the program's name.
Result kgrade(const std::vector<std::string>& arguments, const Program& program = {});

// `kgrade grade ... --json -` on a device, by default the one under test; the record, and the exit code in
// `exit_code`.
struct Graded {
  int exit_code = -1;
  std::string output;
  nlohmann::json record;
  std::vector<std::string> left_behind;
};
// $KGRADE_TEST_DEVICE or "auto".
std::string test_device();

Graded grade(std::vector<std::string> arguments, const std::string& device = test_device(),
             const Program& program = {});

// The path of a file or folder of harness/tests, in a copy that also has the files that tables planted.json
// describe (tools/plant.py).
std::string planted(const std::string& path);

// What a candidate declares in lines `// kgrade: ...` of its first comment.
struct Declared {
  std::string dtype;               // empty: the problem's first
  std::string precision = "fp32";  // that the problems ask for, where the candidate says nothing
  auto operator<=>(const Declared&) const = default;
};
// Candidates grouped by that: a record holds those of one type and one class.
std::map<Declared, std::vector<std::string>> by_declaration(const std::vector<std::string>& candidates);

// Slugs of the problems that this run of the tests looks into (tools/drawn_problems.py).
std::vector<std::string> drawn_problems();
// Those of them with a naive solution, in order; if several share one solution file, only the first.
std::vector<std::string> slugs_of_different_solutions();

// A file that lives as long as the object.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::string& content);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  std::string path_;
};

}  // namespace kgrade::test
