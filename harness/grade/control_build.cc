#include "grade/control_build.h"

#include <fcntl.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <system_error>

#include "base/machine_faults.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "grade/contestants.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Makes `file` take spare_room_bytes of the disk, until the file is closed and its folder is removed. Returns
// 0 or the error number.
int take_room(const UniqueFd& file) {
  return file ? ::posix_fallocate(file.get(), 0, static_cast<off_t>(spare_room_bytes)) : errno;
}

Error no_spare_room() {
  const fs::path folder = temporary_folder_of_user();
  return machine_error("no space is left in " + folder.string() +
                           ", the folder for temporary files: builds count on " +
                           format_bytes(spare_room_bytes) + " there",
                       remedy_for_room(folder));
}

void empty(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
  }
}

// The control of a candidate is the reference. A reference has no control of its own, so its control is an
// empty function.
BuildRequest control_request(Role role, const Problem& problem, const fs::path& folder,
                             const Layout& layout) {
  fs::path source = layout.reference_source(problem);
  if (role == Role::oracle || role == Role::reference) source = folder / "control.cu";
  BuildRequest request = request_for(Role::reference, source, folder, layout, problem.dtype);
  request.anew = true;
  return request;
}

Result<bool> write_control(const Problem& problem, const fs::path& folder) {
  std::string text = signature(problem);
  text.back() = ' ';  // the semicolon
  for (const std::string_view header : cuda_headers(problem, problem.dtype))
    text = fmt::format("#include <{}>\n{}", header, text);
  return write_file_atomically(folder / "control.cu", text + "{}\n");
}

// Builds the control. Returns an error if the machine cannot build the control, otherwise nothing.
std::optional<Error> fault_of_machine(const Toolchain& toolchain, const Problem& problem, Role role,
                                      const Layout& layout) {
  const TemporaryDirectory folder;
  const TemporaryDirectory spare;
  const UniqueFd file(::open((spare.path() / "room").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (is_lack_of_room(take_room(file))) return no_spare_room();
  if (const auto written = write_control(problem, folder.path()); !written) return written.error();
  const auto built =
      toolchain.build(problem, control_request(role, problem, fs::canonical(folder.path()), layout));
  if (!built) return built.error();
  return built->status == BuildStatus::built ? std::nullopt : built->machine_fault;
}

}  // namespace

Result<BuildOutcome> build_with_control(const Toolchain& toolchain, const Problem& problem, Role role,
                                        const BuildRequest& request, const Layout& layout) {
  // Builds run side by side. The control and the last try run alone: another build that fills the disk would
  // make them fail again.
  static std::shared_mutex disk;
  {
    const std::shared_lock beside_others(disk);
    auto outcome = toolchain.build(problem, request);
    const bool is_doubtful = outcome && outcome->status != BuildStatus::built && outcome->machine_fault;
    if (!is_doubtful) return outcome;
  }
  const std::unique_lock alone(disk);
  empty(request.output_directory);
  if (auto fault = fault_of_machine(toolchain, problem, role, layout)) return *fault;
  return toolchain.build(problem, request);
}

}  // namespace kgrade
