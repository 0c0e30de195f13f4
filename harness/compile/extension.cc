#include "compile/extension.h"

#include <algorithm>
#include <set>

#include "base/json_archive.h"
#include "base/text.h"
#include "base/text_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_units = 64;
// A source that names all of kgrade's operators has some five hundred.
constexpr auto some_flags = items(0, 1024);

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
         });
}

FormRule plain_name(const char* complaint) {
  return {100, "^[A-Za-z0-9_][A-Za-z0-9_.-]*$", is_plain_name, complaint};
}

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
  if (auto written = write_submission_headers(extension.own_headers, request.output_directory); !written)
    return written.errors();
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
  add_submission_headers(extension.own_headers, request);
  return paths;
}

}  // namespace kgrade
