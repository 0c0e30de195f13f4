// A bare problem file, an interface and a statement, made into a draft that can be graded once a person has
// looked at what was guessed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/draft.h"

namespace kgrade::authoring {

struct Guess {
  std::string what;   // "shape of 'kernel'"
  std::string check;  // what a person should hold it against
};

struct Imported {
  Draft draft;
  std::vector<Guess> guesses;
  std::vector<Guess> open;  // what nothing was found for
};

// Reads the shapes out of the statement, and proposes values (`let`) for the extents of the outputs of
// convolutions and poolings, conditions, initial values, arithmetic, cases and hidden ranges. A line of the
// draft says where its value comes from: "from the statement: ..." or "guessed: ...". The statement stays as
// it is. An Error when the file is no problem file, has shapes or cases already, or its slug cannot be one,
// or when what was made of it would be no problem file; `slug` takes the place of the file's when it is not
// empty.
Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug = "");

}  // namespace kgrade::authoring
