// What STARLING_ALGORITHM is set to by suites that run below all of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "algos/catalogue.h"

namespace starling {

// Tuned (empty), `some` with parameters, and every row of the catalogue.
inline std::vector<std::string> algorithmSettings(std::vector<std::string> some) {
  std::vector<std::string> texts{""};
  for (std::string& text : some) texts.push_back(std::move(text));
  for (const Algorithm& algorithm : catalogue()) texts.emplace_back(algorithm.name);
  return texts;
}

inline std::string settingName(const testing::TestParamInfo<std::string>& setting) {
  std::string name = setting.param.empty() ? "tuning" : setting.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace starling
