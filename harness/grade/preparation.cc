#include "grade/preparation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "contest/lease.h"
#include "grade/contestants.h"

namespace kgrade {
namespace {

std::vector<std::string> case_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const CaseSpec& spec : problem.cases) names.push_back(spec.name);
  return names;
}

// What a compiler quotes stands in records. A link may come with a candidate from anywhere and name any file
// of the user's.
bool leads_to_no_source(const std::filesystem::path& path) {
  std::error_code failure;
  if (!std::filesystem::is_symlink(path, failure)) return false;
  const std::filesystem::path target = std::filesystem::canonical(path, failure);
  return failure || target.extension() != ".cu";
}

Result<CandidateSource> read_candidate(const std::filesystem::path& path, const Layout& layout) {
  const auto content = read_text_file(path);
  if (!content) {
    Error error = content.error();
    error.message = "candidate: " + error.message;
    if (error.remedy.empty()) error.remedy = "check the path; solutions/ has examples";
    return error;
  }
  if (path.string().find_first_of("\"\\\n") != std::string::npos) {
    return Error{"a candidate's path may not hold quotes, backslashes or line breaks",
                 "rename it",
                 {path.string(), 0, 0}};
  }
  if (leads_to_no_source(path)) {
    return Error{"candidate: is a link to something that is no .cu file",
                 "name the file itself",
                 {path.string(), 0, 0}};
  }
  auto hash = hash_of_candidate(path, layout);
  if (!hash) return hash.errors();
  return CandidateSource{path, std::move(*hash)};
}

// A hidden case stands nowhere.
Location place_of(const Problem& problem, const std::string& name) {
  const CaseSpec* const found = problem.find_case(name);
  return found != nullptr ? found->location : Location{problem.path.string(), 0, 0};
}

}  // namespace

Result<std::vector<CandidateSource>> read_candidates(const std::vector<std::filesystem::path>& paths,
                                                     const Layout& layout) {
  if (paths.empty()) return Error{"no candidate given", "name one or more .cu files", {}};
  std::vector<CandidateSource> sources;
  Errors errors;
  for (const auto& path : paths) {
    auto source = read_candidate(path, layout);
    if (source) {
      sources.push_back(std::move(*source));
    } else {
      errors.push_back(source.error());
    }
  }
  if (!errors.empty()) return errors;
  return sources;
}

bool is_unchanged(const CandidateSource& source, const Layout& layout) {
  const auto now = read_candidate(source.path, layout);
  return now && now->sha256 == source.sha256;
}

Error unknown_case(const Problem& problem, const std::string& name) {
  const auto near = nearest(name, case_names(problem));
  return {fmt::format("problem '{}' has no case '{}'", problem.slug, name),
          near ? fmt::format("did you mean '{}'?", *near)
               : fmt::format("its cases are: {}", fmt::join(case_names(problem), ", ")),
          {}};
}

Result<std::vector<PlannedCase>> select_cases(const Problem& problem, const std::vector<std::string>& names,
                                              bool measures_speed) {
  std::vector<PlannedCase> planned;
  Errors errors;
  for (const std::string& name : names) {
    if (problem.find_case(name) == nullptr) errors.push_back(unknown_case(problem, name));
  }
  for (const CaseSpec& spec : problem.cases) {
    if (!names.empty() && std::count(names.begin(), names.end(), spec.name) == 0) continue;
    auto bound = resolve_case(problem, spec);
    if (!bound) {
      errors.insert(errors.end(), bound.errors().begin(), bound.errors().end());
      continue;
    }
    const bool too_slow = !measures_speed && spec.role == CaseRole::bench && names.empty();
    planned.push_back(
        {std::move(*bound),
         too_slow ? fmt::format("sized for a GPU; --case {} runs it all the same", spec.name) : ""});
  }
  if (!errors.empty()) return errors;
  return planned;
}

Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device) {
  Errors errors;
  const std::uint64_t free = device.free_bytes();
  for (const PlannedCase& planned : cases) {
    const std::uint64_t needed = Lease::bytes_needed(planned.bound, Dtype::float32) +
                                 2 * Lease::bytes_needed(planned.bound, planned.bound.dtype);
    if (!planned.skipped.empty() || needed <= free) continue;
    errors.push_back(
        {fmt::format("case '{}' needs {} for oracle, reference and candidate, {} has {} free",
                     planned.bound.name, format_bytes(needed), device.info().name, format_bytes(free)),
         "choose smaller cases with --case", place_of(problem, planned.bound.name)});
  }
  return errors;
}

std::string hash_of_reference(const std::filesystem::path& source) {
  std::vector<std::filesystem::path> files = {source};
  std::error_code ignored;
  const std::filesystem::path operators = Layout::reference_folder(source) / "ops";
  for (const auto& entry : std::filesystem::directory_iterator(operators, ignored)) {
    if (entry.path().extension() == ".cuh") files.push_back(entry.path());
  }
  std::sort(files.begin() + 1, files.end());
  std::string all;
  for (const auto& file : files) {
    if (const auto content = read_text_file(file)) all += *content;
  }
  return sha256_hex(all);
}

}  // namespace kgrade
