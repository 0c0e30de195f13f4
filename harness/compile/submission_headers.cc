#include "compile/submission_headers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "base/text_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t most_headers = 512;
constexpr std::size_t longest_place = 1000;
constexpr std::size_t longest_name = 100;

// Sources of extensions have other names, because these do not begin with a dot.
fs::path root_of(const fs::path& output) { return output / ".headers"; }

bool is_plain_part(const std::string& name) {
  return !name.empty() && name.size() <= longest_name && name != "." && name != ".." && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '+';
         });
}

// Whether the value is a relative path in normal form.
bool is_plain_place(const json& value) {
  if (!value.is_string()) return false;
  const auto& place = value.get_ref<const std::string&>();
  if (place.empty() || place.size() > longest_place) return false;
  for (std::size_t begin = 0; begin <= place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    if (!is_plain_part(place.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

void add_with_parents(fs::path folder, std::set<fs::path>& folders) {
  for (; !folder.empty(); folder = folder.parent_path()) folders.insert(folder);
}

// Whether all files can be written: no duplicates, and no file where a folder must be.
bool fit_together(const SubmissionHeaders& headers) {
  std::set<fs::path> folders;
  for (const std::string& folder : headers.folders) add_with_parents(folder, folders);
  for (const SubmissionHeader& header : headers.files)
    add_with_parents(fs::path(header.file).parent_path(), folders);
  std::set<fs::path> files;
  return std::all_of(headers.files.begin(), headers.files.end(), [&](const SubmissionHeader& header) {
    return folders.count(header.file) == 0 && files.insert(header.file).second;
  });
}

Error unusable(const char* what) { return Error{what, "", {}}; }

}  // namespace

Result<SubmissionHeaders> parse_submission_headers(const json& value) {
  SubmissionHeaders headers;
  if (!value.is_object()) return unusable("its headers are no JSON object");
  const json folders = value.value("folders", json::array());
  const json files = value.value("files", json::array());
  if (!folders.is_array() || !files.is_array() || folders.size() + files.size() > most_headers)
    return unusable("it has too many headers, or no list of them");
  for (const json& folder : folders) {
    if (!is_plain_place(folder)) return unusable("a header's folder is no plain path");
    headers.folders.push_back(folder.get<std::string>());
  }
  for (const json& file : files) {
    if (!file.is_object() || !is_plain_place(file.value("file", json())))
      return unusable("a header's name is no plain path");
    if (!file.value("text", json()).is_string()) return unusable("a header has no text");
    headers.files.push_back({file["file"].get<std::string>(), file["text"].get<std::string>()});
  }
  if (!fit_together(headers)) return unusable("two headers are in one place");
  return headers;
}

Result<bool> write_submission_headers(const SubmissionHeaders& headers, const fs::path& output) {
  std::error_code failure;
  const fs::path root = root_of(output);
  for (const std::string& folder : headers.folders) fs::create_directories(root / folder, failure);
  for (const SubmissionHeader& header : headers.files) {
    const fs::path file = root / header.file;
    fs::create_directories(file.parent_path(), failure);
    if (auto written = write_file_atomically(file, header.text); !written) return written.errors();
  }
  return true;
}

void add_submission_headers(const SubmissionHeaders& headers, BuildRequest& request) {
  if (headers.files.empty()) return;
  const fs::path root = root_of(fs::absolute(request.output_directory));
  for (const std::string& folder : headers.folders) request.include_directories.push_back(root / folder);
  if (request.readable) request.readable->push_back(root);
}

}  // namespace kgrade
