#include "compile/extension.h"

#include <algorithm>
#include <set>

#include "base/json_archive.h"
#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_units = 64;
// The number of flags. A source that names all of kgrade's operators has some five hundred.
constexpr auto some_flags = items(0, 1024);

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-'; });
}

FormRule plain_name(const char* complaint) {
  return {100, "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", is_plain_name, complaint};
}

constexpr std::size_t most_headers = 256;  // also the most folders
constexpr std::size_t longest_name = 100;

// Whether the text is a relative path in normal form.
bool is_plain_place(std::string_view place) {
  for (std::size_t begin = 0; begin <= place.size();) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const std::string_view name = place.substr(begin, end - begin);
    const bool is_plain =
        !name.empty() && name.size() <= longest_name && name != "." && name != ".." && name.front() != '-' &&
        std::all_of(name.begin(), name.end(), [](char c) {
          return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '+';
        });
    if (!is_plain) return false;
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

bool ExtensionUnit::is_cuda() const {
  const fs::path suffix = fs::path(file).extension();
  return suffix == ".cu" || suffix == ".cuh";
}

static void fields(JsonReader& archive, ExtensionUnit& unit) {
  archive("file", unit.file, plain_name("is no plain file name"));
  archive("text", unit.text, text_up_to<16 << 20>);
  archive.or_default("small_flags", unit.small_flags, some_flags);
}

static void fields(JsonReader& archive, ExtensionRequest& request) {
  archive("name", request.name, plain_name("is no identifier"));
  archive("units", request.units, items(1, most_units));
  archive.or_default("cflags", request.cflags, some_flags);
  archive.or_default("cuda_cflags", request.cuda_cflags, some_flags);
  archive.or_default("ldflags", request.ldflags, some_flags);
  archive.or_default("include_paths", request.include_paths, some_flags);
  std::string headers;
  archive.or_default("headers", headers, one_of("small", "torch"));
  request.torch_headers = headers == "torch";
  archive.or_default("own_headers", request.own_headers);
  std::set<std::string> files;
  for (const ExtensionUnit& unit : request.units) {
    if (!files.insert(unit.file).second)
      archive.value()["units"].complain("has two sources of the same name");
  }
}

Result<ExtensionRequest> parse_extension_request(const std::string& text) {
  auto request = parse_document<ExtensionRequest>(text);
  if (!request) return Error{"an extension cannot be built: " + request.error().message, "", {}};
  return request;
}

Result<std::vector<fs::path>> write_units(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                          BuildRequest& request) {
  // No source of an extension has this name, because no source's name begins with a dot.
  const fs::path root = fs::absolute(request.output_directory) / ".headers";
  std::error_code failure;
  for (const std::string& folder : extension.own_headers.folders)
    fs::create_directories(root / folder, failure);
  for (const SubmissionHeader& header : extension.own_headers.files) {
    const fs::path file = root / header.file;
    fs::create_directories(file.parent_path(), failure);
    if (auto written = write_file_atomically(file, header.text); !written) return written.errors();
  }
  std::vector<fs::path> paths;
  for (const ExtensionUnit& unit : extension.units) {
    paths.push_back(request.output_directory / unit.file);
    if (auto written = write_file_atomically(paths.back(), unit.text); !written) return written.errors();
  }
  if (request.readable) {
    std::vector<fs::path>& readable = *request.readable;
    readable.insert(readable.end(), paths.begin(), paths.end());
    readable.push_back(extension.torch_headers ? headers.torch : headers.small);
    if (extension.torch_headers) readable.push_back(headers.python);
  }
  if (extension.own_headers.files.empty()) return paths;
  for (const std::string& folder : extension.own_headers.folders)
    request.include_directories.push_back(root / folder);
  if (request.readable) request.readable->push_back(root);
  return paths;
}

static void fields(JsonReader& archive, SubmissionHeader& header) {
  archive("file", header.file, plain_place);
  archive("text", header.text, text_up_to<16 << 20>);
}

void fields(JsonReader& archive, SubmissionHeaders& headers) {
  archive.or_default("folders", headers.folders, items(0, most_headers, plain_place));
  archive.or_default("files", headers.files, items(0, most_headers));
  if (!fit_together(headers)) archive.value().complain("has two headers in one place");
}

}  // namespace kgrade
