// Finds the folders of an installation or a checkout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/vendor_library.h"
#include "problem/problem.h"

namespace kgrade {

struct Layout {
  // Folders of problem files without duplicates, in the order in which a slug is looked for: the folder of
  // --problems, `problems` in the working folder, and the folders that kgrade comes with.
  std::vector<std::filesystem::path> problems;
  // The folder for new problems: see find().
  std::filesystem::path own_problems;
  std::filesystem::path solutions;  // `solutions` in the working folder; may be empty
  std::filesystem::path reference;  // reference/<slug>.cu, reference/families/, reference/ops/
  std::filesystem::path operators;  // the `reference` folder with kgrade's own ops/
  std::filesystem::path share;      // files that the build generates
  std::filesystem::path python;     // worker.py, inspect_candidate.py, include/: for candidates in Python
  std::filesystem::path documents;  // README.md and docs/, which the help names
  std::filesystem::path workers;    // kgrade-worker-*
  std::filesystem::path launcher;   // kgrade-sandbox, in `workers`
  std::vector<VendorLibrary> libraries = vendor_libraries();  // called by baselines

  // The reference of a problem. It is the Python file that the problem names, or else <slug>.cu, or else
  // families/<family>.cu. A .cu file is looked for in three folders: `reference` beside the folder of the
  // problem's file, the member `reference`, and `operators`. If there is no such file, the result is the path
  // in the first of these folders where an author should write it.
  std::filesystem::path reference_source(const Problem& problem) const;
  // The Python file of a problem with a Model.
  static std::filesystem::path model_source(const Problem& problem);
  // The `reference` folder that contains a source.
  static std::filesystem::path reference_folder(const std::filesystem::path& source);
  // The `reference` folder `first`, and kgrade's own.
  std::vector<std::filesystem::path> reference_folders(const std::filesystem::path& first) const;
  // Folders that no candidate may see.
  std::vector<std::filesystem::path> hidden_from_candidates() const;

  // Finds the installation that contains this program, even if it was moved, or else the checkout it was
  // built from. Adds the folders `problems` and `solutions` in the working folder. `more_problems` is the
  // folder that the user names, if any. The folder `reference` beside that folder, or else in the working
  // folder, comes before kgrade's own. New problems go to `more_problems`, or else to `problems` in the
  // working folder. If there is no such folder and the working folder is in the checkout, new problems go to
  // the checkout's own `problems`. Otherwise `problems` is made in the working folder. New problems never go
  // into an installation.
  static Layout find(const std::filesystem::path& more_problems = {});
};

}  // namespace kgrade
