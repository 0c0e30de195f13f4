#include "check/finding_words.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/text.h"

namespace kgrade {

std::string_view kind_name(FindingKind kind) {
  constexpr std::array<std::string_view, last_finding_kind> names = {
      "out_of_bounds",     "invalid_address",   "uninitialized_read", "race",
      "misaligned_access", "divergent_barrier", "warp_mask",          "leak",
      "host_access"};
  return names[static_cast<std::size_t>(kind) - 1];
}

std::string_view remedy_for(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "compare the index with the extent before the access: the last block is rarely full";
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
  }
  return "";
}

std::string_view remedy_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::wrong_answer:
    case Verdict::low_precision:
      return "`kgrade grade` says how the answer differs on every case";
    case Verdict::time_limit:
      return "look for a loop that never ends; checked runs are slow, too: --time-limit SECONDS allows more";
    case Verdict::out_of_bounds:
      return remedy_for(FindingKind::out_of_bounds);
    case Verdict::memory_limit:
      return "allocate less, and free what is allocated";
    case Verdict::input_modified:
      return "inputs are const: write to outputs and to memory of your own";
    default:
      return "";
  }
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

}  // namespace kgrade
