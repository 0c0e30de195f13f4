#include "cli/serve_join.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/app.h"
#include "compile/layout.h"
#include "compile/python_interpreter.h"

namespace kgrade::cli {
namespace fs = std::filesystem;
namespace {

// The folder with kgrade's Python package: `python` in a clone, or site-packages. Empty if there is none.
fs::path package_folder(const fs::path& within) {
  std::error_code ignored;
  for (fs::path folder = within; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "python" / "kgrade" / "join.py", ignored)) return folder / "python";
    if (folder.filename() == "kgrade" && fs::exists(folder / "join.py", ignored)) return folder.parent_path();
  }
  return {};
}

}  // namespace

int join_service(const JoinArguments& arguments, const LaneOptions& lane) {
  const auto python = find_python(lane.python);
  if (!python) return fail(python.errors());
  const fs::path package = package_folder(fs::absolute(Layout::find(lane.problems).python));
  if (package.empty())
    return fail({{"--join: kgrade's Python package is not beside this program",
                  "install it with `pip install`, or run `python3 -m kgrade.join URL` where it is",
                  {}}});
  // The package is named on the command line, so that PYTHONPATH stays the user's.
  constexpr const char* start =
      "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
      "runpy.run_module('kgrade.join', run_name='__main__', alter_sys=True)";
  std::vector<std::string> command = {python->program.string(), "-c", start, package.string(), arguments.url};
  if (!arguments.gpus.empty()) {
    command.push_back("--gpus=" + arguments.gpus);
  } else {
    command.push_back("--device=" + lane.device);
  }
  if (arguments.jobs >= 0) command.push_back(fmt::format("--jobs={}", arguments.jobs));
  if (!arguments.token_file.empty()) command.push_back("--token-file=" + arguments.token_file);
  if (!lane.problems.empty()) command.push_back("--problems=" + lane.problems);
  if (lane.require_sandbox) command.emplace_back("--require-sandbox");
  std::error_code ignored;
  ::setenv("KGRADE_PROGRAM", fs::read_symlink("/proc/self/exe", ignored).c_str(), 0);
  ::setenv("KGRADE_PYTHON", python->program.c_str(), 1);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  // A program keeps the signals that are blocked here, where a thread waits for them.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(words.front(), words.data());
  return fail({{fmt::format("{} cannot be started: {}", command.front(), std::strerror(errno)), "", {}}});
}

}  // namespace kgrade::cli
