// Lines of the candidate's source, to quote beside a finding.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/finding.h"
#include "compile/source_places.h"

namespace kgrade {

class QuotedSource {
 public:
  // The line without the blanks around it, cut where it is too long to be read; empty when there is none.
  std::string line(const std::string& file, int number);

  FindingPlace place(const SourcePlace& at) {
    return {at.file, at.line, at.function, line(at.file, at.line)};
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace kgrade
