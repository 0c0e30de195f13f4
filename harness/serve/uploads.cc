#include "serve/uploads.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_rules.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "grade/failure.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// The largest stored file. It has the source as JSON, in which each byte may take six bytes.
constexpr std::uint64_t largest_stored = 7 * Uploads::largest_file;

bool sync(const fs::path& path, int flags) {
  const UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC));
  return file.get() >= 0 && ::fsync(file.get()) == 0;
}

// The contents of a stored file. Null if the file is damaged.
OrderedJson stored_in(const fs::path& path) {
  const auto text = read_text_file(path, largest_stored);
  if (!text) return nullptr;
  OrderedJson json = OrderedJson::parse(*text, nullptr, false);
  for (const char* const name : {"owner", "sha256", "name", "source"}) {
    if (!json.is_object() || !json.contains(name) || !json[name].is_string()) return nullptr;
  }
  return json["sha256"] == sha256_hex(json["source"].get_ref<const std::string&>()) ? json : nullptr;
}

}  // namespace

bool is_sha256(std::string_view text) {
  return !text.empty() && sha256_of.fits(text);
}

Result<Uploads> Uploads::open(const fs::path& folder) {
  std::error_code failure;
  if (fs::create_directories(folder, failure); failure)
    return machine_error("the folder of uploaded problems cannot be made: " + failure.message(),
                         "name another folder with --state", {folder.string(), 0, 0});
  Uploads uploads(folder);
  // A range-based loop would throw if a folder cannot be read.
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().extension() != ".json") continue;
    const OrderedJson json = stored_in(at->path());
    if (json.is_null()) continue;
    uploads.files_[{json["owner"], json["sha256"]}] = {json["name"],
                                                       json["source"].get_ref<const std::string&>().size()};
  }
  return uploads;
}

// The folder is named by the hash of the owner's name, because the name itself may be "..".
fs::path Uploads::file_of(const std::string& owner, const std::string& sha256) const {
  return folder_ / sha256_hex(owner).substr(0, 32) / (sha256 + ".json");
}

Uploads::Stored Uploads::put(const std::string& owner, const std::string& sha256, const std::string& name,
                             const std::string& source) {
  if (files_.contains({owner, sha256})) return Stored::was_there;
  std::size_t count = 0, bytes = source.size();
  for (const auto& [key, file] : files_) {
    if (key.first != owner) continue;
    count += 1;
    bytes += file.bytes;
  }
  if (count >= most_files || bytes > most_bytes) return Stored::too_many;
  const fs::path path = file_of(owner, sha256);
  const OrderedJson json = {{"owner", owner}, {"sha256", sha256}, {"name", name}, {"source", source}};
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  const bool is_written = write_file_atomically(path, json.dump() + "\n").ok() && sync(path, O_RDONLY) &&
                          sync(path.parent_path(), O_RDONLY | O_DIRECTORY) &&
                          sync(folder_, O_RDONLY | O_DIRECTORY);
  if (!is_written) {
    fs::remove(path, failure);
    return Stored::cannot_write;
  }
  files_[{owner, sha256}] = {name, source.size()};
  return Stored::is_new;
}

OrderedJson Uploads::find(const std::string& owner, const std::string& sha256) const {
  if (!files_.contains({owner, sha256})) return nullptr;
  OrderedJson json = stored_in(file_of(owner, sha256));
  if (!json.is_null()) json.erase("owner");
  return json;
}

bool Uploads::remove(const std::string& owner, const std::string& sha256) {
  if (files_.erase({owner, sha256}) == 0) return false;
  std::error_code ignored;
  fs::remove(file_of(owner, sha256), ignored);
  return true;
}

std::vector<answers::StoredProblem> Uploads::list(const std::string& owner) const {
  std::vector<answers::StoredProblem> all;
  for (const auto& [key, file] : files_) {
    if (key.first == owner) all.push_back({key.second, file.name, file.bytes});
  }
  return all;
}

std::optional<std::string> Uploads::with_file(Json& request, const std::string& owner,
                                              const std::string& body) const {
  const auto problem = request.is_object() ? request.find("problem") : request.end();
  // A request of another form is refused later, by read_request().
  if (!request.is_object() || problem == request.end() || !problem->is_object() || problem->size() != 1 ||
      !problem->contains("sha256") || !(*problem)["sha256"].is_string() ||
      !is_sha256((*problem)["sha256"].get_ref<const std::string&>()))
    return body;
  const OrderedJson file = find(owner, (*problem)["sha256"]);
  if (file.is_null()) return std::nullopt;
  *problem = Json::object({{"name", file["name"]}, {"source", file["source"]}});
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kgrade
