#include "contest/wanted_builds.h"

#include <fmt/format.h>

#include "base/memory_file.h"
#include "contest/worker_files.h"

namespace kgrade {
namespace {

constexpr std::size_t longest_request = std::size_t{16} << 20;
constexpr int most_builds = 64;
constexpr std::chrono::minutes longest_building{30};  // of all builds together

}  // namespace

std::string WantedBuilds::why_refused() {
  if (++asked_for_ > most_builds) return fmt::format("wants more than {} extensions built", most_builds);
  if (spent_ > longest_building)
    return fmt::format("its extensions take more than {} minutes to build", longest_building.count());
  return "";
}

WantedBuilds::Outcome WantedBuilds::build(const UniqueFd& request) {
  if (std::string refusal = why_refused(); !refusal.empty())
    return {std::move(refusal), BuildAnswer::failed, UniqueFd()};
  const auto start = std::chrono::steady_clock::now();
  const BuiltExtension built = builder_(text_in(request, longest_request));
  spent_ += std::chrono::steady_clock::now() - start;
  const bool failed = built.library.empty();
  failure_ = failed ? built.message : "";
  const BuildAnswer kind = failed                ? BuildAnswer::failed
                           : built.torch_headers ? BuildAnswer::built_with_torch
                                                 : BuildAnswer::built;
  return {"", kind, failed ? memory_file(built.log) : sealed_copy(built.library)};
}

}  // namespace kgrade
