// Finds the folders of an installation or a checkout, and the vendors' libraries that baselines call.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

// A vendor's library that baselines call.
struct VendorLibrary {
  std::string key;      // "cudnn": the folder of its baselines in reference/, and the prefix of their names
  std::string name;     // "cuDNN"
  std::string package;  // what a user should install: "cuDNN 9 for the CUDA Toolkit"
  std::string option;   // CMake's option for the library's folder: "-DKGRADE_CUDNN_ROOT"
  // The members below are found when kgrade is configured. They are empty if the library was not found.
  std::string version;            // "9.19.0"
  std::filesystem::path include;  // the folder of its headers
  // The library's own files, then files of the CUDA Toolkit that it needs and might not find on its own.
  std::vector<std::filesystem::path> files;

  // Whether the library was found and its files are still there. They may be missing, because a wheel may run
  // on another machine than the one that built it.
  bool is_there() const { return absence().empty(); }
  // "cuDNN was not found when kgrade was configured", or empty if it is there.
  std::string absence() const;
  // What a user should do if the library is missing.
  std::string remedy() const;
  std::string title() const { return version.empty() ? name : name + " " + version; }  // "cuDNN 9.19.0"
  // Whether a C++ file includes its headers.
  bool is_included_by(const std::filesystem::path& file) const;
};

// All known libraries, in the order in which their baselines are listed.
std::vector<VendorLibrary> vendor_libraries();

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
