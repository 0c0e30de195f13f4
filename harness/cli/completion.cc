#include <fmt/format.h>

#include <memory>

#include "cli/app.h"
#include "cli/completion_scripts.h"

namespace kgrade::cli {
namespace {

int run(CLI::App& app, const std::string& shell) {
  const ProgramText text = describe(app);
  fmt::print("{}", shell == "bash"  ? bash_completion(text)
                   : shell == "zsh" ? zsh_completion(text)
                                    : fish_completion(text));
  return exit_ok;
}

}  // namespace

Command add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print what makes a shell complete command lines");
  command->add_option("shell", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("bash|zsh|fish");
  command->footer(
      "In bash: source <(kgrade completion bash)\n"
      "In zsh: source <(kgrade completion zsh), after compinit\n"
      "In fish: kgrade completion fish | source");
  return {command, [&app, shell] { return run(app, *shell); }};
}

}  // namespace kgrade::cli
