#include "compile/layout.h"

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;

fs::path Layout::reference_source(const Problem& problem) const {
  if (problem.has_model()) return model_source(problem);
  std::error_code ignored;
  const fs::path folder = fs::absolute(problem.path, ignored).lexically_normal().parent_path().parent_path();
  const fs::path own = problem.source_slug() + ".cu";
  const fs::path of_family = fs::path("families") / (problem.family + ".cu");
  for (const fs::path& references : {folder / "reference", reference, operators}) {
    if (fs::exists(references / own, ignored)) return references / own;
    if (!problem.family.empty() && fs::exists(references / of_family, ignored)) return references / of_family;
  }
  return folder / "reference" / own;
}

fs::path Layout::model_source(const Problem& problem) {
  return problem.path.parent_path() / problem.reference;
}

fs::path Layout::reference_folder(const fs::path& source) {
  const fs::path folder = source.parent_path();
  return folder.filename() == "families" ? folder.parent_path() : folder;
}

std::vector<fs::path> Layout::reference_folders(const fs::path& first) const {
  std::vector<fs::path> folders = {resolved(first)};
  const fs::path shipped = resolved(operators);
  if (!operators.empty() && shipped != folders.front()) folders.push_back(shipped);
  return folders;
}

std::vector<fs::path> Layout::hidden_from_candidates() const {
  std::vector<fs::path> hidden = reference_folders(reference);
  for (const fs::path& folder : problems) {
    const fs::path resolved_folder = resolved(folder);
    const fs::path parent = resolved_folder.parent_path();
    hidden.insert(hidden.end(), {resolved_folder, parent / "solutions"});
    if (std::find(hidden.begin(), hidden.end(), parent / "reference") == hidden.end())
      hidden.push_back(parent / "reference");
  }
  return hidden;
}

namespace {

// The layout of an installation by cmake/KgradeInstall.cmake: bin/, libexec/kgrade/, share/kgrade/.
Layout installed(const fs::path& prefix) {
  const fs::path share = prefix / "share/kgrade";
  Layout layout;
  layout.problems = {share / "problems"};
  layout.own_problems = "problems";
  layout.reference = share / "reference";
  layout.share = share;
  layout.python = share / "python";
  layout.documents = prefix / "share/doc/kgrade";
  layout.workers = prefix / "libexec/kgrade";
  return layout;
}

bool is_working_folder_in(const fs::path& root) {
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored).lexically_relative(root);
  return !here.empty() && *here.begin() != "..";
}

Layout built(const fs::path& root, const fs::path& program) {
  Layout layout;
  layout.problems = {root / "problems"};
  layout.own_problems = is_working_folder_in(root) ? root / "problems" : "problems";
  layout.reference = root / "reference";
  layout.share = KGRADE_SHARE;
  layout.python = root / "harness/python";
  layout.documents = root;
  layout.workers = program.parent_path();
  return layout;
}

// Puts `more` and the folders in the working folder before the folders that come with kgrade.
void put_first(const fs::path& more, Layout& layout) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  if (!more.empty()) folders.push_back(more);
  if (fs::is_directory("problems", ignored)) folders.emplace_back("problems");
  if (!folders.empty()) layout.own_problems = folders.front();
  folders.push_back(layout.problems.front());
  layout.problems.clear();
  for (const fs::path& folder : folders) {
    const bool known =
        std::any_of(layout.problems.begin(), layout.problems.end(),
                    [&](const fs::path& other) { return fs::equivalent(other, folder, ignored); });
    if (!known) layout.problems.push_back(folder);
  }
  if (fs::is_directory("solutions", ignored)) layout.solutions = "solutions";
  std::vector<fs::path> references = {fs::absolute("reference", ignored)};
  if (!more.empty()) references.insert(references.begin(), fs::absolute(more, ignored) / ".." / "reference");
  for (const fs::path& folder : references) {
    if (!fs::is_directory(folder, ignored)) continue;
    if (!fs::equivalent(folder, layout.reference, ignored)) layout.reference = folder.lexically_normal();
    break;
  }
}

}  // namespace

Layout Layout::find(const fs::path& more_problems) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path prefix = program.parent_path().parent_path();
  Layout layout = fs::is_directory(prefix / "share/kgrade/problems", ignored)
                      ? installed(prefix)
                      : built(KGRADE_SOURCE_DIR, program);
  layout.operators = layout.reference;
  layout.launcher = layout.workers / "kgrade-sandbox";
  put_first(more_problems, layout);
  return layout;
}

}  // namespace kgrade
