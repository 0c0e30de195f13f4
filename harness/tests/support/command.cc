#include "tests/support/command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/subprocess.h"
#include "base/temporary_directory.h"

extern char** environ;

namespace kgrade::test {
namespace fs = std::filesystem;

namespace {

std::vector<std::string> environment_with(std::vector<std::string> environment,
                                          const std::string& temporary) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string(*entry).starts_with("TMPDIR=")) environment.emplace_back(*entry);
  }
  environment.push_back("TMPDIR=" + temporary);
  return environment;
}

Declared declared_in(const std::string& file) {
  Declared declared;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && line.starts_with("//");) {
    std::istringstream words(line);
    std::string slashes, mark, key, name;
    if (!(words >> slashes >> mark >> key >> name) || mark != "kgrade:") continue;
    (key == "dtype" ? declared.dtype : declared.precision) = name;
  }
  return declared;
}

}  // namespace

Result kgrade(const std::vector<std::string>& arguments, const Program& program) {
  const TemporaryDirectory temporary;
  ProcessRequest request;
  const TemporaryDirectory beside;
  const std::string input = (beside.path() / "input").string();
  std::ofstream(input, std::ios::binary) << program.input;
  request.command = {program.path};
  if (!program.input.empty())
    request.command = {"/bin/sh", "-c", "exec \"$0\" \"$@\" < " + input, program.path};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.environment = environment_with(program.environment, temporary.path().string());
  request.working_directory = program.folder;
  request.limits.wall = std::chrono::seconds(900);
  request.output_limit_bytes = 64 << 20;
  const auto outcome = run_process(request);
  Result result;
  if (!outcome) return result;
  result.exit_code = outcome->exit_code;
  result.output = outcome->output;
  for (const auto& entry : fs::directory_iterator(temporary.path())) {
    result.left_behind.push_back(entry.path().filename().string());
  }
  return result;
}

Graded grade(std::vector<std::string> arguments, const std::string& device, const Program& program) {
  arguments.insert(arguments.begin(), {"grade", "--device", device, "--json", "-"});
  const Result result = kgrade(arguments, program);
  return {result.exit_code, result.output, nlohmann::json::parse(result.output, nullptr, false),
          result.left_behind};
}

std::string test_device() {
  const char* device = std::getenv("KGRADE_TEST_DEVICE");
  return device != nullptr ? device : "auto";
}

std::string planted(const std::string& path) { return KGRADE_PLANTED_DIR "/" + path; }

std::map<Declared, std::vector<std::string>> by_declaration(const std::vector<std::string>& candidates) {
  std::map<Declared, std::vector<std::string>> groups;
  for (const std::string& file : candidates) groups[declared_in(file)].push_back(file);
  return groups;
}

std::vector<std::string> drawn_problems() {
  ProcessRequest request;
  request.command = {"python3", KGRADE_SOURCE_DIR "/tools/drawn_problems.py"};
  request.environment = whole_environment();
  const auto outcome = run_process(request);
  if (!outcome || !outcome->success()) throw std::runtime_error("tools/drawn_problems.py fails");
  std::vector<std::string> slugs;
  std::istringstream lines(outcome->output);
  for (std::string slug; std::getline(lines, slug);) slugs.push_back(slug);
  return slugs;
}

std::vector<std::string> slugs_of_different_solutions() {
  std::map<std::string, std::string> slugs;  // by the file
  for (const std::string& slug : drawn_problems())
    slugs.emplace(fs::canonical(fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug / "naive.cu").string(),
                  slug);
  std::vector<std::string> sorted;
  for (const auto& [file, slug] : slugs) sorted.push_back(slug);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

ScratchFile::ScratchFile(const std::string& name, const std::string& content) {
  std::string pattern = (fs::temp_directory_path() / "kgrade-test-XXXXXX").string();
  directory_ = ::mkdtemp(pattern.data());
  path_ = directory_ + "/" + name;
  std::ofstream(path_, std::ios::binary) << content;
}

ScratchFile::~ScratchFile() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace kgrade::test
