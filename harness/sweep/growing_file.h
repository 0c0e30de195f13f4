// A file that another process writes to, line by line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace kgrade {

class GrowingFile {
 public:
  // Lines that were finished since the last call, always of the same file; a line that is still being written
  // is for a later one.
  std::vector<std::string> new_lines(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(begin_));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
      lines.push_back(text.substr(begin, end - begin));
    begin_ += begin;
    return lines;
  }

  // Ever.
  bool had_lines() const { return begin_ > 0; }

 private:
  std::uint64_t begin_ = 0;  // of what was not finished
};

}  // namespace kgrade
