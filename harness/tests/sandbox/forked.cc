#include "tests/sandbox/forked.h"

namespace kgrade {
namespace {

const std::filesystem::path folder = std::filesystem::path(KGRADE_SOURCE_DIR) / "harness/tests/sandbox";

// The system's: its libraries are where narrow policies look for them.
std::vector<std::string> interpreter() { return {"/usr/bin/python3", "-I", "-B"}; }

}  // namespace

ZygoteSetup setup_of_test_zygote(const std::string& behaviour) {
  return {interpreter(),
          folder / "test_zygote.py",
          ZYGOTE_LIBRARY,
          SANDBOX_LAUNCHER,
          {folder / "run_program.py", folder / "show_process.py"},
          {"BEHAVIOUR=" + behaviour}};
}

Zygote& test_zygote() {
  static Zygote zygote(setup_of_test_zygote());
  return zygote;
}

std::vector<std::string> command_of_program(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> command = interpreter();
  command.push_back((folder / name).string());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

}  // namespace kgrade
