#include "compile/caching_toolchain.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/defences.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/extension.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Increase this number when a change of this program affects builds without changing any key. Examples are
// other files that compilers may read, another environment for them, or another form of the logs.
constexpr std::string_view generation = "generation 2";

// A failed build is kept longer than a candidate waits for a lane after it was built ahead.
constexpr double failures_are_kept_s = 600;
constexpr std::array failures = {BuildStatus::compile_error, BuildStatus::signature_mismatch,
                                 BuildStatus::unsupported};
constexpr std::array<std::string_view, failures.size()> names_of_failures = {
    "compile_error", "signature_mismatch", "unsupported"};

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

constexpr std::uint64_t largest_library = std::uint64_t{1} << 30;

// An ELF note is a header followed by a name and a descriptor, each padded to four bytes.
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

// dl_iterate_phdr() visits the program itself first.
int visit_program(dl_phdr_info* info, std::size_t, void* result) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader reports an integer.
    const char* const notes = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const std::string id = build_id_in(notes, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(result) = sha256_hex(id);
  }
  return 1;
}

constexpr std::size_t largest_total = std::size_t{64} << 20;
constexpr std::size_t most_files = 2000;

// Joins texts. Their lengths are included, so that different lists of texts never give the same result.
class Parts {
 public:
  void add(std::string_view text) { all_ += fmt::format("{}\n{}", text.size(), text); }

  // False if the file cannot be read, or if the total is too large. `kept` returns the part of the file's
  // text that counts.
  bool add_file(const std::string& name, const fs::path& path,
                const std::function<std::string(const std::string&)>& kept = {}) {
    const auto content = read_text_file(path);
    if (!content || ++files_ > most_files || all_.size() + content->size() > largest_total) return false;
    add(name);
    add(kept ? kept(*content) : *content);
    return true;
  }

  bool add_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
      if (at->is_regular_file(failure) && !failure) files.push_back(at->path());
      if (files.size() > most_files) return false;
    }
    if (failure) return false;
    std::sort(files.begin(), files.end());
    return std::all_of(files.begin(), files.end(), [&](const fs::path& file) {
      return add_file(file.lexically_relative(folder).string(), file);
    });
  }

  std::string hash() const { return sha256_hex(all_); }

 private:
  std::string all_;
  std::size_t files_ = 0;
};

// The folder where headers are looked for first: the candidate's, even if the source was taken out of a
// document and lies elsewhere.
fs::path folder_of(const BuildRequest& request) {
  return request.include_directories.empty() ? request.source.parent_path()
                                             : request.include_directories.front();
}

// The text with the candidate's path removed from the lines `#line 3 "PATH"`. So copies of a candidate in
// different folders have the same key.
std::string without_path(const std::string& text, const std::string& shown_as) {
  const std::string end = " \"" + shown_as + "\"";
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t next = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(begin, next - begin);
    begin = next;
    const std::string_view words = trimmed(line);
    if (words.starts_with("#line ") && words.ends_with(end))
      kept += std::string(words.substr(0, words.size() - end.size())) + '\n';
    else
      kept += line;
  }
  return kept;
}

// The debug information of a checked build names the candidate's files.
void add_places(Parts& parts, const BuildRequest& request) {
  if (!request.checked) return;
  std::error_code failure;
  parts.add(
      fmt::format("checked {} in {}", request.shown_as, fs::absolute(folder_of(request), failure).string()));
}

// The source counts without its name, as in hash_of() (own_files.h). Headers count with their paths relative
// to the source.
bool add_readable(Parts& parts, const BuildRequest& request, const fs::path& path) {
  std::error_code failure;
  if (std::find(request.vendor_folders.begin(), request.vendor_folders.end(), path) !=
      request.vendor_folders.end()) {
    parts.add("vendor " + path.string());
    return true;
  }
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) {
    parts.add("absent");
    return true;
  }
  if (fs::is_directory(status)) return parts.add_folder(path);
  if (path != request.source)
    return parts.add_file(path.lexically_relative(folder_of(request)).string(), path);
  // Code that was taken out of a document begins with such a line.
  return parts.add_file("", path,
                        [&request](const std::string& text) { return without_path(text, request.shown_as); });
}

// The SHA-256 of everything that affects a build: `identity` (of the toolchain and of this program), the
// generated unit, macros, and names and contents of all files that the compiler may read. Names are relative
// to their folders, so moving a folder changes nothing. A vendor's folder counts by its name only. Nothing if
// a file cannot be read, or if there are too many files for a contestant; the contestant is then built anew
// each time.
std::optional<std::string> content_key(const std::string& identity, const Problem& problem,
                                       const BuildRequest& request) {
  if (!request.readable) return std::nullopt;
  Parts parts;
  parts.add(identity);
  parts.add(binding_unit(problem, "source", request.dtype));
  parts.add(fmt::format("{} include folders, {}", request.include_directories.size(),
                        request.checked ? "checked" : "plain"));
  add_places(parts, request);
  if (request.plain_host_code) parts.add("plain host code");
  for (const fs::path& kernels : request.kernels) parts.add("kernels " + kernels.filename().string());
  for (const auto& [name, value] : request.defines) parts.add(name + "=" + value);
  for (const LinkedLibrary& library : request.libraries)
    parts.add("links " + (library.folder / library.file).string());
  for (const fs::path& path : *request.readable) {
    if (!add_readable(parts, request, path)) return std::nullopt;
  }
  return parts.hash();
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

std::optional<std::string> hash_of_folder(const fs::path& folder) {
  Parts parts;
  if (!parts.add_folder(folder)) return std::nullopt;
  return parts.hash();
}

std::optional<std::string> extension_key(const std::string& identity, const ExtensionRequest& extension,
                                         const ExtensionHeaders& headers, const BuildRequest& request) {
  if (!request.readable) return std::nullopt;
  Parts parts;
  parts.add(identity);
  parts.add(fmt::format("extension {} of {} units", extension.name, extension.units.size()));
  add_places(parts, request);
  for (const ExtensionUnit& unit : extension.units) {
    parts.add(unit.file);
    parts.add(without_path(unit.text, request.shown_as));
    // The number of flags separates flags from the units that follow.
    parts.add(fmt::format("{} flags", unit.small_flags.size()));
    for (const std::string& flag : unit.small_flags) parts.add(flag);
  }
  for (const auto* const flags :
       {&extension.cflags, &extension.cuda_cflags, &extension.ldflags, &extension.include_paths}) {
    parts.add(fmt::format("{} flags", flags->size()));
    for (const std::string& flag : *flags) parts.add(flag);
  }
  parts.add(fmt::format("{} own headers", extension.own_headers.files.size()));
  for (const SubmissionHeader& header : extension.own_headers.files) {
    parts.add(header.file);
    parts.add(header.text);
  }
  for (const std::string& folder : extension.own_headers.folders) parts.add(folder);
  if (extension.torch_headers) {
    parts.add("torch " + headers.torch.string());
    if (!parts.add_file("version", headers.torch / "version.py")) return std::nullopt;
  } else if (!parts.add_folder(headers.small)) {
    return std::nullopt;
  }
  for (const fs::path& path : *request.readable) {
    if (path != request.source && !add_readable(parts, request, path)) return std::nullopt;
  }
  return parts.hash();
}

CachingToolchain::CachingToolchain(std::unique_ptr<Toolchain> toolchain, ContestantCache cache,
                                   std::string identity, FailedBuilds failed)
    : toolchain_(std::move(toolchain)),
      cache_(std::move(cache)),
      identity_(std::move(identity)),
      failed_(failed) {}

Result<BuildOutcome> CachingToolchain::build(const Problem& problem, const BuildRequest& request) const {
  return take_or_build(
      request, [&] { return content_key(identity_, problem, request); },
      [&] { return toolchain_->build(problem, request); });
}

Result<BuildOutcome> CachingToolchain::build_extension(const ExtensionRequest& extension,
                                                       const ExtensionHeaders& headers,
                                                       const BuildRequest& request) const {
  auto outcome = take_or_build(
      request, [&] { return extension_key(identity_, extension, headers, request); },
      [&] { return toolchain_->build_extension(extension, headers, request); });
  if (outcome) outcome->torch_headers = extension.torch_headers;
  return outcome;
}

Result<BuildOutcome> CachingToolchain::take_or_build(const BuildRequest& request, const MakeKey& make_key,
                                                     const Build& build) const {
  const bool never_cached = request.anew || (request.checked && !toolchain_->keeps_checked_builds());
  const auto key = never_cached ? std::nullopt : make_key();
  if (!key) return build();
  const UniqueFd lock = cache_.lock(*key);
  if (auto outcome = take(*key, request)) return std::move(*outcome);
  auto outcome = build();
  if (!outcome) return outcome;
  const bool is_worth_keeping =
      outcome->status == BuildStatus::built ||
      (failed_ == FailedBuilds::are_kept && !outcome->machine_fault && !outcome->ran_out_of_time);
  if (is_worth_keeping && make_key() == key) keep(*key, request, *outcome);
  return outcome;
}

std::optional<BuildOutcome> CachingToolchain::take(const std::string& key,
                                                   const BuildRequest& request) const {
  const auto found = cache_.find(key);
  if (!found) return std::nullopt;
  BuildOutcome outcome;
  outcome.status = BuildStatus::built;
  if (!found->failed_as.empty()) {
    const auto status = std::find(names_of_failures.begin(), names_of_failures.end(), found->failed_as);
    const bool is_old = std::abs(seconds_since_1970() - found->made_at) > failures_are_kept_s;
    if (failed_ == FailedBuilds::are_forgotten || is_old || status == names_of_failures.end())
      return std::nullopt;
    outcome.status = failures[static_cast<std::size_t>(status - names_of_failures.begin())];
    outcome.message = replace_all(found->failure, found->shown_as, request.shown_as);
  }
  outcome.library = fs::absolute(request.output_directory) / "contestant.so";
  outcome.log = replace_all(found->log, found->shown_as, request.shown_as);
  outcome.seconds = found->seconds;
  outcome.cached = true;
  if (outcome.status != BuildStatus::built) return outcome;
  if (!write_file_atomically(outcome.library, found->library)) return std::nullopt;
  return outcome;
}

void CachingToolchain::keep(const std::string& key, const BuildRequest& request,
                            const BuildOutcome& outcome) const {
  if (outcome.status != BuildStatus::built) {
    const auto status = std::find(failures.begin(), failures.end(), outcome.status) - failures.begin();
    return cache_.keep(
        key, {"", outcome.log, request.shown_as, outcome.seconds, outcome.message,
              std::string(names_of_failures[static_cast<std::size_t>(status)]), seconds_since_1970()});
  }
  // A link is not a result of kgrade's build, because kgrade makes no links here.
  std::error_code failure;
  if (!fs::is_regular_file(fs::symlink_status(outcome.library, failure))) return;
  const auto library = read_text_file(outcome.library, largest_library);
  if (library) cache_.keep(key, {*library, outcome.log, request.shown_as, outcome.seconds});
}

}  // namespace kgrade
