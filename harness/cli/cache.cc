#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "grade/run.h"

namespace kgrade::cli {
namespace {

int run(bool clear) {
  const auto cache = contestant_cache();
  if (!cache) {
    fmt::print("There is no cache: KGRADE_CACHE_DIR is set and empty.\n");
    return exit_ok;
  }
  if (const std::string problem = cache->problem(); !problem.empty()) {
    return fail({machine_error("the cache of built contestants is not used: " + problem,
                               "make that folder your own, or name another one in KGRADE_CACHE_DIR")});
  }
  if (clear) cache->clear();
  const CacheUse use = cache->use();
  fmt::print("{}\n{} contestants, {} of {}\n", cache->folder().string(), use.entries, format_bytes(use.bytes),
             format_bytes(cache->limit()));
  return exit_ok;
}

}  // namespace

Command add_cache(CLI::App& app) {
  auto clear = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "Show or clear the cache of built contestants");
  command->add_flag("--clear", *clear, "Remove everything in it");
  command->footer(
      "KGRADE_CACHE_DIR names another folder; if it is set but empty, there is no cache.\n"
      "KGRADE_CACHE_LIMIT is its largest size (default: 2G). Without namespaces for its sandbox kgrade keeps "
      "no cache.");
  return {command, [clear] { return run(*clear); }, builds_contestants};
}

}  // namespace kgrade::cli
