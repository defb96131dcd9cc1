#include "text_file.h"

#include <fmt/format.h>

#include <fstream>

namespace starling::cli {

Outcome writeText(const std::string& text, const std::string& path) {
  if (path.empty()) {
    fmt::print("{}", text);
    return Outcome::ok();
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return Outcome::ok();
  return Outcome::fault(fmt::format("cannot write {}: check the folder, its permissions and free space", path));
}

}  // namespace starling::cli
