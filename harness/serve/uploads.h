// Problems that owners have uploaded: Python files, each in a file of the state folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/answers.h"

namespace kgrade {

class Uploads {
 public:
  // The limits of the files that one owner may store.
  static constexpr std::size_t most_files = 1000;
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  static constexpr std::size_t largest_file = std::size_t{1} << 20;

  enum class Stored { is_new, was_there, too_many, cannot_write };

  Uploads() = default;
  // Opens or makes the folder. Errors if the folder cannot be used.
  static Result<Uploads> open(const std::filesystem::path& folder);

  // Stores a file. The file is durable when this returns. `sha256`: the hash of the source.
  Stored put(const std::string& owner, const std::string& sha256, const std::string& name,
             const std::string& source);
  // {"sha256", "name", "source"}. Null if the owner has no such file.
  nlohmann::ordered_json find(const std::string& owner, const std::string& sha256) const;
  // False if the owner has no such file.
  bool remove(const std::string& owner, const std::string& sha256);
  std::vector<answers::StoredProblem> list(const std::string& owner) const;

  // The text of a request of the owner. If the request names an uploaded file, the name is replaced by the
  // file, so that the job has its own copy. Nothing if there is no such file. `body`: the text as it was
  // sent.
  std::optional<std::string> with_file(nlohmann::json& request, const std::string& owner,
                                       const std::string& body) const;

 private:
  struct File {
    std::string name;
    std::size_t bytes = 0;
  };

  explicit Uploads(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& owner, const std::string& sha256) const;

  std::filesystem::path folder_;
  std::map<std::pair<std::string, std::string>, File> files_;  // by owner and sha256
};

// Whether the text is a SHA-256 in lower hexadecimal digits.
bool is_sha256(std::string_view text);

}  // namespace kgrade
