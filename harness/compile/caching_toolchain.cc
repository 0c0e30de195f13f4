#include "compile/caching_toolchain.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "base/defences.h"
#include "base/text.h"
#include "compile/content_key.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Raised when this program decides otherwise what a build gives, by something that no key holds yet: when
// what compilers may read or their environment changes, or what is kept of their logs.
constexpr std::string_view generation = "generation 1";

constexpr std::uint64_t largest_library = std::uint64_t{1} << 30;

// Notes: name and descriptor behind a header, each padded to four bytes.
std::string build_id_in(const char* notes, std::size_t size) {
  const auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    const std::size_t length = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
    if (length > size) return "";
    const char* const name = notes + sizeof header;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return {name + padded(header.n_namesz), header.n_descsz};
    notes += length;
    size -= length;
  }
  return "";
}

// The first object that is visited is the program.
int visit_program(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the loader tells.
    const char* const notes = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const std::string id = build_id_in(notes, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = sha256_hex(id);
  }
  return 1;
}

}  // namespace

std::string program_build_id() {
  std::string id;
  dl_iterate_phdr(visit_program, &id);
  if (!id.empty()) return id;
  std::error_code ignored;
  const fs::path program = "/proc/self/exe";
  return fmt::format("{} {}", fs::file_size(program, ignored),
                     fs::last_write_time(program, ignored).time_since_epoch().count());
}

std::string program_identity() {
  return fmt::format("{}; compilers {}", generation,
                     is_on(Defence::compile_sandbox) ? "confined" : "not confined");
}

CachingToolchain::CachingToolchain(std::unique_ptr<Toolchain> toolchain, ContestantCache cache,
                                   std::string identity)
    : toolchain_(std::move(toolchain)), cache_(std::move(cache)), identity_(std::move(identity)) {}

Result<BuildOutcome> CachingToolchain::build(const Problem& problem, const BuildRequest& request) const {
  const auto key = request.checked ? std::nullopt : content_key(identity_, problem, request);
  if (!key) return toolchain_->build(problem, request);
  const UniqueFd lock = cache_.lock(*key);
  if (auto outcome = take(*key, request)) return std::move(*outcome);
  auto outcome = toolchain_->build(problem, request);
  if (outcome && outcome->status == BuildStatus::built && content_key(identity_, problem, request) == key)
    keep(*key, request, *outcome);
  return outcome;
}

std::optional<BuildOutcome> CachingToolchain::take(const std::string& key,
                                                   const BuildRequest& request) const {
  const auto found = cache_.find(key);
  if (!found) return std::nullopt;
  BuildOutcome outcome;
  outcome.status = BuildStatus::built;
  outcome.library = fs::absolute(request.output_directory) / "contestant.so";
  outcome.log = replace_all(found->log, found->shown_as, request.shown_as);
  outcome.seconds = found->seconds;
  outcome.cached = true;
  if (!write_file_atomically(outcome.library, found->library)) return std::nullopt;
  return outcome;
}

void CachingToolchain::keep(const std::string& key, const BuildRequest& request,
                            const BuildOutcome& outcome) const {
  const auto library = read_text_file(outcome.library, largest_library);
  if (library) cache_.keep(key, {*library, outcome.log, request.shown_as, outcome.seconds});
}

}  // namespace kgrade
