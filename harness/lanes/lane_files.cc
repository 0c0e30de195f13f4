#include "lanes/lane_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "compile/candidate_source.h"
#include "problem/families.h"
#include "problem/module_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The largest file that is sent. The lane refuses a source of more than 16 MiB, and reports a larger file
// than this as missing.
constexpr std::uint64_t largest_file = std::uint64_t{64} << 20;

fs::path absolute_of(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal();
}

class Packer {
 public:
  Packer(LaneJob& job, std::set<std::string>& known) : job_(job), known_(known) {}

  void add(const fs::path& file) {
    const std::string path = absolute_of(file).string();
    if (!paths_.insert(path).second) return;
    auto content = read_text_file(file, largest_file);
    if (!content) return;
    const std::string sha256 = sha256_hex(*content);
    job_.files.push_back({path, sha256});
    if (known_.insert(sha256).second) job_.files.back().content = std::move(*content);
  }

  // `own`: the source's files in its real folder. They get the names that they would have beside `source`.
  void add_with(const fs::path& source, const OwnFiles& own) {
    add(source);
    const fs::path folder = absolute_of(source).parent_path();
    for (const fs::path& file : own.files) {
      if (file != own.files.front()) add(folder / file.lexically_relative(own.folder));
    }
  }

 private:
  LaneJob& job_;
  std::set<std::string>& known_;
  std::set<std::string> paths_;
};

}  // namespace

void add_files(LaneJob& job, std::set<std::string>& known) {
  Packer packer(job, known);
  const Layout layout = Layout::find(job.options.problems);
  const fs::path file = job.problem;
  packer.add(file);
  // A problem in a file of KernelBench has no other file: the file is its own reference.
  if (const auto problem = load_problem(file); !is_module_file(file) && problem) {
    if (!problem->family.empty())
      packer.add(FamilyFolder(families_beside(file.parent_path())).path(problem->family));
    const fs::path reference = layout.reference_source(*problem);
    packer.add_with(reference, own_files(reference));
  }
  for (const std::string& candidate : job.candidates) {
    const auto read = read_candidates({candidate}, layout);
    const bool has_files = read && !read->front().files.files.empty();
    packer.add_with(candidate, has_files ? read->front().files : own_files(candidate));
  }
  known.clear();
  for (const LaneFile& each : job.files) known.insert(each.sha256);
  std::error_code ignored;
  job.folder = fs::current_path(ignored).string();
  job.options.device.clear();
  job.options.python.clear();
}

ReceivedFiles::ReceivedFiles(fs::path folder) : folder_(absolute_of(folder)) {}

Result<bool> ReceivedFiles::receive(LaneJob& job) {
  std::set<std::string> wanted;
  for (LaneFile& file : job.files) {
    wanted.insert(file.sha256);
    if (file.content) contents_[file.sha256] = std::move(*file.content);
  }
  std::erase_if(contents_, [&](const auto& one) { return !wanted.contains(one.first); });
  std::error_code failure;
  fs::current_path("/", failure);
  fs::remove_all(folder_, failure);
  const auto place = [this](const fs::path& path) { return folder_ / path.relative_path(); };
  for (const LaneFile& file : job.files) {
    const auto content = contents_.find(file.sha256);
    if (content == contents_.end() || sha256_hex(content->second) != file.sha256)
      return machine_error("the lane was sent a job without the contents of a file",
                           "start it again; this is a fault of kgrade", {file.path, 0, 0});
    const fs::path path = place(("/" / fs::path(file.path)).lexically_normal());
    fs::create_directories(path.parent_path(), failure);
    if (const auto written = write_file_atomically(path, content->second); !written) return written.errors();
  }
  const fs::path working = place(job.folder);
  fs::create_directories(working, failure);
  if (!failure) fs::current_path(working, failure);
  if (failure)
    return machine_error(fmt::format("no folder for the files of a job: {}", failure.message()),
                         "make room on the lane's machine", {working.string(), 0, 0});
  const auto move = [&](std::string& path) {
    if (fs::path(path).is_absolute()) path = place(path).string();
    // Makes the folders that the path goes through, also those that it leaves again by `..`.
    std::error_code ignored;
    fs::path so_far;
    for (const fs::path& part : fs::path(path).parent_path()) fs::create_directory(so_far /= part, ignored);
  };
  move(job.problem);
  move(job.options.problems);
  for (std::string& candidate : job.candidates) move(candidate);
  return true;
}

std::string ReceivedFiles::as_sent(std::string text) const {
  const std::string folder = folder_.string();
  const std::string quoted =
      nlohmann::json(folder).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text = replace_all(std::move(text), folder, "");
  return replace_all(std::move(text), quoted.substr(1, quoted.size() - 2), "");
}

}  // namespace kgrade
