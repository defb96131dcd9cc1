#include "text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace starling::cli {

Outcome writeText(const std::string& text, const std::string& path) {
  if (path.empty()) {
    fmt::print("{}", text);
    return Outcome::ok();
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Outcome::fault(fmt::format("cannot write {}: it is a folder; name a file in it", path));
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return Outcome::ok();
  return Outcome::fault(fmt::format("cannot write {}: check the folder, its permissions and free space", path));
}

}  // namespace starling::cli
