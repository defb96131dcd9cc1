// Finds out, without running a program, which libraries it gets.
#pragma once

#include <string>
#include <vector>

namespace starling::cli {

struct LoadOrder {
  std::vector<std::string> libraries;  // paths, in the order in which the dynamic linker looks for a function; without
                                       // the program, which comes before all of them
  std::vector<std::string> missing;    // names that are needed or preloaded, and not found
};

// Asks the dynamic linker `interpreter` what it would load for `program` with LD_PRELOAD set to `preload`. Neither the
// program's code nor that of a library is run. Where the linker cannot be asked, there are no libraries.
LoadOrder loadOrder(const std::string& interpreter, const std::string& program, const std::string& preload);

// Reads what the linker says: a line for each library, and one for each preloaded one that it does not find.
LoadOrder parseLoadOrder(const std::string& text);

}  // namespace starling::cli
