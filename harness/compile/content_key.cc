#include "compile/content_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "compile/binding.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t largest_total = std::size_t{64} << 20;
constexpr std::size_t most_files = 2000;

// With the lengths, no two lists of texts look alike.
class Parts {
 public:
  void add(std::string_view text) { all_ += fmt::format("{}\n{}", text.size(), text); }

  // False when it cannot be read, or is too much.
  bool add_file(const std::string& name, const fs::path& path) {
    const auto content = read_text_file(path);
    if (!content || ++files_ > most_files || all_.size() + content->size() > largest_total) return false;
    add(name);
    add(*content);
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

bool is_vendors(const BuildRequest& request, const fs::path& path) {
  return std::find(request.vendor_folders.begin(), request.vendor_folders.end(), path) !=
         request.vendor_folders.end();
}

// The source counts by what it holds, as in its hash (own_files.h); headers by their places beside it.
bool add_readable(Parts& parts, const BuildRequest& request, const fs::path& path) {
  std::error_code failure;
  if (is_vendors(request, path)) {
    parts.add("vendor " + path.string());
    return true;
  }
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) {
    parts.add("absent");
    return true;
  }
  if (fs::is_directory(status)) return parts.add_folder(path);
  const bool source = path == request.source;
  return parts.add_file(source ? "" : path.lexically_relative(request.source.parent_path()).string(), path);
}

}  // namespace

std::optional<std::string> content_key(const std::string& identity, const Problem& problem,
                                       const BuildRequest& request) {
  if (!request.readable) return std::nullopt;
  Parts parts;
  parts.add(identity);
  parts.add(binding_unit(problem, "source", request.dtype));
  parts.add(fmt::format("{} include folders, {}", request.include_directories.size(),
                        request.checked ? "checked" : "plain"));
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

std::optional<std::string> hash_of_folder(const fs::path& folder) {
  Parts parts;
  if (!parts.add_folder(folder)) return std::nullopt;
  return parts.hash();
}

}  // namespace kgrade
