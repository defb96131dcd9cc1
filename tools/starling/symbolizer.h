// Finds symbol, file and line of an offset in a module, by the module's own debug information.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace starling::cli {

// Tells where a call is in the source. Empty or 0 means not known.
struct Place {
  std::string symbol;  // demangled
  std::string file;
  int line = 0;
};

// Keeps the modules it has opened. THREADS: one thread at a time.
class Symbolizer {
 public:
  Symbolizer();
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // `module` is a path, `build_id` hexadecimal, `offset` that of a return address in the address space of the file
  // (run-time address minus load bias). Gives an empty place unless the file at `module` has this very build id: a
  // rebuilt program would name the wrong line.
  Place locate(const std::string& module, const std::string& build_id, std::uint64_t offset);

 private:
  struct Modules;
  std::unique_ptr<Modules> modules_;
};

}  // namespace starling::cli
