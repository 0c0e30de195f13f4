#include "device/emulated/checker/checker.h"

#include <algorithm>
#include <cstring>

namespace kgrade_emulated {
namespace {

using kgrade::FindingEntry;
using kgrade::FindingKind;
using kgrade::MemorySpace;

bool same_access(const kgrade::FoundAccess& a, const kgrade::FoundAccess& b) {
  return a.pc == b.pc && std::equal(std::begin(a.callers), std::end(a.callers), std::begin(b.callers));
}

bool same_place(const FindingEntry& a, const FindingEntry& b) {
  return a.kind == b.kind && same_access(a.access, b.access) && same_access(a.other, b.other) &&
         a.access.write == b.access.write &&
         std::equal(std::begin(a.waits), std::end(a.waits), std::begin(b.waits),
                    [](const auto& x, const auto& y) { return x.pc == y.pc; });
}

bool is_about(const FindingEntry& entry, kgrade::FindingKind kind, std::uint64_t pc) {
  return entry.kind == kind && (entry.access.pc == pc || entry.other.pc == pc);
}

// Copies as much of the text as fits, with a zero at the end.
void set_text(char* target, std::size_t bytes, std::string_view text) {
  const std::size_t count = std::min(text.size(), bytes - 1);
  std::memcpy(target, text.data(), count);
  target[count] = '\0';
}

}  // namespace

std::uint32_t CallChains::enter(std::uint32_t chain, std::uint32_t caller) {
  const auto [known, is_new] =
      known_.try_emplace(std::uint64_t{chain} << 32 | caller, static_cast<std::uint32_t>(calls_.size()));
  if (is_new) calls_.push_back({caller, chain});
  return known->second;
}

void CallChains::callers(std::uint32_t chain, std::uint64_t* target, std::size_t count) const {
  for (std::size_t i = 0; i < count && chain != none; ++i) {
    target[i] = calls_[chain].caller;
    chain = calls_[chain].outer;
  }
}

void BookWriter::write(const FindingEntry& entry) {
  FindingEntry* const end = book_.entries + book_.count;
  FindingEntry* const known =
      std::find_if(book_.entries, end, [&](const FindingEntry& other) { return same_place(other, entry); });
  if (known != end) {
    ++known->occurrences;
  } else if (book_.count < kgrade::most_findings) {
    *end = entry;
    ++book_.count;  // after the entry, so that a reader sees only whole entries
  } else {
    ++book_.dropped;
  }
}

bool BookWriter::has(const FindingEntry& entry) const {
  return std::any_of(book_.entries, book_.entries + book_.count,
                     [&](const FindingEntry& other) { return same_place(other, entry); });
}

bool BookWriter::has(kgrade::FindingKind kind, std::uint64_t pc) const {
  return std::any_of(book_.entries, book_.entries + book_.count,
                     [&](const FindingEntry& entry) { return is_about(entry, kind, pc); });
}

void BookWriter::drop(kgrade::FindingKind kind, std::uint64_t pc) {
  FindingEntry* const end = book_.entries + book_.count;
  FindingEntry* const kept = std::remove_if(
      book_.entries, end, [&](const FindingEntry& entry) { return is_about(entry, kind, pc); });
  book_.count = static_cast<std::uint32_t>(kept - book_.entries);
}

void Checker::set_library(const void* address, std::uint64_t number) {
  if (number >= kgrade::most_libraries) return;
  const LoadedFile library = loaded_file_of(address);
  if (libraries_.size() <= number) libraries_.resize(number + 1);
  libraries_[number] = library;
  process_.refresh();
  // The variables of the library's file are one region. The bounds of each variable are unknown, but races
  // between threads are found.
  auto data = std::make_unique<Region>(library.data_begin, library.data_end - library.data_begin);
  data->host_may_touch = true;
  regions_.add(std::move(data));
}

std::uint64_t Checker::offset_of(const void* pc) const {
  for (std::size_t i = 0; i < libraries_.size(); ++i) {
    if (number(pc) < libraries_[i].begin || number(pc) >= libraries_[i].end) continue;
    return std::uint64_t{i} << kgrade::library_shift | (number(pc) - libraries_[i].base);
  }
  return 0;
}

void Checker::access(const Access& access) {
  settle_pending();
  if (access.bytes == 0) return;
  if (!in_kernel()) return access_on_host(access);
  if (provokes_) paths_[thread_].add(access.pc);
  Region* const region = regions_.find(access.address);
  if (region == nullptr) return access_outside(access);
  const bool waits_for_others = access.is_volatile && region->space == MemorySpace::global;
  if (access.atomic) settle_guess(thread_, access.address);
  if (access.atomic || waits_for_others) {
    ordering_.synchronising_access(thread_, access.address, access.atomic || !access.write, access.write);
  }
  if (counts_) count(*region, access);
  access_in(*region, access);
}

// Counts an access by its offset in the region, since the place of a tensor in its buffer is not as aligned
// as one that cudaMalloc() returns.
void Checker::count(const Region& region, const Access& access) {
  const bool shared = region.space == MemorySpace::shared;
  if (!shared && region.space != MemorySpace::global) return;
  counts_->note({region.begin, access.address - region.begin, access.bytes, shared, access.write,
                 access.atomic, offset_of(access.pc), chain_, thread_});
}

void Checker::access_on_host(const Access& access) {
  Region* const region = regions_.find(access.address);
  if (region == nullptr || region->space == MemorySpace::shared) return;
  if (access.write) region->mark_written(access.address, access.bytes);
  if (region->host_may_touch) return;
  FindingEntry found = entry(FindingKind::host_access, access);
  describe(found, *region);
  writer_.write(found);
}

void Checker::access_in(Region& region, const Access& access) {
  const std::uintptr_t end = std::min(access.end(), region.end);
  if (access.end() > region.end || (access.write && !region.writable)) {
    FindingEntry found = entry(FindingKind::out_of_bounds, access);
    describe(found, region);
    if (access.end() <= region.end) {
      found.read_only = 1;
    } else {
      found.outside = static_cast<std::uint32_t>(access.end() - region.end);
    }
    writer_.write(found);
  }
  if (access.write) {
    region.mark_written(access.address, end - access.address);
  } else if (region.is_unwritten(access.address, end - access.address) &&
             !writer_.has(FindingKind::race, offset_of(access.pc))) {
    FindingEntry found = entry(FindingKind::uninitialized_read, access);
    describe(found, region);
    writer_.write(found);
  }
  note_history(region, access);
}

void Checker::access_outside(const Access& access) {
  if (process_.holds(access.address, access.write)) return;
  const Region* const region = regions_.near(access.address);
  if (region == nullptr && may_be_a_frameworks(access)) return;
  const auto kind = region != nullptr ? FindingKind::out_of_bounds : FindingKind::invalid_address;
  if (!writer_.has(kind, offset_of(access.pc))) {
    process_.refresh();  // thread-local variables of a library exist only after the first access to them
    if (process_.holds(access.address, access.write)) return;
  }
  FindingEntry found = entry(kind, access);
  if (region != nullptr) {
    describe(found, *region);
    found.distance = access.address >= region->end
                         ? static_cast<std::int64_t>(access.address - region->end)
                         : -static_cast<std::int64_t>(region->begin - access.address);
    if (access.address < region->begin && access.end() > region->begin)
      found.outside = static_cast<std::uint32_t>(region->begin - access.address);
  }
  writer_.write(found);
}

// Whether the access may be to memory of a framework, whose address the kernel may have received as a number.
// Unmapped memory, such as the null page, belongs to no framework, and no kernel may write to the host's
// stack.
bool Checker::may_be_a_frameworks(const Access& access) {
  if (!shares_process_) return false;
  if (access.write && process_.is_on_host_stack(access.address)) return false;
  return readable_.holds(access.address);
}

void Checker::note_history(Region& region, const Access& access) {
  if (!region.writable) return;  // no writes: no race
  Stamp stamp = ordering_.stamp(thread_);
  stamp.write = access.write;
  stamp.atomic = access.atomic || (access.is_volatile && region.space == MemorySpace::global);
  stamp.pc = short_pc(access.pc);
  stamp.chain = chain_;
  const std::size_t bytes = std::min<std::uintptr_t>(access.end(), region.end) - access.address;
  if (!access.write && !access.atomic) settle_guess(thread_);
  const auto earlier = region.history.note(access.address - region.begin, bytes, stamp, ordering_);
  if (provokes_) keep_overwritten(access, stamp);
  if (!earlier) return;
  if (provokes_) lend_old_value(access, *earlier);
  Race race{access, *earlier, thread_, chain_, {}};
  if (!access.write && earlier->atomic) {
    guesses_[thread_] = race;
    return;
  }
  const bool both_write = access.write && earlier->write && !access.atomic && !earlier->atomic;
  if (!both_write || bytes > sizeof race.before) return report_race(race, region);
  std::memcpy(race.before, reinterpret_cast<const void*>(access.address), bytes);
  pending_ = race;
}

void Checker::Path::add(const void* pc) {
  const std::uint64_t before = hashes[steps % kept];
  steps += 1;
  // The formula of boost::hash_combine, with the golden ratio of 64 bits.
  hashes[steps % kept] = before ^ (number(pc) + 0x9e3779b97f4a7c15 + (before << 6) + (before >> 2));
}

bool Checker::Path::is_just_behind(const Path& other) const {
  return other.steps > steps && other.steps - steps < kept &&
         other.hashes[steps % kept] == hashes[steps % kept];
}

void Checker::keep_overwritten(const Access& access, const Stamp& stamp) {
  if (!access.write || access.atomic || access.is_volatile || access.bytes > sizeof(Overwritten::before)) {
    if (access.write) overwritten_.erase(access.address);
    return;
  }
  Overwritten& kept = overwritten_[access.address];
  kept = {stamp, access.bytes, paths_[thread_], {}, {}};
  std::memcpy(kept.before, reinterpret_cast<const void*>(access.address), access.bytes);
}

void Checker::lend_old_value(const Access& access, const Stamp& earlier) {
  if (access.write || access.atomic || access.is_volatile || earlier.atomic || !earlier.write) return;
  const auto found = overwritten_.find(access.address);
  if (found == overwritten_.end()) return;
  Overwritten& kept = found->second;
  const bool is_it = kept.bytes == access.bytes && kept.by.when == earlier.when &&
                     kept.by.block == earlier.block && kept.by.thread == earlier.thread;
  const std::uint64_t me = std::uint64_t{block_} << 32 | thread_;
  const bool has_seen = std::find(kept.seen_by.begin(), kept.seen_by.end(), me) != kept.seen_by.end();
  if (!is_it || has_seen) return;
  constexpr unsigned int lanes = Ordering::lanes_per_warp;
  const bool same_warp = earlier.block == block_ && earlier.thread / lanes == thread_ / lanes;
  if (same_warp && !paths_[thread_].is_just_behind(kept.path)) return;
  kept.seen_by.push_back(me);
  Lent& lent = lent_.emplace(Lent{access.address, access.bytes, {}});
  void* const memory = reinterpret_cast<void*>(access.address);
  std::memcpy(lent.present, memory, lent.bytes);
  std::memcpy(memory, kept.before, lent.bytes);
}

void Checker::take_back_old_value() {
  if (!lent_) return;
  std::memcpy(reinterpret_cast<void*>(lent_->address), lent_->present, lent_->bytes);
  lent_.reset();
}

// A loop of atomicCAS() begins with a plain read, which may race with atomic writes. The value that was read
// is a guess, which the next atomicCAS() checks. So the race is reported unless the thread's next read or
// atomic access is such a check.
void Checker::settle_guess(unsigned int thread, std::uintptr_t confirmed) {
  if (thread >= guesses_.size() || !guesses_[thread]) return;
  const Race race = *guesses_[thread];
  guesses_[thread].reset();
  if (race.access.address == confirmed) return;
  if (const Region* const region = regions_.find(race.access.address)) report_race(race, *region);
}

void Checker::settle_guesses() {
  for (unsigned int thread = 0; thread < guesses_.size(); ++thread) settle_guess(thread);
}

// Reports a race of two writes, unless both wrote the same value. Such writes do no harm, and programs make
// them on purpose (many threads set one flag).
void Checker::settle_pending() {
  take_back_old_value();
  if (!pending_) return;
  const Race race = *pending_;
  pending_.reset();
  Region* const region = regions_.find(race.access.address);
  if (region == nullptr) return;
  const std::size_t bytes = std::min(race.access.end(), region->end) - race.access.address;
  if (std::memcmp(race.before, reinterpret_cast<const void*>(race.access.address), bytes) == 0) return;
  report_race(race, *region);
}

void Checker::report_race(const Race& race, const Region& region) {
  FindingEntry found = entry(FindingKind::race, race.access);
  found.access.by = found_thread(block_, race.thread);
  chains_.callers(race.chain, found.access.callers, kgrade::most_callers);
  describe(found, region);
  found.other = {};
  found.other.pc = race.earlier.pc;
  chains_.callers(race.earlier.chain, found.other.callers, kgrade::most_callers);
  found.other.write = race.earlier.write ? 1 : 0;
  found.other.atomic = race.earlier.atomic ? 1 : 0;
  found.other.by = found_thread(race.earlier.block, race.earlier.thread);
  // If a race let a read come before the write, the uninitialized read is not a separate finding.
  for (const std::uint64_t pc : {found.access.pc, found.other.pc}) {
    writer_.drop(FindingKind::uninitialized_read, pc);
  }
  writer_.write(found);
}

FindingEntry Checker::entry(FindingKind kind, const Access& access) const {
  FindingEntry found;
  found.kind = kind;
  found.address = access.address;
  found.bytes = access.bytes;
  found.access.pc = offset_of(access.pc);
  chains_.callers(chain_, found.access.callers, kgrade::most_callers);
  found.access.write = access.write ? 1 : 0;
  found.access.atomic = access.atomic ? 1 : 0;
  if (in_kernel()) found.access.by = found_thread(block_, thread_);
  set_text(found.kernel, sizeof found.kernel, kernel_);
  return found;
}

kgrade::FoundThread Checker::found_thread(unsigned int block, unsigned int thread) const {
  kgrade::FoundThread found;
  const auto split = [](std::uint32_t(&target)[3], unsigned int number, dim3 extent) {
    target[0] = number % extent.x;
    target[1] = number / extent.x % extent.y;
    target[2] = number / extent.x / extent.y;
  };
  split(found.block, block, grid_);
  split(found.thread, thread, block_extent_);
  return found;
}

void Checker::describe(FindingEntry& entry, const Region& region) const {
  entry.space = region.space;
  entry.parameter = region.parameter;
  entry.object_bytes = region.bytes();
  if (entry.kind == FindingKind::out_of_bounds || region.parameter >= 0) entry.other.pc = region.pc;
  set_text(entry.object, sizeof entry.object, region.name);
}

void Checker::fence() {
  settle_pending();
  if (in_kernel()) ordering_.fence(thread_);
}

void Checker::misaligned(const void* pointer, std::size_t alignment, bool write, bool is_reference,
                         const void* pc) {
  settle_pending();
  if (!in_kernel()) return;
  Access access{number(pointer), static_cast<std::uint32_t>(alignment), write, false, false, pc};
  FindingEntry found = entry(FindingKind::misaligned_access, access);
  const Region* const region = regions_.find(access.address);
  // A thread's own variables are not reported, because nvcc aligns them or keeps them in registers.
  found.is_reference = is_reference || region == nullptr ? 1 : 0;
  if (region != nullptr) describe(found, *region);
  writer_.write(found);
}

void Checker::written(const void* address, std::size_t bytes) {
  settle_pending();
  if (Region* const region = regions_.find(number(address))) region->mark_written(number(address), bytes);
}

void Checker::copied(const void* to, const void* from, std::size_t bytes) {
  settle_pending();
  Region* const target = regions_.find(number(to));
  if (target == nullptr || target->unwritten.empty()) return;
  const Region* const source = regions_.find(number(from));
  if (source == nullptr) return target->mark_written(number(to), bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!source->is_unwritten(number(from) + i, 1)) target->mark_written(number(to) + i, 1);
  }
}

}  // namespace kgrade_emulated
