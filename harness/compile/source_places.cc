#include "compile/source_places.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/subprocess.h"
#include "base/text.h"
#include "compile/confined_compiler.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The part of the path below `folder`, found by comparing text. Nothing if the path lies elsewhere.
std::optional<std::string> below(const std::string& path, const fs::path& folder) {
  const std::string prefix = folder.lexically_normal().string() + "/";
  if (folder.empty() || !path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

// Whether a name is in the folder of the candidate's source as the user gave it. Other files are not quoted,
// because a #line directive may name any file.
bool is_beside(const std::string& name, const std::string& shown_as) {
  const fs::path normal = fs::path(name).lexically_normal();
  const fs::path folder = fs::path(shown_as).parent_path().lexically_normal();
  if (!folder.empty() && folder != ".") return below(normal.string(), folder).has_value();
  return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

// "file.cu:12", "file.cu:12 (discriminator 3)", "??:0", "file.cu:?".
void read_place(const std::string& line, InlinedFrame& frame) {
  const std::string place = line.substr(0, line.find(" (discriminator"));
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) return;
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), frame.line);
  if (frame.line > 0) frame.file = place.substr(0, colon);
}

}  // namespace

std::optional<std::string> OwnSources::shown_name(const std::string& compiled) const {
  if (compiled.empty() || compiled == "??") return std::nullopt;
  for (const fs::path& folder :
       {build_directory, resolved(build_directory), fs::path(checked_build_folder)}) {
    const auto relative = below(compiled, folder);
    // The generated unit (compile/binding.h) has no shown name.
    if (relative && *relative != shown_as &&
        (*relative == "unit.cpp" || *relative == "unit.cu" || *relative == "kgrade-binding"))
      return std::nullopt;
    // Names in #line directives are relative to the user's folder.
    if (relative && is_beside(*relative, shown_as)) return fs::path(*relative).lexically_normal().string();
  }
  const fs::path normal = fs::path(compiled).lexically_normal();
  for (const fs::path& folder : {foreign, resolved(foreign)}) {
    if (below(normal.string(), folder)) return std::nullopt;
  }
  for (const fs::path& folder : {source.parent_path(), resolved(source.parent_path())}) {
    const auto relative = below(normal.string(), folder);
    if (relative) return (fs::path(shown_as).parent_path() / *relative).string();
  }
  return std::nullopt;
}

std::vector<std::vector<InlinedFrame>> parse_addr2line(const std::string& output) {
  std::vector<std::vector<InlinedFrame>> all;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("0x")) {
      all.emplace_back();
      continue;
    }
    std::string place;
    if (all.empty() || !std::getline(stream, place)) break;
    InlinedFrame frame;
    if (line != "??") frame.function = line;
    read_place(place, frame);
    all.back().push_back(frame);
  }
  return all;
}

std::optional<SourcePlace> own_place(const std::vector<InlinedFrame>& frames, const OwnSources& own) {
  for (const InlinedFrame& frame : frames) {
    if (frame.line <= 0) continue;
    if (const auto shown = own.shown_name(frame.file)) return SourcePlace{*shown, frame.line, frame.function};
  }
  return std::nullopt;
}

Result<fs::path> Addr2line::find_program() {
  if (auto found = kgrade::find_program("addr2line")) return *found;
  return machine_error("addr2line is not installed: findings come without file and line",
                       "install it: apt-get install binutils");
}

std::vector<std::optional<SourcePlace>> Addr2line::find(const std::vector<std::uint64_t>& pcs) {
  std::vector<std::uint64_t> unknown;
  for (const std::uint64_t pc : pcs) {
    if (pc != 0 && known_.try_emplace(pc).second) unknown.push_back(pc);
  }
  if (!unknown.empty()) look_up(unknown);
  std::vector<std::optional<SourcePlace>> places;
  for (const std::uint64_t pc : pcs) places.push_back(pc != 0 ? known_[pc] : std::nullopt);
  return places;
}

void Addr2line::look_up(const std::vector<std::uint64_t>& pcs) {
  ProcessRequest request;
  request.command = {program_.string(), "-e", library_.string(), "-a", "-f", "-C", "-i"};
  // pc - 1 belongs to the call, because pc is a return address.
  for (const std::uint64_t pc : pcs) request.command.push_back(fmt::format("{:#x}", pc - 1));
  request.environment = {"LC_ALL=C"};
  request.working_directory = "/";
  request.limits.wall = std::chrono::seconds(30);
  request.limits.address_space_bytes = std::uint64_t{4} << 30;
  if (sandbox_ != nullptr) {
    SandboxPolicy policy;
    policy.readable = tool_paths(program_.string());
    policy.readable.push_back(library_);
    policy.proc = false;
    policy.memory_bytes = request.limits.address_space_bytes;
    request.command = sandbox_->wrap(policy, request.command);
  }
  const auto outcome = run_process(request);
  if (!outcome || !outcome->success()) return;
  const auto frames = parse_addr2line(outcome->output);
  if (frames.size() != pcs.size()) return;
  for (std::size_t i = 0; i < pcs.size(); ++i) known_[pcs[i]] = own_place(frames[i], own_);
}

}  // namespace kgrade
