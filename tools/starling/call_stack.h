// Finds out which libraries of a program wrap its MPI functions, one behind the other, before the program runs.
#pragma once

#include <string>
#include <vector>

#include "doctor_checks.h"
#include "elf_file.h"

namespace starling::cli {

// The program or one library of it.
struct LoadedObject {
  std::string path;
  ElfFile elf;
};

struct CallStack {
  std::vector<LoadedObject> objects;  // in the order in which a function is looked for; the program is the first
  std::vector<std::string> missing;   // libraries that are needed or preloaded, and not found
  std::string mpi_of_starling;        // path of the MPI library that Starling is linked with; empty: it is not found
};

// Reads the stack of a dynamically linked program, with LD_PRELOAD set to `preload`. Nothing of the program is run.
CallStack readCallStack(const std::string& program, const ElfFile& elf, const std::string& preload);

// Tells whether the program's allreduces come to Starling, with one finding for each thing that says so or not.
std::vector<Finding> checkCallStack(const CallStack& stack);

// Tells the same of a command as a user types it, or why nothing can be said of it. A name without a folder is looked
// for in `search_path`. `environment` is that of the ranks; where its LD_PRELOAD does not name the preload library,
// `library` is put there as `starling run` does it.
std::vector<Finding> checkCommand(const std::string& command, const std::string& search_path,
                                  const Entries& environment, const std::string& library);

}  // namespace starling::cli
