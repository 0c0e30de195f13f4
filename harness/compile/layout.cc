#include "compile/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> paths_of(const std::string& joined) {
  std::vector<fs::path> paths;
  std::istringstream stream(joined);
  for (std::string path; std::getline(stream, path, ':');) paths.emplace_back(path);
  return paths;
}

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

Layout built(const fs::path& root, const fs::path& program) {
  Layout layout;
  layout.problems = {root / "problems"};
  std::error_code ignored;
  const fs::path here = fs::current_path(ignored).lexically_relative(root);
  const bool is_working_folder_inside = !here.empty() && *here.begin() != "..";
  layout.own_problems = is_working_folder_inside ? root / "problems" : "problems";
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

std::string VendorLibrary::absence() const {
  if (include.empty() || files.empty()) return name + " was not found when kgrade was configured";
  std::vector<fs::path> needed = files;
  needed.push_back(include);
  for (const fs::path& path : needed) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      return fmt::format("kgrade was built with {}, which this machine lacks", path.string());
  }
  return "";
}

std::string VendorLibrary::remedy() const {
  const std::string build = fmt::format(
      "build kgrade from its source where {} is installed (or name its folder with {}=...)", package, option);
  if (include.empty() || files.empty()) return build;
  return fmt::format("install {} in that folder, or {}", package, build);
}

bool VendorLibrary::is_included_by(const fs::path& file) const {
  const std::string beginning = "#include <" + key;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(beginning)) return true;
  }
  return false;
}

std::vector<VendorLibrary> vendor_libraries() {
  return {{"cudnn", "cuDNN", "cuDNN 9 for the CUDA Toolkit", "-DKGRADE_CUDNN_ROOT", KGRADE_CUDNN_VERSION,
           KGRADE_CUDNN_INCLUDE, paths_of(KGRADE_CUDNN_FILES)},
          {"cublas", "cuBLAS", "the CUDA Toolkit's cuBLAS", "-DKGRADE_CUBLAS_ROOT", KGRADE_CUBLAS_VERSION,
           KGRADE_CUBLAS_INCLUDE, paths_of(KGRADE_CUBLAS_FILES)}};
}

}  // namespace kgrade
