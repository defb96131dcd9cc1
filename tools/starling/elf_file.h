// Reads what an executable or a library says of itself before it runs.
#pragma once

#include <set>
#include <string>

#include "base/status.h"

namespace starling::cli {

struct ElfFile {
  std::string interpreter;          // the dynamic linker that loads the file; empty: a library, or statically linked
  bool is_executable = false;       // made to be started
  std::set<std::string> defined;    // names that it defines for others
  std::set<std::string> undefined;  // names that it takes from others

  bool isStatic() const { return is_executable && interpreter.empty(); }
};

// Errors: the file cannot be read, or is no ELF file.
Result<ElfFile> readElf(const std::string& path);

}  // namespace starling::cli
