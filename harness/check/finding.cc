#include "check/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t longest_quote = 160;

bool same_place(const std::optional<FindingPlace>& a, const std::optional<FindingPlace>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->is_at(*b);
}

bool are_equal(const Finding& a, const Finding& b) {
  if (a.kind != b.kind) return false;
  if (!a.place && !b.place && a.kernel != b.kernel) return false;
  if (a.kind != "race") return same_place(a.place, b.place);
  // The order of threads decides which of the two accesses comes first.
  return (same_place(a.place, b.place) && same_place(a.other_place, b.other_place)) ||
         (same_place(a.place, b.other_place) && same_place(a.other_place, b.place));
}

std::set<std::string_view> kinds_that_explain(Verdict seen) {
  switch (seen) {
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
      return {"out_of_bounds"};
    case Verdict::runtime_error:
      return {"out_of_bounds",     "invalid_address", "misaligned_access",
              "divergent_barrier", "warp_mask",       "host_access"};
    case Verdict::time_limit:
      return {"divergent_barrier", "warp_mask"};
    case Verdict::memory_limit:
      return {"leak"};
    case Verdict::accepted:
    case Verdict::wrong_answer:
    case Verdict::low_precision:
    case Verdict::compile_error:
    case Verdict::signature_mismatch:
    case Verdict::unstable:
    case Verdict::cheating:
    case Verdict::unsupported:
      break;
  }
  return {};
}

}  // namespace

std::string_view kind_name(FindingKind kind) {
  constexpr std::array<std::string_view, last_finding_kind> names = {
      "out_of_bounds",     "invalid_address",   "uninitialized_read", "race",
      "misaligned_access", "divergent_barrier", "warp_mask",          "leak",
      "host_access",       "unjoined_stream"};
  return names[static_cast<std::size_t>(kind) - 1];
}

std::string_view remedy_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "compare the index with the extent before the access";
    case FindingKind::invalid_address:
      return "a pointer of the host's, one that was freed, or an index far out of bounds: kernels may touch "
             "only "
             "device memory (cudaMalloc, or what solution() is given)";
    case FindingKind::uninitialized_read:
      return "write the memory before it is read: neither outputs nor new allocations hold zeros";
    case FindingKind::race:
      return "put a __syncthreads() between the two accesses, or make them atomic";
    case FindingKind::misaligned_access:
      return "a vector access needs an address that is a multiple of its size: use it at aligned offsets "
             "only";
    case FindingKind::divergent_barrier:
      return "let every thread of the block reach the same barrier: take it out of the branch, loop or "
             "return";
    case FindingKind::warp_mask:
      return "name exactly the lanes that take part, the calling one included; __activemask() is no answer";
    case FindingKind::leak:
      return "free it before solution() returns, or allocate it once and keep it";
    case FindingKind::host_access:
      return "copy it with cudaMemcpy first: the host cannot read or write device memory";
    case FindingKind::unjoined_stream:
      return "let the default stream wait for it (cudaEventRecord, cudaStreamWaitEvent) before solution() "
             "returns, or launch in the default stream";
  }
  return "";
}

std::string_view remedy_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::wrong_answer:
      return "look at the arithmetic and the indices if nothing else was found: `kgrade grade` shows wrong "
             "elements, and what the failed cases have in common";
    case Verdict::low_precision:
      return "`kgrade grade` says how large the error is on every case";
    case Verdict::time_limit:
      return "look for a loop that never ends; checked runs are slow, too: --time-limit SECONDS allows more";
    case Verdict::out_of_bounds:
      return remedy_for(FindingKind::out_of_bounds);
    case Verdict::memory_limit:
      return "allocate less, and free what is allocated";
    case Verdict::input_modified:
      return "inputs are const: write to outputs and to memory of your own";
    case Verdict::accepted:
    case Verdict::compile_error:
    case Verdict::signature_mismatch:
    case Verdict::runtime_error:
    case Verdict::unstable:
    case Verdict::cheating:
    case Verdict::unsupported:
      break;
  }
  return "";
}

std::string distance_text(std::int64_t distance, const std::string& object) {
  if (distance == 0) return fmt::format("just past the end of {}", object);
  const auto beyond = static_cast<std::uint64_t>(distance);
  if (distance > 0) return fmt::format("{} past the end of {}", counted(beyond, "byte"), object);
  return fmt::format("{} before the start of {}", counted(-beyond, "byte"), object);
}

std::string coordinates_text(const std::array<std::uint32_t, 3>& at) {
  return fmt::format("({},{},{})", at[0], at[1], at[2]);
}

std::string place_name(const FindingPlace& place) {
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

std::string QuotedSource::line(const std::string& file, int number) {
  auto known = files_.find(file);
  if (known == files_.end()) {
    known = files_.emplace(file, std::vector<std::string>()).first;
    const auto content = read_text_file(file);
    std::istringstream stream(content ? *content : "");
    for (std::string line; std::getline(stream, line);) known->second.push_back(std::move(line));
  }
  const std::vector<std::string>& lines = known->second;
  if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
  std::string text(trimmed(lines[static_cast<std::size_t>(number) - 1]));
  if (text.size() > longest_quote) text = text.substr(0, longest_quote) + " ...";
  return text;
}

void FindingList::add(Finding finding, const std::string& case_name, const std::string& pass) {
  const auto known = std::find_if(findings_.begin(), findings_.end(),
                                  [&](const Finding& other) { return are_equal(other, finding); });
  if (known == findings_.end()) {
    finding.first_case = case_name;
    finding.passes = {pass};
    findings_.push_back(std::move(finding));
    return;
  }
  known->occurrences += finding.occurrences;
  known->faults = known->faults || finding.faults;
  if (std::find(known->passes.begin(), known->passes.end(), pass) == known->passes.end()) {
    known->passes.push_back(pass);
  }
}

std::vector<Finding> FindingList::findings() const {
  std::vector<Finding> sorted = findings_;
  // Wrong addresses and barriers come before what may follow from them: a stray index races with other
  // threads.
  constexpr std::array<std::string_view, 6> causes = {"out_of_bounds",     "invalid_address",
                                                      "misaligned_access", "divergent_barrier",
                                                      "warp_mask",         "host_access"};
  std::stable_partition(sorted.begin(), sorted.end(), [&](const Finding& finding) {
    return std::find(causes.begin(), causes.end(), finding.kind) != causes.end();
  });
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const Finding& finding) { return finding.place.has_value(); });
  return sorted;
}

bool explains(const std::vector<Finding>& evidence, Verdict seen) {
  const auto kinds = kinds_that_explain(seen);
  return std::any_of(evidence.begin(), evidence.end(),
                     [&](const Finding& finding) { return kinds.contains(finding.kind); });
}

}  // namespace kgrade
