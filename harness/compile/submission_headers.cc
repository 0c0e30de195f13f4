#include "compile/submission_headers.h"

#include <algorithm>
#include <set>

#include "base/json_archive.h"
#include "base/text.h"
#include "base/text_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_headers = 256;  // and as many folders
constexpr std::size_t longest_name = 100;

// Sources of extensions have other names, because these do not begin with a dot.
fs::path root_of(const fs::path& output) { return output / ".headers"; }

bool is_plain_part(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && name != "." && name != ".." && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '+';
         });
}

// Whether the text is a relative path in normal form.
bool is_plain_place(std::string_view place) {
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

const FormRule plain_place = {1000, R"(^((?!\.{1,2}(/|$))[\w.+][\w.+-]{0,99}(/(?!$)|$))+$)", is_plain_place,
                              "is no plain path"};

}  // namespace

static void fields(JsonReader& archive, SubmissionHeader& header) {
  archive("file", header.file, plain_place);
  archive("text", header.text, text_up_to<16 << 20>);
}

void fields(JsonReader& archive, SubmissionHeaders& headers) {
  archive.or_default("folders", headers.folders, items(0, most_headers, plain_place));
  archive.or_default("files", headers.files, items(0, most_headers));
  if (!fit_together(headers)) archive.value().complain("has two headers in one place");
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
