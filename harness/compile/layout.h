// Where the parts of an installation or a checkout lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/vendor_library.h"
#include "problem/problem.h"

namespace kgrade {

struct Layout {
  // Folders of problem files, each once, in the order in which a slug is looked for: what --problems names,
  // `problems` in the working folder, and those that kgrade comes with.
  std::vector<std::filesystem::path> problems;
  // Where new ones are written: what --problems names, or else `problems` in the working folder; in another
  // folder of a checkout the checkout's.
  std::filesystem::path own_problems;
  std::filesystem::path solutions;         // `solutions` in the working folder; empty: there is none
  std::filesystem::path reference;         // reference/<slug>.cu, reference/families/, reference/ops/
  std::filesystem::path operators;         // where ops/ lies that kgrade comes with
  std::filesystem::path emulated_include;  // the emulated device's CUDA headers
  std::filesystem::path python;    // worker.py, inspect_candidate.py, include/: for candidates in Python
  std::filesystem::path workers;   // kgrade-worker-*
  std::filesystem::path launcher;  // kgrade-sandbox: among them
  std::filesystem::path rewriter;  // kgrade-rewrite: likewise
  std::vector<VendorLibrary> libraries = vendor_libraries();  // that baselines call

  // The reference of a problem: the Python file beside it that it names, or <slug>.cu or else
  // families/<family>.cu: in the `reference` folder beside the folder of the problem's own file if it is
  // there, else in `reference`, else in that of `operators`. When there is none, where its author should
  // write it: beside the folder of the problem's own file.
  std::filesystem::path reference_source(const Problem& problem) const;
  // That Python file, of a problem with a Model.
  static std::filesystem::path model_source(const Problem& problem);
  // The `reference` folder that such a source is of.
  static std::filesystem::path reference_folder(const std::filesystem::path& source);

  // The installation that this program lies in, wherever it was moved to, or else the checkout that it was
  // built from, and what the working folder has. `more_problems` is the folder that the user names, if any;
  // its neighbour `reference`, or else `reference` in the working folder, comes before the one of kgrade. New
  // problems go to that folder, else to `problems` in the working folder; where that is missing, a checkout
  // takes them into its own problems, and in an installation, which is not the user's to change, it is made.
  static Layout find(const std::filesystem::path& more_problems = {});
};

}  // namespace kgrade
