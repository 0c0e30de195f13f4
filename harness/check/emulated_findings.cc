#include "check/emulated_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace kgrade {
namespace {

using Places = std::map<std::uint64_t, FindingPlace>;

// The first page of memory is never mapped.
constexpr std::uint64_t null_page_end = 4096;

// Looks up all entries at once, because each look-up starts a process.
Places places_of(const std::vector<FindingEntry>& entries, PlaceFinder* finder, QuotedSource& source) {
  Places places;
  if (finder == nullptr) return places;
  std::vector<std::uint64_t> pcs;
  const auto add = [&pcs](const auto& found) {
    pcs.push_back(found.pc);
    pcs.insert(pcs.end(), std::begin(found.callers), std::end(found.callers));
  };
  for (const FindingEntry& entry : entries) {
    add(entry.access);
    add(entry.other);
    for (const FoundWait& wait : entry.waits) add(wait);
  }
  const auto found = finder->find(pcs);
  for (std::size_t i = 0; i < pcs.size(); ++i) {
    if (found[i]) places.emplace(pcs[i], source.place(*found[i]));
  }
  return places;
}

FindingThread thread_of(const FoundThread& found) {
  FindingThread thread;
  std::copy(std::begin(found.block), std::end(found.block), thread.block.begin());
  std::copy(std::begin(found.thread), std::end(found.thread), thread.thread.begin());
  return thread;
}

class Describer {
 public:
  Describer(const FindingEntry& entry, const Problem& problem, const Places& places)
      : entry_(entry), problem_(problem), places_(places) {}

  std::optional<Finding> finding() {
    finding_.kind = kind_name(entry_.kind);
    finding_.remedy = remedy_for(entry_.kind);
    if (entry_.read_only != 0) {
      finding_.kind = to_string(Verdict::input_modified);
      finding_.remedy = remedy_for(Verdict::input_modified);
    }
    finding_.kernel = entry_.kernel;
    finding_.occurrences = entry_.occurrences;
    finding_.faults = faults();
    finding_.place = place(entry_.access);
    finding_.other_place = place(entry_.other);
    if (!finding_.kernel.empty() && entry_.kind != FindingKind::unjoined_stream)
      finding_.thread = thread_of(entry_.access.by);
    if (entry_.kind == FindingKind::race) {
      finding_.other_thread = thread_of(entry_.other.by);
      if (finding_.thread && finding_.thread->block != finding_.other_thread->block) {
        finding_.remedy =
            "make the accesses atomic, or let one block alone touch the memory: blocks have no order";
      }
    }
    if (entry_.kind == FindingKind::out_of_bounds && is_dynamic_shared()) {
      finding_.remedy =
          "pass as many bytes as the kernel uses as the third launch parameter, <<<grid, block, bytes>>>, or "
          "compare the index with them";
    }
    if (entry_.kind == FindingKind::divergent_barrier && !add_waits()) return std::nullopt;
    finding_.message = sentence();
    return std::move(finding_);
  }

 private:
  // The place of an access or a wait: the innermost call in the candidate's own code.
  template <class Found>
  std::optional<FindingPlace> place(const Found& where) const {
    if (const auto found = places_.find(where.pc); found != places_.end()) return found->second;
    for (const std::uint64_t caller : where.callers) {
      if (const auto found = places_.find(caller); found != places_.end()) return found->second;
    }
    return std::nullopt;
  }

  std::string sentence() const {
    switch (entry_.kind) {
      case FindingKind::out_of_bounds:
        return out_of_bounds();
      case FindingKind::invalid_address:
        if (entry_.address < null_page_end) return access() + " through a null pointer";
        return access() + " at an address that is no device memory";
      case FindingKind::uninitialized_read:
        return fmt::format("{} of {} that was never written{}", access(), object(), allocated_at());
      case FindingKind::race:
        return race();
      case FindingKind::misaligned_access:
        return fmt::format("{} at an address that is no multiple of {}", access(), entry_.bytes);
      case FindingKind::divergent_barrier:
        return barrier();
      case FindingKind::warp_mask:
        return fmt::format("the mask {:#010x} leaves out the calling thread, or a lane that is read",
                           entry_.waits[0].mask);
      case FindingKind::leak:
        return fmt::format("{} bytes that are allocated here stay allocated after every call", entry_.bytes);
      case FindingKind::host_access:
        return fmt::format("host code {} of {}, which is device memory", access(), object());
      case FindingKind::unjoined_stream:
        return fmt::format("{} in a stream that nothing joins before solution() returns",
                           entry_.kernel[0] != '\0' ? "a launch" : "a copy or a memset");
    }
    return "";
  }

  bool faults() const {
    return entry_.kind == FindingKind::host_access || entry_.kind == FindingKind::invalid_address ||
           (entry_.kind == FindingKind::misaligned_access && entry_.is_reference == 0);
  }

  std::string access() const {
    const char* verb = entry_.access.atomic != 0 ? "updates" : entry_.access.write != 0 ? "writes" : "reads";
    return fmt::format("{} {}", verb, counted(entry_.bytes, "byte"));
  }

  bool is_dynamic_shared() const {
    return entry_.space == MemorySpace::shared && std::string_view(entry_.object) == dynamic_shared_object;
  }

  // "`input` (4096 bytes)".
  std::string object() const {
    const auto parameter = static_cast<std::size_t>(entry_.parameter);
    if (is_dynamic_shared()) {
      return fmt::format("dynamic shared memory (the launch asks for {})",
                         counted(entry_.object_bytes, "byte"));
    }
    std::string name;
    if (entry_.parameter >= 0 && parameter < problem_.parameters.size()) {
      name = fmt::format("`{}`", problem_.parameters[parameter].name);
    } else if (entry_.object[0] != '\0') {
      name = fmt::format("{}`{}`", entry_.space == MemorySpace::shared ? "shared " : "", entry_.object);
    } else {
      name = entry_.space == MemorySpace::shared ? "shared memory" : "an allocation";
    }
    return entry_.object_bytes > 0 ? fmt::format("{} ({} bytes)", name, entry_.object_bytes) : name;
  }

  // Where the candidate allocated the memory, if it did so itself.
  std::string allocated_at() const {
    if (!finding_.other_place) return "";
    return fmt::format(", allocated at {}", place_name(*finding_.other_place));
  }

  std::string out_of_bounds() const {
    if (entry_.read_only != 0) return fmt::format("{} of {}, which may only be read", access(), object());
    if (entry_.outside > 0) {
      return fmt::format("{}, {} of them {} {}{}", access(), entry_.outside,
                         entry_.distance < 0 ? "before the start of" : "past the end of", object(),
                         allocated_at());
    }
    return fmt::format("{}, {}{}", access(), distance_text(entry_.distance, object()), allocated_at());
  }

  std::string race() const {
    const FindingThread earlier = *finding_.other_thread;
    const bool same_block = !finding_.thread || finding_.thread->block == earlier.block;
    std::string who = "thread " + coordinates_text(earlier.thread);
    if (!same_block) who = fmt::format("block {}, {}", coordinates_text(earlier.block), who);
    std::string where;
    if (finding_.other_place) {
      const bool here = finding_.place && finding_.place->is_at(*finding_.other_place);
      where = here ? " here too," : fmt::format(" at {}", place_name(*finding_.other_place));
    }
    const char* did = entry_.other.atomic != 0 ? "updated" : entry_.other.write != 0 ? "wrote" : "read";
    return fmt::format("{} of {}: {} {} it{} with {} between", access(), object(), who, did, where,
                       same_block ? "no barrier" : "nothing that orders blocks");
  }

  // False if all threads of the block wait at a barrier in the same line.
  bool add_waits() {
    finding_.exited = entry_.exited;
    for (const FoundWait& found : entry_.waits) {
      if (found.threads == 0) break;
      FindingWait wait;
      wait.place = place(found);
      wait.barrier = found.barrier != 0;
      wait.threads = found.threads;
      std::copy(std::begin(found.first), std::end(found.first), wait.first.begin());
      wait.mask = found.mask;
      finding_.waits.push_back(wait);
    }
    return finding_.waits.size() < 2 || !all_at_one_barrier();
  }

  bool all_at_one_barrier() const {
    const FindingWait& first = finding_.waits.front();
    return std::all_of(finding_.waits.begin(), finding_.waits.end(), [&](const FindingWait& wait) {
      return wait.barrier && wait.place && first.place && wait.place->is_at(*first.place);
    });
  }

  static std::string wait_text(const FindingWait& wait) {
    const std::string where = wait.place ? " at " + place_name(*wait.place) : "";
    const std::string what =
        wait.barrier ? "__syncthreads" : fmt::format("a warp operation, mask {:#010x}", wait.mask);
    return fmt::format("{} {}{} ({}), first {}", counted(wait.threads, "thread"),
                       wait.threads == 1 ? "waits" : "wait", where, what, coordinates_text(wait.first));
  }

  std::string barrier() const {
    std::string text;
    if (finding_.waits.size() > 1) text = "threads of one block wait at different places: ";
    for (std::size_t i = 0; i < finding_.waits.size(); ++i) {
      text += (i > 0 ? "; " : "") + wait_text(finding_.waits[i]);
    }
    if (text.empty()) text = "threads of one block wait for each other";
    if (entry_.exited > 0) {
      text += fmt::format("; {} {} returned", entry_.exited, entry_.exited == 1 ? "has" : "have");
    }
    return text;
  }

  const FindingEntry& entry_;
  const Problem& problem_;
  const Places& places_;
  Finding finding_;
};

}  // namespace

std::vector<Finding> findings_of(const std::vector<FindingEntry>& entries, const Problem& problem,
                                 PlaceFinder* places, QuotedSource& source) {
  const Places known = places_of(entries, places, source);
  std::vector<Finding> findings;
  for (const FindingEntry& entry : entries) {
    if (auto finding = Describer(entry, problem, known).finding()) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace kgrade
