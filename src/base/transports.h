// What Open MPI is told to carry messages by.
#pragma once

#include <string_view>

namespace starling {

// Returns what Open MPI is told to carry messages by, as sharesMemory() takes it: mpirun hands its option --mca btl to
// the ranks by a variable.
std::string_view chosenTransports();

// Returns whether ranks of one machine share memory where Open MPI is told by `btl` what carries messages: names of its
// components, or after a ^ those that are left out; empty: nothing was said.
bool sharesMemory(std::string_view btl);

// Returns how Open MPI is told to copy between the processes of a machine; empty: nothing was said.
std::string_view chosenSingleCopies();

// Returns whether ranks may read each other's memory where Open MPI is told that: users turn it off where the system
// forbids it, as in most containers.
bool readsMemory(std::string_view mechanism);

}  // namespace starling
