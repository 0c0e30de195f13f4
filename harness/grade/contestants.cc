#include "grade/contestants.h"

namespace kgrade {
namespace {

BuildRequest request_for(Role role, const std::filesystem::path& source, const std::filesystem::path& output,
                         const Layout& layout) {
  BuildRequest request;
  request.source = std::filesystem::absolute(source);
  request.shown_as = source.string();
  request.output_directory = output;
  if (role == Role::candidate) {
    request.include_directories.push_back(request.source.parent_path());
    return request;
  }
  // Its own operators first, then those that kgrade comes with.
  request.include_directories = {request.source.parent_path(), layout.reference};
  request.defines = {{"KGRADE_ACCUMULATOR", role == Role::oracle ? "double" : "float"},
                     {"KGRADE_ELEMENT", "float"}};
  return request;
}

}  // namespace

Build::Build(const Toolchain& toolchain, const Problem& problem, Role role,
             const std::filesystem::path& source, const Layout& layout, StageClock& stages, bool checked) {
  BuildRequest request = request_for(role, source, directory_.path(), layout);
  request.checked = checked;
  running_ = std::async(std::launch::async, [&toolchain, &problem, &stages, request = std::move(request)] {
    const auto timer = stages.time("compile");
    return toolchain.build(problem, request);
  });
}

const Result<BuildOutcome>& Build::finish() {
  if (!outcome_) outcome_ = running_.get();
  return *outcome_;
}

}  // namespace kgrade
