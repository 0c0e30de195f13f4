#include <fmt/format.h>

#include <exception>
#include <system_error>
#include <vector>

#include "base/temporary_directory.h"
#include "cli/app.h"
#include "report/record.h"

namespace {

using namespace kgrade;

std::string version_text() {
  const ToolInfo tool = tool_info();
  std::string text = "kgrade " + tool.version;
  if (!tool.git_commit.empty()) {
    text += fmt::format(" ({}{})", tool.git_commit.substr(0, 12), tool.git_dirty ? ", with changes" : "");
  }
  return text;
}

int run(int argc, char** argv) {
  CLI::App app("Grades CUDA kernels: a verdict that can be trusted and a speed that can be repeated.",
               "kgrade");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all accepted, 1 some not, 2 wrong usage or problem file, 3 the machine lacks something, "
      "70 a fault of kgrade.\n"
      "Start with: kgrade list");
  const std::vector<cli::Command> commands = {cli::add_grade(app), cli::add_list(app), cli::add_show(app),
                                              cli::add_lint(app),  cli::add_dump(app), cli::add_doctor(app)};
  for (const cli::Command& command : commands) command.app->set_version_flag("--version", version_text());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own codes are many; ours says wrong usage with one.
    return app.exit(error) == 0 ? cli::exit_ok : cli::exit_usage;
  }
  for (const cli::Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return cli::exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  kgrade::TemporaryDirectory::remove_on_signals();
  try {
    return run(argc, argv);
  } catch (const std::system_error& error) {
    fmt::print(stderr, "kgrade: error: {}\n  hint: kgrade doctor says what this machine lacks\n",
               error.what());
    return kgrade::cli::exit_machine;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "kgrade: internal error: {}\n  hint: this is a fault of kgrade or of the device; please "
               "report it with the command line\n",
               error.what());
    return kgrade::cli::exit_internal;
  }
}
