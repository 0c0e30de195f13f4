#include "compile/layout.h"

#include <sstream>

namespace kgrade {
namespace fs = std::filesystem;

fs::path Layout::reference_source(const Problem& problem) const {
  std::error_code ignored;
  const fs::path folder = fs::absolute(problem.path, ignored).lexically_normal().parent_path().parent_path();
  const fs::path own = problem.slug + ".cu";
  const fs::path of_family = fs::path("families") / (problem.family + ".cu");
  for (const fs::path& references : {folder / "reference", reference}) {
    if (fs::exists(references / own, ignored)) return references / own;
    if (!problem.family.empty() && fs::exists(references / of_family, ignored)) return references / of_family;
  }
  return folder / "reference" / own;
}

fs::path Layout::reference_folder(const fs::path& source) {
  const fs::path folder = source.parent_path();
  return folder.filename() == "families" ? folder.parent_path() : folder;
}

namespace {

// As cmake/KgradeInstall.cmake lays it out: bin/, libexec/kgrade/, share/kgrade/.
Layout installed(const fs::path& prefix) {
  const fs::path share = prefix / "share/kgrade";
  Layout layout;
  layout.problems = share / "problems";
  layout.own_problems = "problems";
  layout.reference = share / "reference";
  layout.workers = prefix / "libexec/kgrade";
  return layout;
}

Layout built(const fs::path& root, const fs::path& program) {
  Layout layout;
  layout.problems = root / "problems";
  layout.own_problems = layout.problems;
  layout.reference = root / "reference";
  layout.workers = program.parent_path();
  return layout;
}

}  // namespace

Layout Layout::find(const fs::path& problems_override) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path prefix = program.parent_path().parent_path();
  Layout layout = fs::is_directory(prefix / "share/kgrade/problems", ignored)
                      ? installed(prefix)
                      : built(KGRADE_SOURCE_DIR, program);
  layout.operators = layout.reference;
  layout.emulated_include = prefix / "share/kgrade/emulated";
  layout.launcher = layout.workers / "kgrade-sandbox";
  layout.rewriter = layout.workers / "kgrade-rewrite";
  layout.cudnn_include = KGRADE_CUDNN_INCLUDE;
  layout.cudnn_library = KGRADE_CUDNN_LIBRARY;
  layout.cudnn_version = KGRADE_CUDNN_VERSION;
  std::istringstream companions(KGRADE_CUDNN_COMPANIONS);
  for (std::string file; std::getline(companions, file, ':');) layout.cudnn_companions.emplace_back(file);
  if (problems_override.empty()) return layout;
  layout.problems = problems_override;
  layout.own_problems = problems_override;
  const fs::path neighbour = fs::absolute(problems_override, ignored).lexically_normal() / ".." / "reference";
  if (fs::is_directory(neighbour, ignored)) layout.reference = neighbour.lexically_normal();
  return layout;
}

}  // namespace kgrade
