// Environment variables as a process is given them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace starling::cli {

// Names and values, "NAME=value".
using Entries = std::vector<std::string>;

inline std::optional<std::string> valueOf(const Entries& environment, const std::string& name) {
  for (const std::string& entry : environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

}  // namespace starling::cli
