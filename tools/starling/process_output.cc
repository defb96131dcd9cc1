#include "process_output.h"

#include <array>
#include <cstdio>
#include <memory>

namespace starling::cli {

std::string outputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (pipe) {
    const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
    if (bytes == 0) break;
    output.append(buffer.data(), bytes);
  }
  return output;
}

}  // namespace starling::cli
