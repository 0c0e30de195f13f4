// Baselines controlled by a test.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grade/session.h"

namespace kgrade::test {

struct FakeBaselines : Baselines {
  bool are_known() const override { return search == nullptr; }
  Errors find() override { return std::exchange(search, nullptr)(); }
  std::vector<BaselineChoice> choices(const std::string& case_name) const override {
    const auto found = by_case.find(case_name);
    return found == by_case.end() ? std::vector<BaselineChoice>() : found->second;
  }
  bool activate(const std::string& name, int process) override { return can_activate(name, process); }
  void retire(const std::string& name) override { retired.push_back(name); }

  std::map<std::string, std::vector<BaselineChoice>> by_case;
  std::vector<std::string> retired;
  std::function<Errors()> search;  // null: they are known
  std::function<bool(const std::string&, int)> can_activate = [](const std::string&, int) { return true; };
};

}  // namespace kgrade::test
