// Records as a sweep keeps them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "record/record_json.h"
#include "tests/support/sample_record.h"

namespace kgrade::test {

// With one candidate.
inline Record result_record(const std::string& candidate = "good.cu") {
  Record record = sample_record();
  record.candidates.resize(1);
  record.candidates[0].path = candidate;
  return record;
}

// As it appears in a file of results, without the line break.
inline std::string line_of(const Record& record) { return to_json(record).dump(); }

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_content(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace kgrade::test
