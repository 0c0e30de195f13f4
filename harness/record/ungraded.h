// Candidates that have no verdict, through no fault of theirs: kgrade or the machine failed.
#pragma once

#include <string>

#include "base/dtype.h"
#include "record/verdict.h"

namespace kgrade {

struct Ungraded {
  std::string slug;
  Dtype dtype = Dtype::float32;
  std::string device;  // on which it was to run, as entries name it; empty: not known
  std::string path;
  std::string message;
  std::string at;  // when that was known; ISO 8601, UTC
};

}  // namespace kgrade
