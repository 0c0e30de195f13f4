#include "authoring/new_files.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "base/text_file.h"

namespace kgrade::authoring {
namespace {

namespace fs = std::filesystem;

Error failed(const fs::path& path, int code) {
  if (code == EEXIST)
    return {"the file exists already and was not changed",
            "choose another name, or move the existing file away first",
            {path.string(), 0, 0}};
  return {fmt::format("cannot be written: {}", ::strerror(code)),
          "name a folder that you may write to",
          {path.string(), 0, 0}};
}

// The files and folders that are being made. The destructor removes them unless they are kept.
class Batch {
 public:
  ~Batch() {
    partial_.clear();  // partial files go before their folders
    if (kept_) return;
    for (const fs::path& path : made_) ::unlink(path.c_str());
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) ::rmdir(folder->c_str());
  }

  // Writes the content to a partial file beside the path. Returns 0, or the errno of the failure.
  int prepare(const NewFile& file) {
    const fs::path folder = file.path.has_parent_path() ? file.path.parent_path() : ".";
    std::error_code ignored;
    if (const int code = make_folder(folder); code != 0) return code;
    if (fs::exists(fs::symlink_status(file.path, ignored))) return EEXIST;
    PartialFile partial = PartialFile::beside(file.path);
    if (!partial) return errno;
    partial_.push_back(std::move(partial));
    UniqueFd fd = partial_.back().take_descriptor();
    if (::fchmod(fd.get(), 0644) != 0) return errno;
    return write_and_close(std::move(fd), file.content);
  }

  // link(2) never replaces a file, unlike rename(2).
  int publish(const NewFile& file, std::size_t i) {
    if (::link(partial_[i].name(), file.path.c_str()) != 0) return errno;
    made_.push_back(file.path);
    return 0;
  }

  void keep() { kept_ = true; }

 private:
  // Makes the folder and its missing parents, the outermost first.
  int make_folder(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty() || fs::exists(folder, ignored)) return 0;
    if (const int code = make_folder(folder.parent_path()); code != 0) return code;
    if (::mkdir(folder.c_str(), 0777) != 0) return errno == EEXIST ? 0 : errno;
    folders_.push_back(folder);
    return 0;
  }

  std::vector<fs::path> folders_;
  std::vector<PartialFile> partial_;
  std::vector<fs::path> made_;
  bool kept_ = false;
};

}  // namespace

ProblemPlaces places_of(const fs::path& folder, const std::string& slug) {
  return {(folder / (slug + ".md")).lexically_normal(),
          (folder / ".." / "reference" / (slug + ".cu")).lexically_normal()};
}

Result<bool> write_new_files(const std::vector<NewFile>& files) {
  Batch batch;
  for (const NewFile& file : files) {
    if (const int code = batch.prepare(file); code != 0) return failed(file.path, code);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const int code = batch.publish(files[i], i); code != 0) return failed(files[i].path, code);
  }
  batch.keep();
  return true;
}

}  // namespace kgrade::authoring
